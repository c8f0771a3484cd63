import type { Transaction, Transfer } from "../infra/chain/chain.port.ts"
import type { Evidence } from "../schemas/events/ledger.ts"
import type { Confirm } from "./command.ts"
import { TOTAL_HELD_MS, TRANSFER_SELECTOR } from "./rules.ts"
import type { Quote, State } from "./state.ts"

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
 * A hash on the chain is a memo's when a quote has it, or when its memo was shown: a nonce that some wallet drew at
 * random is neither, and speaks of nothing.
 */
const isMemo = (state: State, hash: string | null, shown: string | null): hash is string =>
  hash !== null && (hash === shown || state.quotes.has(hash))

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

/**
 * Which quote a transfer pays. In this order, where they disagree: the signed nonce, the calldata, the unique amount, and
 * what the payer says in his signature. Everything else that a transaction holds proves nothing: whoever watches the
 * chain can arrange it. Null: nothing shows it, and nobody has signed.
 */
export const matchOf = (
  state: State,
  transaction: Transaction,
  transfer: Transfer,
  { memoHash, signer }: Pick<Confirm, "memoHash" | "signer">,
): Match | null => {
  const signed = fromAuthorization(transfer)
  if (isMemo(state, signed, memoHash)) return { evidence: "authorization", memoHash: signed }
  const sent = fromCalldata(transaction, transfer)
  if (isMemo(state, sent, memoHash)) return { evidence: "calldata", memoHash: sent }
  const quote = fromAmount(state, transfer.units, transaction.block.atMs)
  if (quote !== undefined) return { evidence: "amount", memoHash: quote.memoHash }
  return signer === transfer.payer ? { evidence: "signature", memoHash } : null
}
