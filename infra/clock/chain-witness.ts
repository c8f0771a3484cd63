import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { WatchedChain } from "../../ledger/chain.port.ts"
import { type LedgerClock, WITNESS_MAX_MS } from "../../ledger/write/clock.ts"

const FIRST_EVERY = "5 seconds"
const EVERY = "60 seconds"
const NAME = "the chain's newest block"

/**
 * Feeds the time of the chain's newest block to the clock as a testimony, until it is interrupted. A block lags by some
 * seconds. A halted chain is no witness, so a time that contradicts the clock counts only after a newer block has shown
 * that the chain advances. `onLook` runs after each look-up, with whether the chain answered.
 */
export const witnessChain = (options: {
  readonly chain: Pick<WatchedChain, "headAtMs">
  readonly clock: LedgerClock
  readonly wallMs: () => number
  readonly onLook: (isWitness: boolean) => Effect.Effect<void>
}): Effect.Effect<never> => {
  const { chain, clock, wallMs, onLook } = options
  let beforeMs: number | null = null
  let hasTestified = false
  return Effect.gen(function* () {
    const asked = yield* Effect.result(chain.headAtMs)
    if (Result.isSuccess(asked)) {
      const atMs = asked.success
      const advances = beforeMs !== null && atMs > beforeMs
      beforeMs = atMs
      if (advances || Math.abs(wallMs() - atMs) <= WITNESS_MAX_MS) {
        clock.testify(NAME, atMs)
        hasTestified = true
      }
    }
    yield* onLook(Result.isSuccess(asked))
    yield* Effect.sleep(hasTestified ? EVERY : FIRST_EVERY)
  }).pipe(Effect.forever)
}
