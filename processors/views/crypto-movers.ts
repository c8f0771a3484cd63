import { cryptoMoversEndpoint, MOVERS_MAX } from "../../schemas/endpoints/crypto-movers.ts"
import { byRank, type CoinQuote, coins } from "../../schemas/feeds/coins.ts"
import { changesOf, from, view } from "../view/view.ts"

/** A coin whose change of 24 hours is known. */
interface Mover extends CoinQuote {
  readonly change24hPercent: number
}

const isMover = (coin: CoinQuote): coin is Mover => coin.change24hPercent !== null

/** The largest change of either sign first; equal ones by rank. */
const byChange = (one: Mover, other: Mover): number =>
  Math.abs(other.change24hPercent) - Math.abs(one.change24hPercent) ||
  byRank(one.rank, other.rank) ||
  (one.id < other.id ? -1 : 1)

const moverRow = (coin: Mover) => ({
  symbol: coin.symbol,
  name: coin.name,
  price_usd: coin.priceUsd,
  market_cap: coin.marketCapUsd,
  change_24h_percent: coin.change24hPercent,
  rank: coin.rank,
  volume_24h_usd: coin.volume24hUsd,
})

export default view({
  endpoint: cryptoMoversEndpoint,
  reads: { coins: from(coins) },
  changes: [changesOf(coins, (coin) => (isMover(coin) ? moverRow(coin) : null))],
  build: ({ coins }) => {
    const movers = coins.payload.items.filter(isMover).sort(byChange).slice(0, MOVERS_MAX)
    return { count: movers.length, movers: movers.map(moverRow) }
  },
})
