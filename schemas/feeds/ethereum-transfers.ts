import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"

/** A hash as nodes write it. */
export const ETHEREUM_HASH = /^0x[0-9a-f]{64}$/
/** An address in lower case: capitals are a checksum, and say nothing of their own. */
export const ETHEREUM_ADDRESS = /^0x[0-9a-f]{40}$/

/** Ether is counted in millionths, so that sums are exact. */
export const MICRO_PER_ETH = 1_000_000
/** The least transfer that the feed holds. */
export const TRANSFER_MIN_ETH = 5
/** More ether than has ever been issued is not believed. */
export const TRANSFER_MAX_ETH = 1_000_000_000
/** Blocks in a payload: five minutes of them, and the most that one poll reads. */
export const ETHEREUM_BLOCKS_MAX = 25
/** Transfers of one block, the largest first; the rest is counted. */
export const BLOCK_TRANSFERS_MAX = 200
/** Transactions that a block may have: a transfer takes 21,000 of its gas. */
export const BLOCK_TRANSACTIONS_MAX = 20_000
const BASE_FEE_MAX_GWEI = 1_000_000_000

export const EthereumHash = Schema.String.check(Schema.isPattern(ETHEREUM_HASH))
export const EthereumAddress = Schema.String.check(Schema.isPattern(ETHEREUM_ADDRESS))

/** A transaction that moves native ether from its sender. What contracts pass on within it, and tokens, are not in it. */
export const EthereumTransfer = Schema.Struct({
  hash: EthereumHash,
  from: EthereumAddress,
  /** Null where the transaction creates a contract. */
  to: Schema.NullOr(EthereumAddress),
  /** Whole millionths; what is below them is cut off. */
  valueEth: Schema.Finite.check(Schema.isBetween({ minimum: TRANSFER_MIN_ETH, maximum: TRANSFER_MAX_ETH })),
})
export type EthereumTransfer = typeof EthereumTransfer.Type

/** A block of Ethereum's main network with its large transfers. */
export const EthereumBlock = Schema.Struct({
  number: Schema.Natural,
  hash: EthereumHash,
  parentHash: EthereumHash,
  at: Instant,
  /** Of any kind and size. */
  transactionCount: Schema.Natural.check(Schema.isLessThanOrEqualTo(BLOCK_TRANSACTIONS_MAX)),
  /** Null before London (2021), when there was none. */
  baseFeeGwei: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: BASE_FEE_MAX_GWEI }))),
  transfers: Schema.Array(EthereumTransfer).check(Schema.isMaxLength(BLOCK_TRANSFERS_MAX)),
  /** Transfers beyond the bound of the list. */
  transfersLeftOut: Schema.Natural,
})
export type EthereumBlock = typeof EthereumBlock.Type

/**
 * The newest blocks, each linked to the one below by its parent's hash. The key is the number and the revision the hash, so
 * that a block which replaces another is a change of that number, whichever process saw the one before.
 */
export const ethereumTransfers = listFeed({
  name: "ethereum-transfers",
  description: `The newest ${ETHEREUM_BLOCKS_MAX} blocks of Ethereum's main network, with their transfers of ${TRANSFER_MIN_ETH} ether and more.`,
  item: EthereumBlock,
  itemsMax: ETHEREUM_BLOCKS_MAX,
  logBytesPerDay: 8_000_000,
  key: ({ number }) => String(number),
  publishesGone: false,
  revision: ({ hash }) => hash,
  order: (one, other) => other.number - one.number,
  happenedAt: ({ at }) => at,
  mayBeEmpty: false,
  // A block that is left out would be missing from sums without a word.
  unreadableShare: 0,
  contentAgeMax: "5 minutes",
})
