import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { initialCounters, type State } from "../model/state.ts"
import { StateDamaged, type StateStore } from "../state-store.port.ts"
import { type FoldFailed, foldLedger, refuseCut } from "../write/fold-log.ts"
import { makeStateKeeper, stateTables } from "../write/state-cache.ts"

/** The result of the comparison of a cached state with its log. */
export interface CacheVerification {
  /** The last entry that the cached state was folded from; null if that cannot be read. */
  readonly sequence: number | null
  /**
   * `same`: it is the fold of the log. `unusable`: another version wrote it, or its log was moved; the next start discards
   * it. `wrong`: it is not what was written, or not what the log says. `unread`: it could not be read now, and nothing is
   * known of it.
   */
  readonly verdict: "same" | "unusable" | "wrong" | "unread"
  readonly problem: string | null
}

/** The first difference between a cached state and the fold of the log; null without one. */
const differenceOf = (cached: State, folded: State): string | null => {
  for (const name of Object.keys(initialCounters) as ReadonlyArray<keyof typeof initialCounters>)
    if (cached[name] !== folded[name]) return `its ${name} is ${cached[name]}, not ${folded[name]}`
  for (const { name, inOrder } of stateTables) {
    const [ours, theirs] = [cached[name], folded[name]]
    const order = inOrder ? [...theirs.entries()].map(([key]) => key) : []
    let count = 0
    for (const [key, value] of ours.entries()) {
      if (inOrder && order[count] !== key) return `its ${name} are in another order`
      // The compiler does not follow that both tables have keys of one type.
      if (!isDeepStrictEqual(value, Reflect.apply(theirs.get, theirs, [key]))) return `its ${name} differ in ${key}`
      count += 1
    }
    for (const _ of theirs.entries()) count -= 1
    if (count !== 0) return `its ${name} have ${-count} rows too few`
  }
  return null
}

const unusable = ({ problem, damage }: StateDamaged): CacheVerification => ({
  sequence: null,
  verdict: damage === "format" || damage === "moved" ? "unusable" : "wrong",
  problem,
})

/** Compares a cached state with the fold of the log up to its last entry. `store` is held by nothing else. */
export const verifyCached = (log: EventLog, store: StateStore): Effect.Effect<CacheVerification, FoldFailed> =>
  Effect.gen(function* () {
    const held = yield* store.hold(stateTables)
    const keeper = makeStateKeeper(held)
    if (keeper === undefined) return yield* new StateDamaged({ problem: "its format is another", damage: "format" })
    const { base, state } = keeper
    if (base === null) return { sequence: 0, verdict: "same" as const, problem: null }
    const { state: folded, tail } = yield* foldLedger(log, base.offset + 1)
    if (tail.sequence !== base.sequence || tail.hash !== base.hash) {
      yield* refuseCut(log, base)
      return yield* new StateDamaged({ problem: "its log was moved", damage: "moved" })
    }
    const problem = differenceOf(state, folded)
    const verdict = problem === null ? ("same" as const) : ("wrong" as const)
    return { sequence: base.sequence, verdict, problem }
  }).pipe(
    Effect.catchTags({
      StateDamaged: (damaged) => Effect.succeed(unusable(damaged)),
      StateUnwritable: ({ problem }) =>
        Effect.succeed<CacheVerification>({ sequence: null, verdict: "unread", problem }),
      LogCut: ({ message }) =>
        Effect.succeed<CacheVerification>({ sequence: null, verdict: "wrong", problem: message }),
    }),
  )
