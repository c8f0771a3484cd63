import * as Result from "effect/Result"
import { type ChangelogEntry, changelog } from "../../schemas/changelog.ts"
import { NOTICE_MIN_DAYS } from "../../schemas/contract/deprecation.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { feedPagePath } from "../../schemas/contract/pages.ts"
import { changelogEndpoint, changelogJson, changelogMarkdown } from "../../schemas/endpoints/changelog.ts"
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import { isData } from "../../schemas/printers/tools.ts"
import type { Piece } from "../pages/page.ts"
import { pageDocuments } from "../pages/shell.ts"
import { sitePages } from "../pages/site-registry.ts"
import { document } from "../routes/document.ts"

const KINDS = ["added", "changed", "deprecated", "removed"] as const
const TITLES: Readonly<Record<ChangelogEntry["kind"], string>> = {
  added: "Added",
  changed: "Changed",
  deprecated: "Deprecated",
  removed: "Removed",
}

/** Paths, and the words of the contract with an underscore. */
const NAMED = /(?<![\w/.])(?:\/[a-z][\w./-]*\w|[a-z]+(?:_[a-z]+)+)(?![\w/])/g

/** Where the pages of the paths stand that an entry may name. */
const addressesOf = (endpoints: ReadonlyArray<Endpoint>): ReadonlyMap<string, string> =>
  new Map([
    ...sitePages.filter(({ path }) => !path.includes(":")).map(({ path }) => [path, path] as const),
    ...endpoints.filter(({ kind }) => kind === "document").map(({ path }) => [path, path] as const),
    ...endpoints.filter(isData).map((endpoint) => [endpoint.path, feedPagePath(endpoint)] as const),
  ])

/** An entry in Markdown: what it names is code, and a link where it has a page. */
const entryText = (
  { path, field, text, effective }: ChangelogEntry,
  addresses: ReadonlyMap<string, string>,
): string => {
  const linked = (name: string): string => {
    const address = addresses.get(name)
    return address === undefined ? `\`${name}\`` : `[\`${name}\`](${address})`
  }
  const part = [path === undefined ? [] : linked(path), field === undefined ? [] : `\`${field}\``].flat().join(" ")
  const from = effective === undefined ? "" : ` From ${effective} on.`
  return `- ${part === "" ? "" : `${part}: `}${text.replaceAll(NAMED, linked)}.${from}`
}

/** The entries by their days and kinds, the newest first. */
const entriesByDay = (addresses: ReadonlyMap<string, string>): string =>
  [...Map.groupBy(changelog.toReversed(), ({ date }) => date)]
    .map(([date, entries]) => {
      const byKind = KINDS.flatMap((kind) => {
        const own = entries.filter((one) => one.kind === kind).toReversed()
        return own.length === 0
          ? []
          : [`**${TITLES[kind]}**\n\n${own.map((one) => entryText(one, addresses)).join("\n")}`]
      })
      return `## ${date}\n\n${byKind.join("\n\n")}`
    })
    .join("\n\n")

/** The changes of the contract: as a page, as Markdown, and for programs. */
export const [page, twin] = pageDocuments({
  page: changelogEndpoint,
  twin: changelogMarkdown,
  title: "Changes of the contract",
  description: "What was added, changed, deprecated and removed, with its day.",
  pieces: ({ options }) => {
    const days = [...new Set(changelog.map(({ date }) => date))].reverse()
    const pieces: ReadonlyArray<Piece> = [
      {
        marked: `Version ${CONTRACT_VERSION}. Documented fields, paths and the names of sources in \`_meta\` do not change without ${NOTICE_MIN_DAYS} days of notice here and in the header \`X-Service-Deprecation\`. New fields may come at any time. For programs: [\`${changelogJson.path}\`](${changelogJson.path}).`,
      },
      { marked: days.map((day) => `[${day}](#${day})`).join(" · ") },
      { marked: entriesByDay(addressesOf(options.endpoints)) },
    ]
    return () => pieces
  },
})

export const list = document({
  endpoint: changelogJson,
  make: () => () => Result.succeed({ contract_version: CONTRACT_VERSION, entries: changelog }),
})
