import { instant } from "../../schemas/event.ts"
import type { Answers } from "../answers.ts"
import type { IssueQuote } from "../command.ts"
import { event } from "../fold/entry.ts"
import { excessOf, mayHoldTail } from "../fold/quotes.ts"
import type { State } from "../fold/state.ts"
import {
  ASKED_CENTS_MAX,
  ASKED_CENTS_MIN,
  creditsOf,
  QUOTE_LIFE_MS,
  TAIL_MAX,
  TOTAL_HELD_MS,
  UNITS_PER_CENT,
} from "../rules.ts"
import { accept, type Decision, refuse } from "./decision.ts"
import { quotesOf } from "./evidence.ts"

const SECOND_MS = 1_000

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
