import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { parseBytes } from "./formats.ts"
import { jsonProblemOf, makeJsonInspector } from "./json-bounds.ts"

const bytes = (text: string) => Buffer.from(text)
const MEGABYTE = 1024 * 1024

describe("a JSON document", () => {
  it.each([
    ["millions of empty objects", `[{}${",{}".repeat(2 * MEGABYTE)}]`, "more values than the limit"],
    ["millions of empty lists", `[[]${",[]".repeat(2 * MEGABYTE)}]`, "more values than the limit"],
    ["millions of numbers", `[0${",0".repeat(5 * MEGABYTE)}]`, "more values than the limit"],
    ["lists in lists", "[".repeat(MEGABYTE), "nested deeper than 64"],
    ["objects in objects", `${'{"a":'.repeat(MEGABYTE / 4)}1`, "nested deeper than 64"],
  ])("of %s is refused before it is parsed", (_, text, problem) => {
    expect(Result.getOrThrow(Result.flip(parseBytes("json", bytes(text))))).toContain(problem)
  })

  it("is parsed where the structure stands in a text", () => {
    const text = JSON.stringify({ text: `${'[{"\\'.repeat(MEGABYTE)}"` })
    expect(jsonProblemOf(bytes(text))).toBeNull()
    expect(parseBytes("json", bytes(text))).toEqual(Result.succeed(JSON.parse(text)))
  })

  it("is parsed with as much as a large upstream has", () => {
    const item = { id: "us7000abcd", properties: { magnitude: 4.2, place: "somewhere" }, geometry: [1, 2, 3] }
    const items = Array.from({ length: 50_000 }, () => item)
    expect(jsonProblemOf(bytes(JSON.stringify({ items })))).toBeNull()
  })

  it("is judged alike in pieces of any size", () => {
    const texts = [
      "[".repeat(65),
      "[".repeat(64),
      JSON.stringify(['\\"['.repeat(100), { "]": "\\" }]),
      `"\\\\"${"[".repeat(65)}`,
    ]
    for (const text of texts)
      for (const size of [1, 2, 3, 7, 64]) {
        const inspect = makeJsonInspector()
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          bytes(text.slice(at * size, (at + 1) * size)),
        )
        const problem = pieces.reduce<string | null>((found, piece) => found ?? inspect(piece), null)
        expect(problem, `${text.slice(0, 20)} by ${size}`).toBe(jsonProblemOf(bytes(text)))
      }
  })
})
