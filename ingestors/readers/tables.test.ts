import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { csvTable } from "./csv.ts"
import { parseBytes } from "./formats.ts"
import { htmlTables } from "./html-tables.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const csv = (text: string) => Result.getOrThrow(parseBytes("csv", bytes(text)))

describe("tables in HTML", () => {
  it("are read cell by cell, with the texts of their elements parted", () => {
    const html = `<!doctype html><title>T</title><p>no table</p>
      <table><thead><tr><th>Rank</th><th>Agent &amp; model</th></tr></thead>
      <tbody><tr><td>1</td><td><b>58.2%</b><span>&plusmn; 2.8%</span><script>alert(1)</script></td></tr></tbody></table>`
    expect(htmlTables(html)).toEqual([
      [
        ["Rank", "Agent & model"],
        ["1", "58.2% \u00b1 2.8%"],
      ],
    ])
  })
  it("may leave their tags open", () => {
    expect(htmlTables("<table><tr><td>a<td>b<tr><td>c<td>d</table>")).toEqual([
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ])
    expect(htmlTables("<TABLE><TR><TD>cut")).toEqual([[["cut"]]])
  })
  it("repeat a cell in each column and row that it reaches over", () => {
    const html = `<table><tr><th rowspan=2>Rank<th colspan=2>Score</tr><tr><th>Mean<th>Range</tr>
      <tr><td>13<td>50<td>48-52</tr></table>`
    expect(htmlTables(html)).toEqual([
      [
        ["Rank", "Score", "Score"],
        ["Rank", "Mean", "Range"],
        ["13", "50", "48-52"],
      ],
    ])
  })
  it("within another are tables of their own", () => {
    expect(htmlTables("<table><tr><td>a<table><tr><td>inner</table>b<td>c</table>")).toEqual([
      [["a b", "c"]],
      [["inner"]],
    ])
  })
  it.each([
    ["nested without end", "<div>".repeat(300)],
    ["of too many cells", `<table><tr>${"<td colspan=50>x".repeat(5)}</table>`],
    ["of too many rows", `<table>${"<tr><td>x".repeat(20_002)}</table>`],
    ["too many", "<table></table>".repeat(201)],
  ])("are refused when they are %s", (_, html) => expect(() => htmlTables(html)).toThrow())
})

describe("CSV with lines of #", () => {
  it("has the last of them for a header where that names the columns", () => {
    const text = `################\r\n# A dump, of today  #\r\n#\r\n# id,added,tags\r\n"1","2026-11-21","a,#b"\r\n"2","2026-11-20",",script"\r\n# Number of entries: 2\r\n`
    expect(csv(text)).toEqual({
      columns: ["id", "added", "tags"],
      rows: [
        { id: "1", added: "2026-11-21", tags: "a,#b" },
        { id: "2", added: "2026-11-20", tags: ",script" },
      ],
    })
  })
  it("has the line after them where they are only remarks", () => {
    expect(csv("#model_version:v1,score_date:2025-02-20\ncve,epss,percentile\nCVE-1,0.1,0.2\n")).toEqual({
      columns: ["cve", "epss", "percentile"],
      rows: [{ cve: "CVE-1", epss: "0.1", percentile: "0.2" }],
    })
  })
  it("may have no rows", () => {
    expect(csv("# remark\n# id,url\n")).toEqual({ columns: ["id", "url"], rows: [] })
  })
  it("is refused where the lines hold no header", () => {
    expect(Result.isFailure(parseBytes("csv", bytes("# nothing\n# at all\n")))).toBe(true)
    const wire = csvTable(["id", "url"], Schema.Unknown)
    expect(Result.isFailure(Schema.decodeUnknownResult(wire)(csv("# one,two\n1,2\n")))).toBe(true)
  })
  it("has values that begin with # where its first line is the header", () => {
    expect(csv("color,name\n#fff,white\n")).toEqual({
      columns: ["color", "name"],
      rows: [{ color: "#fff", name: "white" }],
    })
  })
})

it("no document of tables makes a reader throw anything but a refusal, or run away", () => {
  const html = fc.stringMatching(/^([a-z0-9 ]|<\/?(table|tr|td|th|tbody|script|b)( colspan=9| rowspan=9)?>){0,60}$/)
  const read = (text: string) => Result.try({ try: () => htmlTables(text), catch: (cause) => cause })
  fc.assert(
    fc.property(html, (text) => {
      const tables = read(text)
      if (Result.isFailure(tables)) expect(tables.failure).toBeInstanceOf(Error)
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[|\-: a\\*[\]()\n#,"]{0,200}$/), (text) => void parseBytes("csv", bytes(text))),
  )
  const hostile = [
    "|".repeat(500_000),
    "-|".repeat(100_000),
    " ".repeat(500_000),
    "[".repeat(100_000),
    "#\n".repeat(200_000),
  ]
  for (const text of hostile) {
    parseBytes("csv", bytes(text))
    read(text)
  }
  expect(htmlTables("<".repeat(500_000))).toEqual([])
})
