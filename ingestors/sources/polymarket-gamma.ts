import { Schema } from "effect"
import { instant } from "../../schemas/event.ts"
import {
  OUTCOME_CHARACTERS_MAX,
  OUTCOMES_MAX,
  PREDICTIONS_MAX,
  type PredictionMarket,
  predictions,
  QUESTION_CHARACTERS_MAX,
} from "../../schemas/feeds/predictions.ts"
import { rounded } from "../../schemas/number.ts"
import { document, source, UpstreamError } from "../source.ts"
import { cleanText } from "../text.ts"
import { Decimal, isoMs, maybe } from "../wire.ts"

/** A list that is sent as a text holding JSON. A market that has just been made has no such text, or an empty one. */
const listInText = <Item>(item: Schema.Codec<Item, unknown>) =>
  maybe(Schema.Union([Schema.fromJsonString(Schema.Array(item)), Schema.Array(item), Schema.Literal("")]))

/** https://docs.polymarket.com/api-reference/markets/list-markets Any number may be missing. */
const Market = Schema.Struct({
  id: Schema.Union([Schema.NonEmptyString, Schema.Natural]),
  question: Schema.NullOr(Schema.String),
  outcomes: listInText(Schema.String),
  outcomePrices: listInText(Decimal),
  volumeNum: maybe(Decimal),
  volume: maybe(Schema.Union([Decimal, Schema.Literal("")])),
  volume24hr: maybe(Decimal),
  endDate: maybe(Schema.String),
  updatedAt: maybe(Schema.String),
  /** Stays true when a market closes. */
  active: maybe(Schema.Boolean),
  closed: maybe(Schema.Boolean),
  archived: maybe(Schema.Boolean),
  events: maybe(Schema.Array(Schema.Struct({ slug: maybe(Schema.String) }))),
})
type Market = typeof Market.Type

const API = "https://gamma-api.polymarket.com"
const ORDER = `active=true&closed=false&order=volume24hr&ascending=false&limit=${PREDICTIONS_MAX}&offset=0`

const markets = document({ format: "json", wire: Schema.Array(Market), url: `${API}/markets?${ORDER}` })
const market = document({
  format: "json",
  wire: Market,
  url: (id: string) => `${API}/markets/${encodeURIComponent(id)}`,
})
const events = document({
  format: "json",
  wire: Schema.Array(Schema.Struct({ slug: Schema.String, markets: Schema.Array(Market) })),
  url: `${API}/events?${ORDER}`,
})

const SLUG = /^[a-z0-9][a-z0-9-]{0,199}$/i

const list = <Item>(value: ReadonlyArray<Item> | "" | null | undefined): ReadonlyArray<Item> =>
  value === "" || value === null || value === undefined ? [] : value

const dollars = (value: number | "" | null | undefined): number | null =>
  typeof value === "number" && value >= 0 ? rounded(value, 2) : null

const probability = (price: number | undefined): number | null =>
  price !== undefined && price >= 0 && price <= 1 ? rounded(price, 6) : null

const open = ({ active, closed, archived }: Market): boolean => closed !== true && archived !== true && active !== false

const predictionMarket = (one: Market): ReadonlyArray<PredictionMarket> => {
  const question = cleanText(one.question ?? "", QUESTION_CHARACTERS_MAX)
  if (question === "") return []
  const prices = list(one.outcomePrices)
  const slug = one.events?.[0]?.slug ?? ""
  const endsAtMs = isoMs(one.endDate)
  return [
    {
      id: cleanText(String(one.id), 80),
      question,
      outcomes: list(one.outcomes)
        .slice(0, OUTCOMES_MAX)
        .map((name, index) => ({
          name: cleanText(name, OUTCOME_CHARACTERS_MAX) || `#${index + 1}`,
          probability: probability(prices[index]),
        })),
      volume24hUsd: dollars(one.volume24hr),
      volumeUsd: dollars(one.volumeNum) ?? dollars(one.volume),
      endsAt: endsAtMs === null ? null : instant(endsAtMs),
      url: SLUG.test(slug) ? `https://polymarket.com/event/${slug}` : null,
    },
  ]
}

/** Largest turnover first; markets that tell none come last. */
const byTurnover = (a: PredictionMarket, b: PredictionMarket): number =>
  (b.volume24hUsd ?? -1) - (a.volume24hUsd ?? -1) || (a.id < b.id ? -1 : 1)

export default source({
  name: "polymarket-gamma",
  provider: "Polymarket.markets",
  fills: predictions,
  every: "1 minute",
  documents: { markets, market, events },
  collect: (upstream) => upstream.get(markets, undefined),
  normalise: (collected) => {
    const items = collected.filter(open).flatMap(predictionMarket)
    const byId = new Map(items.filter(({ id }) => id !== "").map((item) => [item.id, item]))
    // There are always open markets: a list without one is a fault of the upstream, not news.
    if (byId.size === 0) return new UpstreamError({ message: "the list holds no open market" })
    const updatedAtMs = collected.flatMap(({ updatedAt }) => isoMs(updatedAt) ?? [])
    return {
      payload: { items: [...byId.values()].sort(byTurnover).slice(0, PREDICTIONS_MAX) },
      contentAtMs: updatedAtMs.length === 0 ? null : Math.max(...updatedAtMs),
    }
  },
  attribution: {
    provider: "Polymarket",
    licence: "Polymarket API terms of use",
    url: "https://docs.polymarket.com/",
  },
})
