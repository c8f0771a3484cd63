import { changelog } from "../../schemas/changelog.ts"
import { NOTICE_DAYS_MIN } from "../../schemas/contract/deprecation.ts"
import { changelogJson } from "../../schemas/endpoints/changelog.ts"
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import type { Piece } from "./page.ts"

/** The title of the page. */
export const TITLE = "Changes of the contract"

/** The page: the entries by their days. */
export const changelogPieces = (): ReadonlyArray<Piece> => [
  {
    text: `Version ${CONTRACT_VERSION}. Documented fields, paths and the names of sources in _meta do not change without ${NOTICE_DAYS_MIN} days of notice here and in the header X-Service-Deprecation. New fields may come at any time. For programs: ${changelogJson.path}.`,
  },
  ...[...Map.groupBy(changelog, ({ date }) => date)].flatMap(
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
  ),
]
