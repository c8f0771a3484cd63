import * as Schema from "effect/Schema"
import { day } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import { Launch, NetPrecision } from "../feeds/launches.ts"
import { QUESTION_MAX_CHARACTERS } from "../feeds/predictions.ts"
import { serviceStatuses } from "../feeds/service-status.ts"
import { TITLE_MAX_CHARACTERS } from "../feeds/tech-news.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** How many rows of each list are shown. */
export const CONTEXT_MAX_ROWS = { earthquakes: 3, launches: 3, stories: 5, markets: 3 } as const
/** The currencies of the context. */
export const contextCurrencies = ["EUR", "JPY", "GBP", "CHF"] as const

/** The services of the context, by their member: each is named as its operator. */
export const contextServices = {
  github: "GitHub",
  cloudflare: "Cloudflare",
  openai: "OpenAI",
  anthropic: "Anthropic",
} as const
export type ContextService = keyof typeof contextServices

const Rate = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThan(0)))
const Status = Schema.Literals([...serviceStatuses, "unknown"])
export type ContextStatus = typeof Status.Type

const { provider, vehicle, mission, net, status } = Launch.fields

/** What is known of the world, with the texts of its sources as they stand. */
export const WorldContext = Schema.Struct({
  datetime: Schema.NullOr(
    Schema.Struct({
      iso: Instant,
      unix_ms: Schema.Int,
      human_readable_utc: Schema.NonEmptyString,
    }),
  ).annotate({ description: "The time of the context: the last full five minutes" }),
  markets: Schema.Struct({
    fed_funds_rate: Schema.NullOr(
      Schema.Struct({
        value: Schema.Finite.annotate({ description: "Percent, average of the month" }),
        as_of: day.annotate({ description: "First day of the month" }),
        source: Schema.NonEmptyString,
      }),
    ).annotate({ description: "Effective policy rate of the United States" }),
    forex_usd_base: Schema.Struct({
      date: Schema.NullOr(day).annotate({ description: "Working day of the rates" }),
      EUR: Rate,
      JPY: Rate,
      GBP: Rate,
      CHF: Rate,
    }).annotate({ description: "Units of the currency for one US dollar" }),
  }),
  world_events: Schema.Struct({
    significant_earthquakes_24h: Schema.Array(
      Schema.Struct({
        magnitude: Schema.NullOr(Schema.Finite),
        place: Schema.NullOr(Schema.String),
        time: Instant,
        url: Schema.NullOr(Schema.String),
      }),
    )
      .check(Schema.isMaxLength(CONTEXT_MAX_ROWS.earthquakes))
      .annotate({ description: "Those that USGS calls significant, the strongest first" }),
    upcoming_space_launches: Schema.Array(
      Schema.Struct({
        mission,
        vehicle,
        provider,
        net: net.annotate({ description: "No earlier than; a placeholder where the precision is coarse" }),
        net_precision: Schema.NullOr(NetPrecision),
        status,
      }),
    )
      .check(Schema.isMaxLength(CONTEXT_MAX_ROWS.launches))
      .annotate({ description: "The next one first; those on hold and in flight are among them" }),
    tech_news_front_page_top5: Schema.Array(
      Schema.Struct({
        title: NonEmptyTextUpTo(TITLE_MAX_CHARACTERS),
        points: Schema.NullOr(Schema.Int),
        comments: Schema.NullOr(Schema.Natural),
        url: HttpUrl.annotate({ description: "What the story links to; its discussion where it is a text of its own" }),
      }),
    ).check(Schema.isMaxLength(CONTEXT_MAX_ROWS.stories)),
    prediction_markets_top3: Schema.Array(
      Schema.Struct({
        question: NonEmptyTextUpTo(QUESTION_MAX_CHARACTERS),
        yes_probability: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
        volume_24h: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
          description: "Turnover of the last 24 hours, US dollars (USDC)",
        }),
        url: Schema.NullOr(HttpUrl),
      }),
    )
      .check(Schema.isMaxLength(CONTEXT_MAX_ROWS.markets))
      .annotate({ description: "Largest turnover of the last 24 hours first" }),
  }),
  infrastructure: Schema.Struct({
    summary: Schema.NonEmptyString.annotate({ description: "In the service's own words" }),
    details: Schema.Struct({ github: Status, cloudflare: Status, openai: Status, anthropic: Status }).annotate({
      description: "The word of each status page; unknown while it was never read",
    }),
    all_operational: Schema.Boolean.annotate({ description: "Whether all four are known to be operational" }),
  }),
})
export type WorldContext = typeof WorldContext.Type

type Infrastructure = WorldContext["infrastructure"]

// The keys of a constant are its names.
export const serviceKeys = Object.keys(contextServices) as ReadonlyArray<ContextService>

/** The status of the services in our own words, without the full stop. */
const summaryOf = (details: WorldContext["infrastructure"]["details"]): string => {
  const named = (status: ContextStatus) =>
    serviceKeys.filter((service) => details[service] === status).map((service) => contextServices[service])
  if (named("operational").length === serviceKeys.length) return `All operational: ${named("operational").join(", ")}`
  const words: ReadonlyArray<readonly [ContextStatus, string]> = [
    ["critical", "Critical trouble"],
    ["major", "Major trouble"],
    ["minor", "Minor trouble"],
    ["maintenance", "Under maintenance"],
    ["operational", "Operational"],
    ["unknown", "Status unknown"],
  ]
  return words
    .flatMap(([status, word]) => (named(status).length === 0 ? [] : [`${word}: ${named(status).join(", ")}`]))
    .join(". ")
}

/** The infrastructure of the context; all of it is operational only where every service is known to be. */
export const infrastructureOf = (details: Infrastructure["details"]): Infrastructure => ({
  summary: summaryOf(details),
  details,
  all_operational: serviceKeys.every((service) => details[service] === "operational"),
})
