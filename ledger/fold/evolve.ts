import { accountOf, countedAt, deposit, put } from "./accounts.ts"
import { debited, forgetExpired, refunded, settled } from "./debits.ts"
import { type EventData, type LedgerEvent, openerKey, paymentKey } from "./entry.ts"
import { credited, doubted, finalised, reversed, trusted } from "./purchases.ts"
import { quoted, sweepQuotes } from "./quotes.ts"
import type { State } from "./state.ts"

/**
 * Folds one event into the state, in place. It never refuses, as an event in the log has happened. `atMs` is the time of the
 * event. Numbers that only a wrong log can cause (a negative balance) are stored as they are: `verify` reports them.
 */
export const evolve = (state: State, event: LedgerEvent, atMs: number): void => {
  if (atMs > state.nowMs) advance(state, atMs)
  switch (event.type) {
    case "credits.debited":
      debited(state, event.data, atMs)
      return
    case "debit.settled":
      settled(state, event.data, atMs)
      return
    case "credits.refunded":
      refunded(state, event.data, atMs)
      return
    case "quote.issued":
      quoted(state, event.data, atMs)
      return
    case "purchase.credited":
      credited(state, event.data, atMs)
      return
    case "purchase.finalised":
      finalised(state, event.data)
      return
    case "purchase.reversed":
      reversed(state, event.data)
      return
    case "purchase.doubted":
      doubted(state, event.data, atMs)
      return
    case "purchase.trusted":
      trusted(state, event.data)
      return
    case "token.issued":
      issued(state, event.data, atMs)
      return
    case "token.revoked":
      revoked(state, event.data)
      return
    case "clock.accepted":
      return
    case "credits.granted":
      granted(state, event.data, atMs)
      return
  }
}

/** Advances the time and drops expired rows: the oldest first, a bounded number of each kind an event. */
const advance = (state: State, atMs: number): void => {
  state.nowMs = atMs
  sweepQuotes(state)
  forgetExpired(state)
}

const issued = (state: State, data: EventData<"token.issued">, atMs: number): void => {
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

const revoked = (state: State, data: EventData<"token.revoked">): void => {
  const account = accountOf(state, data.account)
  if (account.token?.hash === data.tokenHash) account.token = { ...account.token, revoked: true }
  put(state, account)
}

const granted = (state: State, data: EventData<"credits.granted">, atMs: number): void => {
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
