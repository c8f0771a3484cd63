import { hash } from "node:crypto"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type Envelope,
  type EventType,
  instant,
  MalformedEvent,
  makeEvent,
  makeEventReader,
  type NewerEvent,
} from "../../schemas/event.ts"
import { type LedgerEntry, ledgerEventTypes, type Opener, type Payment } from "../../schemas/events/ledger.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import type { Refusal } from "../refusal.ts"
import type { State } from "./state.ts"

/** Members that the writer adds when an event becomes an entry. */
type ChainMembers = "sequence" | "previousHash" | "accountSequence" | "checksum"

type Unchained<Entry extends LedgerEntry> = Entry extends LedgerEntry
  ? { readonly type: Entry["type"]; readonly data: Omit<Entry["data"], ChainMembers> }
  : never

/** An event of a decision: an entry of the ledger before it has its place in the chain. */
export type LedgerEvent = Unchained<LedgerEntry>

/** The data of an event of a type. */
export type EventData<Type extends LedgerEvent["type"]> = Extract<LedgerEvent, { readonly type: Type }>["data"]

/** Builds an event. */
export const event = <Type extends LedgerEvent["type"]>(type: Type, data: EventData<Type>): LedgerEvent =>
  // The two parameters belong together; the compiler does not follow a union through a generic.
  ({ type, data }) as LedgerEvent

/** An accepted command: its events (none for a query), and the answer that is sent once they are durable. */
interface Accepted<Answer> {
  readonly events: ReadonlyArray<LedgerEvent>
  readonly answer: Answer
}

/** A decision: accepted, or refused. A refusal changes nothing. */
export type Decision<Answer> = Result.Result<Accepted<Answer>, Refusal>

/** Accepts a command. */
export const accept = <Answer>(answer: Answer, ...events: ReadonlyArray<LedgerEvent>): Decision<Answer> =>
  Result.succeed({ events, answer })

/** Refuses a command. */
export const refuse = (refusal: Refusal): Result.Result<never, Refusal> => Result.fail(refusal)

/** A payment as text: its key in the ledger. */
export const paymentKey = ({ chainId, transaction, position }: Payment): string =>
  `${chainId}/${transaction}/${position}`

/** The `transactionKey` of a `paymentKey`. */
export const transactionOf = (payment: string): string => payment.slice(0, payment.lastIndexOf("/"))

/** The inverse of `paymentKey`. */
export const paymentOf = (key: string): Payment => {
  const [chainId, transaction = "", position] = key.split("/")
  return { chainId: Number(chainId), transaction, position: Number(position) }
}

/** A transaction as text: its key in the ledger. */
export const transactionKey = (chainId: number, transaction: string): string => `${chainId}/${transaction}`

/** An opener as text: its key in the ledger; null for an operator, which no claimant can be. */
export const openerKey = (opener: Opener): string | null => {
  switch (opener.by) {
    case "memo":
      return `memo/${opener.memoHash}`
    case "payer":
      return `payer/${opener.payer}/${opener.claimKeyHash}/${transactionKey(opener.chainId, opener.transaction)}`
    case "operator":
      return null
  }
}

/** The end of the chain of entries: the last sequence and the hash over that entry's stored bytes. */
export interface Tail {
  readonly sequence: number
  readonly hash: string
}

/** The chain before its first entry. */
export const firstTail: Tail = { sequence: 0, hash: "0".repeat(64) }

/** The hash of an entry: SHA-256 over its bytes as the log stores them. */
export const entryHash = (bytes: Uint8Array): string => hash("sha256", bytes, "hex")

const typeOf = new Map<string, EventType<string, object>>(
  // One reader for all types; `event` ties each type to its data.
  ledgerEventTypes.map((type) => [type.type, type as unknown as EventType<string, object>]),
)
const reader = makeEventReader([...typeOf.values()] as ReadonlyArray<EventType>)

const checks = new Map<string, (data: unknown) => boolean>(
  ledgerEventTypes.map((type) => [type.type, Schema.is(type.data)]),
)
/** A valid place in the chain, to check the rest of an event's data before it has one. */
const anyPlace = { sequence: 1, previousHash: firstTail.hash, accountSequence: 1, checksum: "0".repeat(16) }

/** Whether an event obeys its schema: others are never written. */
export const isSound = ({ type, data }: LedgerEvent): boolean => checks.get(type)?.({ ...anyPlace, ...data }) === true

/** Reads an entry from its stored bytes; see `EventReader.readEvent`. */
export const readEntry = (bytes: Uint8Array | null): Result.Result<LedgerEntry, NewerEvent | MalformedEvent> =>
  bytes === null
    ? Result.fail(new MalformedEvent({ problem: "an entry of the ledger was removed" }))
    : // The reader has the types of the ledger alone.
      (reader.readEvent(bytes) as Result.Result<LedgerEntry, NewerEvent | MalformedEvent>)

/** Like `readEntry`, and validates the data against its schema. */
export const decodeEntry = (bytes: Uint8Array | null): Result.Result<LedgerEntry, NewerEvent | MalformedEvent> =>
  bytes === null
    ? Result.fail(new MalformedEvent({ problem: "an entry of the ledger was removed" }))
    : (reader.decodeEvent(bytes) as Result.Result<LedgerEntry, NewerEvent | MalformedEvent>)

const CHECKSUM_DIGITS = 16
const CHECKSUM_BEGIN = ',"checksum":"'
const CHECKSUM_END = '"}}'
const CHECKSUM_BYTES = CHECKSUM_BEGIN.length + CHECKSUM_DIGITS + CHECKSUM_END.length
const encoder = new TextEncoder()

/** The bytes of an envelope whose data gets its checksum as the last member. */
const withChecksum = (event: Envelope<string, object>): Uint8Array => {
  const text = JSON.stringify(event).slice(0, -CHECKSUM_END.length + 1)
  return encoder.encode(
    `${text}${CHECKSUM_BEGIN}${hash("sha256", text, "hex").slice(0, CHECKSUM_DIGITS)}${CHECKSUM_END}`,
  )
}

/** Whether an entry's bytes are those that were written, by its own checksum. */
export const isIntact = (bytes: Uint8Array): boolean => {
  const from = Math.max(0, bytes.length - CHECKSUM_BYTES)
  const end = `${CHECKSUM_BEGIN}${entryHash(bytes.subarray(0, from)).slice(0, CHECKSUM_DIGITS)}${CHECKSUM_END}`
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from).toString("latin1") === end
}

/** An event with its place in the chain, as a record. */
interface ChainedEntry {
  readonly record: LogRecord & { readonly value: Uint8Array }
  readonly tail: Tail
  /** Its place in its account; 0 for an entry that belongs to none. */
  readonly accountSequence: number
}

/** The key and subject of an entry: its account, or the quote or the operator where it belongs to none. */
export const subjectOf = (event: LedgerEvent): string =>
  "account" in event.data
    ? event.data.account
    : "memoHash" in event.data
      ? `quote/${event.data.memoHash}`
      : `operator/${event.data.operator}`

/** Makes an event the entry after `tail`. The state must have folded it already, as it holds the account's sequence. */
export const makeEntry = (event: LedgerEvent, tail: Tail, state: State, id: string, atMs: number): ChainedEntry => {
  const type = typeOf.get(event.type)
  if (type === undefined) throw new Error(`the ledger has no event ${event.type}`)
  const sequence = tail.sequence + 1
  const place = { sequence, previousHash: tail.hash }
  const subject = subjectOf(event)
  const accountSequence = "account" in event.data ? (state.accounts.get(subject)?.sequence ?? 0) : 0
  const data = "account" in event.data ? { ...place, accountSequence, ...event.data } : { ...place, ...event.data }
  const value = withChecksum(makeEvent(type, { id, source: "tidewire/ledger", subject, time: instant(atMs), data }))
  return {
    record: { topic: "ledger", key: subject, value },
    tail: { sequence, hash: entryHash(value) },
    accountSequence,
  }
}
