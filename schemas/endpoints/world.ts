import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { subjectNames } from "../contract/endpoint-kinds.ts"
import { PastMeta } from "../contract/reply.ts"
import { Instant } from "../event.ts"
import { RestReason } from "../events/observations.ts"
import { Latitude, Longitude } from "../values.ts"

/** A reply has at most this size, whatever the feeds hold. */
export const WORLD_MAX_BYTES = 30_000

/** How a tile's data stands, the best first. */
export const tileStatuses = [
  "live",
  "fallback",
  "error",
  "stale",
  "warming",
  "unknown",
  ...RestReason.literals,
] as const
export type TileStatus = (typeof tileStatuses)[number]

const Tile = Schema.Struct({
  name: Schema.NonEmptyString.annotate({ description: "Name of the endpoint" }),
  path: Schema.NonEmptyString,
  title: Schema.NonEmptyString,
  subject: Schema.Literals(subjectNames),
  value: Schema.NullOr(Schema.Union([Schema.Finite, Schema.String])).annotate({
    description: "A number in `unit`, or a few words, cut where they are long; null where it is not known",
  }),
  unit: Schema.NullOr(Schema.String).annotate({ description: "Null for words, and for what `note` counts" }),
  note: Schema.String.annotate({ description: "The meaning of the value, cut where it is long" }),
  as_of: Schema.NullOr(Instant).annotate({ description: "As `_meta.as_of` of the endpoint" }),
  stale_after: Schema.NullOr(Instant).annotate({ description: "As `_meta.stale_after` of the endpoint" }),
  stale: Schema.Boolean.annotate({ description: "As `_meta.stale` of the endpoint" }),
  status: Schema.Literals(tileStatuses).annotate({
    description:
      "live; fallback: another source stands in; error: a source fails while the data is within its promise, or the data could not be read; stale: older than its promise; warming: no data yet; unknown: of the past alone, what was known then cannot be shown; not_configured, not_licensed: no data here",
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it is not live; null where it is" }),
  source: Schema.NullOr(Schema.String).annotate({ description: "Providers of the data; null where it has none" }),
})
export type Tile = typeof Tile.Type

const Point = Schema.Struct({
  lat: Latitude,
  lon: Longitude,
  weight: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
    description: "From 0 to 1, one of the most severe of its kind",
    unit: "fraction",
  }),
  at: Schema.NullOr(Instant).annotate({ description: "When it happened or will happen; null where it has no time" }),
  title: Schema.String,
})
export type Point = typeof Point.Type

const Layer = Schema.Struct({
  name: Schema.NonEmptyString.annotate({ description: "Name of the endpoint whose tile it belongs to" }),
  points: Schema.Array(Point).annotate({ description: "The most severe first" }),
  omitted: Schema.Natural.annotate({ description: "Less severe ones that were left out for the size of the reply" }),
  known: Schema.Boolean.annotate({
    description: "False where the places could not be read: no points then says nothing about the world",
  }),
  harmless: Schema.Boolean.annotate({ description: "Whether the places are no danger, as launches" }),
})

/** Every feed at a glance. */
export const World = Schema.Struct({
  generated_at: Instant.annotate({ description: "The instant at which every tile is judged" }),
  at: Schema.optionalKey(
    PastMeta.annotate({ description: "Of a past reply (`at`), which says nothing of the present; else absent" }),
  ),
  tiles: Schema.Array(Tile).annotate({ description: "By subject, then by path" }),
  marks: Schema.Array(Layer).annotate({ description: "Places on a map, by the endpoint that they are of" }),
})
export type World = typeof World.Type

export const worldEndpoint = endpoint({
  path: "/world.json",
  name: "world",
  kind: "document",
  tier: "service",
  ttl: "15 seconds",
  counted: "pages",
  summary: "Every feed at a glance: one value each, and places on a map",
  description:
    "What the page at / shows, for pages and walls of your own. At most 30,000 bytes, whatever the feeds hold: texts are cut, and the least severe places are left out and counted. A value that is not known is null, and `reason` says why. Calls do not count against the daily share of free data. With `at` every tile is what was known then, judged then; one whose past cannot be shown is `unknown`, and says why. Such a call counts as eight past replies.",
  keepsPast: true,
  parameters: {},
  data: World,
  example: {
    generated_at: "2026-08-17T20:35:00.000Z",
    tiles: [
      {
        name: "earthquake",
        path: "/api/earthquake",
        title: "Strongest earthquake",
        subject: "earth",
        value: "M 4.6",
        unit: null,
        note: "100 km S of Kodiak, Alaska, 17 Aug 20:33 UTC, of 34 events of 24 hours",
        as_of: "2026-08-17T20:34:40.000Z",
        stale_after: "2026-08-17T20:44:40.000Z",
        stale: false,
        status: "live",
        reason: null,
        source: "U.S. Geological Survey, Earthquake Hazards Program",
      },
    ],
    marks: [
      {
        name: "climate_earthquakes",
        points: [
          {
            lat: 57.2,
            lon: -154.8,
            weight: 0.43,
            at: "2026-08-17T20:33:01.000Z",
            title: "M 4.6, 100 km S of Kodiak, Alaska",
          },
        ],
        omitted: 0,
        known: true,
        harmless: false,
      },
    ],
  },
})
