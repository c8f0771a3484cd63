import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/**
 * Runs an effect for at most `durationMs`, then interrupts it and succeeds with what `late` gives. Like
 * `Effect.timeoutOrElse`, with a timer in place of a second fiber: every premium call has such a bound.
 */
export const within = <A, E>(effect: Effect.Effect<A, E>, durationMs: number, late: () => A): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    let isLate = false
    const fiber = Effect.runFork(effect)
    const timer = setTimeout(() => {
      isLate = true
      fiber.interruptUnsafe()
    }, durationMs)
    fiber.addObserver((exit) => {
      clearTimeout(timer)
      resume(isLate && Exit.isFailure(exit) ? Effect.sync(late) : exit)
    })
    return Effect.suspend(() => {
      clearTimeout(timer)
      return Fiber.interrupt(fiber)
    })
  })
