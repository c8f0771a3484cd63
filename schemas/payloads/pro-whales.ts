import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { BitcoinTransfer } from "../feeds/bitcoin-transfers.ts"
import { ETHEREUM_BLOCKS_MAX, EthereumAddress, EthereumBlock, EthereumHash } from "../feeds/ethereum-transfers.ts"
import { EXCHANGE_NAME_MAX_CHARACTERS } from "../labels/exchange-wallets.ts"

/** The least transfer of ether that is shown. */
export const WHALE_MIN_ETH = 100
/** Rows of each list. */
export const WHALES_SHOWN_MAX = 50
/** How far back unconfirmed transfers reach. */
export const WHALES_WINDOW_MS = 60 * 60_000

const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Dollars = Schema.NullOr(Amount).annotate({ description: "US dollars; null without a price" })
const Price = Schema.NullOr(Schema.Finite.check(Schema.isGreaterThan(0)))
const Label = Schema.NullOr(Schema.NonEmptyString.check(Schema.isMaxLength(EXCHANGE_NAME_MAX_CHARACTERS))).annotate({
  description: "The exchange that the address is attributed to, by third parties; null for every other address",
})

const bitcoinRow = {
  txid: BitcoinTransfer.fields.txid,
  value_btc: BitcoinTransfer.fields.valueBtc.annotate({
    description: "Sum of all outputs, the change that returns to the sender among them",
  }),
  fee_sat: BitcoinTransfer.fields.feeSat.annotate({ description: "Fee, satoshi" }),
  vsize: BitcoinTransfer.fields.vsizeVb.annotate({ description: "Size, virtual bytes" }),
  seen_at: Instant.annotate({ description: "When the transaction was first seen" }),
}
const etherRow = {
  hash: EthereumHash,
  block_number: EthereumBlock.fields.number,
  from: EthereumAddress,
  to: Schema.NullOr(EthereumAddress).annotate({ description: "Null where the transaction creates a contract" }),
  value_eth: Amount.annotate({ description: "Native ether that the transaction moves" }),
  from_label: Label,
  to_label: Label,
}
const BitcoinWhale = Schema.Struct({ ...bitcoinRow, value_usd: Dollars })
const EtherWhale = Schema.Struct({ ...etherRow, value_usd: Dollars })

const Block = Schema.Struct({
  number: EthereumBlock.fields.number,
  hash: EthereumHash,
  timestamp: Instant,
  transactions: EthereumBlock.fields.transactionCount,
  base_fee_gwei: EthereumBlock.fields.baseFeeGwei,
})

/** Over all transfers, of which a list shows the first. */
const all = { count: Schema.Natural, total: Amount }

/**
 * What the view builds: no dollars yet, as the prices may be withheld. A part is null while its feed has never answered. The
 * view is built with every poll of either chain, so it holds the rows that are shown, and sums of all.
 */
export const WhalesFull = Schema.Struct({
  btc: Schema.NullOr(
    Schema.Struct({
      /** Of the window, the newest first. */
      transfers: Schema.Array(Schema.Struct(bitcoinRow)).check(Schema.isMaxLength(WHALES_SHOWN_MAX)),
      ...all,
      sampleShare: Schema.NullOr(Schema.Finite),
    }),
  ),
  eth: Schema.NullOr(
    Schema.Struct({
      block: Block,
      blocksScanned: Schema.Array(Schema.Natural),
      transactions: Schema.Natural,
      /** Of the scanned blocks, the newest block first and in it the largest. */
      transfers: Schema.Array(Schema.Struct(etherRow)).check(Schema.isMaxLength(WHALES_SHOWN_MAX)),
      ...all,
      leftOut: Schema.Natural,
    }),
  ),
  prices: Schema.NullOr(Schema.Struct({ btc: Price, eth: Price })),
})
export type WhalesFull = typeof WhalesFull.Type

const Count = Schema.NullOr(Schema.Natural)

export const Whales = Schema.Struct({
  spot_prices: Schema.NullOr(Schema.Struct({ btc_usd: Price, eth_usd: Price })).annotate({
    description: "Last trades against Tether, which counts as a dollar",
  }),
  btc_whales_unconfirmed: Schema.NullOr(
    Schema.Array(BitcoinWhale).check(Schema.isMaxLength(WHALES_SHOWN_MAX)),
  ).annotate({
    description: "Transfers of the last 60 minutes that were seen before a block held them, the newest first",
  }),
  eth_whales_latest_block: Schema.NullOr(Schema.Array(EtherWhale).check(Schema.isMaxLength(WHALES_SHOWN_MAX))).annotate(
    { description: "Transfers of the scanned blocks, the newest block first and in it the largest" },
  ),
  eth_block: Schema.NullOr(Block).annotate({ description: "The newest block" }),
  eth_blocks_scanned: Schema.NullOr(
    Schema.Array(Schema.Natural).check(Schema.isMaxLength(ETHEREUM_BLOCKS_MAX)),
  ).annotate({
    description: "Numbers of the scanned blocks, the newest first: one chain without gaps",
  }),
  aggregate: Schema.Struct({
    btc_count: Count,
    btc_total: Schema.NullOr(Amount),
    btc_total_usd: Dollars,
    eth_count: Count,
    eth_total: Schema.NullOr(Amount),
    eth_total_usd: Dollars,
  }).annotate({
    description: "Over all transfers of the window and of the scanned blocks, those that no row shows included",
  }),
  sample_share: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
    description: "Estimated share of all new bitcoin transactions that was seen",
  }),
  thresholds: Schema.Struct({ btc: Amount, eth: Amount }),
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({ description: "What each part is made of" }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanations by member; each member that is null has one",
  }),
})
export type Whales = typeof Whales.Type
