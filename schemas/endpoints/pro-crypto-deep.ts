import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { choice } from "../contract/parameters.ts"
import { BitcoinNetwork } from "../feeds/bitcoin-network.ts"
import { BitcoinCandle, BTC_CANDLES_MAX } from "../feeds/btc-candles.ts"
import { CoinQuote } from "../feeds/coins.ts"
import { EthereumGas } from "../feeds/ethereum-gas.ts"
import { ExchangeTicker, exchangeTickerBases } from "../feeds/exchange-tickers.ts"

/** What the example of the reply is selected from. */
export const cryptoDeepExample = {
  coins_top50: [
    {
      symbol: "BTC",
      name: "Bitcoin",
      price_usd: 62_648,
      change_1h_percent: -1.6,
      change_24h_percent: -2.09,
      change_7d_percent: -1.25,
      market_cap: 1_237_899_902_658,
      volume_24h: 34_184_618_434,
      rank: 1,
    },
  ],
  exchange_top20_usdt: [
    {
      pair: "BTCUSDT",
      price: 69_624,
      change_24h_percent: -3.691,
      volume_24h: 2_354_076_638.6,
      high_24h: 72_700,
      low_24h: 68_830,
      trades_24h: 5_019_250,
    },
  ],
  network_btc: {
    block_height: 963_042,
    fees_sat_per_vb: { fastest: 2.023, half_hour: 1.094, hour: 0.502, economy: 0.2, minimum: 0.1 },
    hashrate: { current_eh_s: 907.782986431434, current_difficulty: 125_807_076_547_197.5 },
    mempool: { count: 3_169, vsize: 1_891_542, total_fee_sat: 20_317_481 },
  },
  eth_gas: { low_gwei: 0.31, standard_gwei: 0.46, fast_gwei: 1.21, base_fee_gwei: 0.29, last_block: 25_123_456 },
  btc_30d: [
    {
      ts: 1_786_147_200_000,
      low: 64_789.89,
      high: 65_150.16,
      open: 64_891.6,
      close: 64_908.72,
      volume: 2_494.26436439,
    },
    { ts: 1_786_233_600_000, low: 64_675.22, high: 65_426, open: 64_908.71, close: 64_848.69, volume: 3_044.21136585 },
  ],
}

/** How many coins the reply holds, the largest ones. */
export const COINS_SHOWN_MAX = 50

const coin = CoinQuote.fields
const CoinRow = Schema.Struct({
  symbol: coin.symbol,
  name: coin.name,
  price_usd: coin.priceUsd,
  change_1h_percent: coin.change1hPercent,
  change_24h_percent: coin.change24hPercent,
  change_7d_percent: coin.change7dPercent,
  market_cap: coin.marketCapUsd.annotate({ description: "Price times coins in circulation, US dollars" }),
  volume_24h: coin.volume24hUsd.annotate({ description: "Turnover of 24 hours on all markets, US dollars" }),
  rank: coin.rank.annotate({ description: "Place by market capitalisation, from 1" }),
})

const ticker = ExchangeTicker.fields
const TickerRow = Schema.Struct({
  pair: ticker.pair,
  price: ticker.price.annotate({ description: "Last trade, Tether" }),
  change_24h_percent: ticker.change24hPercent,
  volume_24h: ticker.volume24h.annotate({ description: "Turnover of 24 hours at this exchange, Tether" }),
  high_24h: ticker.high24h,
  low_24h: ticker.low24h,
  trades_24h: ticker.trades24h,
})

const bitcoin = BitcoinNetwork.fields
const fees = bitcoin.feesSatPerVb.fields
const Network = Schema.Struct({
  block_height: bitcoin.blockHeight,
  fees_sat_per_vb: Schema.Struct({
    fastest: fees.fastest,
    half_hour: fees.halfHour,
    hour: fees.hour,
    economy: fees.economy,
    minimum: fees.minimum,
  }).annotate({ description: "What a place in a block costs within a time, satoshi a virtual byte" }),
  hashrate: Schema.Struct({
    current_eh_s: bitcoin.hashrateEhS.annotate({ description: "Exahashes (10^18 hashes) a second, an estimate" }),
    current_difficulty: bitcoin.difficulty,
  }),
  mempool: Schema.Struct({
    count: bitcoin.mempool.fields.count.annotate({ description: "Transactions that wait for a block" }),
    vsize: bitcoin.mempool.fields.vsizeVb.annotate({ description: "Their size, virtual bytes" }),
    total_fee_sat: bitcoin.mempool.fields.totalFeeSat.annotate({ description: "What they offer to pay, satoshi" }),
  }),
})

const gas = EthereumGas.fields
const Gas = Schema.Struct({
  low_gwei: gas.lowGwei,
  standard_gwei: gas.standardGwei,
  fast_gwei: gas.fastGwei,
  base_fee_gwei: gas.baseFeeGwei.annotate({ description: "Base fee of the block after last_block" }),
  last_block: gas.blockNumber,
})

const candle = BitcoinCandle.fields
const CandleRow = Schema.Struct({
  ts: Schema.Int.annotate({ description: "Begin of the day (UTC), milliseconds since the epoch" }),
  low: candle.low,
  high: candle.high,
  open: candle.open,
  close: candle.close,
  volume: candle.volumeBtc.annotate({ description: "Turnover of the day at this exchange, bitcoin" }),
})

const parts = {
  coins_top50: Schema.NullOr(Schema.Array(CoinRow).check(Schema.isMaxLength(COINS_SHOWN_MAX))).annotate({
    description: "The largest coins by market capitalisation, the largest first",
  }),
  exchange_top20_usdt: Schema.NullOr(
    Schema.Array(TickerRow).check(Schema.isMaxLength(exchangeTickerBases.length)),
  ).annotate({
    description: `${exchangeTickerBases.join(", ")} against Tether at one exchange, the largest turnover first; a pair that is halted is left out`,
  }),
  network_btc: Schema.NullOr(Network),
  eth_gas: Schema.NullOr(Gas),
} as const

const Candles = Schema.NullOr(Schema.Array(CandleRow).check(Schema.isMaxLength(BTC_CANDLES_MAX))).annotate({
  description: "Daily candles of bitcoin in US dollars, the oldest first; the open day is left out, and gaps stay gaps",
})

/** All that the view holds. A part is null while its feed has never answered. */
export const CryptoDeepFull = Schema.Struct({ ...parts, btc_30d: Candles })
export type CryptoDeepFull = typeof CryptoDeepFull.Type

/** The data of one call. */
export const CryptoDeep = Schema.Struct({
  ...parts,
  series: Schema.optionalKey(Schema.Struct({ btc_30d: Candles })).annotate({ description: "Only with history=30d" }),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of rows of each list; lists without data are left out",
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanation of each part: what it is, or why it is null, and why members of it are",
  }),
})
export type CryptoDeep = typeof CryptoDeep.Type

/** The names of the view's inputs. */
export type CryptoDeepInput = "coins" | "tickers" | "network" | "gas" | "candles"

type Part = keyof CryptoDeepFull

/** The input of each part, whose data it is, and what callers have to know of it. */
const facts: Readonly<Record<Part, { readonly input: CryptoDeepInput; readonly of: string; readonly note: string }>> = {
  coins_top50: {
    input: "coins",
    of: "CoinGecko",
    note: "CoinGecko, averages over many markets. A change, a capitalisation, a turnover or a rank that it does not know is null.",
  },
  exchange_top20_usdt: {
    input: "tickers",
    of: "Binance",
    note: "Binance, rolling 24 hours, in Tether. What it does not give is null, and so are high and low that contradict the price.",
  },
  network_btc: {
    input: "network",
    of: "mempool.space",
    note: "mempool.space, the view of its nodes. Hashrate, difficulty, total fee, economy and minimum fee are null where it gives no possible number.",
  },
  eth_gas: {
    input: "gas",
    of: "public Ethereum nodes",
    note: "Computed of eth_feeHistory: the next block's base fee, alone and with the tips of the newest block's 25th, 50th and 75th percentile.",
  },
  btc_30d: {
    input: "candles",
    of: "Coinbase Exchange",
    note: "Coinbase Exchange, days in UTC that are over. A day that it left out is missing, never made up.",
  },
}

const noteOf = (part: Part, full: CryptoDeepFull, withheld: ReadonlySet<string>): string => {
  const { input, of, note } = facts[part]
  if (withheld.has(input)) return `Null: the data of ${of} may not be resold by this installation.`
  return full[part] === null ? `Null: nothing was read of ${of} yet.` : note
}

/** Selects the parts that may be resold, and the series on request. */
export const selectCryptoDeep = (
  full: CryptoDeepFull,
  { history }: { readonly history: "30d" | undefined },
  withheld: ReadonlySet<string>,
): Selection<CryptoDeep> => {
  const part = <Name extends Part>(name: Name): CryptoDeepFull[Name] | null =>
    withheld.has(facts[name].input) ? null : full[name]
  const shown = {
    coins_top50: part("coins_top50"),
    exchange_top20_usdt: part("exchange_top20_usdt"),
    network_btc: part("network_btc"),
    eth_gas: part("eth_gas"),
    ...(history === "30d" ? { btc_30d: part("btc_30d") } : {}),
  }
  const { btc_30d, ...always } = shown
  // The keys of an object that was just written are its parts.
  const names = Object.keys(shown) as ReadonlyArray<keyof typeof shown>
  return {
    data: {
      ...always,
      ...(btc_30d === undefined ? {} : { series: { btc_30d } }),
      sample_size: Object.fromEntries(
        Object.entries(shown).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value.length]] : [])),
      ),
      notes: Object.fromEntries(names.map((name) => [name, noteOf(name, full, withheld)])),
    },
    inputs: names.map((name) => facts[name].input).filter((input) => !withheld.has(input)),
  }
}

export const proCryptoDeepEndpoint = endpoint({
  path: "/api/pro/crypto-deep",
  name: "pro_crypto_deep",
  kind: "filtered",
  tier: "premium",
  subject: "markets",
  credits: 2,
  ttl: "60 seconds",
  summary: "Crypto in depth: 50 coins, 20 pairs of an exchange, the Bitcoin network, Ethereum gas",
  description: [
    "The 50 largest coins, twenty pairs against Tether at one exchange, fees, hashrate and mempool of Bitcoin, and the price",
    "of gas on Ethereum. With `history=30d` daily candles of bitcoin are added. A part is null while it was never read, and",
    "where its source does not allow reselling; `notes` says which.",
  ].join(" "),
  parameters: {
    history: { ...choice(["30d"], { description: "30d adds series.btc_30d" }), optional: true },
  },
  data: CryptoDeep,
  cold: { coins_top50: null, exchange_top20_usdt: null, network_btc: null, eth_gas: null, btc_30d: null },
  select: selectCryptoDeep,
  example: selectCryptoDeep(cryptoDeepExample, { history: "30d" }, new Set()).data,
})
