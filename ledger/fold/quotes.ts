import { QUOTE_REMEMBERED_MS, SWEPT_PER_EVENT_MAX } from "../rules.ts"
import { dayOf } from "./days.ts"
import type { EventData } from "./event.ts"
import { askedUnitsOf, firstHeldDay, firstOpenMinute, minuteOf, prefixKinds, shareKey } from "./quote-limits.ts"
import type { State, Table } from "./state.ts"
import { type Tally, tallied, talliedSince } from "./tally.ts"
import type { Quote } from "./values.ts"

/** Drops expired rows of quotes: the oldest first, a bounded number of each kind. */
export const sweepQuotes = (state: State): void => {
  for (let n = 0; n < SWEPT_PER_EVENT_MAX && expireOldest(state); n++);
  for (let n = 0; n < SWEPT_PER_EVENT_MAX && releaseOldest(state); n++);
  for (let n = 0; n < SWEPT_PER_EVENT_MAX && forgetOldest(state); n++);
}

const quoteAt = (state: State, place: number): Quote | undefined => {
  const quote = state.quotes.get(state.quoteOrder.get(place) ?? "")
  return quote?.place === place ? quote : undefined
}

/** Closes the oldest unexpired quote if its time is over; returns whether it did. */
const expireOldest = (state: State): boolean => {
  if (state.firstRecentQuote >= state.nextQuote) return false
  const quote = quoteAt(state, state.firstRecentQuote)
  if (quote !== undefined && quote.expiresAtMs > state.nowMs) return false
  state.firstRecentQuote += 1
  if (quote?.open !== true) return true
  state.openQuotes -= 1
  state.quotes.set(quote.memoHash, { ...quote, open: false })
  return true
}

const putTally = <Key extends string | number>(table: Table<Key, Tally>, key: Key, tally: Tally): void => {
  if (tally.length > 0) table.set(key, tally)
  else table.delete(key)
}

/** Releases the oldest quote that counts for a limit, once its last slot has ended; returns whether it did. */
const releaseOldest = (state: State): boolean => {
  if (state.firstHeldQuote >= state.firstRecentQuote) return false
  const quote = quoteAt(state, state.firstHeldQuote)
  const heldFrom = firstHeldDay(state.nowMs)
  if (quote !== undefined && dayOf(quote.issuedAtMs) >= heldFrom) return false
  state.firstHeldQuote += 1
  if (quote === undefined) return true
  const askedUnits = askedUnitsOf(quote.totalUnits)
  putTally(state.amounts, askedUnits, talliedSince(state.amounts.get(askedUnits), heldFrom))
  for (const kind of prefixKinds) {
    const prefix = quote.client[kind]
    const share = shareKey(prefix, askedUnits)
    putTally(state.shares, share, talliedSince(state.shares.get(share), heldFrom))
    const counted = state.clients.get(prefix)
    const days = talliedSince(counted?.days, heldFrom)
    const minutes = talliedSince(counted?.minutes, firstOpenMinute(state.nowMs))
    if (days.length + minutes.length > 0) state.clients.set(prefix, { minutes, days })
    else state.clients.delete(prefix)
  }
  return true
}

/** Forgets the oldest quote once it is due; returns whether it did. */
const forgetOldest = (state: State): boolean => {
  if (state.firstQuote >= state.firstHeldQuote) return false
  const quote = quoteAt(state, state.firstQuote)
  if (quote !== undefined && quote.expiresAtMs + QUOTE_REMEMBERED_MS > state.nowMs) return false
  state.quoteOrder.delete(state.firstQuote)
  state.firstQuote += 1
  if (quote === undefined) return true
  state.quotes.delete(quote.memoHash)
  const others = (state.totals.get(quote.totalUnits) ?? []).filter((memoHash) => memoHash !== quote.memoHash)
  if (others.length === 0) state.totals.delete(quote.totalUnits)
  else state.totals.set(quote.totalUnits, others)
  return true
}

/** Counts a quote, by 1 or -1, for the limits on its client's prefixes. */
const count = (state: State, { client, issuedAtMs, totalUnits, proof }: Quote, change: 1 | -1): void => {
  const [openFrom, heldFrom] = [firstOpenMinute(state.nowMs), firstHeldDay(state.nowMs)]
  const [minute, day] = [minuteOf(issuedAtMs), dayOf(issuedAtMs)]
  for (const kind of prefixKinds) {
    const prefix = client[kind]
    const counted = state.clients.get(prefix)
    state.clients.set(prefix, {
      minutes: tallied(counted?.minutes, minute, change, openFrom),
      days: tallied(counted?.days, day, change, heldFrom),
    })
    if (proof !== "amount") continue
    const share = shareKey(prefix, askedUnitsOf(totalUnits))
    putTally(state.shares, share, tallied(state.shares.get(share), day, change, heldFrom))
  }
}

/** Folds a quote that was issued. */
export const quoted = (state: State, data: EventData<"quote.issued">, atMs: number): void => {
  const { memoHash, totalUnits, proof, client } = data
  const place = state.nextQuote
  state.nextQuote += 1
  const expiresAtMs = Date.parse(data.expiresAt)
  const quote: Quote = {
    place,
    memoHash,
    totalUnits,
    proof,
    issuedAtMs: atMs,
    expiresAtMs,
    client,
    payments: 0,
    open: true,
    unpaid: true,
  }
  state.quotes.set(memoHash, quote)
  state.quoteOrder.set(place, memoHash)
  state.openQuotes += 1
  count(state, quote, 1)
  if (proof !== "amount") return
  state.totals.set(totalUnits, [...(state.totals.get(totalUnits) ?? []), memoHash])
  const askedUnits = askedUnitsOf(totalUnits)
  state.amounts.set(askedUnits, tallied(state.amounts.get(askedUnits), dayOf(atMs), 1, firstHeldDay(state.nowMs)))
}

/** Folds a payment of a quote: it closes and no longer counts for the limits of its client. Its tail stays held. */
export const quotePaid = (state: State, quote: Quote): void => {
  if (quote.open) state.openQuotes -= 1
  if (quote.unpaid) count(state, quote, -1)
  state.quotes.set(quote.memoHash, { ...quote, payments: quote.payments + 1, open: false, unpaid: false })
}
