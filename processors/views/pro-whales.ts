import { proWhalesEndpoint, type WhalesInput } from "../../schemas/endpoints/pro-whales.ts"
import { instant } from "../../schemas/event.ts"
import { bitcoinNetwork } from "../../schemas/feeds/bitcoin-network.ts"
import { type BitcoinTransfer, bitcoinTransfers, SAT_PER_BTC } from "../../schemas/feeds/bitcoin-transfers.ts"
import { type EthereumBlock, ethereumTransfers, MICRO_PER_ETH } from "../../schemas/feeds/ethereum-transfers.ts"
import { type ExchangeTicker, exchangeTickers } from "../../schemas/feeds/exchange-tickers.ts"
import { exchangeLabels } from "../../schemas/labels/exchange-labels.ts"
import { rounded } from "../../schemas/number.ts"
import { WHALE_MIN_ETH, WHALES_SHOWN_MAX, WHALES_WINDOW_MS } from "../../schemas/payloads/pro-whales.ts"
import type { RecentChange, SeriesPoint } from "../view/memory.ts"
import { type Input, onceByItem, optionally, recent, series, view } from "../view/view.ts"

const MINUTE_MS = 60_000
/** Fewer intervals than these give no rate. */
const STRETCHES_MIN = 5
const PLACES = 2

const median = (sorted: ReadonlyArray<number>): number => {
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * How many transactions reach the mempool in a minute: the median growth of their number between two polls. Intervals in
 * which a block was found do not count, as a block removes thousands at once. Null where too few intervals grew.
 */
export const arrivalsPerMinute = (
  counts: ReadonlyArray<SeriesPoint>,
  heights: ReadonlyArray<SeriesPoint>,
): number | null => {
  const heightAt = new Map(heights)
  const rates = counts.flatMap(([atMs, count], index): ReadonlyArray<number> => {
    const before = counts[index - 1]
    if (before === undefined || heightAt.get(atMs) !== heightAt.get(before[0])) return []
    const perMinute = ((count - before[1]) / (atMs - before[0])) * MINUTE_MS
    return heightAt.has(atMs) && perMinute > 0 ? [perMinute] : []
  })
  return rates.length < STRETCHES_MIN ? null : median(rates.sort((one, other) => one - other))
}

/** The share of the arriving transactions that was seen, of those shown in a minute; null where the rate is unknown. */
export const sampleShare = (shownPerMinute: number, arrivals: number | null): number | null =>
  arrivals === null ? null : Math.min(1, rounded(shownPerMinute / arrivals, PLACES))

const UNCONFIRMED_MAX = 500
/** The interval of the polls. */
const LOOKS_A_MINUTE = 6

/** An exact sum of decimal amounts: they are added as integers, `parts` to the unit. */
const exactSum = (amounts: ReadonlyArray<number>, parts: number): number =>
  amounts.reduce((sum, amount) => sum + Math.round(amount * parts), 0) / parts

/** A row, made once for each change: the window keeps it for an hour, and the view is built every ten seconds. */
const bitcoinRow = onceByItem(({ atMs, item }: RecentChange<BitcoinTransfer>) => ({
  txid: item.txid,
  value_btc: item.valueBtc,
  fee_sat: item.feeSat,
  vsize: item.vsizeVb,
  seen_at: instant(atMs),
}))

/** The newest first; of a transaction that came back its first time counts. */
const bitcoinPart = (changes: ReadonlyArray<RecentChange<BitcoinTransfer>>) => {
  const ids = new Set<string>()
  const all = changes.filter(({ item }) => {
    const isFirst = !ids.has(item.txid)
    ids.add(item.txid)
    return isFirst
  })
  return {
    transfers: all.slice(-WHALES_SHOWN_MAX).reverse().map(bitcoinRow),
    count: all.length,
    total: exactSum(
      all.map(({ item }) => item.valueBtc),
      SAT_PER_BTC,
    ),
  }
}

const labelOf = (address: string | null): string | null =>
  address === null ? null : (exchangeLabels.get(address) ?? null)

const etherPart = (blocks: ReadonlyArray<EthereumBlock>) => {
  const all = blocks.flatMap(({ number, transfers }) =>
    transfers.flatMap((transfer) => (transfer.valueEth >= WHALE_MIN_ETH ? [{ number, ...transfer }] : [])),
  )
  return {
    transfers: all.slice(0, WHALES_SHOWN_MAX).map(({ number, hash, from, to, valueEth }) => ({
      hash,
      block_number: number,
      from,
      to,
      value_eth: valueEth,
      from_label: labelOf(from),
      to_label: labelOf(to),
    })),
    count: all.length,
    total: exactSum(
      all.map(({ valueEth }) => valueEth),
      MICRO_PER_ETH,
    ),
  }
}

/** The last trade of a coin against Tether. */
export const priceOf = (tickers: ReadonlyArray<ExchangeTicker>, base: ExchangeTicker["base"]): number | null =>
  tickers.find((one) => one.base === base)?.price ?? null

export default view({
  endpoint: proWhalesEndpoint,
  reads: {
    unconfirmed: recent(bitcoinTransfers, {
      windowMs: WHALES_WINDOW_MS,
      kinds: ["appeared"],
      max: UNCONFIRMED_MAX,
    }),
    shown: optionally(bitcoinTransfers),
    mempoolCounts: series(bitcoinNetwork, {
      windowMs: WHALES_WINDOW_MS,
      everyMs: MINUTE_MS,
      value: ({ mempool }) => mempool.count,
    }),
    heights: series(bitcoinNetwork, {
      windowMs: WHALES_WINDOW_MS,
      everyMs: MINUTE_MS,
      value: ({ blockHeight }) => blockHeight,
    }),
    blocks: optionally(ethereumTransfers),
    tickers: optionally(exchangeTickers),
  } satisfies Readonly<Record<WhalesInput, Input>>,
  build: ({ unconfirmed, shown, mempoolCounts, heights, blocks, tickers }) => {
    const [newest] = blocks?.payload.items ?? []
    return {
      btc:
        shown === null
          ? null
          : {
              ...bitcoinPart(unconfirmed),
              sampleShare: sampleShare(
                shown.payload.facts.shown * LOOKS_A_MINUTE,
                arrivalsPerMinute(mempoolCounts, heights),
              ),
            },
      eth:
        blocks === null || newest === undefined
          ? null
          : {
              block: {
                number: newest.number,
                hash: newest.hash,
                timestamp: newest.at,
                transactions: newest.transactionCount,
                base_fee_gwei: newest.baseFeeGwei,
              },
              blocksScanned: blocks.payload.items.map(({ number }) => number),
              transactions: blocks.payload.items.reduce((sum, one) => sum + one.transactionCount, 0),
              ...etherPart(blocks.payload.items),
              leftOut: blocks.payload.items.reduce((sum, one) => sum + one.transfersLeftOut, 0),
            },
      prices:
        tickers === null
          ? null
          : { btc: priceOf(tickers.payload.items, "BTC"), eth: priceOf(tickers.payload.items, "ETH") },
    }
  },
})
