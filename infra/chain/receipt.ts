import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { toEventSelector } from "viem"
import type { Block, Transaction, Transfer } from "../../ledger/chain.port.ts"

const TRANSFER_TOPIC = toEventSelector("event Transfer(address indexed from, address indexed to, uint256 value)")
const AUTHORIZATION_TOPIC = toEventSelector(
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
)
/** An address fills the last 20 of the 32 bytes of a topic. */
const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/
const WORD_CHARACTERS = 2 + 64
const SELECTOR_CHARACTERS = 2 + 8
const ARGUMENT_START = 2 + 2 * 68
const ARGUMENT_END = 2 + 2 * 100

const lowerHex = (pattern: RegExp) =>
  Schema.String.check(Schema.isPattern(pattern)).pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase()),
  )

// Nodes write hex in lower case; documents and a few proxies do not.
const Address = lowerHex(/^0x[0-9a-f]{40}$/i)
const Word = lowerHex(/^0x[0-9a-f]{64}$/i)
const Data = lowerHex(/^0x(?:[0-9a-f]{2})*$/i)
/** At most 52 bits, so that it is exact as a number. */
const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/i)).pipe(
  Schema.decodeTo(
    Schema.Natural,
    SchemaTransformation.transform({ decode: Number, encode: (number) => `0x${number.toString(16)}` }),
  ),
)

const Log = Schema.Struct({
  address: Address,
  topics: Schema.Array(Word),
  data: Data,
  logIndex: Quantity,
  blockHash: Schema.NullOr(Word),
  transactionHash: Word,
  removed: Schema.optionalKey(Schema.Boolean),
})

const Receipt = Schema.Struct({
  transactionHash: Word,
  /** Null in receipts of unmined transactions, which some nodes return. */
  blockHash: Schema.NullOr(Word),
  blockNumber: Schema.NullOr(Quantity),
  status: Schema.Literals(["0x0", "0x1"]),
  logs: Schema.Array(Log),
})

const SentTransaction = Schema.Struct({
  hash: Word,
  blockHash: Schema.NullOr(Word),
  from: Address,
  to: Schema.NullOr(Address),
  input: Data,
})

/** The last second of the year 9999: instants have four-digit years. */
const LAST_SECOND = 253_402_300_799
const Header = Schema.Struct({
  hash: Schema.NullOr(Word),
  number: Schema.NullOr(Quantity),
  timestamp: Quantity.check(Schema.isLessThanOrEqualTo(LAST_SECOND)),
})

const Contents = Schema.Struct({ hash: Schema.NullOr(Word), transactions: Schema.Array(Word) })

/** Decode results of JSON-RPC methods. The result for an unknown object is null. */
export const decodeReceipt = Schema.decodeUnknownResult(Schema.NullOr(Receipt))
export const decodeSent = Schema.decodeUnknownResult(Schema.NullOr(SentTransaction))
export const decodeHeader = Schema.decodeUnknownResult(Schema.NullOr(Header))
export const decodeContents = Schema.decodeUnknownResult(Schema.NullOr(Contents))
export const decodeQuantity = Schema.decodeUnknownResult(Quantity)
export const decodeData = Schema.decodeUnknownResult(Data)
export const decodeWord = Schema.decodeUnknownResult(Word)

/** A decoded receipt. */
export type Receipt = typeof Receipt.Type

/** A decoded transaction, without its receipt. */
export type SentTransaction = typeof SentTransaction.Type

/** The transfers that are looked for; all hex is in lower case. */
export interface TransferFilter {
  readonly hash: string
  readonly contract: string
  readonly wallet: string
}

/** The facts of a receipt that concern the wallet. */
export interface ReceiptRead {
  readonly failed: boolean
  readonly block: Pick<Block, "hash" | "number">
  readonly transfers: ReadonlyArray<Transfer>
}

type Log = typeof Log.Type

const addressOf = (topic: string | undefined): string | null =>
  topic !== undefined && ADDRESS_TOPIC.test(topic) ? `0x${topic.slice(-40)}` : null

const authorizationOf = (log: Log | undefined, contract: string): Transfer["authorization"] => {
  if (log === undefined || log.address !== contract || log.topics.length !== 3) return null
  const [topic, authorizerTopic, nonce] = log.topics
  const authorizer = addressOf(authorizerTopic)
  return topic === AUTHORIZATION_TOPIC && authorizer !== null && nonce !== undefined ? { authorizer, nonce } : null
}

const transferOf = (
  logs: ReadonlyArray<Log>,
  position: number,
  { contract, wallet }: TransferFilter,
): Transfer | null => {
  const log = logs[position]
  if (log === undefined || log.address !== contract || log.topics.length !== 3) return null
  const [topic, from, to] = log.topics
  const payer = addressOf(from)
  if (topic !== TRANSFER_TOPIC || payer === null || addressOf(to) !== wallet) return null
  if (log.data.length !== WORD_CHARACTERS) return null
  const units = BigInt(log.data)
  // A transfer of 0 can be sent in anyone's name; 2^53 units are more dollars than there are.
  if (units === 0n || units > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return {
    position,
    logIndex: log.logIndex,
    payer,
    units: Number(units),
    authorization: authorizationOf(logs[position - 1], contract),
  }
}

/**
 * Reads a receipt: every transfer of the contract to the wallet, in order. `unmined`: it is not, or no longer, in a block.
 * `inconsistent`: it names another transaction or block, or logs are missing, so that positions would be wrong.
 */
export const readReceipt = (receipt: Receipt, wanted: TransferFilter): ReceiptRead | "unmined" | "inconsistent" => {
  const { blockHash, blockNumber } = receipt
  if (receipt.transactionHash !== wanted.hash) return "inconsistent"
  if (blockHash === null || blockNumber === null || receipt.logs.some(({ removed }) => removed === true))
    return "unmined"
  const logs = receipt.logs.toSorted((one, other) => one.logIndex - other.logIndex)
  const firstIndex = logs[0]?.logIndex ?? 0
  const whole = logs.every(
    (log, position) =>
      log.transactionHash === wanted.hash && log.blockHash === blockHash && log.logIndex === firstIndex + position,
  )
  if (!whole) return "inconsistent"
  const failed = receipt.status === "0x0"
  return {
    failed,
    block: { hash: blockHash, number: blockNumber },
    transfers: failed
      ? []
      : logs.flatMap((_, position) => {
          const transfer = transferOf(logs, position, wanted)
          return transfer === null ? [] : [transfer]
        }),
  }
}

/** The call of a transaction, in the form of the port. */
export const callOf = ({ from, to, input }: SentTransaction): Transaction["call"] => ({
  from,
  to,
  selector: input.length >= SELECTOR_CHARACTERS ? input.slice(0, SELECTOR_CHARACTERS) : null,
  argument: input.length >= ARGUMENT_END ? `0x${input.slice(ARGUMENT_START, ARGUMENT_END)}` : null,
})
