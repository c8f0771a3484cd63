import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { choice } from "../contract/parameters.ts"
import { problemResponse } from "../contract/responses.ts"
import { Instant } from "../event.ts"

/** How far back a history of tiles goes. */
export const worldRanges = ["24h", "7d", "30d", "1y"] as const
export type WorldRange = (typeof worldRanges)[number]

/** The same in days. */
export const worldRangeDays: Readonly<Record<WorldRange, number>> = { "24h": 1, "7d": 7, "30d": 30, "1y": 365 }

const TileHistory = Schema.Struct({
  name: Schema.NonEmptyString.annotate({ description: "Name of the endpoint whose tile it is of" }),
  unit: Schema.NullOr(Schema.String).annotate({ description: "Of the newest value; null where it has none" }),
  values: Schema.Array(Schema.NullOr(Schema.Finite)).annotate({
    description: "The value of the tile at each of `instants`; null where it was no number, or cannot be shown",
  }),
})

/** The tiles of /world.json over some time. */
export const WorldHistory = Schema.Struct({
  range: Schema.Literals(worldRanges),
  first: Schema.NullOr(Instant).annotate({ description: "The earliest instant with a past; null while there is none" }),
  step_seconds: Schema.Natural.annotate({
    description: "Seconds between two instants: fewer, the shorter the past is",
    unit: "seconds",
  }),
  complete: Schema.Boolean.annotate({
    description: "False while earlier instants are still being read: ask again in some seconds",
  }),
  reason: Schema.NullOr(Schema.Literals(["not_configured", "past_unavailable"])).annotate({
    description:
      "Why instants are missing: this installation keeps no past, or it cannot be read at the moment. Null where none are",
  }),
  instants: Schema.Array(Instant).annotate({
    description: "The earliest first; for each of them /world.json?at= is the whole board",
  }),
  tiles: Schema.Array(TileHistory).annotate({ description: "Those whose value is a number" }),
})
export type WorldHistory = typeof WorldHistory.Type

export const worldHistoryEndpoint = endpoint({
  path: "/world-history.json",
  name: "world_history",
  kind: "document",
  tier: "service",
  ttl: "15 seconds",
  counted: "pages",
  summary: "The numbers of every tile over the last 24 hours, 7 or 30 days, or year",
  description:
    "What the page at / draws as lines, and the instants that its slider offers: at most 61 of them, at equal steps. Each value is what the tile said then. Earlier instants are read when they are first asked for. Calls do not count against the daily share of free data.",
  parameters: { range: choice(worldRanges, { default: "24h", description: "How far back it goes" }) },
  data: WorldHistory,
  responses: {
    400: problemResponse("The range is none of those that are offered (invalid_parameter)"),
  },
  example: {
    range: "24h",
    first: "2026-08-17T19:31:10.000Z",
    step_seconds: 1_800,
    complete: true,
    reason: null,
    instants: ["2026-08-17T20:00:00.000Z", "2026-08-17T20:30:00.000Z"],
    tiles: [{ name: "fear_greed", unit: "of 100", values: [68, 69] }],
  },
})
