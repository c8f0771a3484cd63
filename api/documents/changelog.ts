import * as Result from "effect/Result"
import { changelog } from "../../schemas/changelog.ts"
import { NOTICE_MIN_DAYS } from "../../schemas/contract/deprecation.ts"
import { changelogEndpoint, changelogJson, changelogMarkdown } from "../../schemas/endpoints/changelog.ts"
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import type { Piece } from "../pages/page.ts"
import { pageDocuments } from "../pages/shell.ts"
import { document } from "../routes/document.ts"

/** The entries by their days. */
const entriesByDay = (): ReadonlyArray<Piece> =>
  [...Map.groupBy(changelog, ({ date }) => date)].flatMap(
    ([date, entries]): ReadonlyArray<Piece> => [
      { heading: date },
      {
        list: entries.map(({ kind, path, field, text, effective }) => {
          const part = [path, field].filter((one) => one !== undefined).join(" ")
          const from = effective === undefined ? "" : ` From ${effective} on.`
          return `${kind}${part === "" ? "" : ` ${part}`}: ${text}.${from}`
        }),
      },
    ],
  )

/** The changes of the contract: as a page, as Markdown, and for programs. */
export const [page, twin] = pageDocuments({
  page: changelogEndpoint,
  twin: changelogMarkdown,
  title: "Changes of the contract",
  description: "What was added, changed, deprecated and removed, with its day.",
  pieces: () => () => [
    {
      text: `Version ${CONTRACT_VERSION}. Documented fields, paths and the names of sources in _meta do not change without ${NOTICE_MIN_DAYS} days of notice here and in the header X-Service-Deprecation. New fields may come at any time. For programs: ${changelogJson.path}.`,
    },
    ...entriesByDay(),
  ],
})

export const list = document({
  endpoint: changelogJson,
  make: () => () => Result.succeed({ contract_version: CONTRACT_VERSION, entries: changelog }),
})
