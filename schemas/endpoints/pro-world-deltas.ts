import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { INSTANT_WITH_ZONE, instantText } from "../contract/parameters.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { Instant } from "../event.ts"
import { LAUNCHES_MAX } from "../feeds/launches.ts"
import { LaunchDelta, LearntDelta, WorldDelta, type WorldDeltaType, worldDeltaTypes } from "../payloads/world-delta.ts"
import { recordOf } from "../record.ts"

const general = {
  timestamp:
    "When Tidewire learnt of the event, later than that of every event before; of a launch its scheduled time. data.time is the event's own time.",
  next_since:
    "Pass it as since: the next reply then holds every later event, and none of these, if it is requested within the hour.",
  space_launch:
    "Launches from 1 hour before to 12 hours after now are in every reply that is charged, whatever since says, under the same data.id; they do not count for has_more and charge.",
  severity:
    "Earthquakes: below 5 minor, below 6 moderate, else major. Stories: below 25 points minor, below 100 moderate, else major; unknown points count as none. Markets: above 100,000 US dollars of 24-hour turnover major, else moderate. Launches: moderate.",
} as const

const NOT_READ = "Nothing has been read yet."
const NOTHING_LEARNT =
  "Nothing was learnt after since. The reply is free of charge, and so without launches and without counts of the hour."
const NOT_STATED = "Not stated by the source."
const ofMembers: Readonly<Record<string, string>> = {
  "tech_news_story.url": "The story is a text of its own and links to nothing.",
  "prediction_market_update.previous": "The market is newly listed, or its leading outcome had no probability before.",
}

/** Names of the members that are null, within `value`, with the names that lead to them. */
const nullsOf = (value: unknown, name: string): ReadonlyArray<string> => {
  if (value === null) return [name]
  if (typeof value !== "object") return []
  return Object.entries(value).flatMap(([member, inner]) => nullsOf(inner, `${name}.${member}`))
}

/** The notes of a reply: the general ones, one for each member that is null, and one for each type that it cannot hold. */
const worldDeltaNotes = (
  reply: {
    readonly since: string | null
    readonly next_since: string | null
    readonly events: ReadonlyArray<WorldDelta>
  },
  read: Readonly<Record<WorldDeltaType, boolean>>,
  served: ReadonlyArray<WorldDeltaType>,
): Readonly<Record<string, string>> => {
  const missing = new Set(reply.events.flatMap(({ type, data }) => nullsOf(data, type)))
  return {
    ...general,
    ...(reply.since === null ? { since: NOT_READ } : {}),
    ...(reply.next_since === null ? { next_since: NOT_READ } : {}),
    ...(reply.events.length === 0 ? { "sample_size.events_in_rolling_hour": NOTHING_LEARNT } : {}),
    ...Object.fromEntries([...missing].sort().map((name) => [name, ofMembers[name] ?? NOT_STATED])),
    ...Object.fromEntries(
      Object.entries(read).flatMap(([type, isRead]) => {
        if (!served.some((one) => one === type)) return [[type, WITHHELD_NOTE]]
        return isRead ? [] : [[type, `${NOT_READ} What is missing is not an empty answer.`]]
      }),
    ),
  }
}

/** Learnt events of one reply, at most: the oldest ones after `since`. */
export const DELTAS_SERVED_MAX = 200
/** How far back `since` reaches, in milliseconds of event time. */
export const DELTAS_WINDOW_MS = 3_600_000
/** How far `since` may lie ahead of the clock of the service: clocks differ. */
export const SINCE_AHEAD_MAX_MS = 5 * 60_000

/** A member for each type. */
const named = <Value extends Schema.Top>(value: Value) =>
  Schema.Struct(
    Object.fromEntries(worldDeltaTypes.map((type) => [type, value])) as Readonly<Record<WorldDeltaType, Value>>,
  )

/** The whole view: what was learnt in the rolling hour, and the launches that are near. */
export const WorldDeltasFull = Schema.Struct({
  /** Event time at which it was published; no event that is learnt later has a timestamp up to it. Null before the first. */
  as_of: Schema.NullOr(Instant),
  /** The events after it are all here. An hour before `as_of`, later only where the window has reached its bounds. */
  complete_since: Schema.NullOr(Instant),
  /** Types whose feed has been read. */
  read: named(Schema.Boolean),
  /** Oldest first. */
  events: Schema.Array(LearntDelta),
  launches: Schema.Array(LaunchDelta).check(Schema.isMaxLength(LAUNCHES_MAX)),
})
export type WorldDeltasFull = typeof WorldDeltasFull.Type

/** The data of one call. */
export const WorldDeltas = Schema.Struct({
  since: Schema.NullOr(Instant).annotate({
    description: "Effective lower bound: later events are in the reply. Null before the first feed was read",
  }),
  since_clamped: Schema.Boolean.annotate({
    description: "The given `since` was older than the rolling hour: events may have been missed",
  }),
  next_since: Schema.NullOr(Instant).annotate({
    description: "The `since` of the next call, which then holds every later event, and none of these",
  }),
  has_more: Schema.Boolean.annotate({
    description: `More than ${DELTAS_SERVED_MAX} events are later than \`since\`: the oldest are here, and \`next_since\` gives the others`,
  }),
  events: Schema.Array(WorldDelta)
    .check(Schema.isMaxLength(DELTAS_SERVED_MAX + LAUNCHES_MAX))
    .annotate({
      description: "Newest timestamp first; empty, without launches, where nothing was learnt after `since`",
    }),
  counts: named(Schema.optionalKey(Schema.Natural)).annotate({
    description: "Events of this reply by type; no member where nothing was learnt after `since`",
  }),
  sample_size: Schema.Struct({
    events_in_rolling_hour: Schema.NullOr(Schema.Natural).annotate({
      description: "Events learnt within the hour, without launches; null where none of them is after `since`",
    }),
    events_after_since_filter: Schema.Natural.annotate({
      description: "Those of them after `since`, also where they exceed this reply",
    }),
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanations; of a member that is null under its name, in an event as type.member",
  }),
})
export type WorldDeltas = typeof WorldDeltas.Type

/** The input of the view that each type is made of. */
export const worldDeltaInputs = {
  earthquake: "quakes",
  tech_news_story: "frontPage",
  prediction_market_update: "markets",
  space_launch: "catalogue",
} as const satisfies Readonly<Record<WorldDeltaType, string>>

/** Newest timestamp first; equal ones, which launches may have, by type and id. */
const newestFirst = (one: WorldDelta, other: WorldDelta): number => {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? 1 : -1
  return `${one.type} ${one.data.id}` < `${other.type} ${other.data.id}` ? -1 : 1
}

const laterOf = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one

/**
 * The events after `since`, the oldest 200, with the launches. Where nothing was learnt after `since` the reply is free of
 * charge, so it holds no launches and no counts either: a `since` that is ahead buys nothing. All instants have one form, so they are compared as texts.
 * A caller who passes each `next_since` on gets every learnt event once, as a timestamp is later than every `as_of` that was
 * published before it, and `next_since` never goes back, whichever replica answers.
 */
export const selectWorldDeltas = (
  full: WorldDeltasFull,
  { since }: { readonly since: string | undefined },
  withheld: ReadonlySet<string>,
): Selection<WorldDeltas> => {
  const served = worldDeltaTypes.filter((type) => !withheld.has(worldDeltaInputs[type]))
  const learnt = full.events.filter(({ type }) => served.includes(type))
  const isClamped = since !== undefined && full.complete_since !== null && since < full.complete_since
  const from = since === undefined || isClamped ? full.complete_since : since
  const after = from === null ? learnt : learnt.filter(({ timestamp }) => timestamp > from)
  const page = after.slice(0, DELTAS_SERVED_MAX)
  const hasMore = after.length > page.length
  const isEmpty = page.length === 0
  const launches = served.includes("space_launch") && !isEmpty ? full.launches : []
  const events = [...page, ...launches].sort(newestFirst)
  const data: Omit<WorldDeltas, "notes"> = {
    since: from,
    since_clamped: isClamped,
    next_since: hasMore ? (page.at(-1)?.timestamp ?? null) : laterOf(from, full.as_of),
    has_more: hasMore,
    events,
    counts: isEmpty ? {} : recordOf(worldDeltaTypes, (type) => events.filter((event) => event.type === type).length),
    sample_size: {
      events_in_rolling_hour: isEmpty ? null : learnt.length,
      events_after_since_filter: after.length,
    },
  }
  return {
    data: { ...data, notes: worldDeltaNotes(data, full.read, served) },
    inputs: served.map((type) => worldDeltaInputs[type]),
  }
}

const exampleFull: WorldDeltasFull = {
  as_of: "2026-08-17T20:40:00.412Z",
  complete_since: "2026-08-17T19:40:00.412Z",
  read: { earthquake: true, tech_news_story: true, prediction_market_update: true, space_launch: true },
  events: [
    {
      type: "earthquake",
      timestamp: "2026-08-17T20:35:12.118Z",
      severity: "minor",
      data: {
        id: "ak026ajvbbqk",
        type: "earthquake",
        magnitude: 4.6,
        place: "100 km S of Kodiak, Alaska",
        depth_km: 21.4,
        mag_type: "ml",
        time: "2026-08-17T20:33:01.000Z",
        url: "https://earthquake.usgs.gov/earthquakes/eventpage/ak026ajvbbqk",
      },
    },
    {
      type: "prediction_market_update",
      timestamp: "2026-08-17T20:38:03.007Z",
      severity: "major",
      data: {
        id: "540816",
        question: "Will it rain on the opening day of the fair?",
        outcome: "Yes",
        probability: 0.53,
        previous: 0.51,
        volume_24h: 232500.5,
        url: "https://polymarket.com/event/opening-day",
      },
    },
  ],
  launches: [
    {
      type: "space_launch",
      timestamp: "2026-08-18T02:00:00.000Z",
      severity: "moderate",
      data: {
        id: "0c2f5d0e-7f4f-4f0e-9d53-5e8e2a6d9a11",
        mission: "Survey Satellite 12",
        vehicle: "Kestrel 3",
        provider: "Northern Launch Company",
        status: "Go for Launch",
        net: "2026-08-18T02:00:00.000Z",
        net_precision: "minute",
        window: { start: "2026-08-18T02:00:00.000Z", end: "2026-08-18T06:00:00.000Z" },
        url: "https://ll.thespacedevs.com/2.3.0/launches/0c2f5d0e-7f4f-4f0e-9d53-5e8e2a6d9a11/",
      },
    },
  ],
}

export const proWorldDeltasEndpoint = endpoint({
  path: "/api/pro/world-deltas",
  name: "pro_world_deltas",
  kind: "filtered",
  tier: "premium",
  subject: "world",
  credits: 2,
  // The contract's "1h rolling" is the window; the data itself changes by the minute.
  ttl: "60 seconds",
  summary: "What happened in the world since the last call: earthquakes, tech stories, prediction markets, launches",
  description: [
    "Earthquakes of magnitude 4.0 and above, stories that are new on the front page of Hacker News, prediction markets that",
    "are new or have moved by a hundredth, each once, by the time when Tidewire learnt of them; and with them the launches from",
    "1 hour before to 12 hours after now. Poll with `next_since`, at least once an hour and at once while `has_more`:",
    "no event is missed or repeated. A reply where nothing was learnt after `since` is free of charge, without launches and counts.",
  ].join(" "),
  parameters: {
    since: {
      schema: instantText,
      text: { pattern: INSTANT_WITH_ZONE.source },
      optional: true,
      description:
        "ISO 8601 instant with its zone, at most 5 minutes ahead: only events learnt after it; 1 hour ago when left out or older",
      example: "2026-08-17T20:35:00.000Z",
    },
  },
  data: WorldDeltas,
  cold: {
    as_of: null,
    complete_since: null,
    read: { earthquake: false, tech_news_story: false, prediction_market_update: false, space_launch: false },
    events: [],
    launches: [],
  },
  select: selectWorldDeltas,
  refuse: ({ since }, nowMs) =>
    since !== undefined && Date.parse(since) > nowMs + SINCE_AHEAD_MAX_MS
      ? { parameter: "since", message: 'The parameter "since" lies more than 5 minutes ahead of the service\'s clock.' }
      : null,
  empty: ({ events }) => events.every(({ type }) => type === "space_launch"),
  example: selectWorldDeltas(exampleFull, { since: "2026-08-17T20:35:00.000Z" }, new Set()).data,
})
