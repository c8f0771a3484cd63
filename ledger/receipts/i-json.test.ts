import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type JsonLimits, readIJson } from "./i-json.ts"

const limits: JsonLimits = { charactersMax: 100_000, valuesMax: 1_000, depthMax: 20 }
const read = (text: string, changed: Partial<JsonLimits> = {}) => readIJson(text, { ...limits, ...changed })
const refused = (problem: string) => ({ _tag: "Refused", problem })

const wellFormed = (text: string) => text.isWellFormed()
const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes("\\ud"))

describe("I-JSON", () => {
  it("is every JSON text that an engine writes, and has the same value", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(read(text)).toEqual({ _tag: "Read", value: JSON.parse(text) })
      }),
    )
  })

  it("has no member twice, however its name is written, at any depth", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter(wellFormed),
        json,
        json,
        fc.nat(5),
        (name, one, other, depth) => {
          const escaped = [...name].flatMap((character) =>
            Array.from(
              { length: character.length },
              (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
            ),
          )
          const twice = `{${JSON.stringify(name)}:${JSON.stringify(one)},"${escaped.join("")}":${JSON.stringify(other)}}`
          const text = `${'{"a":['.repeat(depth)}${twice}${"]}".repeat(depth)}`
          expect(read(text)).toEqual(refused("duplicate_member"))
        },
      ),
    )
    expect(read('{"a":{"b":1},"c":[{"b":1},{"b":1}],"b":2}')._tag).toBe("Read")
  })

  it.each(['{"a":"\\ud800"}', '{"\\udc00":1}', '["\\ud83dx"]'])("has no half of a surrogate pair: %s", (text) =>
    expect(read(text)).toEqual(refused("lone_surrogate")),
  )

  it.each(["1e400", "-1e400", "1e-400", "9007199254740993", "0.1000000000000000055", "1".repeat(500)])(
    "has no number that a double does not hold: %s",
    (number) => expect(read(`{"a":${number}}`)).toEqual(refused("inexact_number")),
  )

  it.each(["1.0", "100", "1e2", "-0.0", "0e7", "5e-324", "1.7976931348623157e308", "123456789012345680000"])(
    "has numbers in any spelling: %s",
    (number) => expect(read(`{"a":${number}}`)).toEqual({ _tag: "Read", value: { a: Number(number) } }),
  )

  it.each([
    "",
    "{",
    "[1,]",
    '{"a":1,}',
    "// x\n{}",
    '{"a":01}',
    '{"a":NaN}',
    '{"a":1}x',
    "{'a':1}",
    "\u00a0{}",
    '"\n"',
  ])("is JSON: %j", (text) => expect(read(text)).toEqual(refused("not_json")))

  it("is read within its limits, and given up beyond them", () => {
    expect(read('{"a":[1,2,3]}', { valuesMax: 6 })._tag).toBe("Read")
    expect(read('{"a":[1,2,3]}', { valuesMax: 5 })).toEqual(refused("too_large"))
    expect(read("[[[]]]", { depthMax: 3 })._tag).toBe("Read")
    expect(read("[[[]]]", { depthMax: 2 })).toEqual(refused("too_large"))
    expect(read('"abc"', { charactersMax: 5 })._tag).toBe("Read")
    expect(read('"abc"', { charactersMax: 4 })).toEqual(refused("too_large"))
    const nested = "[".repeat(1_000_000)
    expect(read(nested, { charactersMax: 2_000_000 })).toEqual(refused("too_large"))
  })
})
