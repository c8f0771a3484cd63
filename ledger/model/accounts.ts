import * as Result from "effect/Result"
import type { Answers, WayBack } from "../answers.ts"
import type { Grant, ListAccounts, ReadAccount, Reissue, Revoke } from "../command.ts"
import { ACCOUNTS_PAGE_MAX, CREDITS_MAX, PURCHASES_LISTED_MAX, PURCHASES_PAGE_MAX } from "../rules.ts"
import { fits } from "../token.ts"
import { accountOf, balanceAfter, bearerAccountOf, countedAt, deposit, put } from "./balance.ts"
import { openerHintOf } from "./confirm.ts"
import { accept, type Decision, type EventData, event, openerKey, paymentKey, refuse, transactionOf } from "./entry.ts"
import { purchaseSummaryOf } from "./purchases.ts"
import type { Account, State } from "./state.ts"

/** The transaction of the first standing purchase of an account that its memo claimed; null without one. */
const transactionOfMemo = (state: State, account: Account, memoHash: string): string | null => {
  for (const key of account.payments.slice(0, PURCHASES_LISTED_MAX)) {
    const purchase = state.purchases.get(key)
    if (purchase?.account !== account.id || purchase.status === "reversed") continue
    if (purchase.claimant === `memo/${memoHash}`) return transactionOf(key).split("/")[1] ?? null
  }
  return null
}

/** How an account gets its next token after a revoke: only its opener is issued one. */
const wayBackOf = (state: State, account: Account): WayBack => {
  const { opener } = account
  switch (opener?.by) {
    case "memo":
      return { by: "memo", transaction: transactionOfMemo(state, account, opener.memoHash), shown: opener.memoHash }
    case "payer":
      return { by: "payer", transaction: opener.transaction, shown: opener.payer }
    default:
      return { by: "operator", transaction: null, shown: null }
  }
}

/** Revokes a token. The balance stays in the account, whose opener, or an operator, gets the next token. */
export const decideRevoke = (state: State, { token, confirmed }: Revoke): Decision<Answers["revoke"]> => {
  const bearer = bearerAccountOf(state, token)
  if (Result.isFailure(bearer)) return refuse(bearer.failure)
  const { id: account, balance, token: live } = bearer.success
  const wayBack = wayBackOf(state, bearer.success)
  if (wayBack.by === "operator" && !confirmed) return refuse({ _tag: "confirmation_required" })
  return accept(
    { account, balance, wayBack },
    event("token.revoked", { account, tokenHash: token, generation: live?.generation ?? 0 }),
  )
}

/** Grants credits for an operator. It uses up the payment that it names; a new account gets a token. */
export const decideGrant = (state: State, command: Grant): Decision<Answers["grant"]> => {
  const { account: id, credits, operator, reason, payment, token } = command
  if (!Number.isInteger(credits) || credits <= 0 || credits > CREDITS_MAX) return refuse({ _tag: "invalid_amount" })
  const found = payment === null ? undefined : state.purchases.get(paymentKey(payment))
  if (found !== undefined) return refuse({ _tag: "already_credited", opener: openerHintOf(state, found, null) })
  const account = state.accounts.get(id)
  const grant = event("credits.granted", { account: id, credits, operator, reason, payment })
  const balance = balanceAfter(account, credits)
  if (account !== undefined) return accept({ account: id, balance, token: null }, grant)
  const wanted = { claimant: `grant/${id}`, origin: id, generation: 1 }
  if (!fits(token, wanted) || state.tokens.has(token.hash)) return refuse({ _tag: "token_needed", wanted })
  const { kid, hash } = token
  return accept(
    { account: id, balance, token: { ...wanted, kid } },
    grant,
    event("token.issued", {
      account: id,
      tokenHash: hash,
      kid,
      ...wanted,
      opener: { by: "operator" },
      reissue: null,
    }),
  )
}

/** The payments of an account that a command asks for, and how many there are before them. */
const listedPayments = (
  { payments }: Account,
  { purchases: areListed = true, before }: ReadAccount,
): { readonly listed: ReadonlyArray<string>; readonly earlier?: number } => {
  if (!areListed) return { listed: [] }
  if (before === undefined) return { listed: payments.slice(-PURCHASES_LISTED_MAX) }
  const end = Math.min(before ?? payments.length, payments.length)
  const earlier = Math.max(0, end - PURCHASES_PAGE_MAX)
  return { listed: payments.slice(earlier, end), earlier }
}

/** Reads an account: its balance, newest purchases or a page of them if they are asked for, and the sums of all of them. */
export const decideReadAccount = (state: State, command: ReadAccount): Decision<Answers["readAccount"]> => {
  const { by } = command
  const found =
    "token" in by
      ? bearerAccountOf(state, by.token)
      : Result.fromNullishOr(state.accounts.get(by.account), () => ({ _tag: "unknown_account" as const }))
  if (Result.isFailure(found)) return refuse(found.failure)
  const account = found.success
  const { listed, ...page } = listedPayments(account, command)
  const purchases = listed.flatMap((key) => {
    const purchase = state.purchases.get(key)
    return purchase === undefined || purchase.account !== account.id ? [] : [purchaseSummaryOf(purchase)]
  })
  return accept({
    account: account.id,
    balance: account.balance,
    shortfall: account.shortfall,
    issuedAtMs: account.token?.issuedAtMs ?? null,
    purchases,
    ...page,
    purchaseCount: account.purchaseCount,
    purchasedUnits: account.purchasedUnits,
    added: account.added,
    spent: account.spent,
    spentBySister: account.spentBySister,
  })
}

/**
 * Issues a new token for an owner who cannot show what opened the account. The previous token is void, and the operator
 * replaces the opener, so that a leaked memo yields no token any more.
 */
export const decideReissue = (state: State, command: Reissue): Decision<Answers["reissue"]> => {
  const { account: id, operator, reason, token } = command
  const account = state.accounts.get(id)
  if (account === undefined) return refuse({ _tag: "unknown_account" })
  const wanted = { claimant: `reissue/${id}`, origin: id, generation: (account.token?.generation ?? 0) + 1 }
  if (!fits(token, wanted) || state.tokens.has(token.hash)) return refuse({ _tag: "token_needed", wanted })
  const { kid, hash: tokenHash } = token
  return accept(
    { account: id, balance: account.balance, token: { ...wanted, kid } },
    event("token.issued", {
      account: id,
      tokenHash,
      kid,
      ...wanted,
      opener: { by: "operator" },
      reissue: { operator, reason },
    }),
  )
}

/** Lists one page of the accounts, in the order of their opening. */
export const decideListAccounts = (state: State, { after }: ListAccounts): Decision<Answers["listAccounts"]> => {
  const first = after + 1
  const end = Math.min(state.nextAccount, first + ACCOUNTS_PAGE_MAX)
  const accounts = Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n).flatMap((place) => {
    const account = state.accounts.get(state.accountOrder.get(place) ?? "")
    if (account === undefined) return []
    const { id, balance, shortfall, opener, token, purchaseCount } = account
    const live = token === null ? "none" : token.revoked ? "revoked" : "live"
    return [{ place, account: id, balance, shortfall, opener, token: live, purchaseCount } as const]
  })
  return accept({ accounts, more: end < state.nextAccount })
}

/** Folds a token that was issued: the previous one is void. */
export const issued = (state: State, data: EventData<"token.issued">, atMs: number): void => {
  const account = accountOf(state, data.account)
  const { tokenHash, kid, generation, claimant, origin } = data
  account.token = { hash: tokenHash, kid, generation, claimant, origin, issuedAtMs: atMs, revoked: false }
  if (data.reissue === null) account.tokensIssued = countedAt(account.tokensIssued, atMs)
  const before = account.opener === null ? null : openerKey(account.opener)
  const opener = openerKey(data.opener)
  // An operator's reissue replaces the opener: the previous one claims this account no more.
  if (before !== null && before !== opener) state.openers.delete(before)
  if (opener !== null) state.openers.set(opener, account.id)
  account.opener = data.opener
  put(state, account)
  state.tokens.set(tokenHash, account.id)
}

/** Folds a token that was revoked. */
export const revoked = (state: State, data: EventData<"token.revoked">): void => {
  const account = accountOf(state, data.account)
  if (account.token?.hash === data.tokenHash) account.token = { ...account.token, revoked: true }
  put(state, account)
}

/** Folds credits that an operator granted. */
export const granted = (state: State, data: EventData<"credits.granted">, atMs: number): void => {
  const account = accountOf(state, data.account)
  account.added += data.credits
  deposit(account, data.credits)
  put(state, account)
  if (data.payment === null) return
  const key = paymentKey(data.payment)
  // The payment is used up: a later claim of it is refused as `already_credited`.
  state.purchases.set(key, {
    key,
    account: account.id,
    payer: "",
    units: 0,
    credits: data.credits,
    blockHash: "",
    blockNumber: 0,
    creditedAtMs: atMs,
    evidence: "operator",
    memoHash: null,
    namedHash: null,
    claimant: `operator/${data.operator}`,
    provisional: false,
    status: "final",
    doubt: null,
  })
}
