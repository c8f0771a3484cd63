import { instant } from "../../schemas/event.ts"
import type { QuoteClient } from "../../schemas/events/ledger.ts"
import type { Answers } from "../answers.ts"
import type { IssueQuote } from "../command.ts"
import {
  ASKED_CENTS_MAX,
  ASKED_CENTS_MIN,
  creditsOf,
  OPEN_QUOTES_MAX,
  QUOTE_CAPS,
  QUOTE_LIFE_MS,
  QUOTE_REMEMBERED_MS,
  type QuoteCaps,
  SWEPT_PER_EVENT_MAX,
  TAIL_MAX,
  TOTAL_HELD_MS,
  UNITS_PER_CENT,
} from "../rules.ts"
import { DAY_MS, dayNumberOf } from "./balance.ts"
import { accept, type Decision, type EventData, event, refuse } from "./entry.ts"
import type { ClientQuotes, Quote, State, Table, Tally } from "./state.ts"

// Quotes, and the limits on their number. For the limits they are counted by slots of time instead of being swept, so that a
// limit ends by time alone, without any other event. A slot is counted until the limit has ended for its newest possible quote.

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** From its issue until its total may be issued again. */
const WINDOW_MS = QUOTE_LIFE_MS + TOTAL_HELD_MS

/** The minute of an instant, counted since the epoch. */
const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS)

/** The first minute of which a quote may still be open, and the first day of which the window of one may still run. */
const firstOpenMinute = (nowMs: number): number => minuteOf(nowMs - QUOTE_LIFE_MS)
const firstHeldDay = (nowMs: number): number => dayNumberOf(nowMs - WINDOW_MS)

/** The prefixes by which a client's quotes are counted, the narrowest first. */
const prefixKinds = ["address", "network", "provider"] as const satisfies ReadonlyArray<keyof QuoteClient>

/** The asked units of a total, without its tail. */
const askedUnitsOf = (totalUnits: number): number => totalUnits - (totalUnits % UNITS_PER_CENT)

/** The key of `shares`: the tails of one amount that a prefix holds. */
const shareKey = (prefix: string, askedUnits: number): string => `${prefix}/${askedUnits}`

/**
 * Whether a quote of this total still has its window at the second of a time. Block times are whole seconds, so two windows
 * must not share a second.
 */
const isHeld = (state: State, totalUnits: number, nowMs: number): boolean =>
  quotesOf(state, state.totals.get(totalUnits)).some(
    (quote) => quote.expiresAtMs + TOTAL_HELD_MS >= Math.floor(nowMs / SECOND_MS) * SECOND_MS,
  )

/** The first free total from a tail on; undefined when every tail is taken. `mayHoldTail` keeps half of them free. */
const freeTotal = (state: State, askedUnits: number, tail: number, nowMs: number): number | undefined => {
  for (let step = 0; step < TAIL_MAX; step++) {
    const totalUnits = askedUnits + ((tail - 1 + step) % TAIL_MAX) + 1
    if (!isHeld(state, totalUnits, nowMs)) return totalUnits
  }
  return undefined
}

/** Issues a quote, under a total that identifies it for as long as it can be paid. */
export const decideQuote = (state: State, command: IssueQuote, nowMs: number): Decision<Answers["issueQuote"]> => {
  const { askedCents, memoHash, tail, client } = command
  if (!Number.isInteger(askedCents) || askedCents < ASKED_CENTS_MIN || askedCents > ASKED_CENTS_MAX)
    return refuse({ _tag: "invalid_amount" })
  if (!Number.isInteger(tail) || tail < 1 || tail > TAIL_MAX) return refuse({ _tag: "invalid_command" })
  if (state.quotes.has(memoHash)) return refuse({ _tag: "memo_in_use" })
  const excess = excessOf(state, client, nowMs)
  if (excess !== null) return refuse({ _tag: "too_many_quotes", ...excess })
  const askedUnits = askedCents * UNITS_PER_CENT
  const free = mayHoldTail(state, client, askedUnits, nowMs) ? freeTotal(state, askedUnits, tail, nowMs) : undefined
  const [totalUnits, proof] = free === undefined ? [askedUnits, "signature" as const] : [free, "amount" as const]
  const expiresAtMs = nowMs + QUOTE_LIFE_MS
  return accept(
    { totalUnits, credits: creditsOf(askedUnits), proof, expiresAtMs },
    event("quote.issued", { memoHash, askedUnits, totalUnits, proof, expiresAt: instant(expiresAtMs), client }),
  )
}

/** The remembered quotes of these memo hashes. */
export const quotesOf = (state: State, memoHashes: ReadonlyArray<string> | undefined): ReadonlyArray<Quote> =>
  (memoHashes ?? []).flatMap((memoHash) => state.quotes.get(memoHash) ?? [])

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
  state.amounts.set(askedUnits, tallied(state.amounts.get(askedUnits), dayNumberOf(atMs), 1, firstHeldDay(state.nowMs)))
}

/** Folds a payment of a quote: it closes and no longer counts for the limits of its client. Its tail stays held. */
export const quotePaid = (state: State, quote: Quote): void => {
  if (quote.open) state.openQuotes -= 1
  if (quote.unpaid) count(state, quote, -1)
  state.quotes.set(quote.memoHash, { ...quote, payments: quote.payments + 1, open: false, unpaid: false })
}

/** Counts a quote, by 1 or -1, for the limits on its client's prefixes. */
const count = (state: State, { client, issuedAtMs, totalUnits, proof }: Quote, change: 1 | -1): void => {
  const [openFrom, heldFrom] = [firstOpenMinute(state.nowMs), firstHeldDay(state.nowMs)]
  const [minute, day] = [minuteOf(issuedAtMs), dayNumberOf(issuedAtMs)]
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

const putTally = <Key extends string | number>(table: Table<Key, Tally>, key: Key, tally: Tally): void => {
  if (tally.length > 0) table.set(key, tally)
  else table.delete(key)
}

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

/** Releases the oldest quote that counts for a limit, once its last slot has ended; returns whether it did. */
const releaseOldest = (state: State): boolean => {
  if (state.firstHeldQuote >= state.firstRecentQuote) return false
  const quote = quoteAt(state, state.firstHeldQuote)
  const heldFrom = firstHeldDay(state.nowMs)
  if (quote !== undefined && dayNumberOf(quote.issuedAtMs) >= heldFrom) return false
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

/** The limit that refuses a quote, and when it ends. */
interface QuoteExcess {
  /** The limit of the client's address, of its network or provider, or of all clients. */
  readonly of: "client" | "network" | "all"
  readonly retryAfterMs: number
}

/** The limit that refuses a quote to a client; null if none does. */
const excessOf = (state: State, client: QuoteClient, nowMs: number): QuoteExcess | null => {
  for (const kind of prefixKinds) {
    const retryAfterMs = waitOf(state.clients.get(client[kind]), QUOTE_CAPS[kind], nowMs)
    if (retryAfterMs > 0) return { of: kind === "address" ? "client" : "network", retryAfterMs }
  }
  return isFull(state, nowMs) ? { of: "all", retryAfterMs: MINUTE_MS } : null
}

/**
 * Whether a quote of this client may hold a tail of an amount. At most half of the tails are ever held, so that a mistyped
 * tail more likely belongs to no quote; and the client's address, network and provider hold few of them.
 */
const mayHoldTail = (state: State, client: QuoteClient, askedUnits: number, nowMs: number): boolean => {
  const heldFrom = firstHeldDay(nowMs)
  if (countSince(state.amounts.get(askedUnits), heldFrom) * 2 > TAIL_MAX) return false
  return prefixKinds.every(
    (kind) => countSince(state.shares.get(shareKey(client[kind], askedUnits)), heldFrom) < QUOTE_CAPS[kind].tails,
  )
}

/** Milliseconds until the caps of one prefix allow a quote; 0 if they do now. */
const waitOf = (quotes: ClientQuotes | undefined, caps: QuoteCaps, nowMs: number): number => {
  if (quotes === undefined) return 0
  const { minutes, days } = quotes
  const minute = minuteOf(nowMs)
  const [openFrom, heldFrom] = [firstOpenMinute(nowMs), firstHeldDay(nowMs)]
  const isFast = countSince(minutes, minute) >= caps.perMinute
  const isWide = countSince(minutes, openFrom) >= caps.open
  const isLong = countSince(days, heldFrom) >= caps.unpaid
  return Math.max(
    isFast ? (minute + 1) * MINUTE_MS - nowMs : 0,
    isWide ? ((oldestSince(minutes, openFrom) ?? minute) + 1) * MINUTE_MS + QUOTE_LIFE_MS - nowMs : 0,
    isLong ? ((oldestSince(days, heldFrom) ?? dayNumberOf(nowMs)) + 1) * DAY_MS + WINDOW_MS - nowMs : 0,
  )
}

/** Whether the maximum of quotes is open, and none of them expires with the next event. */
const isFull = (state: State, nowMs: number): boolean => {
  if (state.openQuotes < OPEN_QUOTES_MAX) return false
  const oldest = state.quotes.get(state.quoteOrder.get(state.firstRecentQuote) ?? "")
  return oldest !== undefined && oldest.expiresAtMs > nowMs
}

/** The tally with `change` added to a slot, never below 0, and without the slots before `firstSlot`. */
const tallied = (tally: Tally | undefined, slot: number, change: number, firstSlot: number): Tally => {
  const others = (tally ?? []).filter(([at]) => at !== slot && at >= firstSlot)
  const count = (tally?.find(([at]) => at === slot)?.[1] ?? 0) + change
  return count > 0 && slot >= firstSlot ? [...others, [slot, count]] : others
}

/** The tally without the slots before `firstSlot`. */
const talliedSince = (tally: Tally | undefined, firstSlot: number): Tally =>
  (tally ?? []).filter(([slot]) => slot >= firstSlot)

/** The sum of all slots from one on. */
const countSince = (tally: Tally | undefined, firstSlot: number): number =>
  (tally ?? []).reduce((sum, [slot, count]) => (slot >= firstSlot ? sum + count : sum), 0)

/** The oldest slot that counts; undefined where none does. */
const oldestSince = (tally: Tally | undefined, firstSlot: number): number | undefined =>
  (tally ?? []).reduce<number | undefined>(
    (oldest, [slot]) => (slot >= firstSlot && (oldest === undefined || slot < oldest) ? slot : oldest),
    undefined,
  )
