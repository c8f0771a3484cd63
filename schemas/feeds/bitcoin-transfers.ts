import * as Schema from "effect/Schema"
import { listFeed } from "../feed.ts"

/** Satoshi of one bitcoin. */
export const SAT_PER_BTC = 100_000_000
/** The least transfer that the feed holds. */
export const BITCOIN_TRANSFER_MIN_BTC = 10
/** There will never be more bitcoins. */
const SUPPLY_MAX_BTC = 21_000_000
export const BITCOIN_SUPPLY_MAX_SAT = SUPPLY_MAX_BTC * SAT_PER_BTC
/** Virtual bytes that a block can hold. */
export const BITCOIN_TRANSFER_MAX_VB = 1_000_000
/** Transactions that the upstream shows at once, and then some. */
export const BITCOIN_TRANSFERS_MAX = 50

/** A transaction that waits for a block. */
export const BitcoinTransfer = Schema.Struct({
  txid: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  /** Sum of the outputs, the change that returns to the sender among them. */
  valueBtc: Schema.Finite.check(Schema.isBetween({ minimum: BITCOIN_TRANSFER_MIN_BTC, maximum: SUPPLY_MAX_BTC })),
  feeSat: Schema.NullOr(Schema.Natural.check(Schema.isLessThanOrEqualTo(BITCOIN_SUPPLY_MAX_SAT))),
  vsizeVb: Schema.NullOr(
    Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(BITCOIN_TRANSFER_MAX_VB)),
  ),
})
export type BitcoinTransfer = typeof BitcoinTransfer.Type

/** Of the transactions that one node learnt of last, the large ones. Neither has a time of its own. */
export const bitcoinTransfers = listFeed({
  name: "bitcoin-transfers",
  description: `Transfers of ${BITCOIN_TRANSFER_MIN_BTC} bitcoin and more among the transactions that a node learnt of last.`,
  item: BitcoinTransfer,
  facts: Schema.Struct({
    /** How many transactions were shown, of any size. */
    shown: Schema.Natural,
  }),
  itemsMax: BITCOIN_TRANSFERS_MAX,
  logBytesPerDay: 7_000_000,
  key: ({ txid }) => txid,
  publishesGone: false,
  // What is in a transaction cannot change: its id is a hash of it.
  revision: () => "",
  order: (one, other) => other.valueBtc - one.valueBtc || (one.txid < other.txid ? -1 : 1),
})
