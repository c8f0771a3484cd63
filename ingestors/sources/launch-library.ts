import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LAUNCH_NAME_MAX_CHARACTERS, launches, type NetPrecision } from "../../schemas/feeds/launches.ts"
import { document } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { launchLibrary } from "../providers/launch-library.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanText, cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { Decimal, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const Named = Schema.Struct({ name: maybe(Schema.String) })

/**
 * https://ll.thespacedevs.com/docs/ One launch, in versions 2.2.0 and 2.3.0: coordinates are texts in the older one, and
 * members that either lacks are optional.
 */
const LaunchEntry = Schema.Struct({
  id: Schema.NonEmptyString,
  url: maybe(Schema.String),
  name: Schema.String,
  status: Schema.Struct({ name: Schema.String, abbrev: Schema.String }),
  net: maybe(Schema.String),
  net_precision: maybe(Named),
  window_start: maybe(Schema.String),
  window_end: maybe(Schema.String),
  probability: maybe(Schema.Finite),
  webcast_live: maybe(Schema.Boolean),
  last_updated: maybe(Schema.String),
  launch_service_provider: maybe(Named),
  rocket: maybe(
    Schema.Struct({
      configuration: maybe(Schema.Struct({ name: maybe(Schema.String), full_name: maybe(Schema.String) })),
    }),
  ),
  mission: maybe(Named),
  pad: maybe(
    Schema.Struct({
      name: maybe(Schema.String),
      latitude: maybe(Schema.Union([Decimal, Schema.Literal("")])),
      longitude: maybe(Schema.Union([Decimal, Schema.Literal("")])),
      location: maybe(Named),
    }),
  ),
})
type LaunchEntry = typeof LaunchEntry.Type

const Upcoming = Schema.Struct({ results: Schema.Array(Schema.Unknown) })

const HOST = "https://ll.thespacedevs.com"
/** Launches of the last 24 hours stand in the list as well. */
const QUERY = "limit=25&mode=normal"

const listAt = (path: string) =>
  document({
    format: "json",
    wire: Upcoming,
    url: `${HOST}${path}?${QUERY}`,
    headers: (key: string | null): Readonly<Record<string, string>> =>
      key === null ? {} : { authorization: `Token ${key}` },
  })
const upcoming = listAt("/2.3.0/launches/upcoming/")
/** The version before, in which launches are singular. */
const upcomingBefore = listAt("/2.2.0/launch/upcoming/")

/** Statuses of a version that is no longer served. */
const GONE = new Set([404, 410])

/** How the catalogue names precisions. A half of a day is not known to the hour; a decade is no time at all. */
const precisions: ReadonlyArray<readonly [RegExp, NetPrecision]> = [
  [/^second$/i, "second"],
  [/^minute$/i, "minute"],
  [/^hour$/i, "hour"],
  [/^(morning|afternoon|day)$/i, "day"],
  [/^week$/i, "week"],
  [/^month$/i, "month"],
  [/^(quarter|q[1-4]\b)/i, "quarter"],
  [/^(half|h[12]\b)|half$/i, "half"],
  [/^(fiscal )?year$/i, "year"],
]

const precisionOf = (name: string): NetPrecision | null =>
  precisions.find(([pattern]) => pattern.test(name.trim()))?.[1] ?? null

const nameOrNull = (text: string | null | undefined): string | null => cleanTextOrNull(text, LAUNCH_NAME_MAX_CHARACTERS)

const coordinate = (value: number | "" | null | undefined, bound: number): number | null =>
  value === "" ? null : within(value, -bound, bound)

/** A time that is present but invalid makes the row unreadable: without it the launch would seem to have no date. */
const isUnreadableTime = (text: string | null | undefined): boolean =>
  text !== null && text !== undefined && isoMs(text) === null

const launch = (entry: LaunchEntry) => {
  if (isUnreadableTime(entry.net)) return unreadable("its time (net) is none")
  const name = nameOrNull(entry.name)
  const status = nameOrNull(entry.status.name)
  const statusAbbreviation = cleanText(entry.status.abbrev, 40)
  if (name === null || status === null || statusAbbreviation === "") return unreadable("it has no name or no status")
  const latitude = coordinate(entry.pad?.latitude, 90)
  const longitude = coordinate(entry.pad?.longitude, 180)
  const probability = within(entry.probability, 0, 100)
  return {
    id: cleanText(entry.id, 80),
    name,
    provider: nameOrNull(entry.launch_service_provider?.name),
    vehicle: nameOrNull(entry.rocket?.configuration?.full_name ?? entry.rocket?.configuration?.name),
    mission: nameOrNull(entry.mission?.name),
    status,
    statusAbbreviation,
    net: instantOrNull(isoMs(entry.net)),
    netPrecision: precisionOf(entry.net_precision?.name ?? ""),
    windowStart: instantOrNull(isoMs(entry.window_start)),
    windowEnd: instantOrNull(isoMs(entry.window_end)),
    pad: nameOrNull(entry.pad?.name),
    location: cleanTextOrNull(entry.pad?.location?.name, 200),
    // A position needs both coordinates.
    latitude: longitude === null ? null : latitude,
    longitude: latitude === null ? null : longitude,
    probabilityPercent: probability === null ? null : Math.round(probability),
    webcastLive: entry.webcast_live ?? null,
    url: httpUrl(entry.url),
    updatedAt: instantOrNull(isoMs(entry.last_updated)),
  }
}

export default listSource({
  name: "launch-library",
  provider: "LaunchLibrary.launches",
  fills: launches,
  every: "10 minutes",
  access: launchLibrary,
  documents: { upcoming, upcomingBefore },
  collect: (upstream, { key }) =>
    upstream
      .fetch(upcoming, key)
      .pipe(
        Effect.catch((failed) =>
          failed._tag === "HttpFailed" && failed.status !== null && GONE.has(failed.status)
            ? upstream.fetch(upcomingBefore, key)
            : Effect.fail(failed),
        ),
      ),
  rows: ({ results }) => results,
  row: LaunchEntry,
  toItem: launch,
  contentAtMs: (_, read) => newestMs(read.flatMap(({ item }) => item.updatedAt ?? [])),
  attribution: {
    provider: "The Space Devs, Launch Library 2",
    licence: "Launch Library terms: free within the published limits, with the source named",
    url: "https://thespacedevs.com/llapi",
  },
  terms: termsOf({ use: "provider", url: "https://thespacedevs.com/llapi" }),
})
