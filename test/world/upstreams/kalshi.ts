import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** So many events are open at any time: two pages of the source's size. */
const SEATS = 260
const OPEN_DAYS_MAX = 40
/** Every third event is sports, as at the exchange. */
const categories = ["Sports", "Economics", "Politics", "Sports", "Crypto", "Climate and Weather"] as const
const subjects = ["Arstotzka", "Borduria", "Freedonia", "Syldavia", "Ruritania", "Elbonia"] as const
const answers = ["Held", "Raised", "Lowered", "Another answer", "No decision"] as const

/** A market of an event: its answer, and its numbers as decimals. */
interface WorldAnswer {
  readonly ticker: string
  readonly name: string
  readonly status: "active" | "finalized"
  /** Price of the last trade; 0 before the first. */
  readonly last: number
  readonly bid: number
  readonly ask: number
  readonly volume24h: number
  readonly openInterest: number
}

/** An event of the world. */
export interface WorldEvent {
  readonly ticker: string
  readonly title: string
  readonly category: string
  readonly closesMs: number
  readonly madeMs: number
  readonly markets: ReadonlyArray<WorldAnswer>
}

const places = (value: number, decimals: number): number => Number(value.toFixed(decimals))

const eventOf = (world: World, seat: number): WorldEvent => {
  const lifeMs = (2 + world.random("event seat", seat, "days") * (OPEN_DAYS_MAX - 2)) * DAY_MS
  const phase = world.random("event seat", seat, "phase")
  const turn = Math.floor(world.nowMs / lifeMs + phase)
  const madeMs = Math.round((turn - phase) * lifeMs)
  const random = (label: string) => world.random("event", seat, turn, label)
  const category = categories[seat % categories.length] ?? categories[0]
  const subject = subjects[Math.floor(random("subject") * subjects.length)] ?? subjects[0]
  const ticker = `KXTW${seat}-${turn}`
  const count = 1 + Math.floor(random("markets") * answers.length)
  const interest = 10 ** (1 + random("interest") * 5)
  return {
    ticker,
    title: category === "Sports" ? `${subject} vs. Lakeside` : `${category} decision ${seat} of ${subject}?`,
    category,
    madeMs,
    closesMs: Math.round(madeMs + lifeMs),
    markets: answers.slice(0, count).map((name, index) => {
      const price = world.wander(`event/${seat}/${turn}/${index}`, 0.9 / count, 0.09, 9 * HOUR_MS)
      // Prices of some markets have a tenth of a cent.
      const last = places(price, seat % 5 === 1 ? 3 : 2)
      const isUntraded = random(`traded ${index}`) < 0.1
      const volume = (interest * (1 + random(`share ${index}`))) / (index + 1)
      return {
        ticker: `${ticker}-${index}`,
        name,
        // The first answer of every seventh event is decided while the others are still traded.
        status: index === 0 && count > 1 && seat % 7 === 2 ? "finalized" : "active",
        last: isUntraded ? 0 : last,
        bid: isUntraded && index === 0 ? 0 : places(last - 0.01, 3),
        ask: places(Math.min(0.99, last + 0.02), 3),
        volume24h: isUntraded ? 0 : places(volume * world.wander(`event/${seat}/trade`, 1, 0.4, 5 * HOUR_MS), 2),
        openInterest: places(volume * 3, 2),
      }
    }),
  }
}

/** The open events of the world, in the exchange's order: by ticker, not by volume. */
export const openEvents = (world: World): ReadonlyArray<WorldEvent> =>
  Array.from({ length: SEATS }, (_, seat) => eventOf(world, seat)).sort((one, other) =>
    one.ticker < other.ticker ? -1 : 1,
  )

const dollars = (value: number): string => value.toFixed(4)
const second = (ms: number): string => `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, -5)}Z`
const micros = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}088Z`

const wireMarket = (world: World, event: WorldEvent, market: WorldAnswer) => ({
  can_close_early: true,
  close_time: second(event.closesMs),
  created_time: micros(event.madeMs),
  event_ticker: event.ticker,
  exchange_index: 0,
  expected_expiration_time: second(event.closesMs + HOUR_MS),
  expiration_time: second(event.closesMs + 7 * DAY_MS),
  expiration_value: "",
  last_price_dollars: dollars(market.last),
  liquidity_dollars: "0.0000",
  market_type: "binary",
  no_ask_dollars: dollars(1 - market.bid),
  no_bid_dollars: dollars(1 - market.ask),
  no_sub_title: market.name,
  notional_value_dollars: "1.0000",
  open_interest_fp: market.openInterest.toFixed(2),
  open_time: second(event.madeMs),
  price_level_structure: "linear_cent",
  price_ranges: [{ end: "1.0000", start: "0.0000", step: "0.0100" }],
  result: market.status === "finalized" ? "no" : "",
  rules_primary: `If the answer is ${market.name}, then the market resolves to Yes.`,
  rules_secondary: "",
  status: market.status,
  ticker: market.ticker,
  title: event.category === "Sports" ? `${market.name} wins` : `Will it be ${market.name}?`,
  updated_time: micros(Math.floor(world.nowMs / 60_000) * 60_000),
  volume_24h_fp: market.volume24h.toFixed(2),
  volume_fp: (market.volume24h * 9).toFixed(2),
  yes_ask_dollars: dollars(market.ask),
  yes_bid_dollars: dollars(market.bid),
  yes_sub_title: market.name,
})

/** A page of a list and the cursor of the next one, which hides the place. */
const pageOf = <Row>(rows: ReadonlyArray<Row>, query: URLSearchParams, limitMax: number) => {
  const from = Number(Buffer.from(query.get("cursor") ?? "", "base64url").toString() || 0)
  const limit = Math.min(limitMax, Number(query.get("limit") ?? 100))
  const next = from + limit
  return {
    page: rows.slice(from, next),
    cursor: next < rows.length ? Buffer.from(String(next)).toString("base64url") : "",
  }
}

export default simulatedUpstream({
  name: "kalshi",
  hosts: ["api.elections.kalshi.com"],
  answer: ({ path, query }, world) => {
    if (path === "/trade-api/v2/events") {
      const { page, cursor } = pageOf(openEvents(world), query, 200)
      const isNested = query.get("with_nested_markets") === "true"
      return {
        body: {
          cursor,
          events: page.map((event) => ({
            available_on_brokers: false,
            category: event.category,
            collateral_return_type: event.markets.length > 1 ? "MECNET" : "",
            event_ticker: event.ticker,
            exchange_index: 0,
            last_updated_ts: micros(event.madeMs),
            ...(isNested ? { markets: event.markets.map((market) => wireMarket(world, event, market)) } : {}),
            mutually_exclusive: event.markets.length > 1,
            series_ticker: event.ticker.split("-")[0],
            settlement_sources: [{ name: "The Gazette", url: "https://gazette.example" }],
            strike_period: "",
            sub_title: "This season",
            title: event.title,
          })),
          milestones: [],
        },
      }
    }
    if (path !== "/trade-api/v2/markets") return null
    const open = openEvents(world).flatMap((event) =>
      event.markets.filter(({ status }) => status === "active").map((market) => wireMarket(world, event, market)),
    )
    const { page, cursor } = pageOf(open, query, 1000)
    return { body: { cursor, markets: page } }
  },
})
