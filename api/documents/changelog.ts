import * as Result from "effect/Result"
import { changelog } from "../../schemas/changelog.ts"
import { changelogEndpoint, changelogJson, changelogMarkdown } from "../../schemas/endpoints/changelog.ts"
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import { document } from "../document.ts"
import { changelogPieces, TITLE } from "../pages/changelog.ts"
import { pageDocuments } from "../pages/page-documents.ts"

/** The changes of the contract: as a page, as Markdown, and for programs. */
export const [page, twin] = pageDocuments({
  page: changelogEndpoint,
  twin: changelogMarkdown,
  title: TITLE,
  description: "What was added, changed, deprecated and removed, with its day.",
  pieces: () => () => changelogPieces(),
})

export const list = document({
  endpoint: changelogJson,
  make: () => () => Result.succeed({ contract_version: CONTRACT_VERSION, entries: changelog }),
})
