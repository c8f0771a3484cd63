import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import {
  CONTRACTS_MAX,
  EVENT_NAME_MAX_CHARACTERS,
  EVENT_TITLE_MAX_CHARACTERS,
  eventMarket,
} from "../../schemas/feeds/event-market.ts"
import { rounded } from "../../schemas/number.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { positive, within } from "../readers/numbers.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { Decimal, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const Amount = maybe(Schema.Union([Decimal, Schema.Literal("")]))

/**
 * https://docs.kalshi.com/api-reference/market/get-markets Prices in dollars and numbers of contracts are texts; older
 * answers have whole cents and whole contracts, under the names without `_dollars` and `_fp`.
 */
const Market = Schema.Struct({
  ticker: Schema.NonEmptyString,
  event_ticker: maybe(Schema.String),
  title: maybe(Schema.String),
  subtitle: maybe(Schema.String),
  yes_sub_title: maybe(Schema.String),
  status: Schema.String,
  last_price_dollars: Amount,
  last_price: Amount,
  yes_bid_dollars: Amount,
  yes_bid: Amount,
  yes_ask_dollars: Amount,
  yes_ask: Amount,
  volume_24h_fp: Amount,
  volume_24h: Amount,
  open_interest_fp: Amount,
  open_interest: Amount,
  close_time: maybe(Schema.String),
  updated_time: maybe(Schema.String),
})
type Market = typeof Market.Type

/** https://docs.kalshi.com/api-reference/events/get-events */
const Event = Schema.Struct({
  event_ticker: Schema.NonEmptyString,
  title: maybe(Schema.String),
  category: maybe(Schema.String),
  markets: maybe(Schema.Array(Market)),
})
type Event = typeof Event.Type

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const picked = (names: ReadonlyArray<string>, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]))
    : value

const marketMembers = Object.keys(Market.fields)
const eventMembers = Object.keys(Event.fields)
const pickedMarket = (market: unknown): unknown => picked(marketMembers, market)

const isSports = (category: unknown): boolean => typeof category === "string" && /^sports$/i.test(category.trim())

/** The read members of an event. Sports, which most events are, lose their markets, as they are not read. */
const pickedEvent = (event: unknown): unknown =>
  isObject(event) && Array.isArray(event.markets)
    ? {
        ...Object(picked(eventMembers, event)),
        markets: isSports(event.category) ? [] : event.markets.map(pickedMarket),
      }
    : picked(eventMembers, event)

/** Undecoded rows that keep the members of `pick` only: whole pages of a collection would be up to 100 MB. */
const rowsOf = (pick: (row: unknown) => unknown): Schema.Codec<ReadonlyArray<unknown>, unknown> =>
  Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(Schema.Array(Schema.Unknown), {
      decode: SchemaGetter.transform((rows: ReadonlyArray<unknown>) => rows.map(pick)),
      encode: SchemaGetter.transform((rows: ReadonlyArray<unknown>) => rows),
    }),
  )

const API = "https://api.elections.kalshi.com/trade-api/v2"
/** Pages of one collection: twice as many as the longest list that was seen. */
const PAGES_MAX = 120
const PAGE_MAX_BYTES = 16 * 1024 * 1024

/** It stands in the address of the next page. */
const Cursor = maybe(Schema.String.check(Schema.isMaxLength(2048)))

const page = (cursor: string): string => (cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`)

const events = document({
  format: "json",
  wire: Schema.Struct({ events: rowsOf(pickedEvent), cursor: Cursor }),
  url: (cursor: string) => `${API}/events?status=open&with_nested_markets=true&limit=200${page(cursor)}`,
  bodyBytesMax: PAGE_MAX_BYTES,
})
/** Markets alone, without those that combine several events: they have neither the title nor the category of their event. */
const markets = document({
  format: "json",
  wire: Schema.Struct({ markets: rowsOf(pickedMarket), cursor: Cursor }),
  url: (cursor: string) => `${API}/markets?status=open&mve_filter=exclude&limit=1000${page(cursor)}`,
  bodyBytesMax: PAGE_MAX_BYTES,
})

/**
 * The rows of all pages, until one has no cursor, or that of the page before. A list with more pages is refused: the upstream
 * does not rank it, so that the largest of a part of it would be an arbitrary choice.
 */
const pagesOf = <Page extends { readonly cursor?: string | null | undefined }, Failed>(
  fetch: (cursor: string) => Effect.Effect<Page, Failed>,
  rowsIn: (page: Page) => ReadonlyArray<unknown>,
) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<unknown>> = []
    let cursor = ""
    while (pages.length < PAGES_MAX) {
      const next = yield* fetch(cursor)
      pages.push(rowsIn(next))
      const after = next.cursor ?? ""
      if (after === "" || after === cursor) return pages.flat()
      cursor = after
    }
    return yield* new UpstreamError({ message: `the list has more than ${PAGES_MAX} pages` })
  })

const eventOf = (market: unknown): unknown => (isObject(market) ? market.event_ticker : undefined)

const collect = (upstream: Upstream): Effect.Effect<ReadonlyArray<unknown>, CollectFailed> =>
  pagesOf(
    (cursor) => upstream.fetch(events, cursor),
    (one) => one.events,
  ).pipe(
    Effect.catch((failed: CollectFailed) =>
      pagesOf(
        (cursor) => upstream.fetch(markets, cursor),
        (one) => one.markets,
      ).pipe(
        Effect.map((rows) =>
          [...Map.groupBy(rows, eventOf)].map(([event_ticker, of]) => ({ event_ticker, markets: of })),
        ),
        Effect.mapError(() => failed),
      ),
    ),
  )

/** The markets of an open event may have been decided already. */
const isOpen = ({ status }: Market): boolean => /^(active|open)$/i.test(status)

type AmountText = Market["volume_24h"]

const numberOf = (amount: AmountText): number | null => (amount === "" || amount === undefined ? null : amount)

/** A price in dollars, from the text in dollars or else from whole cents; null for zero, which is no price. */
const priceOf = (dollars: AmountText, cents: AmountText): number | null => {
  const inCents = numberOf(cents)
  const price = numberOf(dollars) ?? (inCents === null ? null : inCents / 100)
  return within(positive(price), 0, 1)
}

/** How far bid and ask may lie apart for their middle to be a probability, in dollars. */
const SPREAD_MAX = 0.1

const probabilityOf = (market: Market): number | null => {
  const last = priceOf(market.last_price_dollars, market.last_price)
  if (last !== null) return rounded(last, 6)
  const bid = priceOf(market.yes_bid_dollars, market.yes_bid)
  const ask = priceOf(market.yes_ask_dollars, market.yes_ask)
  // Rounded, as a difference of decimals has floating-point noise.
  if (bid === null || ask === null || within(rounded(ask - bid, 6), 0, SPREAD_MAX) === null) return null
  return rounded((bid + ask) / 2, 6)
}

/** The sum of the numbers that are known; null without one. */
const sumOf = (amounts: ReadonlyArray<number | null>): number | null => {
  const known = amounts.filter((amount) => within(amount, 0, CONTRACTS_MAX) !== null)
  return known.length === 0
    ? null
    : rounded(
        known.reduce<number>((sum, amount) => sum + (amount ?? 0), 0),
        2,
      )
}

const volumeOf = (market: Market): number | null => numberOf(market.volume_24h_fp) ?? numberOf(market.volume_24h)

const nameOf = ({ yes_sub_title, subtitle, title }: Market): string | null =>
  [yes_sub_title, subtitle, title]
    .map((text) => cleanTextOrNull(text, EVENT_NAME_MAX_CHARACTERS))
    .find((name) => name !== null) ?? null

const newestOf = (times: ReadonlyArray<string | null | undefined>): string | null => {
  const instants = times.flatMap((time) => instantOrNull(isoMs(time)) ?? [])
  return instantOrNull(newestMs(instants))
}

const eventOfRow = ({ event_ticker, title, category, markets: all }: Event) => {
  if (isSports(category)) return notOurs
  if ((all ?? []).some((market) => (market.event_ticker ?? event_ticker) !== event_ticker))
    return unreadable("it holds a market of another event")
  // A market stands twice where the list moved on between two pages.
  const open = [...new Map((all ?? []).map((market) => [market.ticker, market])).values()].filter(isOpen)
  const [mostTraded] = open.toSorted((one, other) => (volumeOf(other) ?? -1) - (volumeOf(one) ?? -1))
  if (mostTraded === undefined) return notOurs
  const volume = sumOf(open.map(volumeOf))
  if (volume === null) return unreadable("none of its markets states its volume")
  const priced = open.flatMap((market) => {
    const probability = probabilityOf(market)
    return probability === null ? [] : [{ market, probability }]
  })
  const [leader] = priced.toSorted((one, other) => other.probability - one.probability)
  // A market alone lacks the title of its event.
  const shownTitle =
    cleanTextOrNull(title, EVENT_TITLE_MAX_CHARACTERS) ??
    cleanTextOrNull((leader?.market ?? mostTraded).title, EVENT_TITLE_MAX_CHARACTERS)
  if (shownTitle === null) return unreadable("it has no title")
  return {
    eventTicker: cleanText(event_ticker, 120),
    title: shownTitle,
    category: cleanTextOrNull(category, EVENT_NAME_MAX_CHARACTERS),
    leader: leader === undefined ? null : nameOf(leader.market),
    leaderProbability: leader?.probability ?? null,
    volume24hContracts: volume,
    openInterestContracts: sumOf(open.map((one) => numberOf(one.open_interest_fp) ?? numberOf(one.open_interest))),
    marketCount: open.length,
    closesAt: newestOf(open.map(({ close_time }) => close_time)),
    updatedAt: newestOf(open.map(({ updated_time }) => updated_time)),
  }
}

export default listSource({
  name: "kalshi",
  provider: "Kalshi.events",
  fills: eventMarket,
  every: "10 minutes",
  documents: { events, markets },
  collect,
  rows: (collected) => collected,
  row: Event,
  toItem: eventOfRow,
  contentAtMs: (_, read) => newestMs(read.flatMap(({ item }) => item.updatedAt ?? [])),
  attribution: {
    provider: "Kalshi",
    licence: "Kalshi developer agreement",
    url: "https://docs.kalshi.com/",
  },
  terms: termsOf({
    use: "restricted",
    url: "https://kalshi.com/developer-agreement",
    clause: "Developer Agreement v1.1, 3 and 3.1: a member's own trading; no collecting, caching, storing, sharing",
    shown: "no",
    kept: "no",
    sold: "no",
    models: "no",
  }),
})
