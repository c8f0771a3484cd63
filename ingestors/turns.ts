import { setImmediate } from "node:timers/promises"
import { Effect } from "effect"

/** From this size on what is made of documents is work that others would feel. */
const LARGE_BYTES = 512 * 1024
/** How much later work is due for being larger: well below the pace at which it is done, so that sizes tell. */
const BYTES_DUE_EACH_MS = 4 * 1024

/** Work that may be left alone for a moment wherever it says `yield`. */
export type Steps<A> = Generator<void, A, void>

/** Does all steps, one right after the other. */
export const atOnce = <A>(steps: Steps<A>): A => {
  while (true) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Who works on large documents, and who may go first. */
export interface Turns {
  /** Does work on so many bytes: at once where they are few. */
  readonly run: <A>(bytes: number, steps: Steps<A>) => Effect.Effect<A>
}

/** Large work that waits for its next step. */
interface Job {
  readonly dueMs: number
  /** Does one step; whether it was the last. */
  readonly step: () => boolean
}

const earliest = (jobs: Iterable<Job>): Job | undefined => {
  let first: Job | undefined
  for (const job of jobs) if (first === undefined || job.dueMs < first.dueMs) first = job
  return first
}

/**
 * Turns for everything that one thread does with documents. Large ones go step by step, each step to whoever is due
 * first, so that what is small, and came meanwhile, waits for one step and not for all the work on all of them. Work is
 * due the later the more it is, and so the less large goes before the larger that came a moment before it; yet nothing
 * waits for ever, as whatever comes late enough is due later.
 */
export const makeTurns = (): Turns => {
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
        ? Effect.sync(() => atOnce(steps))
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
