import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"

/** Documents from this size on are processed in steps, so that they do not block the thread. */
const LARGE_BYTES = 512 * 1024
/** Deadline penalty: 1 ms per 4 KiB, well above what the work takes, so that small jobs run first. */
const BYTES_DUE_EACH_MS = 4 * 1024

/** Cooperative work: may pause at each `yield`. */
export type Steps<A> = Generator<void, A, void>

/** Runs all steps at once. */
export const runSteps = <A>(steps: Steps<A>): A => {
  while (true) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Schedules the processing of large documents on one thread. */
export interface StepScheduler {
  /** Runs the work on a document of this size; small documents are processed at once. */
  readonly run: <A>(bytes: number, steps: Steps<A>) => Effect.Effect<A>
}

/** Work on a large document that waits for its next step. */
interface Job {
  readonly dueMs: number
  /** Runs one step; gives whether it was the last. */
  readonly step: () => boolean
}

const earliest = (jobs: Iterable<Job>): Job | undefined => {
  let first: Job | undefined
  for (const job of jobs) if (first === undefined || job.dueMs < first.dueMs) first = job
  return first
}

/**
 * Makes the scheduler of a thread. Large jobs run step by step, each time a step of the job with the earliest deadline, so
 * that a small job that arrives meanwhile waits for one step only. A deadline is the arrival plus a penalty for the size:
 * smaller jobs overtake larger ones that came shortly before, and no job waits for ever. The earliest deadline is found by a
 * linear scan: too few large documents wait at a time for a priority queue.
 */
export const makeStepScheduler = (): StepScheduler => {
  const jobs = new Set<Job>()
  let working = false
  const work = async () => {
    working = true
    while (jobs.size > 0) {
      await setImmediate()
      const next = earliest(jobs)
      if (next?.step()) jobs.delete(next)
    }
    working = false
  }
  return {
    run: (bytes, steps) =>
      bytes < LARGE_BYTES
        ? Effect.sync(() => runSteps(steps))
        : Effect.callback((resume) => {
            const step = () => {
              try {
                const { done, value } = steps.next()
                if (done === true) resume(Effect.succeed(value))
                return done === true
              } catch (defect) {
                resume(Effect.die(defect))
                return true
              }
            }
            const job = { dueMs: performance.now() + bytes / BYTES_DUE_EACH_MS, step }
            jobs.add(job)
            if (!working) void work()
            return Effect.sync(() => void jobs.delete(job))
          }),
  }
}
