import { instant } from "../schemas/event.ts"
import type { Answers, IssueQuote } from "./command.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { event } from "./event.ts"
import { quotesOf } from "./evidence.ts"
import {
  ASKED_CENTS_MAX,
  ASKED_CENTS_MIN,
  CLIENT_OPEN_QUOTES_MAX,
  CLIENT_QUOTES_PER_MINUTE,
  creditsOf,
  OPEN_QUOTES_MAX,
  QUOTE_LIFE_MS,
  TAIL_MAX,
  TAILS_TRIED_MAX,
  TOTAL_HELD_MS,
  UNITS_PER_CENT,
} from "./rules.ts"
import type { State } from "./state.ts"

const MINUTE_MS = 60_000

/** Whether some quote issued, or expired within 7 days, has this total. */
const isHeld = (state: State, totalUnits: number, nowMs: number): boolean =>
  quotesOf(state, state.totals.get(totalUnits)).some((quote) => quote.expiresAtMs + TOTAL_HELD_MS >= nowMs)

/** The first free total from a tail on; undefined when every tail that is tried is taken. */
const freeTotal = (state: State, askedUnits: number, tail: number, nowMs: number): number | undefined => {
  for (let step = 0; step < TAILS_TRIED_MAX; step++) {
    const totalUnits = askedUnits + ((tail - 1 + step) % TAIL_MAX) + 1
    if (!isHeld(state, totalUnits, nowMs)) return totalUnits
  }
  return undefined
}

/** Whether no more quotes may be open: as many are, and none of them is due to expire at the next event. */
const isFull = (state: State, nowMs: number): boolean => {
  if (state.openQuotes < OPEN_QUOTES_MAX) return false
  const oldest = state.quotes.get(state.quoteOrder.get(state.firstRecentQuote) ?? "")
  return oldest !== undefined && oldest.expiresAtMs > nowMs
}

const tooMany = (
  state: State,
  client: string,
  nowMs: number,
): { of: "client" | "all"; retryAfterMs: number } | null => {
  const own = quotesOf(state, state.clients.get(client))
  const lastMinute = own.filter((quote) => quote.issuedAtMs > nowMs - MINUTE_MS)
  const [oldest] = lastMinute
  if (oldest !== undefined && lastMinute.length >= CLIENT_QUOTES_PER_MINUTE)
    return { of: "client", retryAfterMs: oldest.issuedAtMs + MINUTE_MS - nowMs }
  const open = own.filter((quote) => quote.open && quote.expiresAtMs > nowMs)
  const [next] = open
  if (next !== undefined && open.length >= CLIENT_OPEN_QUOTES_MAX)
    return { of: "client", retryAfterMs: next.expiresAtMs - nowMs }
  return isFull(state, nowMs) ? { of: "all", retryAfterMs: MINUTE_MS } : null
}

/** Promises a price, under a total that names the quote for as long as somebody may still pay it. */
export const decideQuote = (state: State, command: IssueQuote, nowMs: number): Decision<Answers["issueQuote"]> => {
  const { askedCents, memoHash, tail, client } = command
  if (!Number.isInteger(askedCents) || askedCents < ASKED_CENTS_MIN || askedCents > ASKED_CENTS_MAX)
    return refuse({ _tag: "invalid_amount" })
  if (!Number.isInteger(tail) || tail < 1 || tail > TAIL_MAX) return refuse({ _tag: "invalid_command" })
  if (state.quotes.has(memoHash)) return refuse({ _tag: "memo_in_use" })
  const excess = tooMany(state, client, nowMs)
  if (excess !== null) return refuse({ _tag: "too_many_quotes", ...excess })
  const askedUnits = askedCents * UNITS_PER_CENT
  const free = freeTotal(state, askedUnits, tail, nowMs)
  const [totalUnits, proof] = free === undefined ? [askedUnits, "signature" as const] : [free, "amount" as const]
  const expiresAtMs = nowMs + QUOTE_LIFE_MS
  return accept(
    { totalUnits, credits: creditsOf(askedUnits), proof, expiresAtMs },
    event("quote.issued", { memoHash, askedUnits, totalUnits, proof, expiresAt: instant(expiresAtMs), client }),
  )
}
