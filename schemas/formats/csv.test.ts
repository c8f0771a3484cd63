import { parse } from "csv-parse/sync"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json } from "../json.ts"
import { csvOf } from "./csv.ts"
import { rowsOf, tableOf } from "./table.ts"

const Item = Schema.Struct({
  text: Schema.NullOr(Schema.String),
  number: Schema.NullOr(Schema.Finite.annotate({ unit: "km" })),
  tags: Schema.Array(Schema.String),
  inner: Schema.optionalKey(Schema.Struct({ at: Schema.String })),
  others: Schema.Array(Schema.Struct({ name: Schema.String })),
})
const table = tableOf(Schema.Struct({ items: Schema.Array(Item) }))
const HEADER = "text,number [km],tags,inner.at,others"

const csv = (...items: ReadonlyArray<Json>): string => {
  const rows = table === null ? null : rowsOf(table, { items })
  if (rows === null) throw new Error("there are no rows")
  return csvOf(rows)
}
const line = (item: object): string => {
  const [header, only, end, ...rest] = csv({ text: null, number: null, tags: [], others: [], ...item } as Json).split(
    "\r\n",
  )
  expect([header, end, rest]).toEqual([HEADER, "", []])
  return only ?? ""
}

/** The text that was made a cell, from what a parser of CSV reads. */
const restored = (cell: string): string => cell.replace(/(^|;)'(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1")

/** The items of a list, of its cell's text. */
const itemsOf = (text: string): ReadonlyArray<string> => {
  const items: Array<string> = []
  let item = ""
  for (let at = 0; at < text.length; at++) {
    const isEscaped = text[at] === "\\"
    if (isEscaped) at++
    if (text[at] === ";" && !isEscaped) {
      items.push(item)
      item = ""
    } else item += text[at]
  }
  return [...items, item]
}

describe("a table as CSV", () => {
  it("ends every line with CRLF, quotes what must be quoted, and tells null from empty text", () => {
    expect(csv()).toBe(`${HEADER}\r\n`)
    expect(csv({ text: 'a "b", c\r\nd', number: -5, tags: ["x"], others: [] })).toBe(
      `${HEADER}\r\n"a ""b"", c\r\nd",-5,x,,[]\r\n`,
    )
    expect(line({ text: null })).toBe(',,"",,[]')
    expect(line({ text: "" })).toBe('"",,"",,[]')
  })

  it("flattens objects with dots, joins lists, and writes lists of objects as JSON", () => {
    expect(line({ inner: { at: "here" }, tags: ["a", "b;c", "d\\e"] })).toBe(',,"a;b\\;c;d\\\\e",here,[]')
    expect(line({ others: [{ name: "=1" }] })).toBe(',,"",,"[{""name"":""=1""}]"')
  })

  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", '"\'\t=1"'],
    ["\r=1", '"\'\r=1"'],
    ["'=1", "''=1"],
    ["\uFF1D1", "'\uFF1D1"],
    ["x;=1+1", '"x;\'=1+1"'],
    ["x;=cmd|' /C calc'!A0;y", "\"x;'=cmd|' /C calc'!A0;y\""],
    ["x;'@SUM(A1);;+2;z", "\"x;''@SUM(A1);;'+2;z\""],
    ["1-2", "1-2"],
    ["x; =1", '"x; =1"'],
    ["'quoted'", "'quoted'"],
  ])("defuses %j", (text, cell) => {
    expect(csv({ text, number: null, tags: [], others: [] })).toBe(`${HEADER}\r\n${cell},,"",,[]\r\n`)
  })

  it("leaves numbers as they are, and defuses each item of a list", () => {
    expect(line({ number: -1e-7, tags: ["=1", "b", "@c", "d;=2"] })).toBe(",-1e-7,\"'=1;b;'@c;d\\;'=2\",,[]")
  })

  it("keeps every text, however hostile, as an independent parser reads it", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.toWellFormed()),
      fc.stringMatching(/^['=+\-@\t\r\n",; \\]{0,8}$/),
    )
    const item = fc.record({
      text: hostile,
      number: fc.double({ noNaN: true, noDefaultInfinity: true }),
      tags: fc.array(hostile, { minLength: 1, maxLength: 3 }),
      inner: fc.record({ at: hostile }),
      others: fc.constant([]),
    })
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
        const [, ...records]: Array<Array<string>> = parse(csv(...items), { recordDelimiter: "\r\n" })
        expect(records.length).toBe(items.length)
        for (const [at, [text = "", number, tags = "", inner = ""]] of records.entries()) {
          const given = items[at]
          // Of a program that separates by semicolons, too, whatever stands in quotes.
          for (const cell of [text, tags, inner]) expect(cell).not.toMatch(/(^|;)[=+\-@\t\r\n]/)
          expect([restored(text), restored(inner)]).toEqual([given?.text, given?.inner.at])
          // -0 has no text of its own in JSON either.
          expect(Number(number)).toBe((given?.number ?? 0) + 0)
          expect(itemsOf(restored(tags))).toEqual(given?.tags)
        }
      }),
    )
  })
})
