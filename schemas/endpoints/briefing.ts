import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { BitcoinPriceData } from "../feeds/btc-price.ts"
import { EarthquakeRow } from "../feeds/earthquakes.ts"
import { FearGreedData } from "../feeds/fear-greed.ts"
import { CREW_MAX, CrewMember } from "../feeds/humans-in-space.ts"
import { PredictionRow } from "../feeds/predictions.ts"
import { ServiceRow, serviceIds } from "../feeds/service-status.ts"
import { StoryRow } from "../feeds/tech-news.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** How many markets and how many stories the briefing holds. */
export const BRIEFING_MAX_ROWS = 5
export const SUMMARY_MAX_CHARACTERS = 2000

/** What the briefing holds. Every section is null, never zero, while its feed has never answered. */
export const Briefing = Schema.Struct({
  summary: NonEmptyTextUpTo(SUMMARY_MAX_CHARACTERS).annotate({
    description: "One sentence made of the sections with data",
  }),
  sections: Schema.Struct({
    crypto: Schema.NullOr(Schema.Struct({ symbol: Schema.Literal("BTC"), ...BitcoinPriceData.fields })),
    fear_greed: Schema.NullOr(FearGreedData),
    earthquakes: Schema.NullOr(
      Schema.Struct({
        count: Schema.Natural.annotate({ description: "Of magnitude 2.5 and above, last 24 hours, worldwide" }),
        latest: Schema.NullOr(EarthquakeRow),
        strongest: Schema.NullOr(EarthquakeRow),
      }),
    ),
    predictions: Schema.NullOr(Schema.Array(PredictionRow).check(Schema.isMaxLength(BRIEFING_MAX_ROWS))),
    news: Schema.NullOr(Schema.Array(StoryRow).check(Schema.isMaxLength(BRIEFING_MAX_ROWS))),
    top_story_count: Schema.NullOr(Schema.Natural).annotate({ description: "Stories on the front page" }),
    services: Schema.NullOr(Schema.Array(ServiceRow).check(Schema.isMaxLength(serviceIds.length))),
    crew: Schema.NullOr(
      Schema.Struct({
        count: Schema.Natural.annotate({ description: "People in space" }),
        people: Schema.Array(CrewMember).check(Schema.isMaxLength(CREW_MAX)),
      }),
    ),
  }),
})
export type Briefing = typeof Briefing.Type

export const briefingEndpoint = endpoint({
  path: "/api/briefing",
  name: "briefing",
  kind: "prepared",
  tier: "free",
  subject: "world",
  ttl: "60 seconds",
  summary: "The world in one reply: bitcoin, market mood, earthquakes, predictions, news, services, people in space",
  description: [
    "Composed of the same feeds and members as the single endpoints. A section whose feed has never",
    "answered is null. `_meta.as_of` and `_meta.stale_after` are those of the oldest part.",
  ].join(" "),
  parameters: {},
  data: Briefing,
  envelope: "composed",
  cold: {
    summary: "Nothing is known yet.",
    sections: {
      crypto: null,
      fear_greed: null,
      earthquakes: null,
      predictions: null,
      news: null,
      top_story_count: null,
      services: null,
      crew: null,
    },
  },
  example: {
    summary:
      "Bitcoin at 63,212.97 US dollars, up 0.97% in 24 hours; crypto market mood 69 of 100 (Greed); 34 earthquakes of magnitude 2.5 and above in 24 hours, the strongest 5.6 near Kodiak, Alaska; 10 people in space.",
    sections: {
      crypto: {
        symbol: "BTC",
        price_usd: 63212.97,
        change_24h_percent: 0.9702,
        high_24h: 63351.3,
        low_24h: 62159.76,
        volume_24h_usd: 310902705.07,
      },
      fear_greed: { value: 69, label: "Greed" },
      earthquakes: {
        count: 34,
        latest: {
          type: "earthquake",
          magnitude: 2.9,
          location: "12 km S of Iquique, Chile",
          time: "2026-08-17T20:33:01.000Z",
          depth_km: 21.4,
        },
        strongest: {
          type: "earthquake",
          magnitude: 5.6,
          location: "Kodiak, Alaska",
          time: "2026-08-17T11:02:45.000Z",
          depth_km: 30,
        },
      },
      predictions: null,
      news: null,
      top_story_count: null,
      services: [
        {
          name: "GitHub",
          status: "operational",
          description: "All Systems Operational",
          incident_count: 0,
          components_affected: 0,
          component_count: 11,
          incidents: [],
        },
      ],
      crew: { count: 1, people: [{ name: "Raja Chari", craft: "ISS" }] },
    },
  },
})
