import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { inSlices, SLICE_MS } from "./yielding.ts"

/** Holds the thread for more than a slice. */
const hold = (): void => {
  const begun = performance.now()
  while (performance.now() - begun <= SLICE_MS);
}

it("yields to the event loop between items, and gives the results in order", async () => {
  const seen: Array<string> = []
  setImmediate(() => seen.push("another"))
  const made = await Effect.runPromise(
    inSlices(["a", "b", "c"], (item) => {
      hold()
      seen.push(item)
      return item.toUpperCase()
    }),
  )
  expect(made).toEqual(["A", "B", "C"])
  expect(seen.indexOf("another")).toBeLessThan(seen.indexOf("c"))
  expect(seen).toContain("another")
})
