import { createHash } from "node:crypto"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** So many markets are open at any time. One that ends makes room for a new one. */
const SEATS = 70
const OPEN_DAYS_MAX = 14

const makers = [
  (pick: (...words: ReadonlyArray<string>) => string) =>
    `Will ${pick("rain", "snow", "hail", "fog")} delay the ${pick("Kodiak", "Honshu", "Iquique", "Hualien")} ${pick("regatta", "marathon", "launch")}?`,
  (pick: (...words: ReadonlyArray<string>) => string) =>
    `${pick("Central bank", "Parliament", "Council")} of ${pick("Arstotzka", "Borduria", "Freedonia", "Syldavia")} ${pick("raises rates", "calls an election", "signs the treaty")} this month?`,
  (pick: (...words: ReadonlyArray<string>) => string) =>
    `New ${pick("album", "novel", "film")} by ${pick("The Tidal Wires", "Ada Brandt", "Northern Relay")} before ${pick("spring", "summer", "winter")}?`,
]
const teams = ["Harbour FC", "Lakeside", "Northgate", "Redhill", "Eastmoor", "Westfield"] as const

/** A market of the world. */
export interface WorldMarket {
  readonly id: string
  readonly question: string
  readonly outcomes: ReadonlyArray<string>
  /** Of the first outcome, 0 to 1. */
  readonly probability: number
  readonly volumeUsd: number
  /** Null in the first hour of a market, before its first trade. */
  readonly volume24hUsd: number | null
  readonly madeMs: number
  readonly endsMs: number
}

/** The market that holds a seat now. Each seat has its own rhythm. */
const marketOf = (world: World, seat: number): WorldMarket => {
  const lifeMs = (2 + world.random("seat", seat, "days") * (OPEN_DAYS_MAX - 2)) * DAY_MS
  const turn = Math.floor(world.nowMs / lifeMs + world.random("seat", seat, "phase"))
  const madeMs = Math.round((turn - world.random("seat", seat, "phase")) * lifeMs)
  const random = (label: string) => world.random("market", seat, turn, label)
  const pick = (...words: ReadonlyArray<string>) => words[Math.floor(random(words.join()) * words.length)] ?? ""
  const kind = random("kind")
  const home = Math.floor(random("home") * teams.length)
  const away = (home + 1 + Math.floor(random("away") * (teams.length - 1))) % teams.length
  const hour = new Date(Math.ceil(madeMs / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13)
  const [question, outcomes] =
    kind < 0.75
      ? [makers[Math.floor(random("maker") * makers.length)]?.(pick) ?? "", ["Yes", "No"]]
      : kind < 0.88
        ? [`Bitcoin Up or Down - ${hour}:00 UTC`, ["Up", "Down"]]
        : [`${teams[home]} vs. ${teams[away]}`, [teams[home] ?? "", teams[away] ?? ""]]
  const ageMs = world.nowMs - madeMs
  const interest = 10 ** (2 + random("interest") * 4)
  const traded = (ms: number) => interest * (1 - Math.exp(-Math.max(0, ms) / (4 * DAY_MS)))
  const centre = 0.2 + random("odds") * 0.6
  return {
    id: String(500_000 + turn * SEATS + seat),
    question,
    outcomes,
    probability: Math.round(world.wander(`market/${seat}/${turn}`, centre, 0.19, 9 * HOUR_MS) * 1000) / 1000,
    volumeUsd: traded(ageMs),
    volume24hUsd: ageMs < HOUR_MS ? null : traded(ageMs) - traded(ageMs - DAY_MS),
    madeMs,
    endsMs: Math.round(madeMs + lifeMs),
  }
}

/** The open markets of the world, largest turnover of the last 24 hours first; untraded ones last. */
export const openMarkets = (world: World): ReadonlyArray<WorldMarket> =>
  Array.from({ length: SEATS }, (_, seat) => marketOf(world, seat)).sort(
    (a, b) => (b.volume24hUsd ?? -1) - (a.volume24hUsd ?? -1),
  )

const micros = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}153Z`
const hex = (...labels: ReadonlyArray<string>): string =>
  `0x${createHash("sha256").update(labels.join(" ")).digest("hex")}`

const wire = (world: World, market: WorldMarket) => {
  const { probability, volume24hUsd, volumeUsd } = market
  const slug = market.question
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
  const iso = (ms: number) => new Date(ms).toISOString()
  // Every market is marked as updated about once a minute, traded or not.
  const updatedAt = micros(Math.floor(world.nowMs / 60_000) * 60_000)
  return {
    id: market.id,
    question: market.question,
    conditionId: hex(world.seed, "condition", market.id),
    slug,
    endDate: iso(market.endsMs).replace(".000Z", "Z"),
    startDate: iso(market.madeMs),
    image: "https://polymarket-upload.s3.us-east-2.amazonaws.com/market.png",
    description: `This market will resolve to "${market.outcomes[0]}" if the answer is known by its end.\n\nOtherwise, it will not.`,
    // JSON inside JSON.
    outcomes: JSON.stringify(market.outcomes).replace(",", ", "),
    // A market without a trade lacks all members of trade.
    ...(volume24hUsd === null
      ? {}
      : {
          outcomePrices: JSON.stringify([
            String(probability),
            String(Math.round((1 - probability) * 1000) / 1000),
          ]).replace(",", ", "),
          volume24hr: volume24hUsd,
          volume24hrClob: volume24hUsd,
          lastTradePrice: Math.round(probability * 100) / 100,
          oneDayPriceChange: -0.005,
        }),
    volume: String(volumeUsd),
    volumeNum: volumeUsd,
    liquidity: (volumeUsd / 30).toFixed(4),
    liquidityNum: Number((volumeUsd / 30).toFixed(4)),
    active: true,
    closed: false,
    archived: false,
    restricted: true,
    enableOrderBook: true,
    clobTokenIds: JSON.stringify([
      BigInt(hex(world.seed, "token", market.id, "0")).toString(),
      BigInt(hex(world.seed, "token", market.id, "1")).toString(),
    ]),
    umaResolutionStatuses: "[]",
    bestBid: Math.max(0, Math.round((probability - 0.005) * 1000) / 1000),
    bestAsk: Math.min(1, Math.round((probability + 0.005) * 1000) / 1000),
    spread: 0.01,
    createdAt: micros(market.madeMs),
    updatedAt,
    events: [{ id: market.id, slug, title: market.question, active: true, closed: false, updatedAt }],
  }
}

const LIMIT_MAX = 500
const PAGE_MAX = 100

export default simulatedUpstream({
  name: "polymarket-gamma",
  hosts: ["gamma-api.polymarket.com"],
  answer: ({ path, query }, world) => {
    if (path === "/markets/keyset") {
      const page = openMarkets(world)
      const from = Number(Buffer.from(query.get("after_cursor") ?? "", "base64url").toString() || 0)
      const next = from + Math.min(PAGE_MAX, Number(query.get("limit") ?? 20))
      // The last page has no cursor.
      return {
        body: {
          markets: page.slice(from, next).map((market) => wire(world, market)),
          ...(next < page.length ? { next_cursor: Buffer.from(String(next)).toString("base64url") } : {}),
        },
      }
    }
    if (path === "/markets") {
      const offset = Number(query.get("offset") ?? 0)
      const limit = Math.min(LIMIT_MAX, Number(query.get("limit") ?? 20))
      return {
        body: openMarkets(world)
          .slice(offset, offset + limit)
          .map((market) => wire(world, market)),
      }
    }
    const id = /^\/markets\/(\d+)$/.exec(path)?.[1]
    const market = openMarkets(world).find((one) => one.id === id)
    return market === undefined
      ? { status: 404, body: { type: "not found error", error: "id not found" } }
      : { body: wire(world, market) }
  },
})
