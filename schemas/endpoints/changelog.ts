import * as Schema from "effect/Schema"
import { ChangelogEntry } from "../changelog.ts"
import { CHANGELOG_PATH } from "../contract/deprecation.ts"
import { endpoint } from "../contract/endpoint.ts"
import { markdownTwin, PAGE_TYPES } from "../contract/pages.ts"

/** The page that lists the changes of the contract. */
export const changelogEndpoint = endpoint({
  path: CHANGELOG_PATH,
  name: "changelog",
  kind: "document",
  tier: "service",
  ttl: 0,
  mediaTypes: PAGE_TYPES,
  summary: "Changes of the contract",
  description:
    "What was added, changed, deprecated and removed, the newest first. HTML, or Markdown where a client prefers it.",
  parameters: {},
  data: Schema.String,
  example: "# Changes of the contract\n",
})

/** The same page as Markdown, whatever a client prefers. */
export const changelogMarkdown = markdownTwin(changelogEndpoint)

/** The same list for programs. */
export const changelogJson = endpoint({
  path: `${CHANGELOG_PATH}.json`,
  name: "changelog_json",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  summary: "Changes of the contract, for programs",
  description: "The oldest first. What is deprecated stays for at least 90 days from the date of its entry.",
  parameters: {},
  data: Schema.Struct({ contract_version: Schema.NonEmptyString, entries: Schema.Array(ChangelogEntry) }),
  example: {
    contract_version: "1.15.0",
    entries: [
      {
        date: "2026-07-23",
        kind: "removed",
        path: "/api/pro/macro",
        field: "commodities.gold",
        text: "The gold series, for reasons of data licensing",
      },
    ],
  },
})
