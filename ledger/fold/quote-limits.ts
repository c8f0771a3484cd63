import type { QuoteClient } from "../../schemas/events/ledger.ts"
import {
  OPEN_QUOTES_MAX,
  QUOTE_CAPS,
  QUOTE_LIFE_MS,
  type QuoteCaps,
  TAIL_MAX,
  TOTAL_HELD_MS,
  UNITS_PER_CENT,
} from "../rules.ts"
import { DAY_MS, dayOf } from "./days.ts"
import type { State } from "./state.ts"
import { countSince, oldestSince } from "./tally.ts"
import type { ClientQuotes } from "./values.ts"

// Limits on the number of quotes. They are counted by slots of time instead of being swept, so that a limit ends by time
// alone, without any other event. A slot is counted until the limit has ended for its newest possible quote.

const MINUTE_MS = 60_000
/** From its issue until its total may be issued again. */
const WINDOW_MS = QUOTE_LIFE_MS + TOTAL_HELD_MS

/** The minute of an instant, counted since the epoch. */
export const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS)

/** The first minute of which a quote may still be open, and the first day of which the window of one may still run. */
export const firstOpenMinute = (nowMs: number): number => minuteOf(nowMs - QUOTE_LIFE_MS)
export const firstHeldDay = (nowMs: number): number => dayOf(nowMs - WINDOW_MS)

/** The prefixes by which a client's quotes are counted, the narrowest first. */
export const prefixKinds = ["address", "network", "provider"] as const satisfies ReadonlyArray<keyof QuoteClient>

/** The asked units of a total, without its tail. */
export const askedUnitsOf = (totalUnits: number): number => totalUnits - (totalUnits % UNITS_PER_CENT)

/** The key of `shares`: the tails of one amount that a prefix holds. */
export const shareKey = (prefix: string, askedUnits: number): string => `${prefix}/${askedUnits}`

/** The limit that refuses a quote, and when it ends. */
export interface QuoteExcess {
  /** The limit of the client's address, of its network or provider, or of all clients. */
  readonly of: "client" | "network" | "all"
  readonly retryAfterMs: number
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
    isLong ? ((oldestSince(days, heldFrom) ?? dayOf(nowMs)) + 1) * DAY_MS + WINDOW_MS - nowMs : 0,
  )
}

/** Whether the maximum of quotes is open, and none of them expires with the next event. */
const isFull = (state: State, nowMs: number): boolean => {
  if (state.openQuotes < OPEN_QUOTES_MAX) return false
  const oldest = state.quotes.get(state.quoteOrder.get(state.firstRecentQuote) ?? "")
  return oldest !== undefined && oldest.expiresAtMs > nowMs
}

/** The limit that refuses a quote to a client; null if none does. */
export const excessOf = (state: State, client: QuoteClient, nowMs: number): QuoteExcess | null => {
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
export const mayHoldTail = (state: State, client: QuoteClient, askedUnits: number, nowMs: number): boolean => {
  const heldFrom = firstHeldDay(nowMs)
  if (countSince(state.amounts.get(askedUnits), heldFrom) * 2 > TAIL_MAX) return false
  return prefixKinds.every(
    (kind) => countSince(state.shares.get(shareKey(client[kind], askedUnits)), heldFrom) < QUOTE_CAPS[kind].tails,
  )
}
