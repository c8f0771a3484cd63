import { CONTEXT_EVERY_MS, proAgentContextEndpoint } from "../../schemas/endpoints/pro-agent-context.ts"
import { instant } from "../../schemas/event.ts"
import { type Earthquake, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { economicSeries, originOf } from "../../schemas/feeds/economic-series.ts"
import { type ForexRate, forex } from "../../schemas/feeds/forex.ts"
import { type Launch, launches } from "../../schemas/feeds/launches.ts"
import { predictions, yesAndNo } from "../../schemas/feeds/predictions.ts"
import { serviceStatus } from "../../schemas/feeds/service-status.ts"
import { techNews } from "../../schemas/feeds/tech-news.ts"
import {
  type ContextInput,
  contextInputs,
  type ProAgentContextFull,
} from "../../schemas/payloads/pro-agent-context-selection.ts"
import {
  CONTEXT_MAX_ROWS,
  contextCurrencies,
  infrastructureOf,
  type WorldContext,
} from "../../schemas/payloads/world-context.ts"
import { promptParts, readableText } from "../prompt/system-prompt.ts"
import { optionally, type Reading, rowsBy, until, view } from "../view/view.ts"
import { isUpcoming } from "./launches.ts"

const DAY_MS = 86_400_000
const POLICY_RATE = "FEDFUNDS"

const byStrength = (one: Earthquake, other: Earthquake): number =>
  (other.magnitude ?? Number.NEGATIVE_INFINITY) - (one.magnitude ?? Number.NEGATIVE_INFINITY) ||
  (one.time < other.time ? 1 : one.time > other.time ? -1 : one.id < other.id ? -1 : 1)

const quakeRows = rowsBy(({ magnitude, place, time, url }: Earthquake) => ({ magnitude, place, time, url }))
const launchRow = ({ mission, vehicle, provider, net, netPrecision, status }: Launch) => ({
  mission,
  vehicle,
  provider,
  net,
  net_precision: netPrecision,
  status,
})

/** The rates of the newest day; a currency without one is null. */
const forexOf = (rates: ReadonlyArray<ForexRate> | null): WorldContext["markets"]["forex_usd_base"] => {
  const date = rates?.[0]?.day ?? null
  const rateOf = (wanted: (typeof contextCurrencies)[number]): number | null =>
    rates?.find(({ day, currency }) => day === date && currency === wanted)?.rate ?? null
  return { date, EUR: rateOf("EUR"), JPY: rateOf("JPY"), GBP: rateOf("GBP"), CHF: rateOf("CHF") }
}

export default view({
  endpoint: proAgentContextEndpoint,
  reads: {
    policy: optionally(economicSeries, { series: POLICY_RATE }),
    rates: optionally(forex),
    quakes: optionally(earthquakes, { magnitude: "significant", period: "day" }),
    flights: optionally(launches),
    frontPage: optionally(techNews),
    markets: optionally(predictions),
    github: optionally(serviceStatus, { service: "github" }),
    cloudflare: optionally(serviceStatus, { service: "cloudflare" }),
    openai: optionally(serviceStatus, { service: "openai" }),
    anthropic: optionally(serviceStatus, { service: "claude" }),
  },
  // The context has the time of the last full five minutes, and everything in it is judged at that time.
  clock: true,
  build: (inputs, { nowMs }) => {
    const { policy, rates, quakes, flights, frontPage, markets } = inputs
    const atMs = Math.floor(nowMs / CONTEXT_EVERY_MS) * CONTEXT_EVERY_MS
    const isStale = (reading: Reading<unknown> | null) => reading !== null && Date.parse(reading.freshUntil) < atMs

    const shaken = quakes?.payload.items.filter(({ time }) => Date.parse(time) > atMs - DAY_MS).sort(byStrength) ?? null
    const upcoming = flights?.payload.items.filter((launch) => isUpcoming(launch, atMs)) ?? null
    const next = upcoming?.slice(0, CONTEXT_MAX_ROWS.launches) ?? null
    const [policyRate] = policy?.payload.items ?? []
    const context: WorldContext = {
      datetime: { iso: instant(atMs), unix_ms: atMs, human_readable_utc: readableText(atMs) },
      markets: {
        fed_funds_rate:
          policyRate === undefined
            ? null
            : { value: policyRate.value, as_of: policyRate.date, source: originOf(POLICY_RATE) },
        forex_usd_base: forexOf(rates?.payload.items ?? null),
      },
      world_events: {
        significant_earthquakes_24h: quakeRows((shaken ?? []).slice(0, CONTEXT_MAX_ROWS.earthquakes)),
        upcoming_space_launches: (next ?? []).map(launchRow),
        tech_news_front_page_top5: (frontPage?.payload.items ?? [])
          .slice(0, CONTEXT_MAX_ROWS.stories)
          .map(({ title, score, comments, url, discussionUrl }) => ({
            title,
            points: score,
            comments,
            url: url ?? discussionUrl,
          })),
        prediction_markets_top3: (markets?.payload.items ?? []).slice(0, CONTEXT_MAX_ROWS.markets).map((market) => ({
          question: market.question,
          yes_probability: yesAndNo(market)?.yes ?? null,
          volume_24h: market.volume24hUsd,
          url: market.url,
        })),
      },
      infrastructure: infrastructureOf({
        github: inputs.github?.payload.facts.status ?? "unknown",
        cloudflare: inputs.cloudflare?.payload.facts.status ?? "unknown",
        openai: inputs.openai?.payload.facts.status ?? "unknown",
        anthropic: inputs.anthropic?.payload.facts.status ?? "unknown",
      }),
    }
    const events = context.world_events
    const { forex_usd_base: exchange } = context.markets
    const isUnknownOrStale = (part: ContextInput): boolean =>
      inputs[part] === null ||
      isStale(inputs[part]) ||
      (part === "rates" && contextCurrencies.some((currency) => exchange[currency] === null))
    const reply: ProAgentContextFull = {
      context,
      prompt: promptParts({
        atMs,
        markets: context.markets,
        earthquakes: shaken === null ? null : { count: shaken.length, rows: events.significant_earthquakes_24h },
        launches: next?.map((launch) => ({ ...launchRow(launch), name: launch.name })) ?? null,
        stories: frontPage === null ? null : events.tech_news_front_page_top5,
        predictions: markets === null ? null : events.prediction_markets_top3,
      }),
      unknownOrStale: contextInputs.filter(isUnknownOrStale),
      read: contextInputs.filter((input) => inputs[input] !== null),
      counts: {
        ...(shaken === null ? {} : { quakes: shaken.length }),
        ...(upcoming === null ? {} : { flights: upcoming.length }),
        ...(frontPage === null ? {} : { frontPage: frontPage.payload.items.length }),
        ...(markets === null ? {} : { markets: markets.payload.items.length }),
      },
    }
    // A poll that only confirms a stale reading builds no view: the next tick notices that it is fresh again.
    return until(reply, contextInputs.some((input) => isStale(inputs[input])) ? nowMs + 1 : atMs + CONTEXT_EVERY_MS)
  },
})
