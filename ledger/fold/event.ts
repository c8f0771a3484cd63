import type { LedgerEntry, Opener, Payment } from "../../schemas/events/ledger.ts"

/** Members that an event gets when it becomes an entry: the writer adds them, decisions do not know them. */
type SealMembers = "sequence" | "previousHash" | "accountSequence" | "checksum"

type Unsealed<Entry extends LedgerEntry> = Entry extends LedgerEntry
  ? { readonly type: Entry["type"]; readonly data: Omit<Entry["data"], SealMembers> }
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

/** The transaction of a payment as one text. */
export const transactionOf = (payment: string): string => payment.slice(0, payment.lastIndexOf("/"))

/** The payment that `paymentKey` made a text of. */
export const paymentOf = (key: string): Payment => {
  const [chainId, transaction = "", position] = key.split("/")
  return { chainId: Number(chainId), transaction, position: Number(position) }
}

/** A transaction as one text. */
export const transactionKey = (chainId: number, transaction: string): string => `${chainId}/${transaction}`

/** An opener as one text, which a claimant can show; null for an operator's. */
export const openerKey = (opener: Opener): string | null => {
  switch (opener.by) {
    case "memo":
      return `memo/${opener.memoHash}`
    case "payer":
      return `payer/${opener.payer}/${transactionKey(opener.chainId, opener.transaction)}`
    case "operator":
      return null
  }
}
