import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import githubSearch, { Repository } from "../../ingestors/sources/github-search.ts"

/** One repository by its name: the same members as in a search. */
const repository = document({
  format: "json",
  wire: Repository,
  url: (fullName: string) => `https://api.github.com/repos/${fullName}`,
})

export default recordedDocuments(githubSearch, { repository })
