import * as Schema from "effect/Schema"
import { daysBetween, NOTICE_MIN_DAYS } from "./contract/deprecation.ts"
import type { Endpoint } from "./contract/endpoint-kinds.ts"
import { dayMs } from "./day.ts"

const isDay = Schema.String.check(Schema.makeFilter((text) => (dayMs(text) === null ? "must be a day" : undefined)))

/** A change of the contract that callers notice. */
export const ChangelogEntry = Schema.Struct({
  date: isDay.annotate({ description: "Day of the change or of the notice, YYYY-MM-DD" }),
  kind: Schema.Literals(["added", "changed", "deprecated", "removed"]),
  path: Schema.optionalKey(Schema.NonEmptyString),
  field: Schema.optionalKey(Schema.NonEmptyString.annotate({ description: "The member of its reply" })),
  text: Schema.NonEmptyString,
  effective: Schema.optionalKey(
    isDay.annotate({ description: "Day from which on it holds, where it is not that of the entry" }),
  ),
}).annotate({ identifier: "ChangelogEntry" })
export type ChangelogEntry = typeof ChangelogEntry.Type

/** The day of the first release, from which on removals need a notice; null before it. */
export const FIRST_RELEASE_DAY: string | null = null

const removedForLicensing = (path: string, field: string, what: string): ChangelogEntry => ({
  date: "2026-07-23",
  kind: "removed",
  path,
  field,
  text: `${what}, for reasons of data licensing`,
})

const added = (path: string, text: string): ChangelogEntry => ({ date: "2026-11-22", kind: "added", path, text })

/** Every change of the contract, the oldest first. What leaves the contract stands here 90 days before. */
export const changelog: ReadonlyArray<ChangelogEntry> = [
  removedForLicensing("/api/pro/briefing", "sections.btc", "The bitcoin series"),
  removedForLicensing("/api/pro/briefing", "sections.fear_greed", "The crypto fear and greed series"),
  removedForLicensing("/api/pro/macro", "commodities.gold", "The gold series"),
  removedForLicensing(
    "/api/pro/macro",
    "markets",
    "The equity index series (spy, dia, qqq) and the volatility index series",
  ),
  removedForLicensing(
    "/api/pro/correlation-matrix",
    "assets",
    "The crypto, equity index, volatility index and gold series",
  ),
  removedForLicensing("/api/pro/agent-context", "context.markets.btc", "The bitcoin series"),
  removedForLicensing(
    "/api/pro/agent-context",
    "context.markets.crypto_fear_greed",
    "The crypto fear and greed series",
  ),
  removedForLicensing("/api/pro/agent-context", "context.markets.vix", "The volatility index series"),
  added("/llms.txt", "The service in one text for language models; /llms-full.txt holds every field"),
  added("/api/llm-tools", "Tool definitions for language models, in the forms of several vendors"),
  added("/api/meta/pro", "Premium endpoints with prices and the reasons for no charge"),
  added("/catalog.jsonld", "The datasets as a DCAT 3 catalogue: licences, distributions, cadence and pages"),
  added("/.well-known/api-catalog", "Links to what describes this service (RFC 9727)"),
  added("/.well-known/security.txt", "Where vulnerabilities are reported (RFC 9116)"),
  added("/status.json", "How the feeds and this service are doing, as the page /status shows it"),
  added("/changelog", "This list as a page; /changelog.json for programs"),
  {
    date: "2026-11-22",
    kind: "added",
    text: "The headers RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset beside RateLimit and RateLimit-Policy",
  },
  {
    date: "2026-11-23",
    kind: "added",
    text: "The error not_offered (404), of an endpoint that the operator of an installation does not offer",
  },
  {
    date: "2026-11-24",
    kind: "added",
    path: "/api/changes",
    text: "Changes of items behind a cursor, as pages; with wait the next one as soon as it comes",
  },
  { date: "2026-11-24", kind: "added", path: "/api/stream", text: "The same changes as server-sent events" },
  {
    date: "2026-11-24",
    kind: "added",
    path: "/asyncapi.json",
    text: "The stream and the pages of changes as an AsyncAPI 3 document",
  },
  {
    date: "2026-11-24",
    kind: "added",
    path: "/api",
    field: "endpoints[].changes",
    text: "The feeds whose changes are rows of an endpoint; x-changes in OpenAPI",
  },
  {
    date: "2026-11-24",
    kind: "added",
    path: "/api/service-status",
    field: "[].incidents",
    text: "The unresolved incidents of each service; in the briefing too",
  },
  {
    date: "2026-11-26",
    kind: "added",
    text: "The parameter at on every view that has a past: its reply as it was known at an instant, behind a cursor, or now",
  },
  {
    date: "2026-11-26",
    kind: "added",
    field: "_meta.at",
    text: "Of a past reply: the instant that was asked for, the one that it is of, and the cursor of the last change known then",
  },
  {
    date: "2026-11-26",
    kind: "added",
    text: "The reason paid_today, for which a premium call is free of charge: the account has paid for this past reply today (UTC)",
  },
  {
    date: "2026-11-26",
    kind: "added",
    path: "/api/climate/earthquakes/history",
    text: "What changed of its items by event time, with links to the replies of then; behind the path of every endpoint that states changes",
  },
  {
    date: "2026-11-26",
    kind: "added",
    path: "/api",
    field: "endpoints[].history",
    text: "The path of the history of an endpoint",
  },
  {
    date: "2026-11-26",
    kind: "added",
    path: "/status.json",
    field: "history",
    text: "Whether this installation keeps a history; without one, what reads it answers 404 not_configured",
  },
  {
    date: "2026-11-27",
    kind: "added",
    text: "The parameter fields on every endpoint of data: these members of its items alone, else of its data",
  },
  {
    date: "2026-11-27",
    kind: "added",
    path: "/api/climate/earthquakes/history",
    text: "format=atom, of the history of every list",
  },
  {
    date: "2026-11-27",
    kind: "added",
    path: "/world-history.json",
    text: "The range 1y",
  },
  {
    date: "2026-11-27",
    kind: "added",
    path: "/SKILL.md",
    text: "How an agent uses the service, in one short page",
  },
  {
    date: "2026-11-27",
    kind: "added",
    path: "/server.json",
    text: "The MCP servers as an entry of an MCP registry",
  },
  {
    date: "2026-11-27",
    kind: "added",
    path: "/api/space-weather",
    field: "kp_history",
    text: "The Kp index of the newest three-hour intervals, up to three days",
  },
  {
    date: "2026-11-27",
    kind: "added",
    path: "/api/economic-data",
    field: "history",
    text: "Years of the policy rate and of inflation by the month, and the yield curve of three months by the day",
  },
]

/** The part of the contract that an entry is about; null where it names no path. */
const partOf = ({ path, field }: Pick<ChangelogEntry, "path" | "field">): string | null =>
  path === undefined ? null : `${path} ${field ?? ""}`

/** The day from which on an entry holds. */
const effectiveDay = ({ date, effective = date }: ChangelogEntry): string => effective

/**
 * What breaks the contract's promise of notice, in words: a removal without an entry `deprecated` of the same part at least
 * 90 days before it takes effect. Entries before the first release are excepted.
 */
export const noticeFaults = (
  entries: ReadonlyArray<ChangelogEntry>,
  firstReleaseDay: string | null,
): ReadonlyArray<string> =>
  entries.flatMap((entry) => {
    if (entry.kind !== "removed" || firstReleaseDay === null || effectiveDay(entry) < firstReleaseDay) return []
    const part = partOf(entry)
    if (part === null) return [`${effectiveDay(entry)}: a removal names no path`]
    const noticed = entries.some(
      (one) =>
        one.kind === "deprecated" &&
        partOf(one) === part &&
        (daysBetween(one.date, effectiveDay(entry)) ?? 0) >= NOTICE_MIN_DAYS,
    )
    return noticed
      ? []
      : [`${part.trim()}: removed on ${effectiveDay(entry)} without a notice of ${NOTICE_MIN_DAYS} days`]
  })

/** The deprecations that endpoints declare without an entry of the same part and days, in words. */
export const deprecationFaults = (
  endpoints: ReadonlyArray<Pick<Endpoint, "path" | "deprecated">>,
  entries: ReadonlyArray<ChangelogEntry>,
): ReadonlyArray<string> =>
  endpoints.flatMap(({ path, deprecated }) =>
    deprecated.flatMap(({ since, until, field }) => {
      const part = partOf(field === undefined ? { path } : { path, field })
      const listed = entries.some(
        (one) => one.kind === "deprecated" && partOf(one) === part && one.date === since && effectiveDay(one) === until,
      )
      return listed ? [] : [`${String(part).trim()}: deprecated from ${since} until ${until}, which no entry says`]
    }),
  )
