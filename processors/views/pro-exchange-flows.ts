import { type ExchangeFlowsInput, proExchangeFlowsEndpoint } from "../../schemas/endpoints/pro-exchange-flows.ts"
import { type EthereumBlock, ethereumTransfers } from "../../schemas/feeds/ethereum-transfers.ts"
import { exchangeTickers } from "../../schemas/feeds/exchange-tickers.ts"
import { exchangeLabels, exchangesTracked } from "../../schemas/labels/exchange-labels.ts"
import { BALANCED_BELOW_ETH, FLOWS_WINDOW_MS, RECENT_TRANSFERS_MAX } from "../../schemas/payloads/pro-exchange-flows.ts"
import type { RecentChange } from "../view/memory.ts"
import { from, type Input, onceByItem, optionally, recent, view } from "../view/view.ts"
import { biasOf, differenceEth, flowsByExchange, legsOf, sumEth } from "./pro-exchange-flows/exchange-flows.ts"
import { priceOf } from "./pro-whales.ts"

/** When a block was made, in milliseconds since the epoch; parsed once for each block. */
const madeAtMs = onceByItem(({ at }: EthereumBlock) => Date.parse(at))

/** The blocks of a stretch of time that stand, the newest first. */
interface EthereumWindow {
  readonly blocks: ReadonlyArray<EthereumBlock>
  /** Blocks between the oldest and the newest that were never read. */
  readonly missing: number
}

/**
 * The blocks that stand, of the changes that brought them (oldest first) and of the newest payload: of each number the last
 * one that was seen, none above the newest block, and none that was made `windowMs` before it. The payload is one chain, so
 * that it decides for its own numbers.
 */
export const ethereumWindow = (
  changes: ReadonlyArray<Pick<RecentChange<EthereumBlock>, "kind" | "item">>,
  payload: ReadonlyArray<EthereumBlock>,
  windowMs: number,
): EthereumWindow => {
  const [newest] = payload
  if (newest === undefined) return { blocks: [], missing: 0 }
  const byNumber = new Map<number, EthereumBlock>()
  for (const { kind, item } of changes) if (kind !== "gone") byNumber.set(item.number, item)
  for (const block of payload) byNumber.set(block.number, block)
  const sinceMs = madeAtMs(newest) - windowMs
  const blocks = [...byNumber.values()]
    .filter((block) => block.number <= newest.number && madeAtMs(block) > sinceMs)
    .sort((one, other) => other.number - one.number)
  const oldest = blocks.at(-1) ?? newest
  return { blocks, missing: newest.number - oldest.number + 1 - blocks.length }
}

/** Blocks of the window, and those that replaced others. */
const CHANGES_MAX = 400
/** Blocks are remembered by the time at which they were seen: up to a poll and a first payload later than they were made. */
const SEEN_LATER_MS = 15 * 60_000

const tracked = exchangesTracked(exchangeLabels)

/** The transfers of a block from and to exchanges, and their flows; computed once for each block: the window keeps it for an hour. */
const exchangesIn = onceByItem(({ number, at, transfers }: EthereumBlock) => {
  const labelled = transfers.flatMap((transfer) => {
    const legs = legsOf(transfer, exchangeLabels)
    return legs.length === 0 ? [] : [{ transfer, legs, number, at }]
  })
  const flows = labelled.flatMap(({ transfer: { valueEth }, legs }) => legs.map((leg) => ({ ...leg, valueEth })))
  return { transfers: labelled, flows }
})

export default view({
  endpoint: proExchangeFlowsEndpoint,
  reads: {
    newest: from(ethereumTransfers),
    blocks: recent(ethereumTransfers, {
      windowMs: FLOWS_WINDOW_MS + SEEN_LATER_MS,
      kinds: ["appeared", "changed"],
      max: CHANGES_MAX,
    }),
    tickers: optionally(exchangeTickers),
  } satisfies Readonly<Record<ExchangeFlowsInput, Input>>,
  build: ({ newest, blocks: changes, tickers }) => {
    const { blocks, missing } = ethereumWindow(changes, newest.payload.items, FLOWS_WINDOW_MS)
    const transfers = blocks.flatMap((block) => exchangesIn(block).transfers)
    const flows = blocks.flatMap((block) => exchangesIn(block).flows)
    const amounts = (direction: "inflow" | "outflow") =>
      flows.filter((flow) => flow.direction === direction).map(({ valueEth }) => valueEth)
    const [inflowEth, outflowEth] = [sumEth(amounts("inflow")), sumEth(amounts("outflow"))]
    const netFlowEth = differenceEth(inflowEth, outflowEth)
    return {
      flows: {
        blocks_scanned: blocks.map(({ number }) => number),
        blocks_missing: missing,
        flows_by_exchange: flowsByExchange(flows).map((flow) => ({
          exchange: flow.exchange,
          inflow_eth: flow.inflowEth,
          outflow_eth: flow.outflowEth,
          net_flow_eth: flow.netFlowEth,
          inflow_count: flow.inflowCount,
          outflow_count: flow.outflowCount,
        })),
        transfers: transfers
          // A transfer has one row, or two where both sides are exchanges.
          .slice(0, RECENT_TRANSFERS_MAX)
          .flatMap(({ transfer, legs, number, at }) =>
            legs.map(({ exchange, direction, counterparty }) => ({
              hash: transfer.hash,
              block_number: number,
              timestamp: at,
              exchange,
              direction,
              counterparty_label: counterparty,
              value_eth: transfer.valueEth,
            })),
          )
          .slice(0, RECENT_TRANSFERS_MAX),
        transferCount: transfers.length,
        transactions: blocks.reduce((sum, { transactionCount }) => sum + transactionCount, 0),
        leftOut: blocks.reduce((sum, { transfersLeftOut }) => sum + transfersLeftOut, 0),
        inflowEth,
        outflowEth,
        netFlowEth,
        bias: biasOf(netFlowEth, BALANCED_BELOW_ETH),
      },
      exchangesTracked: tracked,
      price: tickers === null ? null : priceOf(tickers.payload.items, "ETH"),
    }
  },
})
