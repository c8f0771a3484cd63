import type { LedgerEntry, Payment } from "../schemas/events/ledger.ts"

/** Members that an event gets when it becomes an entry: the writer adds them, decisions do not know them. */
type Sealed = "sequence" | "previousHash" | "accountSequence" | "checksum"

type Unsealed<Entry extends LedgerEntry> = Entry extends LedgerEntry
  ? { readonly type: Entry["type"]; readonly data: Omit<Entry["data"], Sealed> }
  : never

/** What a decision says has happened: an entry of the ledger before it has its place in the chain. */
export type LedgerEvent = Unsealed<LedgerEntry>

/** The data of an event of a type. */
export type EventData<Type extends LedgerEvent["type"]> = Extract<LedgerEvent, { readonly type: Type }>["data"]

/** Builds an event. */
export const event = <Type extends LedgerEvent["type"]>(type: Type, data: EventData<Type>): LedgerEvent =>
  // The two parameters belong together; the compiler does not follow a union through a generic.
  ({ type, data }) as LedgerEvent

/** A payment as one text: what the ledger knows it by. */
export const paymentKey = ({ chainId, transaction, position }: Payment): string =>
  `${chainId}/${transaction}/${position}`

/** The payment that `paymentKey` made a text of. */
export const paymentOf = (key: string): Payment => {
  const [chainId, transaction = "", position] = key.split("/")
  return { chainId: Number(chainId), transaction, position: Number(position) }
}

/** A transaction as one text. */
export const transactionKey = (chainId: number, transaction: string): string => `${chainId}/${transaction}`
