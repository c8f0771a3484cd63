import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StateStore } from "../../../ledger/state-store.port.ts"
import type { Ledger } from "../../../ledger/write/session.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import { ratePerSecond, timesAtPace } from "../benchmark.ts"
import { hashOf } from "./scenes.ts"

/** The accounts of the contenders with many tokens. */
export const TOKENS = 10_000
/** Concurrent callers. */
export const CALLERS = [1, 64, 512] as const
/** Debits a second while latencies are measured. */
export const PACE = 1_000

const many = `${TOKENS.toLocaleString("en-US")} tokens`
const who = (callers: number): string => (callers === 1 ? "1 caller" : `${callers} callers`)
/** The label of a contender. */
export const hotLabel = (callers: number): string => `one hot token, ${who(callers)}`
export const manyLabel = (callers: number): string => `${many}, ${who(callers)}`

const fund = (ledger: Ledger, n: number) => {
  const account = `account-${n}`
  const wanted = { claimant: `grant/${account}`, origin: account, generation: 1 }
  return ledger.submit({
    _tag: "grant",
    account,
    credits: 100_000_000,
    operator: "bench",
    reason: "bench",
    payment: null,
    token: { ...wanted, kid: "k1", hash: hashOf(n) },
  })
}

/** Debits on a new ledger. */
export interface Debits {
  /** Debits one credit from the first so many accounts, in rotation. */
  readonly debit: (tokens: number) => () => Promise<unknown>
  /** Debits a second with so many callers on so many tokens. The debits are ended afterwards. */
  readonly rate: (callers: number, durationMs: number, tokens: number) => Promise<number>
  /** Debits a second, by label: for each number of callers, on one hot token and on many. */
  readonly contenders: (durationMs: number) => Readonly<Record<string, () => Promise<number>>>
  /** Latencies of debits at the fixed rate, in milliseconds. */
  readonly timesAtPace: (durationMs: number) => Promise<ReadonlyArray<number>>
}

/** Opens a ledger on a log and funds its accounts. */
export const openDebits = (log: EventLog, state: StateStore | undefined): Effect.Effect<Debits, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const ledger = yield* openLedger({ log, state })
    const accounts = Array.from({ length: TOKENS }, (_, n) => n)
    yield* Effect.forEach(accounts, (n) => fund(ledger, n), { concurrency: 512, discard: true })
    let next = 0
    const debit = (tokens: number) => () => {
      const n = next++
      const call = { credits: 1, purpose: "/api/pro/briefing", mayEndFree: false, idempotency: null }
      return Effect.runPromise(
        ledger.submit({ _tag: "debit", token: hashOf(n % tokens), debit: `debit-${n}`, ...call }),
      )
    }
    // Refunds of overdue debits precede all commands: the 100,000s of a round, all due within the same seconds, would delay
    // those of a later round beyond their limit. A service has at most as many open debits as calls in flight.
    const endAll = ledger
      .submit({ _tag: "refundOrphans", callsAreDead: true })
      .pipe(Effect.repeat({ while: ({ answer }) => answer.refunded > 0 }))
    const rate: Debits["rate"] = async (callers, durationMs, tokens) => {
      const perSecond = await ratePerSecond(callers, durationMs, debit(tokens))
      await Effect.runPromise(endAll)
      return perSecond
    }
    return {
      debit,
      rate,
      contenders: (durationMs) =>
        Object.fromEntries(
          CALLERS.flatMap((callers) => [
            [hotLabel(callers), () => rate(callers, durationMs, 1)],
            [manyLabel(callers), () => rate(callers, durationMs, TOKENS)],
          ]),
        ),
      timesAtPace: (durationMs) => timesAtPace(PACE, durationMs, debit(1)),
    }
  })
