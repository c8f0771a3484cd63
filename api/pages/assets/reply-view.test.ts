import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { Json } from "../../../schemas/json.ts"
import { comparedLines, excerptOf, replyStateOf } from "./reply-view.js"

type ExcerptLimits = NonNullable<Parameters<typeof excerptOf>[1]>

const json = fc.jsonValue() as fc.Arbitrary<Json>
const generous: ExcerptLimits = { itemsMax: 1e6, membersMax: 1e6, textMaxCharacters: 1e6, linesMax: 1e6 }
const small: ExcerptLimits = { itemsMax: 2, membersMax: 2, textMaxCharacters: 5, linesMax: 12 }

it("is the value's JSON where nothing is left out", () => {
  fc.assert(
    fc.property(json, (value) => {
      const { text, isCut } = excerptOf(value, generous)
      expect(isCut).toBe(false)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it("says that something is left out exactly where it is, and stays within its lines", () => {
  fc.assert(
    fc.property(json, (value) => {
      const whole = excerptOf(value, generous).text
      const { text, isCut } = excerptOf(value, small)
      expect(text.split("\n").length).toBeLessThanOrEqual(small.linesMax + 1)
      expect(isCut).toBe(text !== whole)
    }),
  )
})

it("counts what is left out where it stood, and cuts no character in half", () => {
  const value = { list: [1, 2, 3, 4], text: "😀😀😀😀😀😀", a: 1, b: 2 }
  expect(excerptOf(value, { ...small, membersMax: 3 }).text.split("\n")).toEqual([
    "{",
    '  "list": [',
    "    1,",
    "    2,",
    "    … 2 more",
    "  ],",
    '  "text": "😀😀😀😀😀…",',
    '  "a": 1,',
    "  … 1 more",
    "}",
  ])
})

it("costs what is shown of it, however large the value is", () => {
  const huge = Array.from({ length: 1_000_000 }, (_, at) => at)
  expect(excerptOf({ huge }).text).toContain("… 999998 more")
})

it("knows the lines that are new, where others only moved", () => {
  const lines = comparedLines("{\n  a: 1\n  b: 2\n}", "{\n  b: 2\n  a: 3\n}")
  expect(lines.filter(({ isNew }) => isNew).map(({ line }) => line)).toEqual(["  a: 3"])
  expect(lines.map(({ line }) => line).join("\n")).toBe("{\n  b: 2\n  a: 3\n}")
})

it("says why there is no data by what its source does, without the code that programs read", () => {
  const restOf = (missing: string) => replyStateOf({ stale: true, missing, asOf: null }).rest
  expect(restOf("circuit_open: the host is not requested for a while: ECONNREFUSED")).toBe(
    " Source unreachable, retrying",
  )
  expect(restOf("not_tried_yet")).toBe(" not tried yet")
  // The browser reads this text back from the page: words without a code stay as they are.
  expect(restOf("Source unreachable, retrying")).toBe(" Source unreachable, retrying")
})
