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

// Upstreams state the time in the header `Date`. One of them may be wrong or hostile, so several must agree.

/** Hosts that must agree. */
export const HOSTS_MIN = 3
/** How far the hosts that agree may be apart from their middle one, in milliseconds. */
const APART_MAX_MS = 60_000
/** The greatest age of a host's time. */
const AGE_MAX_MS = 15 * 60_000

/** Collects the times of upstream hosts. */
interface DateWitness {
  /** Records the headers `Date` and `Age` of a reply that has just arrived. */
  readonly note: (host: string, date: string | undefined, age: string | undefined) => void
  /** The present time by more than half of the recent hosts, at least `HOSTS_MIN`; null without such an agreement. */
  readonly nowMs: () => number | null
}

/** Makes a witness. `steadyMs`: a monotonic clock. Hosts are those of the sources, so their number is bounded. */
export const makeDateWitness = (steadyMs: () => number): DateWitness => {
  const times = new Map<string, { readonly atMs: number; readonly steadyMs: number }>()
  return {
    note: (host, date, age) => {
      const atMs = date === undefined ? Number.NaN : Date.parse(date)
      // A cached reply has the time at which it was stored; `Age` is the time since then.
      const ageMs = age === undefined ? 0 : Number(age) * 1000
      if (Number.isFinite(atMs) && Number.isFinite(ageMs) && ageMs >= 0)
        times.set(host, { atMs: atMs + ageMs, steadyMs: steadyMs() })
    },
    nowMs: () => {
      const now = steadyMs()
      const recent = [...times.values()]
        .filter((one) => now - one.steadyMs <= AGE_MAX_MS)
        .map((one) => one.atMs + (now - one.steadyMs))
        .sort((one, other) => one - other)
      const middle = recent[recent.length >> 1]
      if (middle === undefined || recent.length < HOSTS_MIN) return null
      const agreeing = recent.filter((atMs) => Math.abs(atMs - middle) <= APART_MAX_MS)
      return agreeing.length >= HOSTS_MIN && agreeing.length * 2 > recent.length ? middle : null
    },
  }
}
