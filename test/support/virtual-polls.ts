import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { makeAdmission } from "../../ingestors/admission.ts"
import { makeBudgets } from "../../ingestors/budgets.ts"
import type { InstanceCheckpoint } from "../../ingestors/checkpoint.ts"
import { makeDocumentCache } from "../../ingestors/document-cache.ts"
import type { HttpClient } from "../../ingestors/http-client.port.ts"
import type { PatchBase } from "../../ingestors/patch-base.ts"
import type { Instance } from "../../ingestors/plan.ts"
import { type PollReport, poll } from "../../ingestors/poll.ts"
import { makeQuarantineFilter } from "../../ingestors/poller.ts"
import { type PollRecords, recordPoll } from "../../ingestors/record-poll.ts"
import { firstDueMs } from "../../ingestors/schedule.ts"
import { makeStepScheduler } from "../../ingestors/steps.ts"

/** A clock that stands still until it is moved. */
export interface StoppedClock {
  nowMs: number
}

const clockOf = (stopped: StoppedClock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => stopped.nowMs,
  currentTimeMillis: Effect.sync(() => stopped.nowMs),
  currentTimeNanosUnsafe: () => BigInt(stopped.nowMs) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(stopped.nowMs) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(stopped.nowMs) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(stopped.nowMs) * 1_000_000n),
  // No time passes within a poll, so no deadline is reached.
  sleep: () => Effect.never,
})

/** One poll: what it brought, and what was logged of it. */
export interface VirtualPoll {
  readonly instance: Instance
  readonly report: PollReport
  readonly recorded: PollRecords
}

/** The polls of some instances on a clock that a test moves, by the ingest role's own rules of admission and schedule. */
export interface VirtualPolls {
  /** Polls an instance now. */
  readonly poll: (instance: Instance) => Promise<VirtualPoll>
  /** When an instance is due next. */
  readonly dueMs: (instance: Instance) => number
}

/** Half of the jitter. */
const RANDOM = 0.5
const TIMEOUT_MS = 8_000

/** Makes the polls; `http` takes its time from the same clock. */
export const makeVirtualPolls = (http: HttpClient, clock: StoppedClock): VirtualPolls => {
  const budgets = makeBudgets(new Map())
  const admission = makeAdmission(budgets, true)
  const context = { http, cache: makeDocumentCache(), scheduler: makeStepScheduler(), timeoutMs: TIMEOUT_MS }
  const filter = makeQuarantineFilter()
  const states = new Map<string, { readonly checkpoint: InstanceCheckpoint; readonly base: PatchBase | null }>()
  const beganMs = clock.nowMs
  let ids = 0
  return {
    dueMs: ({ key, everyMs }) => {
      const before = states.get(key)
      return before === undefined ? firstDueMs(null, everyMs, beganMs, RANDOM) : Date.parse(before.checkpoint.dueAt)
    },
    poll: async (instance) => {
      const before = states.get(instance.key) ?? null
      const { nowMs } = clock
      const report = await Effect.runPromise(
        poll({ context, admission }, instance, before?.checkpoint ?? null, false, (candidate) =>
          admission.begin(candidate, false, nowMs),
        ).pipe(
          Effect.provideService(Clock.Clock, clockOf(clock)),
          Effect.provideService(References.MinimumLogLevel, "None"),
        ),
      )
      const recorded = recordPoll(instance, before?.checkpoint ?? null, report, {
        timeMs: nowMs,
        beganMs: nowMs,
        random: RANDOM,
        newId: () => `poll-${ids++}`,
        scheduled: true,
        base: before?.base ?? null,
        quarantine: (undecoded) => filter(instance.key, undecoded, nowMs),
      })
      states.set(instance.key, { checkpoint: recorded.checkpoint, base: recorded.base })
      return { instance, report, recorded }
    },
  }
}
