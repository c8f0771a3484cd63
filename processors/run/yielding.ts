import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"

/** The longest time that cooperative work holds the thread before it yields, in milliseconds. */
export const SLICE_MS = 8

/** Yields to the event loop: other work that waits for the thread runs first. */
export const yieldThread: Effect.Effect<void> = Effect.promise(() => setImmediate())

/** Maps items in order, and yields to the event loop between two items whenever `SLICE_MS` are used up. */
export const inSlices = Effect.fnUntraced(function* <Item, Made>(
  items: ReadonlyArray<Item>,
  each: (item: Item) => Made,
): Effect.fn.Return<ReadonlyArray<Made>> {
  const made: Array<Made> = []
  let begun = performance.now()
  for (const item of items) {
    if (performance.now() - begun >= SLICE_MS) {
      yield* yieldThread
      begun = performance.now()
    }
    made.push(each(item))
  }
  return made
})
