import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type DataOf, encodeEvent, instant, makeEvent } from "../schemas/event.ts"
import { usageCounted } from "../schemas/events/usage.ts"
import type { EventLog } from "../schemas/ports/event-log.ts"
import type { Traffic } from "./http/traffic.ts"

const REPORT_EVERY = "1 minute"
/** The first minute is reported in shorter steps, so that a new service can show requests soon. */
const FIRST_REPORTS_EVERY = "10 seconds"
const FIRST_REPORTS = 6
/** A log that is away must not keep a process from its end: what it does not take until then is lost. */
const LAST_REPORTS_MAX = "1 second"

/** Options of the usage report. */
export interface UsageOptions {
  readonly log: Pick<EventLog, "append">
  readonly traffic: Traffic
  /** Random id of this process, new at each start. */
  readonly instance: string
  readonly nowMs: () => number
}

type Batch = DataOf<typeof usageCounted>

/**
 * Makes the report of usage: each run appends the counts since the run before to topic `usage`, as one event. A batch
 * whose append failed is appended again, unchanged and under the same sequence number, before a newer one; until then the
 * counts accumulate in the meters, in constant memory. A minute without requests appends nothing.
 */
export const makeUsageReport = ({ log, traffic, instance, nowMs }: UsageOptions): Effect.Effect<void> => {
  let sequence = 0
  let fromMs = nowMs()
  let unwritten: Batch | null = null

  const next = (): Batch | null => {
    if (unwritten !== null) return unwritten
    const counts = traffic.takeUsage()
    const toMs = nowMs()
    const batch = { instance, sequence, from: instant(fromMs), to: instant(toMs), counts }
    fromMs = toMs
    if (counts.length === 0) return null
    sequence += 1
    return batch
  }

  const write = (batch: Batch) =>
    log.append([
      {
        topic: "usage",
        key: instance,
        value: encodeEvent(
          makeEvent(usageCounted, {
            id: `${instance}/${batch.sequence}`,
            source: "tidewire/api",
            subject: instance,
            time: batch.to,
            data: batch,
          }),
        ),
      },
    ])

  return Effect.gen(function* () {
    const batch = next()
    if (batch === null) return
    unwritten = batch
    yield* write(batch)
    unwritten = null
  }).pipe(
    Effect.catch((failed) => Effect.logWarning(`usage could not be written: ${failed.message}`)),
    Effect.asVoid,
  )
}

/** Reports usage every minute, more often in the first one, and once more when the scope closes: close the API first. */
export const reportUsage = (options: UsageOptions): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function* () {
    const report = makeUsageReport(options)
    // Twice: a batch whose append failed before, and the counts since.
    const last = Effect.interruptible(Effect.andThen(report, report)).pipe(Effect.timeoutOption(LAST_REPORTS_MAX))
    yield* Effect.addFinalizer(() => last)
    yield* report.pipe(Effect.repeat({ schedule: Schedule.spaced(FIRST_REPORTS_EVERY), times: FIRST_REPORTS }))
    yield* report.pipe(Effect.repeat(Schedule.spaced(REPORT_EVERY)))
    return yield* Effect.never
  })
