import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parseBytes } from "./formats.ts"
import { jsonProblemOf } from "./json-bounds.ts"

const bytes = (text: string) => Buffer.from(text)
const MEGABYTE = 1024 * 1024

describe("a JSON document", () => {
  it.each([
    ["millions of empty objects", `[{}${",{}".repeat(2 * MEGABYTE)}]`, "of more values"],
    ["millions of empty lists", `[[]${",[]".repeat(2 * MEGABYTE)}]`, "of more values"],
    ["millions of numbers", `[0${",0".repeat(5 * MEGABYTE)}]`, "of more values"],
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

  it("that is small is left to the parser", () => {
    expect(jsonProblemOf(bytes("[".repeat(1_000)))).toBeNull()
  })
})
