import { Effect, Result } from "effect"
import type { WatchedChain } from "../../ledger/chain.port.ts"
import { type LedgerClock, WITNESS_MS_MAX } from "../../ledger/write/clock.ts"

const FIRST_EVERY = "5 seconds"
const EVERY = "60 seconds"
const NAME = "the chain's newest block"

/**
 * Has the chain's newest block witness the time for as long as it runs. A block is late by some seconds; a chain that
 * stands still is no witness, so a time that contradicts the clock counts only once a newer block has shown that the
 * chain goes on. `heard` runs after each look, with whether the chain can be a witness now.
 */
export const witnessChain = (options: {
  readonly chain: Pick<WatchedChain, "headAtMs">
  readonly clock: LedgerClock
  readonly wallMs: () => number
  readonly heard: (isWitness: boolean) => Effect.Effect<void>
}): Effect.Effect<never> => {
  const { chain, clock, wallMs, heard } = options
  let beforeMs: number | null = null
  let hasSpoken = false
  return Effect.gen(function* () {
    const asked = yield* Effect.result(chain.headAtMs)
    if (Result.isSuccess(asked)) {
      const atMs = asked.success
      const goesOn = beforeMs !== null && atMs > beforeMs
      beforeMs = atMs
      if (goesOn || Math.abs(wallMs() - atMs) <= WITNESS_MS_MAX) {
        clock.testify(NAME, atMs)
        hasSpoken = true
      }
    }
    yield* heard(Result.isSuccess(asked))
    yield* Effect.sleep(hasSpoken ? EVERY : FIRST_EVERY)
  }).pipe(Effect.forever)
}
