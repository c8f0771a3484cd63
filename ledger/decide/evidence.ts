import type { Evidence } from "../../schemas/events/ledger.ts"
import type { Transaction, Transfer } from "../chain.port.ts"
import type { Confirm } from "../command.ts"
import { openerKey } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Purchase, Quote } from "../fold/values.ts"
import { TOTAL_HELD_MS, TRANSFER_SELECTOR } from "../rules.ts"

/** Which quote a transfer pays, and what shows it. Without either, only the payer's signature claims it. */
export interface Match {
  readonly evidence: Evidence
  /** keccak-256 of the memo of the quote; null where the payer names none. */
  readonly memoHash: string | null
}

/** The quotes that are still remembered of these memo hashes. */
export const quotesOf = (state: State, memoHashes: ReadonlyArray<string> | undefined): ReadonlyArray<Quote> =>
  (memoHashes ?? []).flatMap((memoHash) => state.quotes.get(memoHash) ?? [])

/**
 * A hash on the chain is a memo's when a quote has it, or an account was opened with it: a nonce that some wallet drew at
 * random is neither, and speaks of nothing.
 */
const isMemo = (state: State, hash: string | null): hash is string =>
  hash !== null && (state.quotes.has(hash) || state.openers.has(openerKey({ by: "memo", memoHash: hash }) ?? ""))

/** What makes a payment the one that it is, beside its transaction: who paid, how much, and what he named. */
export interface PaymentIdentity {
  readonly payer: string
  readonly units: number
  readonly namedHash: string | null
}

/**
 * Whether what stands in the place of a purchase now is another payment: one payer, such as an exchange, may pay for
 * many, and a reorganisation may have the transfers of a transaction change places.
 */
export const isAnother = (purchase: PaymentIdentity, { payer, units, namedHash }: PaymentIdentity): boolean =>
  purchase.payer !== payer || purchase.units !== units || purchase.namedHash !== namedHash

/** The hash that the payer himself signed as the nonce of this very transfer, whoever brought it to the chain. */
const fromAuthorization = ({ authorization, payer }: Transfer): string | null =>
  authorization !== null && authorization.authorizer === payer ? authorization.nonce : null

/** The hash behind the arguments of a plain `transfer`, which the payer himself sent to the contract itself. */
const fromCalldata = ({ call, contract }: Transaction, { payer }: Transfer): string | null =>
  call.to === contract && call.selector === TRANSFER_SELECTOR && call.from === payer ? call.argument : null

/** The word that a payer names with a transfer, whatever it is; null for none. It holds of any transfer at most one. */
export const namedHashOf = (transaction: Transaction, transfer: Transfer): string | null =>
  fromAuthorization(transfer) ?? fromCalldata(transaction, transfer)

/** What makes a transfer the payment that it is. */
export const identityOf = (transaction: Transaction, transfer: Transfer): PaymentIdentity => ({
  payer: transfer.payer,
  units: transfer.units,
  namedHash: namedHashOf(transaction, transfer),
})

/** Units of all transfers of a transaction. */
export const unitsOf = ({ transfers }: Transaction): number => transfers.reduce((sum, { units }) => sum + units, 0)

/** The one quote of this total whose time holds the block's. Blocks know whole seconds, so a quote's first one counts. */
const fromAmount = (state: State, units: number, blockAtMs: number): Quote | undefined =>
  quotesOf(state, state.totals.get(units)).find(
    (quote) =>
      Math.floor(quote.issuedAtMs / 1000) * 1000 <= blockAtMs && blockAtMs <= quote.expiresAtMs + TOTAL_HELD_MS,
  )

/** How a transfer names a memo's hash. */
const namedIn = (transfer: Transfer): Evidence => (fromAuthorization(transfer) === null ? "calldata" : "authorization")

/** What a transfer shows of the memo whose hash is shown: it names it, or was it before, or its amount is the quote's. */
const matchOfMemo = (
  state: State,
  transaction: Transaction,
  transfer: Transfer,
  { memoHash, signer }: { readonly memoHash: string; readonly signer: string | null },
  purchase: Purchase | undefined,
): Match | null => {
  const named = namedHashOf(transaction, transfer)
  if (named === memoHash) return { evidence: namedIn(transfer), memoHash }
  // A quote is forgotten one day; what it was credited for is not.
  if (purchase?.memoHash === memoHash) return { evidence: purchase.evidence, memoHash }
  if (isMemo(state, named)) return null
  if (fromAmount(state, transfer.units, transaction.block.atMs)?.memoHash === memoHash)
    return { evidence: "amount", memoHash }
  return signer === transfer.payer ? { evidence: "signature", memoHash } : null
}

/** Which quote a transfer pays that its payer claims without a memo: what he names, then the amount. */
const matchOfPayer = (state: State, transaction: Transaction, transfer: Transfer): Match => {
  const named = namedHashOf(transaction, transfer)
  if (isMemo(state, named)) return { evidence: namedIn(transfer), memoHash: named }
  const quote = fromAmount(state, transfer.units, transaction.block.atMs)
  return quote === undefined
    ? { evidence: "signature", memoHash: null }
    : { evidence: "amount", memoHash: quote.memoHash }
}

/**
 * Whether what is shown claims a transfer, and by what. A memo claims what names its hash, what matches its quote by
 * amount, and what the signer paid and names no other memo; a signature without a memo claims what the signer paid.
 * Everything else that a transaction holds proves nothing: an observer of the chain can arrange it. `purchase` is what
 * the transfer was credited as before. Null: nothing shows it.
 */
export const matchOf = (
  state: State,
  transaction: Transaction,
  transfer: Transfer,
  { memoHash, signer }: Pick<Confirm, "memoHash" | "signer">,
  purchase: Purchase | undefined,
): Match | null => {
  if (memoHash !== null) return matchOfMemo(state, transaction, transfer, { memoHash, signer }, purchase)
  return signer === transfer.payer ? matchOfPayer(state, transaction, transfer) : null
}
