import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import type { HttpClient } from "../../ingestors/http-client.port.ts"
import { makeAdmission } from "../../ingestors/poll/admission.ts"
import { makeDocumentCache } from "../../ingestors/poll/document-cache.ts"
import type { InstanceCheckpoint } from "../../ingestors/poll/ingest-log.ts"
import type { Instance } from "../../ingestors/poll/plan.ts"
import { type PollReport, poll } from "../../ingestors/poll/poll.ts"
import { makeQuarantineFilter } from "../../ingestors/poll/poller.ts"
import { type PatchBase, type PollRecords, recordPoll } from "../../ingestors/poll/record.ts"
import { firstDueMs } from "../../ingestors/poll/schedule.ts"
import { makeStepScheduler } from "../../ingestors/poll/steps.ts"

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
  const dependencies = {
    http,
    cache: makeDocumentCache(),
    scheduler: makeStepScheduler(),
    timeoutMs: TIMEOUT_MS,
    admission: makeAdmission(new Map(), true),
  }
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
        poll(dependencies, instance, before?.checkpoint ?? null, false).pipe(
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
