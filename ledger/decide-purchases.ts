import { Result } from "effect"
import type { Block, Transaction, Transfer } from "../infra/chain/chain.port.ts"
import { instant } from "../schemas/event.ts"
import type { Opener } from "../schemas/events/ledger.ts"
import type { Answers, Confirm, PurchaseSeen, Refusal, TokenWanted } from "./command.ts"
import { accept, balanceAfter, bearerOf, type Decision, fits, refuse } from "./decision.ts"
import { event, type LedgerEvent, openerKey, paymentKey, transactionKey } from "./event.ts"
import { identityOf, isAnother, type Match, matchOf, namedHashOf } from "./evidence.ts"
import { CONFIRMATIONS_MIN, creditsOf, PAYMENT_UNITS_MIN, PROVISIONAL_UNITS_MAX } from "./rules.ts"
import type { Account, Purchase, State } from "./state.ts"

/** A transfer that the caller may claim, and what it was credited as before. */
interface Claim {
  readonly key: string
  readonly transfer: Transfer
  readonly match: Match
  readonly claimant: string
  readonly purchase: Purchase | undefined
}

/** A purchase as its buyer may see it. */
export const seenPurchase = (purchase: Purchase): PurchaseSeen => ({
  payment: purchase.key,
  units: purchase.units,
  credits: purchase.credits,
  blockNumber: purchase.blockNumber,
  creditedAtMs: purchase.creditedAtMs,
  provisional: purchase.provisional && purchase.status !== "final",
  status: purchase.status,
})

/**
 * Whether what the caller shows lets him have a purchase that was credited before: its claimant may come back, by memo or
 * signature. Where the payer himself tied the memo to the payment, both are his; the amount alone ties nobody, so there
 * the first claimant stays the only one. What went to a bearer's account is for that bearer.
 */
const mayHaveAgain = (purchase: Purchase, match: Match, command: Confirm, bearer: Account | undefined): boolean => {
  if (bearer !== undefined) return purchase.account === bearer.id
  if (purchase.claimant.startsWith("bearer/") || purchase.evidence === "operator") return false
  if (command.memoHash !== null && purchase.claimant === `memo/${command.memoHash}`) return true
  if (command.signer !== null && purchase.claimant === `payer/${command.signer}`) return true
  if (purchase.evidence === "amount") return false
  if (command.signer === purchase.payer) return true
  // The hash on the chain speaks also where the quote was forgotten when the payer claimed without his memo.
  const { memoHash } = match.evidence === "authorization" || match.evidence === "calldata" ? match : purchase
  return command.memoHash !== null && command.memoHash === memoHash
}

/**
 * What a purchase was credited by, where its claimant comes back with his memo: it is known by itself, though the chain
 * alone shows it no more, as its quote was forgotten or the payer has signed for the memo.
 */
const knownBy = (
  found: Purchase | undefined,
  transaction: Transaction,
  transfer: Transfer,
  { memoHash }: Confirm,
): Match | null =>
  found !== undefined &&
  memoHash !== null &&
  found.claimant === `memo/${memoHash}` &&
  !isAnother(found, identityOf(transaction, transfer))
    ? { evidence: found.evidence, memoHash }
    : null

/** What the caller may claim of a transaction, and whether some of the rest would be his, had nobody claimed it. */
const claimsOf = (state: State, transaction: Transaction, command: Confirm, bearer: Account | undefined) => {
  const claims: Array<Claim> = []
  let taken = false
  for (const transfer of transaction.transfers) {
    const { chainId, hash } = transaction
    const key = paymentKey({ chainId, transaction: hash, position: transfer.position })
    const found = state.purchases.get(key)
    const match = matchOf(state, transaction, transfer, command) ?? knownBy(found, transaction, transfer, command)
    if (match === null) continue
    const byMemo = command.memoHash !== null && match.memoHash === command.memoHash
    if (!byMemo && command.signer !== transfer.payer) continue
    // In another block the same position may hold another payment, which nobody has claimed yet.
    const purchase =
      found?.status === "reversed" && isAnother(found, identityOf(transaction, transfer)) ? undefined : found
    if (purchase !== undefined && !mayHaveAgain(purchase, match, command, bearer)) {
      taken = true
      continue
    }
    const claimant = byMemo ? `memo/${command.memoHash}` : `payer/${transfer.payer}`
    claims.push({ key, transfer, match, claimant, purchase })
  }
  return { claims, taken }
}

/** Whether a transaction is deep enough for an amount: a few blocks for a small one, else what the chain calls safe. */
export const notDeepEnough = (
  { depth, confirmations }: Pick<Transaction, "depth" | "confirmations">,
  units: number,
): Refusal | undefined => {
  if (depth !== "latest") return undefined
  if (units > PROVISIONAL_UNITS_MAX) return { _tag: "pending", confirmations, required: "safe" }
  return confirmations < CONFIRMATIONS_MIN ? { _tag: "pending", confirmations, required: CONFIRMATIONS_MIN } : undefined
}

const nothingClaimed = (state: State, command: Confirm, nowMs: number): Refusal => {
  const quote = command.memoHash === null ? undefined : state.quotes.get(command.memoHash)
  return quote !== undefined && quote.expiresAtMs <= nowMs && quote.payments === 0
    ? { _tag: "expired", of: "quote" }
    : { _tag: "no_payment" }
}

const credit = (account: string, transaction: Transaction, claim: Claim, claimant: string): LedgerEvent => {
  const { chainId, hash, block, depth } = transaction
  const { transfer, match, purchase } = claim
  return event("purchase.credited", {
    account,
    payment: { chainId, transaction: hash, position: transfer.position },
    payer: transfer.payer,
    units: transfer.units,
    credits: creditsOf(transfer.units),
    block: placed(block),
    logIndex: transfer.logIndex,
    // What was credited before keeps its claimant, and with him what showed it.
    evidence: purchase?.evidence ?? match.evidence,
    memoHash: purchase === undefined ? match.memoHash : purchase.memoHash,
    namedHash: namedHashOf(transaction, transfer),
    claimant: purchase?.claimant ?? claimant,
    provisional: depth === "latest",
  })
}

/** A block as events hold it. */
export const placed = ({ hash, number, atMs }: Block) => ({ hash, number, at: instant(atMs) })

/** The token of an account without a live one. */
const wantedBy = (account: Account | undefined, claim: Claim, transaction: Transaction): TokenWanted => {
  const before = account?.token
  return {
    claimant: before?.claimant ?? claim.claimant,
    origin: before?.origin ?? transactionKey(transaction.chainId, transaction.hash),
    generation: (before?.generation ?? 0) + 1,
  }
}

/** Claims what a transaction has paid: credits each transfer once, for ever, and tells a claimant who comes again the same. */
export const decideConfirm = (state: State, command: Confirm, nowMs: number): Decision<Answers["confirm"]> => {
  const { transaction, bearer: bearerToken } = command
  const bearer = bearerToken === null ? Result.succeed(undefined) : bearerOf(state, bearerToken)
  if (Result.isFailure(bearer)) return refuse(bearer.failure)
  if (transaction === null || transaction.transfers.length === 0) return refuse(nothingClaimed(state, command, nowMs))

  const { claims, taken } = claimsOf(state, transaction, command, bearer.success)
  const standing = claims.filter(({ purchase }) => purchase !== undefined && purchase.status !== "reversed")
  const fresh = claims.filter(({ purchase }) => purchase === undefined || purchase.status === "reversed")
  const freshUnits = fresh.reduce((sum, { transfer }) => sum + transfer.units, 0)
  const [first] = [...standing, ...fresh]
  if (first === undefined) return refuse({ _tag: taken ? "already_credited" : "payer_proof_required" })

  const credited = freshUnits < PAYMENT_UNITS_MIN ? [] : fresh.filter(({ transfer }) => creditsOf(transfer.units) > 0)
  if (standing.length === 0) {
    if (credited.length === 0) return refuse({ _tag: "too_small", units: freshUnits })
    const shallow = notDeepEnough(transaction, freshUnits)
    if (shallow !== undefined) return refuse(shallow)
  }
  // Something stands already: what is not deep enough yet waits for the next confirm, and the rest is told again.
  const due = notDeepEnough(transaction, freshUnits) === undefined ? credited : []

  const before = first.purchase?.account
  const account =
    bearer.success ??
    (before === undefined ? undefined : state.accounts.get(before)) ??
    accountOpenedBy(state, openerOf(first.claimant, transaction))
  return creditTo(state, command, transaction, { first, standing, due, account, bearer: bearer.success, nowMs })
}

/** What an account is opened with by a claimant (`memo/<hash>` or `payer/<address>`) in a transaction. */
const openerOf = (claimant: string, { chainId, hash: transaction }: Transaction): Opener => {
  const [by, shown = ""] = claimant.split("/")
  return by === "memo" ? { by, memoHash: shown } : { by: "payer", payer: shown, chainId, transaction }
}

const accountOpenedBy = (state: State, opener: Opener): Account | undefined => {
  const key = openerKey(opener)
  const id = key === null ? undefined : state.openers.get(key)
  return id === undefined ? undefined : state.accounts.get(id)
}

interface Due {
  readonly first: Claim
  readonly standing: ReadonlyArray<Claim>
  readonly due: ReadonlyArray<Claim>
  readonly account: Account | undefined
  readonly bearer: Account | undefined
  readonly nowMs: number
}

const creditTo = (
  state: State,
  command: Confirm,
  transaction: Transaction,
  { first, standing, due, account, bearer, nowMs }: Due,
): Decision<Answers["confirm"]> => {
  const id = account?.id ?? command.newAccount
  if (account === undefined && state.accounts.has(id)) return refuse({ _tag: "account_in_use" })
  // A reversed purchase comes back to the account that it was taken from; one of another account waits for its own turn.
  const ours = due.filter(({ purchase }) => (purchase?.account ?? id) === id)
  const credits = ours.map((claim) =>
    credit(id, transaction, claim, bearer === undefined ? claim.claimant : `bearer/${bearer.id}`),
  )
  const seen: ReadonlyArray<PurchaseSeen> = [
    ...standing.flatMap(({ purchase }) => (purchase?.account === id ? [seenPurchase(purchase)] : [])),
    ...ours.map(({ key, transfer }) => ({
      payment: key,
      units: transfer.units,
      credits: creditsOf(transfer.units),
      blockNumber: transaction.block.number,
      creditedAtMs: nowMs,
      provisional: transaction.depth === "latest",
      status: "credited" as const,
    })),
  ]
  const added = ours.reduce((sum, { transfer }) => sum + creditsOf(transfer.units), 0)
  const answer = {
    account: id,
    credits: seen.reduce((sum, one) => sum + one.credits, 0),
    balance: balanceAfter(account, added),
    provisional: seen.some((one) => one.provisional),
    purchases: seen,
  }
  if (bearer !== undefined) return accept({ ...answer, token: null }, ...credits)
  const live = account?.token
  if (live !== undefined && live !== null && !live.revoked) {
    const { claimant, origin, kid, generation } = live
    return accept({ ...answer, token: { claimant, origin, kid, generation } }, ...credits)
  }
  const { token } = command
  const usual = wantedBy(account, first, transaction)
  // Where a reorganisation has moved the logs within the transaction, its usual token belongs to what was taken back.
  const instead = account === undefined ? { ...usual, origin: first.key } : usual
  const wanted = fits(token, instead) ? instead : usual
  if (!fits(token, wanted)) return refuse({ _tag: "token_needed", wanted })
  if (state.tokens.has(token.hash)) return refuse({ _tag: "token_needed", wanted: instead })
  const { kid, hash } = token
  return accept(
    { ...answer, token: { ...wanted, kid } },
    ...credits,
    event("token.issued", {
      account: id,
      tokenHash: hash,
      kid,
      ...wanted,
      opener: account?.opener ?? openerOf(first.claimant, transaction),
      reissue: null,
    }),
  )
}
