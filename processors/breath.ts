import { setImmediate } from "node:timers/promises"
import { Effect } from "effect"

/** How long work over many things may hold the thread before others get it, in milliseconds. */
export const SLICE_MS = 8

/** Gives the thread to whoever waits for it. */
export const breath: Effect.Effect<void> = Effect.promise(() => setImmediate())

/** What `each` makes of every item, in order; between two items others get the thread once a slice of time is used up. */
export const inSlices = <Item, Made>(
  items: ReadonlyArray<Item>,
  each: (item: Item) => Made,
): Effect.Effect<ReadonlyArray<Made>> =>
  Effect.gen(function* () {
    const made: Array<Made> = []
    let begun = performance.now()
    for (const item of items) {
      if (performance.now() - begun >= SLICE_MS) {
        yield* breath
        begun = performance.now()
      }
      made.push(each(item))
    }
    return made
  })
