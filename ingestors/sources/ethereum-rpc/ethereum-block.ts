import * as Schema from "effect/Schema"
import {
  BLOCK_TRANSACTIONS_MAX,
  BLOCK_TRANSFERS_MAX,
  type EthereumBlock,
  TRANSFER_MIN_ETH,
} from "../../../schemas/feeds/ethereum-transfers.ts"
import { Address, countOf, etherOf, gweiOf, Hash, Quantity } from "../../readers/ethereum.ts"
import { instantOrNull } from "../../readers/instants.ts"
import { maybe } from "../../readers/wire.ts"

/** A transaction with its members, as it stands in a block that was requested with full transactions. */
const Transaction = Schema.Struct({
  hash: Hash,
  from: Address,
  /** Null or absent where a contract is created. */
  to: maybe(Address),
  value: Quantity,
})

/** A block, as `eth_getBlockByNumber` and `eth_getBlockByHash` answer: its transactions are hashes, or whole. */
export const WireBlock = Schema.Struct({
  number: Quantity,
  hash: Hash,
  parentHash: Hash,
  timestamp: Quantity,
  baseFeePerGas: maybe(Quantity),
  transactions: Schema.Array(Schema.Union([Transaction, Hash])).check(Schema.isMaxLength(BLOCK_TRANSACTIONS_MAX)),
})
export type WireBlock = typeof WireBlock.Type

/** What stands in a block about itself: enough to say which chain it belongs to. */
export type BlockHead = Pick<EthereumBlock, "number" | "hash" | "parentHash">

/** The head of a block; null if its number is invalid. */
export const headOf = (block: WireBlock): BlockHead | null => {
  const number = countOf(block.number)
  return number === null ? null : { number, hash: block.hash.toLowerCase(), parentHash: block.parentHash.toLowerCase() }
}

/** Wei of the smallest transfer that counts. */
const WEI_MIN = BigInt(TRANSFER_MIN_ETH) * 10n ** 18n

interface WeiTransfer {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly wei: bigint
}

/** The largest first; of equal ones in the order of their hashes. */
const byValue = (one: WeiTransfer, other: WeiTransfer): number =>
  one.wei === other.wei ? (one.hash < other.hash ? -1 : 1) : one.wei > other.wei ? -1 : 1

/**
 * Reduces a block to its large transfers. Null if it has only the hashes of its transactions, or if its number or time is
 * invalid.
 */
export const reducedBlock = (block: WireBlock): EthereumBlock | null => {
  const head = headOf(block)
  const seconds = countOf(block.timestamp)
  const at = instantOrNull(seconds === null ? null : seconds * 1000)
  if (head === null || at === null) return null
  const large: Array<WeiTransfer> = []
  for (const transaction of block.transactions) {
    if (typeof transaction === "string") return null
    const wei = BigInt(transaction.value)
    if (wei >= WEI_MIN)
      large.push({
        hash: transaction.hash.toLowerCase(),
        from: transaction.from.toLowerCase(),
        to: transaction.to?.toLowerCase() ?? null,
        wei,
      })
  }
  return {
    ...head,
    at,
    transactionCount: block.transactions.length,
    baseFeeGwei: block.baseFeePerGas == null ? null : gweiOf(BigInt(block.baseFeePerGas)),
    transfers: large
      .sort(byValue)
      .slice(0, BLOCK_TRANSFERS_MAX)
      .map(({ wei, ...transfer }) => ({ ...transfer, valueEth: etherOf(wei) })),
    transfersLeftOut: Math.max(0, large.length - BLOCK_TRANSFERS_MAX),
  }
}

/** How many nodes must name a block before it is believed to be the tip. */
const SUPPORT_MIN = 2

/**
 * The newest block that enough nodes agree on: each supports its own newest block and the parent of that, so that nodes a
 * block apart agree, and one that lags behind, or runs ahead alone, changes nothing. Where two blocks of one height have
 * equal support, the result is their parent. Null without agreement.
 */
export const agreedTip = (heads: ReadonlyArray<BlockHead>): Pick<BlockHead, "number" | "hash"> | null => {
  const support = new Map<string, { readonly number: number; readonly hash: string; nodes: number }>()
  const add = (number: number, hash: string) => {
    const known = support.get(hash)
    if (known === undefined) support.set(hash, { number, hash, nodes: 1 })
    else if (known.number === number) known.nodes += 1
  }
  for (const { number, hash, parentHash } of heads) {
    add(number, hash)
    add(number - 1, parentHash)
  }
  const believed = [...support.values()]
    .filter(({ nodes }) => nodes >= SUPPORT_MIN)
    .sort((one, other) => other.number - one.number || other.nodes - one.nodes)
  for (const { number, hash, nodes } of believed) {
    const rivals = believed.filter((other) => other.number === number && other.hash !== hash)
    if (rivals.every((other) => other.nodes < nodes)) return { number, hash }
  }
  return null
}
