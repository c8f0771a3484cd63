import * as Result from "effect/Result"
import { TOKENS_PER_DAY } from "../../schemas/contract/refusal.ts"
import type { Answers, PurchaseSummary } from "../answers.ts"
import type { Transaction } from "../chain.port.ts"
import type { Confirm, ReadClaimant, TokenWanted } from "../command.ts"
import type { OpenerHint, Refusal } from "../refusal.ts"
import { creditsOf, PAYMENT_UNITS_MIN } from "../rules.ts"
import { fits } from "../token.ts"
import { balanceAfter, bearerAccountOf, waitMsOf } from "./balance.ts"
import {
  type Claimant,
  type ClaimedTransfer,
  type ClaimedTransfers,
  claimantOf,
  claimantText,
  claimsOf,
  creditedAccountOf,
  openerOf,
  type PlacedPurchases,
  placeOf,
  signatureAt,
} from "./claims.ts"
import { accept, type Decision, event, type LedgerEvent, paymentKey, refuse, transactionKey } from "./entry.ts"
import { exposedUnits, isKnownMemo, namedHashOf, notDeepEnough, unitsOf } from "./evidence.ts"
import { blockData, isPaidElsewhere, purchaseSummaryOf, reversalOf } from "./purchases.ts"
import type { Account, Purchase, State } from "./state.ts"

/** Reverses displaced purchases; returns the events and the accounts after them. */
const takeBack = (state: State, displaced: ReadonlyArray<Purchase>) => {
  const after = new Map<string, Account>()
  const events: Array<LedgerEvent> = []
  for (const purchase of displaced) {
    const account = after.get(purchase.account) ?? state.accounts.get(purchase.account)
    if (account === undefined) continue
    const reversal = reversalOf(purchase, account.balance)
    const { taken, shortfall } = reversal.data
    events.push(reversal)
    const { balance, shortfall: owed } = account
    after.set(account.id, { ...account, balance: balance - taken, shortfall: owed + shortfall })
  }
  return { events, after }
}

const credit = (account: string, transaction: Transaction, claim: ClaimedTransfer, claimant: Claimant): LedgerEvent => {
  const { chainId, hash, wallet, contract, block, depth } = transaction
  const { transfer, match, purchase } = claim
  return event("purchase.credited", {
    account,
    payment: { chainId, transaction: hash, position: transfer.position },
    payer: transfer.payer,
    units: transfer.units,
    credits: creditsOf(transfer.units),
    block: blockData(block),
    logIndex: transfer.logIndex,
    // A payment that is credited again keeps its claimant and its evidence.
    evidence: purchase?.evidence ?? match.evidence,
    memoHash: purchase === undefined ? match.memoHash : purchase.memoHash,
    namedHash: namedHashOf(transaction, transfer),
    claimant: purchase?.claimant ?? claimantText(claimant),
    provisional: depth === "latest",
    wallet,
    contract,
  })
}

const nothingClaimed = (state: State, command: Confirm, nowMs: number): Refusal => {
  const quote = command.memoHash === null ? undefined : state.quotes.get(command.memoHash)
  return quote !== undefined && quote.expiresAtMs <= nowMs && quote.payments === 0
    ? { _tag: "expired", of: "quote" }
    : { _tag: "no_payment" }
}

/** Rule 7: names the opener of the account that holds the largest of the payments claimed before. */
const alreadyCredited = (state: State, transaction: Transaction, taken: ClaimedTransfers["taken"]): Refusal => {
  const [largest] = taken.toSorted((one, other) => other.transfer.units - one.transfer.units)
  return { _tag: "already_credited", opener: openerHintOf(state, largest?.purchase, transaction) }
}

/** The claims of a confirm that are credited now, or why none is. */
const dueOf = (
  state: State,
  transaction: Transaction,
  { standing, open, taken }: ClaimedTransfers,
  account: Account | undefined,
): Result.Result<ReadonlyArray<ClaimedTransfer>, Refusal> => {
  if (standing.length + open.length === 0)
    return refuse(taken.length === 0 ? { _tag: "payer_proof_required" } : alreadyCredited(state, transaction, taken))
  // Rule 9: the minimum counts what this claimant claims; the depth depends on all that the transaction pays.
  const units = [...standing, ...open].reduce((sum, { transfer }) => sum + transfer.units, 0)
  const due = units < PAYMENT_UNITS_MIN ? [] : open.filter(({ transfer }) => creditsOf(transfer.units) > 0)
  if (due.length === 0) {
    if (standing.length > 0) return Result.succeed(due)
    return refuse(taken.length > 0 ? alreadyCredited(state, transaction, taken) : { _tag: "too_small", units })
  }
  const exposed = exposedUnits(state, {
    transaction: transactionKey(transaction.chainId, transaction.hash),
    units: unitsOf(transaction),
    account: account?.id ?? null,
    payers: new Set(due.map(({ transfer }) => transfer.payer)),
  })
  const shallow = notDeepEnough(transaction, exposed)
  if (shallow === undefined) return Result.succeed(due)
  // With a standing purchase the confirm succeeds; what is not deep enough yet is credited by a later one.
  return standing.length > 0 ? Result.succeed([]) : refuse(shallow)
}

/** What is known of a claimant. An invalid bearer is refused. */
export const decideReadClaimant = (
  state: State,
  { memoHash, bearer }: ReadClaimant,
): Decision<Answers["readClaimant"]> => {
  const account = bearer === null ? Result.succeed(null) : bearerAccountOf(state, bearer)
  return Result.isFailure(account) ? refuse(account.failure) : accept({ memoKnown: isKnownMemo(state, memoHash) })
}

/** A transaction without transfers of the wallet to itself, which pay nothing. */
const paidByOthers = (transaction: Transaction): Transaction => ({
  ...transaction,
  transfers: transaction.transfers.filter(({ payer }) => payer !== transaction.wallet),
})

/**
 * Like `placeOf`, after a change of the wallet or the contract: a payment to the former one, which the transfers do not
 * show, is not displaced and has not moved. Its position stays used up, since a second payment there would have its key.
 */
const placeToday = (state: State, transaction: Transaction): PlacedPurchases => {
  const isFormer = (purchase: Purchase) => isPaidElsewhere(purchase, transaction)
  const { purchases, displaced } = placeOf(state, transaction)
  const placed = new Map([...purchases].filter(([key, purchase]) => purchase.key === key || !isFormer(purchase)))
  for (const { position } of transaction.transfers) {
    const key = paymentKey({ chainId: transaction.chainId, transaction: transaction.hash, position })
    const holder = state.purchases.get(key)
    if (holder !== undefined && holder.status !== "reversed" && isFormer(holder)) placed.set(key, holder)
  }
  return { purchases: placed, displaced: displaced.filter((purchase) => !isFormer(purchase)) }
}

/**
 * Claims the payments of a transaction: credits each transfer once, and answers a repeated confirm the same. A signature
 * counts until its day is over; what a memo proves needs none.
 */
export const decideConfirm = (state: State, command: Confirm, nowMs: number): Decision<Answers["confirm"]> => {
  const signature = signatureAt(command, nowMs)
  if (signature === "valid") return decideClaim(state, command, nowMs)
  const decided = decideClaim(state, { ...command, signer: null }, nowMs)
  return signature === "expired" && Result.isFailure(decided) && decided.failure._tag === "payer_proof_required"
    ? refuse({ _tag: "signature_expired" })
    : decided
}

const decideClaim = (state: State, command: Confirm, nowMs: number): Decision<Answers["confirm"]> => {
  const { bearer: bearerToken } = command
  const transaction = command.transaction === null ? null : paidByOthers(command.transaction)
  const bearer = bearerToken === null ? Result.succeed(undefined) : bearerAccountOf(state, bearerToken)
  if (Result.isFailure(bearer)) return refuse(bearer.failure)
  if (transaction === null || transaction.transfers.length === 0) return refuse(nothingClaimed(state, command, nowMs))
  const claimant = claimantOf(bearer.success, command)
  if (claimant === null) return refuse({ _tag: "payer_proof_required" })

  const before = creditedAccountOf(state, claimant, transaction)
  const place = placeToday(state, transaction)
  const claims = claimsOf(state, transaction, command, before, place)
  const due = dueOf(state, transaction, claims, before)
  if (Result.isFailure(due)) return refuse(due.failure)
  const moved = takeBack(state, due.success.length === 0 ? [] : place.displaced)
  const account = before === undefined ? undefined : (moved.after.get(before.id) ?? before)
  if (account === undefined && state.accounts.has(command.newAccount)) return refuse({ _tag: "account_in_use" })
  const id = account?.id ?? command.newAccount

  const events = [...moved.events, ...due.success.map((claim) => credit(id, transaction, claim, claimant))]
  const answer = answerOf(id, account, transaction, { standing: claims.standing, due: due.success, nowMs })
  if (claimant.by === "bearer") return accept({ ...answer, token: null }, ...events)
  const live = account?.token
  if (live !== undefined && live !== null && !live.revoked) {
    const { claimant: of, origin, kid, generation } = live
    return accept({ ...answer, token: { claimant: of, origin, kid, generation } }, ...events)
  }
  const retryAfterMs = account === undefined ? null : waitMsOf(account.tokensIssued, TOKENS_PER_DAY, nowMs)
  if (retryAfterMs !== null) return refuse({ _tag: "token_allowance_spent", retryAfterMs })
  const { token } = command
  const wanted = wantedOf(account, claimantText(claimant), transactionKey(transaction.chainId, transaction.hash))
  // The usual origin may be used up after an operator's reissue: then the account id is the origin of the token.
  const unusual = account === undefined ? { ...wanted, origin: id } : wanted
  const made = fits(token, unusual) ? unusual : wanted
  if (!fits(token, made)) return refuse({ _tag: "token_needed", wanted })
  if (state.tokens.has(token.hash)) return refuse({ _tag: "token_needed", wanted: unusual })
  const { kid, hash: tokenHash } = token
  const opener = account?.opener ?? openerOf(claimant, transaction)
  return accept(
    { ...answer, token: { ...made, kid } },
    ...events,
    event("token.issued", { account: id, tokenHash, kid, ...made, opener, reissue: null }),
  )
}

/** The text that the HMAC of an account's next token covers. */
const wantedOf = (account: Account | undefined, claimant: string, origin: string): TokenWanted => {
  const before = account?.token
  return {
    claimant: before?.claimant ?? claimant,
    origin: before?.origin ?? origin,
    generation: (before?.generation ?? 0) + 1,
  }
}

const answerOf = (
  account: string,
  before: Account | undefined,
  { block, depth }: Transaction,
  {
    standing,
    due,
    nowMs,
  }: Pick<ClaimedTransfers, "standing"> & { readonly due: ReadonlyArray<ClaimedTransfer>; readonly nowMs: number },
) => {
  const purchases: ReadonlyArray<PurchaseSummary> = [
    ...standing.flatMap(({ purchase }) => (purchase === undefined ? [] : [purchaseSummaryOf(purchase)])),
    ...due.map(({ key, transfer }) => ({
      payment: key,
      units: transfer.units,
      credits: creditsOf(transfer.units),
      blockNumber: block.number,
      creditedAtMs: nowMs,
      provisional: depth === "latest",
      status: "credited" as const,
    })),
  ]
  const added = due.reduce((sum, { transfer }) => sum + creditsOf(transfer.units), 0)
  return {
    account,
    credits: purchases.reduce((sum, { credits }) => sum + credits, 0),
    balance: balanceAfter(before, added),
    provisional: purchases.some(({ provisional }) => provisional),
    purchases,
  }
}

/**
 * The opener of the account of a purchase, for a caller with a proof of the payment. Its memo hash or payer is disclosed
 * only if this transaction makes it public; without a transaction, as for operators, never.
 */
export const openerHintOf = (
  state: State,
  purchase: Purchase | undefined,
  transaction: Transaction | null,
): OpenerHint => {
  const bearer = purchase?.claimant.startsWith("bearer/") === true
  const opener = purchase === undefined ? undefined : state.accounts.get(purchase.account)?.opener
  if (purchase?.evidence === "operator" || opener === undefined || opener === null || opener.by === "operator")
    return { by: "operator", shown: null, bearer }
  if (opener.by === "payer") {
    const here = opener.chainId === transaction?.chainId && opener.transaction === transaction.hash
    return { by: "payer", shown: here ? opener.payer : null, bearer }
  }
  const named = transaction?.transfers.some((transfer) => namedHashOf(transaction, transfer) === opener.memoHash)
  return { by: "memo", shown: named === true ? opener.memoHash : null, bearer }
}
