import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { toEventSelector } from "viem"
import type { Block, Transaction, Transfer } from "../../ledger/chain.port.ts"
import { JsonUnreadable, type Reading } from "./json-reader.ts"

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

const LogPlace = {
  address: Address,
  logIndex: Quantity,
  blockHash: Schema.NullOr(Word),
  transactionHash: Word,
  removed: Schema.optionalKey(Schema.Boolean),
}
/** What is read of every log, and of those of the token. */
const decodePlace = Schema.decodeUnknownResult(Schema.Struct(LogPlace))
const TokenLog = Schema.Struct({ ...LogPlace, topics: Schema.Array(Word), data: Data })
const decodeTokenLog = Schema.decodeUnknownResult(TokenLog)

const Receipt = Schema.Struct({
  transactionHash: Word,
  /** Null in receipts of unmined transactions, which some nodes return. */
  blockHash: Schema.NullOr(Word),
  blockNumber: Schema.NullOr(Quantity),
  status: Schema.Literals(["0x0", "0x1"]),
  /** Empty: each log is read as it arrives, and dropped. */
  logs: Schema.Array(Schema.Never),
})

const SentTransaction = Schema.Struct({
  hash: Word,
  blockHash: Schema.NullOr(Word),
  blockNumber: Schema.optionalKey(Schema.NullOr(Quantity)),
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
const decodeReceipt = Schema.decodeUnknownResult(Schema.NullOr(Receipt))
const decodeHeader = Schema.decodeUnknownResult(Schema.NullOr(Header))
const decodeContents = Schema.decodeUnknownResult(Schema.NullOr(Contents))
const decodeNothing = Schema.decodeUnknownResult(Schema.Array(Schema.Never))
/** Its `input` is cut off behind the bytes that are read. */
export const decodeSent = Schema.decodeUnknownResult(Schema.NullOr(SentTransaction))
export const decodeQuantity = Schema.decodeUnknownResult(Quantity)
export const decodeData = Schema.decodeUnknownResult(Data)
export const decodeWord = Schema.decodeUnknownResult(Word)

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

type TokenLog = typeof TokenLog.Type

/** Transfers to the wallet in one transaction, and authorizations whose transfer has not come yet, that are held. */
const TRANSFERS_MAX = 50_000
const PENDING_MAX = 1_000

const addressOf = (topic: string | undefined): string | null =>
  topic !== undefined && ADDRESS_TOPIC.test(topic) ? `0x${topic.slice(-40)}` : null

/** What the logs of a transaction amount to, as they arrive. */
interface LogFold {
  readonly take: (log: unknown) => void
  /** Null: a log is of another block or transaction, out of order, or cannot be decoded. */
  readonly transfers: () => ReadonlyArray<Transfer> | null
  /** Whether a log is marked as removed, or in no block. */
  readonly unmined: () => boolean
  /** The block that the logs name; null without logs. */
  readonly blockHash: () => string | null
}

/**
 * Reads the logs of a transaction one by one and holds nothing but the transfers to the wallet. `whole`: all logs of the
 * transaction are there, so that a gap between their indices is a missing log.
 *
 * A payment's place is its rank among the transfers of the token to the wallet that are not zero: neither logs of other
 * contracts nor transfers of nothing, which anyone can send in anyone's name, move it.
 *
 * An `AuthorizationUsed` belongs to the next `Transfer` of the token whose `from` is its authorizer, whatever that one's payee
 * and amount. The token emits the two in one call with nothing between (EIP-3009), so an authorization is never left for a
 * later transfer, and whatever else the transaction logs, of other contracts, authorizers or payers, neither detaches it nor
 * takes it.
 */
const foldLogs = ({ hash, contract, wallet }: TransferFilter, whole: boolean): LogFold => {
  const transfers: Array<Transfer> = []
  /** By authorizer: the nonce that waits for its transfer. */
  const pending = new Map<string, string>()
  let [rank, lastIndex, isSound, isUnmined] = [0, null as number | null, true, false]
  let blockHash: string | null = null

  const takeTransfer = ({ topics: [, from, to], data, logIndex }: TokenLog): void => {
    const payer = addressOf(from)
    if (payer === null || data.length !== WORD_CHARACTERS) return
    const nonce = pending.get(payer)
    pending.delete(payer)
    const units = BigInt(data)
    if (addressOf(to) !== wallet || units === 0n) return
    const position = rank++
    // The wallet cannot pay itself; 2^53 units are more dollars than there are.
    if (payer === wallet || units > BigInt(Number.MAX_SAFE_INTEGER)) return
    if (transfers.length >= TRANSFERS_MAX) throw new JsonUnreadable("too_many_values")
    const authorization = nonce === undefined ? null : { authorizer: payer, nonce }
    transfers.push({ position, logIndex, payer, units: Number(units), authorization })
  }

  const takeTokenLog = (log: TokenLog): void => {
    if (log.topics.length !== 3) return
    const [topic, authorizerTopic, nonce] = log.topics
    if (topic === TRANSFER_TOPIC) {
      takeTransfer(log)
      return
    }
    const authorizer = addressOf(authorizerTopic)
    if (topic !== AUTHORIZATION_TOPIC || authorizer === null || nonce === undefined) return
    if (pending.size >= PENDING_MAX) throw new JsonUnreadable("too_many_values")
    pending.set(authorizer, nonce)
  }

  const isNext = (logIndex: number): boolean =>
    lastIndex === null || (whole ? logIndex === lastIndex + 1 : logIndex > lastIndex)

  return {
    take: (element) => {
      const place = decodePlace(element)
      if (Result.isFailure(place)) {
        isSound = false
        return
      }
      const { address, logIndex, removed, transactionHash, ...log } = place.success
      // A list of the logs of a block has those of other transactions too.
      if (!whole && transactionHash !== hash) return
      if (log.blockHash === null || removed === true) isUnmined = true
      blockHash ??= log.blockHash
      isSound &&= transactionHash === hash && log.blockHash === blockHash && isNext(logIndex)
      lastIndex = logIndex
      if (address !== contract) return
      const tokenLog = decodeTokenLog(element)
      if (Result.isFailure(tokenLog)) isSound = false
      else takeTokenLog(tokenLog.success)
    },
    transfers: () => (isSound ? transfers : null),
    unmined: () => isUnmined,
    blockHash: () => blockHash,
  }
}

const inconsistent = Result.fail("inconsistent" as const)

/**
 * Reads a receipt as it arrives. Null: the node does not have it, or it is not, or no longer, in a block. Fails where it
 * names another transaction or block, or logs are missing, so that ranks would be wrong.
 */
export const receiptReading =
  (wanted: TransferFilter): (() => Reading<ReceiptRead | null>) =>
  () => {
    const logs = foldLogs(wanted, true)
    return {
      keep: (member, element) => {
        if (member === "logs") logs.take(element)
        return member !== "logs"
      },
      decode: (result) => {
        const receipt = decodeReceipt(result)
        if (Result.isFailure(receipt) || receipt.success === null) return Result.map(receipt, () => null)
        const { transactionHash, blockHash, blockNumber, status } = receipt.success
        if (transactionHash !== wanted.hash) return inconsistent
        if (blockHash === null || blockNumber === null || logs.unmined()) return Result.succeed(null)
        const transfers = logs.transfers()
        if (transfers === null || (logs.blockHash() ?? blockHash) !== blockHash) return inconsistent
        const failed = status === "0x0"
        return Result.succeed({
          failed,
          block: { hash: blockHash, number: blockNumber },
          transfers: failed ? [] : transfers,
        })
      },
    }
  }

/** What `eth_getLogs` is asked, so that only transfers and authorizations of the token in one block are answered. */
export const tokenLogsIn = (blockHash: string, contract: string) => ({
  blockHash,
  address: contract,
  topics: [[TRANSFER_TOPIC, AUTHORIZATION_TOPIC]],
})

/** Reads the transfers of a transaction in the answer to `tokenLogsIn`. */
export const tokenLogsReading =
  (wanted: TransferFilter, blockHash: string): (() => Reading<ReadonlyArray<Transfer>>) =>
  () => {
    const logs = foldLogs(wanted, false)
    return {
      keep: (member, element) => {
        if (member === "result") logs.take(element)
        return member !== "result"
      },
      decode: (result) => {
        const transfers = logs.transfers()
        if (Result.isFailure(decodeNothing(result)) || transfers === null || logs.unmined()) return inconsistent
        return (logs.blockHash() ?? blockHash) === blockHash ? Result.succeed(transfers) : inconsistent
      },
    }
  }

/** Larger than any block whose transactions are given as hashes alone. Who builds a block decides about its size. */
const BLOCK_MAX_BYTES = 16 * 1024 * 1024

/** Reads the header of a block. */
export const headerReading = (): Reading<typeof Header.Type | null> => ({
  keep: () => false,
  bytesMax: BLOCK_MAX_BYTES,
  decode: decodeHeader,
})

/** Reads the hash of a block, and a transaction of it if it is there. */
export const contentsReading = (transaction: string) => (): Reading<typeof Contents.Type | null> => ({
  keep: (member, element) =>
    member === "transactions" && typeof element === "string" && element.toLowerCase() === transaction,
  bytesMax: BLOCK_MAX_BYTES,
  decode: decodeContents,
})

/** The call of a transaction, in the form of the port. */
export const callOf = ({ from, to, input }: SentTransaction): Transaction["call"] => ({
  from,
  to,
  selector: input.length >= SELECTOR_CHARACTERS ? input.slice(0, SELECTOR_CHARACTERS) : null,
  argument: input.length >= ARGUMENT_END ? `0x${input.slice(ARGUMENT_START, ARGUMENT_END)}` : null,
})
