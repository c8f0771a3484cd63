import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  OUTCOME_MAX_CHARACTERS,
  PREDICTIONS_MAX,
  predictions,
  QUESTION_MAX_CHARACTERS,
} from "../../schemas/feeds/predictions.ts"
import { rounded } from "../../schemas/number.ts"
import { document, isOfDocument } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanText } from "../readers/text.ts"
import { Decimal, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** A list that is sent as a text holding JSON. A market that has just been made has no such text, or an empty one. */
const listInText = <Item>(item: Schema.Codec<Item, unknown>) =>
  maybe(Schema.Union([Schema.fromJsonString(Schema.Array(item)), Schema.Array(item), Schema.Literal("")]))

/** https://docs.polymarket.com/api-reference/markets/list-markets Any number may be missing. */
export const Market = Schema.Struct({
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

/** The provider ranks the list, so that its first page holds the largest: at most 100 markets a page. */
const RANKED = `closed=false&order=volume24hr&ascending=false&limit=${PREDICTIONS_MAX}`
const API = "https://gamma-api.polymarket.com"
const markets = document({
  format: "json",
  wire: Schema.Struct({ markets: Schema.Array(Schema.Unknown) }),
  url: `${API}/markets/keyset?${RANKED}`,
})
/** The list of before: announced to end on 2026-05-01, and asked where the new one is not to be had. */
const listed = document({
  format: "json",
  wire: Schema.Array(Schema.Unknown),
  url: `${API}/markets?active=true&${RANKED}&offset=0`,
})

const SLUG = /^[a-z0-9][a-z0-9-]{0,199}$/i

const list = <Item>(value: ReadonlyArray<Item> | "" | null | undefined): ReadonlyArray<Item> =>
  value === "" || value === null || value === undefined ? [] : value

const dollars = (value: number | "" | null | undefined): number | null =>
  typeof value === "number" && value >= 0 ? rounded(value, 2) : null

const isOpen = ({ active, closed, archived }: Market): boolean =>
  closed !== true && archived !== true && active !== false

/** Outcomes of a market exclude each other: what their prices sum to beside the fees and spreads of a thin market. */
const SUM_RANGE = { minimum: 0.9, maximum: 1.1 } as const

/** Prices as probabilities; all null if their sum is not near 1. */
const probabilitiesOf = (prices: ReadonlyArray<number>, outcomes: number): ReadonlyArray<number | null> => {
  const known = prices.slice(0, outcomes).map((price) => within(price, 0, 1))
  const sum = known.reduce<number>((total, one) => total + (one ?? 0), 0)
  const whole = known.length === outcomes && known.every((one) => one !== null)
  return whole && within(sum, SUM_RANGE.minimum, SUM_RANGE.maximum) === null
    ? known.map(() => null)
    : known.map((one) => (one === null ? null : rounded(one, 6)))
}

const predictionMarket = (one: Market) => {
  if (!isOpen(one)) return notOurs
  const question = cleanText(one.question ?? "", QUESTION_MAX_CHARACTERS)
  if (question === "") return unreadable("it has no question")
  const outcomes = list(one.outcomes)
  const probabilities = probabilitiesOf(list(one.outcomePrices), outcomes.length)
  const slug = one.events?.[0]?.slug ?? ""
  return {
    id: cleanText(String(one.id), 80),
    question,
    outcomes: outcomes.map((name, index) => ({
      name: cleanText(name, OUTCOME_MAX_CHARACTERS) || `#${index + 1}`,
      probability: probabilities[index] ?? null,
    })),
    volume24hUsd: dollars(one.volume24hr),
    volumeUsd: dollars(one.volumeNum) ?? dollars(one.volume),
    endsAt: instantOrNull(isoMs(one.endDate)),
    url: SLUG.test(slug) ? `https://polymarket.com/event/${slug}` : null,
  }
}

export default listSource({
  name: "polymarket-gamma",
  provider: "Polymarket.markets",
  fills: predictions,
  every: "1 minute",
  documents: { markets, listed },
  collect: (upstream) =>
    upstream.fetch(markets, undefined).pipe(
      Effect.map((page) => page.markets),
      Effect.catch((failed) => (isOfDocument(failed) ? upstream.fetch(listed, undefined) : Effect.fail(failed))),
    ),
  rows: (collected) => collected,
  row: Market,
  toItem: predictionMarket,
  contentAtMs: (_, read) => newestMs(read.flatMap(({ row }) => row.updatedAt ?? [])),
  attribution: {
    provider: "Polymarket",
    licence: "Polymarket API terms of use",
    url: "https://docs.polymarket.com/",
  },
  terms: termsOf({
    use: "provider",
    url: "https://polymarket.com/tos",
    clause: "2026-07-06: distributors need permission",
    sold: "no",
  }),
})
