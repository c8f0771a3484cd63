import { setImmediate } from "node:timers/promises"
import { Effect, Semaphore } from "effect"

/** From this size on what is made of documents is work that others would feel. */
const LARGE_BYTES = 512 * 1024

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

const breath = Effect.promise(() => setImmediate())

const withBreaths = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    while (true) {
      const step = steps.next()
      if (step.done === true) return step.value
      yield* breath
    }
  })

/**
 * Turns for everything that one thread does with documents. Large ones go one at a time and step by step, so that what is
 * small, and came meanwhile, waits for one step of one of them and not for all the work on all of them.
 */
export const makeTurns = (): Turns => {
  const turn = Semaphore.makeUnsafe(1)
  return {
    run: (bytes, steps) =>
      bytes < LARGE_BYTES
        ? Effect.sync(() => atOnce(steps))
        : breath.pipe(Effect.andThen(withBreaths(steps)), Semaphore.withPermit(turn)),
  }
}
