import { dayMs } from "../../schemas/day.ts"
import {
  COINS_SHOWN_MAX,
  type CryptoDeepFull,
  type CryptoDeepInput,
  proCryptoDeepEndpoint,
} from "../../schemas/endpoints/pro-crypto-deep.ts"
import { type BitcoinNetwork, bitcoinNetwork } from "../../schemas/feeds/bitcoin-network.ts"
import { type BitcoinCandle, btcCandles } from "../../schemas/feeds/btc-candles.ts"
import { type CoinQuote, coins } from "../../schemas/feeds/coins.ts"
import { type EthereumGas, ethereumGas } from "../../schemas/feeds/ethereum-gas.ts"
import { type ExchangeTicker, exchangeTickers } from "../../schemas/feeds/exchange-tickers.ts"
import { type Input, optionally, view } from "../view/view.ts"

type Shown<Part extends keyof CryptoDeepFull> = NonNullable<CryptoDeepFull[Part]>

const coinRow = (coin: CoinQuote): Shown<"coins_top50">[number] => ({
  symbol: coin.symbol,
  name: coin.name,
  price_usd: coin.priceUsd,
  change_1h_percent: coin.change1hPercent,
  change_24h_percent: coin.change24hPercent,
  change_7d_percent: coin.change7dPercent,
  market_cap: coin.marketCapUsd,
  volume_24h: coin.volume24hUsd,
  rank: coin.rank,
})

const tickerRow = (ticker: ExchangeTicker): Shown<"exchange_top20_usdt">[number] => ({
  pair: ticker.pair,
  price: ticker.price,
  change_24h_percent: ticker.change24hPercent,
  volume_24h: ticker.volume24h,
  high_24h: ticker.high24h,
  low_24h: ticker.low24h,
  trades_24h: ticker.trades24h,
})

const networkOf = ({
  blockHeight,
  feesSatPerVb,
  hashrateEhS,
  difficulty,
  mempool,
}: BitcoinNetwork): Shown<"network_btc"> => ({
  block_height: blockHeight,
  fees_sat_per_vb: {
    fastest: feesSatPerVb.fastest,
    half_hour: feesSatPerVb.halfHour,
    hour: feesSatPerVb.hour,
    economy: feesSatPerVb.economy,
    minimum: feesSatPerVb.minimum,
  },
  hashrate: { current_eh_s: hashrateEhS, current_difficulty: difficulty },
  mempool: { count: mempool.count, vsize: mempool.vsizeVb, total_fee_sat: mempool.totalFeeSat },
})

const gasOf = (gas: EthereumGas): Shown<"eth_gas"> => ({
  low_gwei: gas.lowGwei,
  standard_gwei: gas.standardGwei,
  fast_gwei: gas.fastGwei,
  base_fee_gwei: gas.baseFeeGwei,
  last_block: gas.blockNumber,
})

const candleRow = ({ day, low, high, open, close, volumeBtc }: BitcoinCandle): Shown<"btc_30d">[number] => ({
  // The schema of the feed accepts only days that exist.
  ts: dayMs(day) ?? 0,
  low,
  high,
  open,
  close,
  volume: volumeBtc,
})

export default view({
  endpoint: proCryptoDeepEndpoint,
  reads: {
    coins: optionally(coins),
    tickers: optionally(exchangeTickers),
    network: optionally(bitcoinNetwork),
    gas: optionally(ethereumGas),
    candles: optionally(btcCandles),
  } satisfies Readonly<Record<CryptoDeepInput, Input>>,
  build: ({ coins, tickers, network, gas, candles }) => ({
    // Both feeds list the largest first.
    coins_top50: coins === null ? null : coins.payload.items.slice(0, COINS_SHOWN_MAX).map(coinRow),
    exchange_top20_usdt: tickers === null ? null : tickers.payload.items.map(tickerRow),
    network_btc: network === null ? null : networkOf(network.payload),
    eth_gas: gas === null ? null : gasOf(gas.payload),
    btc_30d: candles === null ? null : candles.payload.items.map(candleRow).reverse(),
  }),
})
