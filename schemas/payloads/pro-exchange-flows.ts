import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { EthereumBlock, EthereumHash } from "../feeds/ethereum-transfers.ts"
import { EXCHANGE_NAME_MAX_CHARACTERS } from "../labels/exchange-wallets.ts"

/** The stretch of blocks that flows are summed over, up to the newest block. */
export const FLOWS_WINDOW_MS = 60 * 60_000
/** A net flow below it, in either direction, is balanced. */
export const BALANCED_BELOW_ETH = 100
export const RECENT_TRANSFERS_MAX = 25
/** Blocks of the window: one each twelve seconds. */
const BLOCKS_MAX = 301
const EXCHANGES_MAX = 500

const Ether = Schema.Finite
const Amount = Ether.check(Schema.isGreaterThanOrEqualTo(0))
const Exchange = Schema.NonEmptyString.check(Schema.isMaxLength(EXCHANGE_NAME_MAX_CHARACTERS))
const Bias = Schema.Literals(["inflow_dominant", "outflow_dominant", "balanced"])

const transfer = {
  hash: EthereumHash,
  block_number: EthereumBlock.fields.number,
  timestamp: Instant.annotate({ description: "When the block was made" }),
  exchange: Exchange,
  direction: Schema.Literals(["inflow", "outflow"]).annotate({ description: "inflow: to the exchange" }),
  counterparty_label: Schema.NullOr(Exchange).annotate({
    description: "The exchange on the other side; null where its address has no label",
  }),
  value_eth: Amount,
}

const parts = {
  blocks_scanned: Schema.Array(Schema.Natural)
    .check(Schema.isMaxLength(BLOCKS_MAX))
    .annotate({ description: "Numbers of the blocks that were read, the newest first" }),
  blocks_missing: Schema.Natural.annotate({ description: "Blocks between these that were not read" }),
  flows_by_exchange: Schema.Array(
    Schema.Struct({
      exchange: Exchange,
      inflow_eth: Amount,
      outflow_eth: Amount,
      net_flow_eth: Ether.annotate({ description: "Inflow less outflow" }),
      inflow_count: Schema.Natural,
      outflow_count: Schema.Natural,
    }),
  )
    .check(Schema.isMaxLength(EXCHANGES_MAX))
    .annotate({ description: "Exchanges with a flow, the largest turnover first" }),
} as const

const Flows = Schema.Struct({
  ...parts,
  transfers: Schema.Array(Schema.Struct(transfer)),
  transferCount: Schema.Natural,
  transactions: Schema.Natural,
  leftOut: Schema.Natural,
  inflowEth: Amount,
  outflowEth: Amount,
  netFlowEth: Ether,
  bias: Bias,
})

/** What the view builds: without dollars, as the price may be withheld. */
export const ExchangeFlowsFull = Schema.Struct({
  /** Null while no block was read. */
  flows: Schema.NullOr(Flows),
  exchangesTracked: Schema.Array(Exchange),
  price: Schema.NullOr(Schema.Finite),
})
export type ExchangeFlowsFull = typeof ExchangeFlowsFull.Type

export const ExchangeFlows = Schema.Struct({
  spot_eth_usd: Schema.NullOr(Schema.Finite.check(Schema.isGreaterThan(0))).annotate({
    description: "Last trade of ether against Tether, which counts as a dollar",
  }),
  blocks_scanned: Schema.NullOr(parts.blocks_scanned),
  blocks_missing: Schema.NullOr(parts.blocks_missing),
  flows_by_exchange: Schema.NullOr(parts.flows_by_exchange),
  recent_transfers: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        ...transfer,
        value_usd: Schema.NullOr(Amount).annotate({ description: "US dollars; null without a price" }),
      }),
    ).check(Schema.isMaxLength(RECENT_TRANSFERS_MAX)),
  ).annotate({
    description: "The newest block first and in it the largest; one between exchanges has a row for each",
  }),
  aggregate: Schema.NullOr(
    Schema.Struct({
      transfer_count: Schema.Natural.annotate({ description: "Transfers, one between exchanges counted once" }),
      total_inflow_eth: Amount,
      total_outflow_eth: Amount,
      net_flow_eth: Ether,
      net_flow_usd: Schema.NullOr(Schema.Int).annotate({ description: "Whole US dollars; null without a price" }),
      bias: Bias,
    }),
  ),
  threshold: Schema.Struct({ transfer_min_eth: Amount, balanced_below_eth: Amount }),
  exchanges_tracked: Schema.Array(Exchange)
    .check(Schema.isMaxLength(EXCHANGES_MAX))
    .annotate({ description: "Exchanges that have a labelled address, in alphabetical order" }),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({ description: "What the flows are made of" }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanations by member; each member that is null has one",
  }),
})
export type ExchangeFlows = typeof ExchangeFlows.Type
