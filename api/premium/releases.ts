import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { LedgerClient } from "../../ledger/client.ts"

/** The pause between two tries, in milliseconds. */
const TRY_EVERY_MS = 250
/** As long as the ledger would keep such a debit open at most; then it has refunded the debit itself. */
export const RELEASE_MAX_MS = 60_000
const DEBITS_MAX = 10_000
const CONCURRENT_MAX = 64

/** Debits of calls that got no reply while it was unknown whether the debit is open. */
export interface Releases {
  /** Refunds a debit, unless it was settled, as soon as the ledger answers. */
  readonly add: (debit: string) => void
  /** Ends the tries. The ledger refunds what is left after its deadline. */
  readonly close: () => void
}

/**
 * Makes the list of debits to release, which are tried until the ledger has answered for each. A settled debit stays
 * settled, and one that was never made has no effect, so that a debit may be added whatever has become of it.
 */
export const makeReleases = (ledger: LedgerClient): Releases => {
  const untilMs = new Map<string, number>()
  let running: Fiber.Fiber<void> | null = null
  const tryOne = ([debit, endMs]: readonly [string, number]): Effect.Effect<void> =>
    Effect.map(Effect.result(ledger.submit({ _tag: "refund", debit, operator: null })), (outcome) => {
      const isUnanswered = outcome._tag === "Failure" && outcome.failure._tag === "billing_unavailable"
      if (!isUnanswered || performance.now() > endMs) untilMs.delete(debit)
    })
  const run: Effect.Effect<void> = Effect.suspend(() => {
    if (untilMs.size === 0) {
      running = null
      return Effect.void
    }
    return Effect.forEach([...untilMs], tryOne, { concurrency: CONCURRENT_MAX, discard: true }).pipe(
      Effect.andThen(Effect.sleep(TRY_EVERY_MS)),
      Effect.andThen(run),
    )
  })
  return {
    add: (debit) => {
      if (untilMs.size >= DEBITS_MAX) return
      untilMs.set(debit, performance.now() + RELEASE_MAX_MS)
      running ??= Effect.runFork(run)
    },
    close: () => {
      untilMs.clear()
      if (running !== null) Effect.runFork(Fiber.interrupt(running))
    },
  }
}
