import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, dayText, marksOf, monthText, none, timeText, unknown } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, Latitude, Longitude, NonEmptyTextUpTo } from "../values.ts"

/** How many launches a payload holds, those of the last day included. */
export const LAUNCHES_MAX = 50
/** How many launches are shown. */
export const LAUNCHES_SHOWN_MAX = 20
export const LAUNCH_NAME_MAX_CHARACTERS = 120

const Name = NonEmptyTextUpTo(LAUNCH_NAME_MAX_CHARACTERS)

/** How exact the time of a launch is, finest first. */
export const netPrecisions = ["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year"] as const
export const NetPrecision = Schema.Literals(netPrecisions)
export type NetPrecision = typeof NetPrecision.Type

/** Percent; null where the weather officer has given none. */
const Probability = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })))

/** One orbital launch, announced, under way or of the last day. */
export const Launch = Schema.Struct({
  /** The catalogue's own id (a UUID): it stays when the launch slips. */
  id: Schema.NonEmptyString.check(Schema.isMaxLength(80)),
  /** Vehicle and mission, such as "Falcon 9 Block 5 | Starlink Group 17-52". */
  name: Name,
  provider: Schema.NullOr(Name),
  vehicle: Schema.NullOr(Name),
  mission: Schema.NullOr(Name),
  /** The catalogue's words, such as "Go for Launch". */
  status: Name,
  /** Such as Go, TBC, TBD, Hold, In Flight, Success, Failure. */
  statusAbbreviation: NonEmptyTextUpTo(40),
  /** The time before which it does not launch ("no earlier than"). With a coarse precision it is a placeholder. */
  net: Schema.NullOr(Instant),
  /** Null where the catalogue does not say, or says decades. */
  netPrecision: Schema.NullOr(NetPrecision),
  windowStart: Schema.NullOr(Instant),
  windowEnd: Schema.NullOr(Instant),
  pad: Schema.NullOr(Name),
  location: Schema.NullOr(NonEmptyTextUpTo(200)),
  latitude: Schema.NullOr(Latitude),
  longitude: Schema.NullOr(Longitude),
  probabilityPercent: Probability,
  webcastLive: Schema.NullOr(Schema.Boolean),
  url: Schema.NullOr(HttpUrl),
  /** When the catalogue last changed its entry. */
  updatedAt: Schema.NullOr(Instant),
})
export type Launch = typeof Launch.Type

/** The next launch first; those without a time come last. */
const byNet = (one: Launch, other: Launch): number => {
  const [first, second] = [one, other].map(({ net, id }) => `${net ?? "~"} ${id}`)
  return (first ?? "") < (second ?? "") ? -1 : 1
}

export const launches = listFeed({
  name: "launches",
  description: "Orbital launches: those of the last 24 hours, those under way, and the next ones, by time.",
  item: Launch,
  itemsMax: LAUNCHES_MAX,
  key: (item) => item.id,
  revision: ({ status, net, updatedAt }) => JSON.stringify([status, net, updatedAt]),
  order: byNet,
  // A launch lies in the future rightly; the catalogue's change of its entry cannot.
  happenedAt: (item) => item.updatedAt,
  mayBeEmpty: false,
  contentAgeMax: "7 days",
})

/** The time of a launch, as exact as it is known: a placeholder such as the last day of a quarter is not shown as a day. */
const netText = (net: string, precision: NetPrecision | null): string => {
  switch (precision) {
    case "second":
    case "minute":
    case "hour":
      return timeText(net)
    case "week":
      return `week of ${dayText(net)}`
    case "month":
      return monthText(net)
    case "quarter":
    case "half":
    case "year":
      return `${precision === "year" ? "" : `a ${precision} of `}${net.slice(0, "YYYY".length)}`
    case "day":
    case null:
      return dayText(net)
  }
}

type ShownLaunch = {
  readonly name: string
  readonly net: string | null
  readonly net_precision: NetPrecision | null
}

/** One launch in one line. */
const launchTitle = ({ name, net, net_precision }: ShownLaunch): string =>
  net === null ? name : `${name}, ${netText(net, net_precision)}`

export const launchesEndpoint = endpoint({
  path: "/api/launches",
  name: "launches",
  kind: "prepared",
  tier: "free",
  subject: "space",
  ttl: "10 minutes",
  summary: "The next space launches: name, provider, status, scheduled time",
  description: [
    "At most 20 launches that are still to come, on hold or in flight, the next one first. `net` is the time before which",
    "a launch does not happen: read it together with `net_precision`, as a launch without a firm date stands there with a",
    "placeholder, such as the last day of its month.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many launches are listed" }),
    launches: Schema.Array(
      Schema.Struct({
        id: Schema.NonEmptyString.annotate({ description: "Stays the same when the launch slips" }),
        name: Name.annotate({ description: "Vehicle and mission" }),
        provider: Schema.NullOr(Name),
        vehicle: Schema.NullOr(Name),
        mission: Schema.NullOr(Name),
        status: Name.annotate({ description: "In the words of the source, such as Go for Launch" }),
        status_abbrev: NonEmptyTextUpTo(40).annotate({ description: "Such as Go, TBC, TBD, Hold, In Flight" }),
        net: Schema.NullOr(Instant).annotate({
          description: "No earlier than; a placeholder where the precision is coarse",
        }),
        net_precision: Schema.NullOr(NetPrecision).annotate({
          description: "How exact `net` is; null where the source does not say",
        }),
        window_start: Schema.NullOr(Instant),
        window_end: Schema.NullOr(Instant),
        pad: Schema.NullOr(Name),
        location: Schema.NullOr(NonEmptyTextUpTo(200)),
        lat: Schema.NullOr(Latitude).annotate({ description: "Of the pad, degrees north" }),
        lon: Schema.NullOr(Longitude).annotate({ description: "Of the pad, degrees east" }),
        probability: Probability.annotate({
          description: "Chance of acceptable weather, percent; null where none is given",
          unit: "percent",
        }),
        webcast_live: Schema.NullOr(Schema.Boolean).annotate({ description: "Whether a webcast is on the air" }),
        url: Schema.NullOr(HttpUrl).annotate({ description: "The entry in the catalogue" }),
      }),
    ).check(Schema.isMaxLength(LAUNCHES_SHOWN_MAX)),
  }),
  changes: [{ feed: launches, latitude: "lat", longitude: "lon", title: launchTitle }],
  glance: {
    title: "Launches",
    harmless: true,
    headline: ({ launches: [next] }) => {
      if (next === undefined) return none("No launch is announced")
      const { name, net, net_precision, provider, status } = next
      const note = clause(`next ${name}`, provider, status)
      return net === null ? unknown(note) : { value: netText(net, net_precision), unit: null, note }
    },
    marks: ({ launches }) => {
      const pads = new Set<string>()
      const nextOfPads = launches.filter(({ lat, lon }) => {
        const pad = `${lat} ${lon}`
        return !pads.has(pad) && pads.add(pad) !== undefined
      })
      return marksOf(nextOfPads, (launch) => ({
        title: launchTitle(launch),
        // The sooner, the heavier.
        weight: 0.8 - (0.6 * launches.findIndex(({ id }) => id === launch.id)) / LAUNCHES_SHOWN_MAX,
        at: launch.net,
      }))
    },
  },
  example: {
    count: 1,
    launches: [
      {
        id: "0c2f5d0e-7f4f-4f0e-9d53-5e8e2a6d9a11",
        name: "Kestrel 3 | Survey Satellite 12",
        provider: "Northern Launch Company",
        vehicle: "Kestrel 3",
        mission: "Survey Satellite 12",
        status: "Go for Launch",
        status_abbrev: "Go",
        net: "2026-08-18T02:00:00.000Z",
        net_precision: "minute",
        window_start: "2026-08-18T02:00:00.000Z",
        window_end: "2026-08-18T06:00:00.000Z",
        pad: "Pad 2",
        location: "Kodiak Launch Complex, Alaska, USA",
        lat: 57.4358,
        lon: -152.3378,
        probability: 80,
        webcast_live: false,
        url: "https://ll.thespacedevs.com/2.3.0/launches/0c2f5d0e-7f4f-4f0e-9d53-5e8e2a6d9a11/",
      },
    ],
  },
})
