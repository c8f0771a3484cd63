import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { csvTable } from "./csv.ts"
import { oneOrMany, parseBytes, XmlText } from "./formats.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const parsed = (format: "json" | "xml" | "csv" | "text", text: string) =>
  Result.getOrThrow(parseBytes(format, bytes(text)))
const refused = (format: "json" | "xml" | "csv" | "text", content: string | Uint8Array) => {
  const result = parseBytes(format, typeof content === "string" ? bytes(content) : content)
  return Result.isFailure(result) ? result.failure : null
}

describe("json", () => {
  it("tolerates a byte order mark", () => expect(parsed("json", '\uFEFF{"a":1}')).toEqual({ a: 1 }))
  it("refuses what is not UTF-8", () =>
    expect(refused("json", new Uint8Array([0x22, 0xff, 0x22]))).toMatch(/^not json/))
  it("refuses a cut document", () => expect(refused("json", '{"a":[1,2')).toMatch(/^not json/))
})

describe("xml", () => {
  it("keeps attributes, prefixes and text as they are", () =>
    expect(parsed("xml", '<a x="1"><g:b>01</g:b><c/><d>&amp;&#8217;&lt;</d></a>')).toEqual({
      a: { "@_x": "1", "g:b": "01", c: "", d: "&\u2019<" },
    }))
  it("keeps inline XHTML as one text, in order", () =>
    expect(parsed("xml", '<e><summary type="xhtml"><div><b>M</b> 4 <b>L</b> 5</div></summary></e>')).toEqual({
      e: { summary: { "@_type": "xhtml", "#text": "<div><b>M</b> 4 <b>L</b> 5</div>" } },
    }))
  it("reads the character set that is declared", () => {
    const latin = Uint8Array.from([...bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a>'), 0xe9, ...bytes("</a>")])
    expect(Result.getOrThrow(parseBytes("xml", latin))).toMatchObject({ a: "\u00e9" })
  })
  it.each([
    ["declared entities", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ["cut", "<a><b>"],
    ["empty", ""],
    ["JSON", "{}"],
    ["endless nesting", "<a>".repeat(5000) + "</a>".repeat(5000)],
  ])("refuses %s", (_, text) => expect(refused("xml", text)).toMatch(/^not xml/))
})

describe("csv", () => {
  const Row = csvTable(["a", "b"], Schema.Struct({ a: Schema.FiniteFromString, b: Schema.String }))
  it("reads rows by the header's names, whatever the delimiter", () => {
    for (const delimiter of [",", "|", ";", "\t"])
      expect(parsed("csv", [`a${delimiter}b`, `1${delimiter}"x"`, ""].join("\r\n"))).toEqual({
        columns: ["a", "b"],
        rows: [{ a: "1", b: "x" }],
      })
  })
  it("has no cell of a row with a wrong number of columns, which is not left out", () =>
    expect(parsed("csv", "a,b\n1,2\n3\n4,5")).toEqual({
      columns: ["a", "b"],
      rows: [{ a: "1", b: "2" }, {}, { a: "4", b: "5" }],
    }))
  it.each([
    ["an error text", "Invalid MAP_KEY."],
    ["an error page", "<html>,\n</html>"],
    ["an error object", '{"error":"no","code":1}'],
    ["mostly ragged rows", "a,b\n1\n2\n3\n4,5"],
    ["nothing", ""],
  ])("refuses %s", (_, text) => expect(refused("csv", text)).toMatch(/^not csv/))
  it("decodes rows, and takes an error text with a comma for no table", () => {
    const decode = Schema.decodeUnknownResult(Row)
    expect(Result.getOrThrow(decode(parsed("csv", "a,b,c\n1,x,y")))).toMatchObject({ rows: [{ a: 1, b: "x" }] })
    expect(Result.isFailure(decode(parsed("csv", "Sorry, try later")))).toBe(true)
    expect(Result.isSuccess(decode(parsed("csv", "b,a\n")))).toBe(true)
  })
})

describe("schema helpers", () => {
  const Items = Schema.decodeUnknownSync(oneOrMany(Schema.Struct({ x: XmlText })))
  it("make one, many and none an array", () => {
    expect(Items({ x: "1" })).toEqual([{ x: "1" }])
    expect(Items([{ x: "1" }, { x: { "#text": "2", "@_y": "z" } }])).toEqual([{ x: "1" }, { x: "2" }])
    expect(Items("")).toEqual([])
  })
  it("refuse what has no text", () => expect(() => Schema.decodeUnknownSync(XmlText)(["a"])).toThrow())
})

it("never throws, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.constantFrom("json", "xml", "csv", "text"), fc.uint8Array({ maxLength: 300 }), (format, content) => {
      parseBytes(format, content)
    }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom("json", "xml", "csv"),
      fc.stringMatching(/^[<>&;a"'/=,|{}[\]\n -]*$/),
      (format, text) => {
        parseBytes(format, bytes(text))
      },
    ),
  )
})
