import * as Effect from "effect/Effect"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { evolve } from "../../../ledger/model/decider.ts"
import { initialState } from "../../../ledger/model/state.ts"
import { makeStateKeeper, stateTables } from "../../../ledger/write/state-cache.ts"
import { hashOf, openingOf } from "./scenes.ts"

// Folds so many accounts, in memory or into a store in the directory of its second argument, and prints its heap in MB. Run
// with --expose-gc.

const EVENTS_EACH_WRITE = 250_000

const [accounts, path] = [Number(process.argv[2]), process.argv[3]]

const heapMb = (): number => {
  global.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

const measure = Effect.gen(function* () {
  const before = heapMb()
  const keeper =
    path === undefined
      ? undefined
      : makeStateKeeper(yield* Effect.flatMap(openLmdbState({ path }), (store) => store.hold(stateTables)))
  const state = keeper?.state ?? initialState()
  let sequence = 0
  for (let n = 0; n < accounts; n++) {
    for (const event of openingOf(n)) evolve(state, event, n)
    sequence += 2
    if (sequence % EVENTS_EACH_WRITE === 0 && keeper !== undefined)
      yield* keeper.flush({ offset: sequence - 1, sequence, hash: hashOf(0) })
  }
  if (keeper !== undefined) yield* keeper.flush({ offset: sequence - 1, sequence, hash: hashOf(0) })
  process.stdout.write(`${heapMb() - before}\n`)
  // A use of the state after the measurement, so that it was not collected before.
  if (state.tokens.get(hashOf(0)) === undefined) throw new Error("an account is missing")
})

await Effect.runPromise(Effect.scoped(measure))
