import type { Evidence } from "../../schemas/events/ledger.ts"
import type { Transaction, Transfer } from "../chain.port.ts"
import type { Confirm } from "../command.ts"
import type { Refusal } from "../refusal.ts"
import {
  CONFIRMATIONS_MIN,
  EARLY_BLOCK_MAX_MS,
  PROVISIONAL_MAX_UNITS,
  TOTAL_HELD_MS,
  TRANSFER_SELECTOR,
} from "../rules.ts"
import { openerKey, transactionOf } from "./entry.ts"
import { quotesOf } from "./quotes.ts"
import type { Purchase, Quote, State } from "./state.ts"

/** The quote that a transfer pays, and the evidence for it. */
export interface Match {
  readonly evidence: Evidence
  /** keccak-256 of the memo of the quote; null without a quote. */
  readonly memoHash: string | null
}

/**
 * A hash on the chain is a memo's only if a quote has it or an account was opened with it: it could also be a wallet's
 * random nonce.
 */
export const isKnownMemo = (state: State, hash: string | null): hash is string =>
  hash !== null && (state.quotes.has(hash) || state.openers.has(openerKey({ by: "memo", memoHash: hash }) ?? ""))

/** The identity of a payment within its transaction: payer, amount and named hash. */
export interface PaymentIdentity {
  readonly payer: string
  readonly units: number
  readonly namedHash: string | null
}

/**
 * Whether two payments at one position differ: a payer such as an exchange may pay for many buyers in one transaction, and a
 * reorganisation may reorder its transfers.
 */
export const isAnother = (purchase: PaymentIdentity, { payer, units, namedHash }: PaymentIdentity): boolean =>
  purchase.payer !== payer || purchase.units !== units || purchase.namedHash !== namedHash

/** The nonce (EIP-3009) that the payer signed for this transfer: a memo hash. The submitter of the transaction is irrelevant. */
const fromAuthorization = ({ authorization, payer }: Transfer): string | null =>
  authorization !== null && authorization.authorizer === payer ? authorization.nonce : null

/** The hash after the arguments of a plain `transfer` that the payer itself sent directly to the contract. */
const fromCalldata = ({ call, contract }: Transaction, { payer }: Transfer): string | null =>
  call.to === contract && call.selector === TRANSFER_SELECTOR && call.from === payer ? call.argument : null

/** The 32-byte word that a payer names with a transfer, a memo hash or not; null for none. */
export const namedHashOf = (transaction: Transaction, transfer: Transfer): string | null =>
  fromAuthorization(transfer) ?? fromCalldata(transaction, transfer)

/** The identity of a transfer. */
export const identityOf = (transaction: Transaction, transfer: Transfer): PaymentIdentity => ({
  payer: transfer.payer,
  units: transfer.units,
  namedHash: namedHashOf(transaction, transfer),
})

/** Units of all transfers of a transaction. */
export const unitsOf = ({ transfers }: Transaction): number => transfers.reduce((sum, { units }) => sum + units, 0)

/**
 * When a block may at the earliest pay a quote: in the second of its issue, as block times are whole seconds. Blocks lag our
 * clock, so one may be up to 30 s older, but only if no earlier quote can be meant by that total: else a stranger could wait
 * until a total is free and draw it, to claim what a buyer has paid under it too late. Quotes are remembered much longer.
 */
const firstBlockMs = ({ memoHash, issuedAtMs }: Quote, ofTotal: ReadonlyArray<Quote>): number => {
  const freeFromMs = issuedAtMs - EARLY_BLOCK_MAX_MS - TOTAL_HELD_MS
  const isFresh = ofTotal.every(
    (other) =>
      other.memoHash === memoHash || other.issuedAtMs > issuedAtMs || other.expiresAtMs + TOTAL_HELD_MS < freeFromMs,
  )
  return isFresh ? issuedAtMs - EARLY_BLOCK_MAX_MS : Math.floor(issuedAtMs / 1000) * 1000
}

/** The one quote of this total whose window contains the block's time. */
const fromAmount = (state: State, units: number, blockAtMs: number): Quote | undefined => {
  const ofTotal = quotesOf(state, state.totals.get(units))
  return ofTotal.find(
    (quote) => firstBlockMs(quote, ofTotal) <= blockAtMs && blockAtMs <= quote.expiresAtMs + TOTAL_HELD_MS,
  )
}

/** The evidence of a transfer that names a memo's hash. */
const namedIn = (transfer: Transfer): Evidence => (fromAuthorization(transfer) === null ? "calldata" : "authorization")

/** Matches a transfer with a memo: it names the hash, was credited for it before, has its quote's total, or the signer paid it. */
const matchOfMemo = (
  state: State,
  transaction: Transaction,
  transfer: Transfer,
  { memoHash, signer }: { readonly memoHash: string; readonly signer: string | null },
  purchase: Purchase | undefined,
): Match | null => {
  const named = namedHashOf(transaction, transfer)
  if (named === memoHash) return { evidence: namedIn(transfer), memoHash }
  // Quotes are forgotten after a while; their purchases are not.
  if (purchase?.memoHash === memoHash) return { evidence: purchase.evidence, memoHash }
  if (isKnownMemo(state, named)) return null
  if (fromAmount(state, transfer.units, transaction.block.atMs)?.memoHash === memoHash)
    return { evidence: "amount", memoHash }
  return signer === transfer.payer ? { evidence: "signature", memoHash } : null
}

/** The quote of a transfer that its payer claims without a memo: by the named hash, else by the amount. */
const matchOfPayer = (state: State, transaction: Transaction, transfer: Transfer): Match => {
  const named = namedHashOf(transaction, transfer)
  if (isKnownMemo(state, named)) return { evidence: namedIn(transfer), memoHash: named }
  const quote = fromAmount(state, transfer.units, transaction.block.atMs)
  return quote === undefined
    ? { evidence: "signature", memoHash: null }
    : { evidence: "amount", memoHash: quote.memoHash }
}

/**
 * Whether the proof of a confirm claims a transfer, and by which evidence. A memo claims transfers that name its hash, that
 * match its quote by amount, and that the signer paid without naming another memo; a signature without a memo claims what
 * the signer paid. Nothing else in a transaction is proof, as an observer of the chain can arrange it. `purchase` is the
 * transfer's earlier purchase. Null: not claimed.
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

// The depth that a transaction needs: a few blocks for a small amount, else a `safe` block.

/** Credits that a reorganisation of a few blocks could void together. */
interface Exposure {
  /** `transactionKey` of the transaction. */
  readonly transaction: string
  /** Units of all its transfers to the wallet, of all payers and claimants. */
  readonly units: number
  /** The account that is credited; null for a new one. */
  readonly account: string | null
  readonly payers: Iterable<string>
}

/**
 * Units that decide how deep a transaction must be: all of the transaction, and all other provisional purchases of the
 * account and of the payers, each once. Counting stops above `PROVISIONAL_MAX_UNITS`.
 */
export const exposedUnits = (state: State, { transaction, units, account, payers }: Exposure): number => {
  const counted = new Set<string>()
  let sum = units
  for (const list of [
    ...(account === null ? [] : [`account/${account}`]),
    ...Array.from(payers, (one) => `payer/${one}`),
  ])
    for (const { key, units } of state.provisional.get(list) ?? []) {
      if (sum > PROVISIONAL_MAX_UNITS) return sum
      if (counted.has(key) || transactionOf(key) === transaction) continue
      counted.add(key)
      sum += units
    }
  return sum
}

/** The refusal of a transaction that is not deep enough for so many units; undefined if it is. */
export const notDeepEnough = (
  { depth, confirmations }: Pick<Transaction, "depth" | "confirmations">,
  units: number,
): Refusal | undefined => {
  if (depth !== "latest") return undefined
  if (units > PROVISIONAL_MAX_UNITS) return { _tag: "pending", confirmations, required: "safe" }
  return confirmations < CONFIRMATIONS_MIN ? { _tag: "pending", confirmations, required: CONFIRMATIONS_MIN } : undefined
}
