import * as fc from "fast-check"
import { expect, it } from "vitest"
import { onceByText } from "./once-by-text.ts"

it("gives what the function gives, in whatever order the texts come", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 50 }), (texts) => {
      const of = (text: string) => ({ length: text.length, upper: text.toUpperCase() })
      const once = onceByText(3, of)
      expect(texts.map(once)).toEqual(texts.map(of))
    }),
  )
})

it("calls the function once for a text, and again for one that others have displaced", () => {
  const calls: Array<string> = []
  const once = onceByText(2, (text) => {
    calls.push(text)
    return text.length
  })
  for (const text of ["a", "a", "b", "a", "c", "a", "b"]) once(text)
  expect(calls).toEqual(["a", "b", "c", "b"])
})

it("remembers no text of a hostile length", () => {
  let calls = 0
  const once = onceByText(2, () => {
    calls += 1
    return calls
  })
  const long = "x".repeat(2_001)
  expect([once(long), once(long), once("short"), once("short")]).toEqual([1, 2, 3, 3])
})
