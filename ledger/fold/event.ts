import type { LedgerEntry, Opener, Payment } from "../../schemas/events/ledger.ts"

/** Members that the writer adds when an event becomes an entry. */
type SealMembers = "sequence" | "previousHash" | "accountSequence" | "checksum"

type Unsealed<Entry extends LedgerEntry> = Entry extends LedgerEntry
  ? { readonly type: Entry["type"]; readonly data: Omit<Entry["data"], SealMembers> }
  : never

/** An event of a decision: an entry of the ledger before it has its place in the chain. */
export type LedgerEvent = Unsealed<LedgerEntry>

/** The data of an event of a type. */
export type EventData<Type extends LedgerEvent["type"]> = Extract<LedgerEvent, { readonly type: Type }>["data"]

/** Builds an event. */
export const event = <Type extends LedgerEvent["type"]>(type: Type, data: EventData<Type>): LedgerEvent =>
  // The two parameters belong together; the compiler does not follow a union through a generic.
  ({ type, data }) as LedgerEvent

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
