import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, itemWords } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { NonEmptyTextUpTo, TextUpTo } from "../values.ts"

/** The most events of a payload; a bad day has some fifty. A longer list is refused: an airport would seem to be clear. */
export const AIRPORT_EVENTS_MAX = 500
export const AIRPORT_REASON_MAX_CHARACTERS = 500

const Airport = Schema.String.check(Schema.isPattern(/^[A-Z0-9]{3,4}$/))
const Reason = TextUpTo(AIRPORT_REASON_MAX_CHARACTERS)
const EndTime = Schema.NullOr(NonEmptyTextUpTo(40))
const Minutes = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })))
const TimeOfDay = Schema.String.check(Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/))

/** Days of the week as notices to airmen name them, Sunday first. */
export const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] as const
export const delayDirections = ["arrival", "departure"] as const
export const delayTrends = ["increasing", "decreasing", "no_change"] as const

const DailyWindow = Schema.Struct({
  /** UTC. A window that ends before it begins ends on the next day. */
  from: TimeOfDay,
  to: TimeOfDay,
  /** The days on which it begins; null: every day. */
  weekdays: Schema.NullOr(Schema.Array(Schema.Literals(weekdays)).check(Schema.isBetweenLength(1, 7))),
})
export type DailyWindow = typeof DailyWindow.Type

/**
 * Tells entries apart that differ in more than the FAA's lists identify them by, such as two ground stops of one airport:
 * the reason, and a number among those of one reason. Absent of one that is alone, which is nearly always so.
 */
const Distinction = NonEmptyTextUpTo(AIRPORT_REASON_MAX_CHARACTERS + 10)

const common = { airport: Airport, reason: Reason, distinction: Schema.optionalKey(Distinction) }

const GroundStop = Schema.Struct({
  kind: Schema.Literal("ground_stop"),
  ...common,
  /** Such as "8:00 am EDT": it has no date. */
  endTime: EndTime,
})
const GroundDelay = Schema.Struct({
  kind: Schema.Literal("ground_delay"),
  ...common,
  averageMinutes: Minutes,
  maximumMinutes: Minutes,
})
const Delay = Schema.Struct({
  kind: Schema.Literal("delay"),
  ...common,
  direction: Schema.Literals(delayDirections),
  minimumMinutes: Minutes,
  maximumMinutes: Minutes,
  trend: Schema.NullOr(Schema.Literals(delayTrends)),
})
const Closure = Schema.Struct({
  /** A restriction closes an airport to some users alone, such as unscheduled general aviation. */
  kind: Schema.Literals(["closure", "restriction"]),
  ...common,
  /** Number of the notice to airmen at its airport, such as 07/028. */
  notam: Schema.NullOr(NonEmptyTextUpTo(20)),
  startsAt: Schema.NullOr(Instant),
  endsAt: Schema.NullOr(Instant),
  /** Whether it holds at certain hours only; `dailyWindow` is null where these are not read. */
  isAtCertainHours: Schema.Boolean,
  dailyWindow: Schema.NullOr(DailyWindow),
})
export type Closure = typeof Closure.Type

/** What hinders traffic at one airport. */
export const AirportEvent = Schema.Union([GroundStop, GroundDelay, Delay, Closure])
export type AirportEvent = typeof AirportEvent.Type
export type AirportEventKind = AirportEvent["kind"]

/** What the lists themselves distinguish events of one kind at one airport by. */
const detailOf = (event: AirportEvent): string => {
  if (event.kind === "delay") return event.direction
  if (event.kind === "closure" || event.kind === "restriction") return event.notam ?? event.reason
  return ""
}

export const faaStatus = listFeed({
  name: "faa-status",
  description:
    "Ground stops, ground delay programs, delays, closures and restrictions at US airports, as the FAA lists them.",
  item: AirportEvent,
  facts: Schema.Struct({
    /** When the FAA wrote the list. */
    updatedAt: Instant,
  }),
  itemsMax: AIRPORT_EVENTS_MAX,
  key: (event) =>
    [event.kind, event.airport, detailOf(event), ...(event.distinction === undefined ? [] : [event.distinction])].join(
      "/",
    ),
  // Left out, an entry that cannot be read would make its airport seem clear.
  unreadableShare: 0,
  contentAgeMax: "15 minutes",
})

const AirportCode = Airport.annotate({ description: "Code of the FAA, such as SFO" })
const listOf = <Members extends Schema.Struct.Fields>(members: Members) =>
  Schema.Array(Schema.Struct({ airport: AirportCode, reason: Reason, ...members })).check(
    Schema.isMaxLength(AIRPORT_EVENTS_MAX),
  )
const ClosureTime = Schema.NullOr(Instant).annotate({ description: "UTC; null where the notice does not say" })

export const faaStatusEndpoint = endpoint({
  path: "/api/faa-status",
  name: "faa_status",
  kind: "prepared",
  tier: "free",
  subject: "infrastructure",
  ttl: "5 minutes",
  summary: "US airports: ground stops, ground delay programs, delays and closures, with reasons",
  description: [
    "Empty lists mean that all is clear. Many closures hold at certain hours only: `closed_now` says whether the airport is",
    "closed at this moment, null where the hours of the notice are not read. A notice that closes an airport to some users",
    "alone (such as unscheduled general aviation) stands in `restrictions`, which `total_events` does not count.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    updated: volatile(Instant.annotate({ description: "When the FAA wrote the list" })),
    ground_stops: listOf({
      end_time: EndTime.annotate({ description: "In the words of the FAA, such as 8:00 am EDT" }),
    }),
    ground_delays: listOf({ avg_minutes: Minutes, max_minutes: Minutes }),
    closures: listOf({
      start: ClosureTime,
      reopen: ClosureTime,
      daily_window: Schema.NullOr(DailyWindow).annotate({
        description:
          "The hours at which it is closed, UTC; `weekdays` null: every day. Null: closed throughout, or not read",
      }),
      closed_now: volatile(
        Schema.NullOr(Schema.Boolean).annotate({ description: "Null where the hours of the notice are not read" }),
      ),
    }),
    delays: listOf({
      direction: Schema.Literals(delayDirections),
      min_minutes: Minutes,
      max_minutes: Minutes,
      trend: Schema.NullOr(Schema.Literals(delayTrends)),
    }),
    restrictions: listOf({ start: ClosureTime, reopen: ClosureTime }),
    total_events: Schema.Natural.annotate({ description: "All but restrictions" }),
  }),
  changes: [{ feed: faaStatus, without: ["closed_now"], title: ({ airport, reason }) => itemWords(airport, reason) }],
  glance: {
    title: "US airports",
    headline: ({ total_events, ground_stops, ground_delays, delays, closures }) => {
      const known = (events: ReadonlyArray<unknown>, one: string) =>
        events.length === 0 ? null : counted(events.length, one)
      const [stop] = ground_stops
      return {
        value: total_events,
        unit: null,
        note:
          total_events === 0
            ? "All is clear: no stop, delay or closure"
            : clause(
                known(ground_stops, "ground stop"),
                stop === undefined ? null : `first ${stop.airport}`,
                known(ground_delays, "ground delay"),
                known(delays, "delay"),
                known(closures, "closure"),
              ),
      }
    },
  },
  example: {
    updated: "2026-07-29T14:41:01.000Z",
    ground_stops: [],
    ground_delays: [{ airport: "SFO", reason: "low ceilings", avg_minutes: 41, max_minutes: 100 }],
    closures: [
      {
        airport: "PVD",
        reason: "!PVD 07/028 PVD AD AP CLSD EXC HEL DLY 0430-0945 2607070430-2608150945",
        start: "2026-07-07T04:30:00.000Z",
        reopen: "2026-08-15T09:45:00.000Z",
        daily_window: { from: "04:30", to: "09:45", weekdays: null },
        closed_now: false,
      },
    ],
    delays: [],
    restrictions: [],
    total_events: 2,
  },
})
