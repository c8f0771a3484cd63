import { bitcoinAt } from "../bitcoin.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The provider's answers are cached for a minute. */
const CACHED_MS = 60_000
/** Coins of the world: more than one page of the source holds. */
const COINS = 120
/** The only key that the simulated provider accepts; it answers without one too. */
export const COINGECKO_WORLD_KEY = "CG-0123456789abcdefghijklmno"

const firsts = ["Tide", "Harbour", "Beacon", "Kelp", "Anchor", "Current", "Lagoon", "Reef", "Sail", "Delta"] as const
const seconds = ["Coin", "Token", "Cash", "Chain", "Dollar", "Gold", "Swap", "Net", "Pay", "Inu", "Dao", "Bit"] as const

/** A coin of the world. Members that the provider has no number for are null. */
export interface WorldCoin {
  readonly id: string
  readonly symbol: string
  readonly name: string
  readonly priceUsd: number
  readonly change1hPercent: number
  /** Null for a coin that has been listed for less than a day. */
  readonly change24hPercent: number | null
  readonly change7dPercent: number | null
  readonly marketCapUsd: number
  readonly volumeUsd: number
  readonly updatedMs: number
}

const priceAt = (world: World, index: number, atMs: number): number => {
  if (index === 0) return bitcoinAt(world, atMs)
  const centre = 10 ** (3 - world.random("coin", index, "price") * 11)
  const season = world.wander(`coin/${index}/season`, 1, 0.3, 30 * DAY_MS, atMs)
  return centre * season * world.wander(`coin/${index}/day`, 1, 0.08, 11 * HOUR_MS, atMs)
}

/** Four significant digits, or whole dollars above a thousand, as the provider rounds. */
const rounded = (price: number): number => (price > 1000 ? Math.round(price) : Number(price.toPrecision(4)))

const coinOf = (world: World, index: number, atMs: number): WorldCoin => {
  const first = firsts[index % firsts.length] ?? firsts[0]
  const second = seconds[Math.floor(index / firsts.length)] ?? seconds[0]
  const name = index === 0 ? "Bitcoin" : `${first} ${second}`
  // Symbols are not unique: coins with the same first letters share one.
  const symbol = index === 0 ? "btc" : `${first.slice(0, 2)}${second.slice(0, 1)}`.toLowerCase()
  const change = (ms: number) => 100 * (priceAt(world, index, atMs) / priceAt(world, index, atMs - ms) - 1)
  const isNew = index % 40 === 39
  const circulating = index === 0 ? 19.9e6 : (10 ** (11 - index / 30) / priceAt(world, index, 0)) * 0.9
  const marketCapUsd = Math.round(priceAt(world, index, atMs) * circulating)
  return {
    id: name.toLowerCase().replace(" ", "-"),
    symbol,
    name,
    priceUsd: rounded(priceAt(world, index, atMs)),
    change1hPercent: change(HOUR_MS),
    change24hPercent: isNew ? null : change(DAY_MS),
    change7dPercent: isNew ? null : change(7 * DAY_MS),
    marketCapUsd,
    volumeUsd: Math.round(marketCapUsd * (0.01 + world.random("coin", index, "turnover") * 0.1)),
    // Each coin is updated at its own second of the minute.
    updatedMs: atMs - Math.floor(world.random("coin", index, "delay") * CACHED_MS),
  }
}

/** The coins of the world, largest capitalisation first. */
export const coinsOf = (world: World): ReadonlyArray<WorldCoin> => {
  const atMs = Math.floor(world.nowMs / CACHED_MS) * CACHED_MS
  return Array.from({ length: COINS }, (_, index) => coinOf(world, index, atMs)).sort(
    (one, other) => other.marketCapUsd - one.marketCapUsd,
  )
}

const wire = (coin: WorldCoin, at: number, periods: ReadonlyArray<string>) => {
  const inCurrency = { "1h": coin.change1hPercent, "24h": coin.change24hPercent, "7d": coin.change7dPercent }
  const change24h = coin.change24hPercent
  return {
    id: coin.id,
    symbol: coin.symbol,
    name: coin.name,
    image: `https://coin-images.coingecko.com/coins/images/${at + 1}/large/${coin.id}.png?1696501400`,
    current_price: coin.priceUsd,
    market_cap: coin.marketCapUsd,
    market_cap_rank: at + 1,
    fully_diluted_valuation: at % 7 === 3 ? null : Math.round(coin.marketCapUsd * 1.1),
    total_volume: coin.volumeUsd,
    high_24h: rounded(coin.priceUsd * 1.01),
    low_24h: rounded(coin.priceUsd * 0.98),
    price_change_24h: change24h === null ? null : (coin.priceUsd * change24h) / (100 + change24h),
    price_change_percentage_24h: change24h === null ? null : Number(change24h.toFixed(5)),
    circulating_supply: Math.round(coin.marketCapUsd / coin.priceUsd),
    max_supply: null,
    roi: at === 1 ? { times: 41.2, currency: "btc", percentage: 4120.1 } : null,
    last_updated: new Date(coin.updatedMs).toISOString(),
    ...Object.fromEntries(
      Object.entries(inCurrency)
        .filter(([period]) => periods.includes(period))
        .map(([period, value]) => [`price_change_percentage_${period}_in_currency`, value]),
    ),
  }
}

const failure = (status: number, message: string) => ({
  status,
  body: { status: { error_code: status, error_message: message } },
})

export default simulatedUpstream({
  name: "coingecko",
  keys: { COINGECKO_KEY: COINGECKO_WORLD_KEY },
  hosts: ["api.coingecko.com"],
  answer: ({ path, query, headers = {} }, world) => {
    const key = headers["x-cg-demo-api-key"]
    if (key !== undefined && key !== COINGECKO_WORLD_KEY) return failure(401, "API Key Missing")
    if (path !== "/api/v3/coins/markets") return null
    if (query.get("vs_currency") !== "usd") return { status: 422, body: { error: "Missing parameter vs_currency" } }
    const perPage = Math.min(250, Number(query.get("per_page") ?? 100))
    const from = (Number(query.get("page") ?? 1) - 1) * perPage
    const periods = (query.get("price_change_percentage") ?? "").split(",")
    return {
      body: coinsOf(world)
        .map((coin, at) => wire(coin, at, periods))
        .slice(from, from + perPage),
    }
  },
})
