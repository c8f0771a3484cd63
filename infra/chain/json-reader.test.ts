import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { JsonUnreadable, type KeepElement, makeJsonReader, TEXT_KEPT_CHARACTERS } from "./json-reader.ts"

const readChunks = (text: string, sizes: ReadonlyArray<number>, keep?: KeepElement) => {
  const bytes = Buffer.from(text)
  const reader = makeJsonReader(keep)
  let at = 0
  for (const size of sizes) {
    reader.push(bytes.subarray(at, at + size))
    at += size
  }
  reader.push(bytes.subarray(at))
  return reader.end()
}
const read = (text: string, keep?: KeepElement) => readChunks(text, [], keep)
const faultOf = (text: string) => {
  try {
    return read(text)
  } catch (cause) {
    return cause instanceof JsonUnreadable ? cause.fault : cause
  }
}

const latin = fc.string({ unit: "binary-ascii", maxLength: 40 })
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    latin,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(latin, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

describe("a document that is read as it arrives", () => {
  it("is what JSON.parse makes of it, wherever its chunks end", () => {
    fc.assert(
      fc.property(document, fc.array(fc.integer({ min: 0, max: 9 })), fc.boolean(), (value, sizes, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : 0)
        expect(readChunks(text, sizes)).toEqual({ value: JSON.parse(text) })
      }),
    )
  })
  it.each(["", "{", '{"a"', '{"a":', '{"a":1', "[1,", '"a', '"\\', '"\\u00', "  "])("is missing bytes: %j", (text) => {
    expect(read(text)).toBeUndefined()
  })
  it.each([
    "{]",
    "[}",
    "[1 2]",
    "[1,]",
    "[,1]",
    '{"a",1}',
    '{"a":1,}',
    "{1:2}",
    "[1]]",
    "[1][2]",
    "nul ",
    "01 ",
    "-",
    "tru}",
    '"\\x"',
    '"\\u00g0"',
    '"a\nb"',
    "<!doctype html>",
    `${"[".repeat(17)}`,
  ])("is none: %j", (text) => {
    expect(faultOf(`${text} `)).toBe("malformed")
  })
  it("keeps the beginning of a long text, and the same of one in small chunks", () => {
    const long = "ab".repeat(100_000)
    const kept = { value: [long.slice(0, TEXT_KEPT_CHARACTERS), 1] }
    expect(read(JSON.stringify([long, 1]))).toEqual(kept)
    expect(
      readChunks(
        JSON.stringify([long, 1]),
        Array.from({ length: 900 }, () => 7),
      ),
    ).toEqual(kept)
  })
  it("drops the elements of a list that are not kept, and names the list", () => {
    const seen: Array<unknown> = []
    const keep: KeepElement = (member, element) => {
      seen.push([member, element])
      return member !== "logs"
    }
    expect(read('{"logs":[{"n":[1]},2],"n":[3]}', keep)).toEqual({ value: { logs: [], n: [3] } })
    expect(seen).toEqual([
      ["n", 1],
      ["logs", { n: [1] }],
      ["logs", 2],
      ["n", 3],
    ])
  })
  it("holds any number of dropped elements, and no more than its bound of others", () => {
    const many = `{"logs":[${Array.from({ length: 50_000 }, () => '{"a":1,"b":"c"}').join(",")}]}`
    expect(read(many, (member) => member !== "logs")).toEqual({ value: { logs: [] } })
    expect(faultOf(many)).toBe("too_many_values")
    expect(faultOf(`{"logs":[[${Array.from({ length: 50_000 }, () => "1").join(",")}]]}`)).toBe("too_many_values")
  })
})
