import { describe, expect, it } from "vitest"
import h10 from "../../ingestors/sources/fed-h10.ts"
import h15 from "../../ingestors/sources/fed-h15.ts"
import treasury from "../../ingestors/sources/treasury-par-yield.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { answering, isRead, itemsOf, read } from "./support/publishers.ts"

describe("the broad dollar index of the Federal Reserve", () => {
  const of = (name: string, value: unknown) => answering(h10, (one) => (one === name ? value : undefined)).upstream
  const history = (rows: string) =>
    `<h3>Nominal Broad Dollar Index</h3><table><tr><th>Date</th><th>Index</th></tr>${rows}</table>`
  const release = (date: string, row: string, header = ["Dec. 28", "Dec. 29", "Dec. 30", "Dec. 31", "Jan. 1"]) =>
    `<p>Release Date: ${date}</p><table><tr><th>Index</th><th>Monetary unit</th>${header.map((day) => `<th>${day}</th>`).join("")}</tr>${row}</table>`
  const broad =
    "<tr><th>1) BROAD</th><td>JAN06=100</td><td>120.1</td><td>120.2</td><td>120.3</td><td>120.4</td><td>ND</td></tr>"

  it("is its history, a row a day; holidays have no number", async () => {
    const rows =
      "<tr><th>02-JAN-06</th><td>ND</td></tr><tr><th>3-Jan-06</th><td>101.4155</td></tr><tr><th>20-NOV-2026</th><td>121.0500</td></tr>"
    const items = await itemsOf(h10, of("history", read(h10.documents.history, history(rows))), "DTWEXBGS")
    expect(items).toEqual([
      { date: "2026-11-20", value: 121.05 },
      { date: "2006-01-03", value: 101.4155 },
    ])
  })
  it("is no page of another index, or without days", () => {
    const rows = "<tr><th>3-JAN-06</th><td>101.4</td></tr>"
    expect(isRead(h10.documents.history, history(rows))).toBe(true)
    expect(isRead(h10.documents.history, history(""))).toBe(false)
    expect(isRead(h10.documents.history, history(rows).replace("Nominal Broad", "Real Broad"))).toBe(false)
    expect(isRead(h10.documents.history, history(rows).replace("Broad", "Advanced Foreign Economies"))).toBe(false)
  })
  it("is the newest week where the history is gone: over New Year the years are those before the release", async () => {
    const answer = read(h10.documents.week, release("Monday, January 4, 2027", broad))
    const items = await itemsOf(h10, of("week", answer), "DTWEXBGS", Date.parse("2027-01-05"))
    expect(items).toEqual([
      { date: "2026-12-31", value: 120.4 },
      { date: "2026-12-30", value: 120.3 },
      { date: "2026-12-29", value: 120.2 },
      { date: "2026-12-28", value: 120.1 },
    ])
    expect(isRead(h10.documents.week, release("", broad))).toBe(false)
    expect(isRead(h10.documents.week, release("January 4, 2027", broad.replace("JAN06", "JAN97")))).toBe(false)
  })
})

describe("the yields that the Federal Reserve repeats", () => {
  const of = (value: unknown) => answering(h15, () => value).upstream
  const file = (...rows: ReadonlyArray<string>) =>
    read(
      h15.documents.maturities,
      ['"Series Description","2-year","10-year"', '"Time Period","RIFLGFCY02_N.B","RIFLGFCY10_N.B"', ...rows].join(
        "\n",
      ),
    )

  it.skipIf(capturesAbsent)("as recorded, of two and ten years", async () => {
    const recorded = of(
      decodedCapture(h15, "maturities", "ddp-csv-treasury-constant-maturities-lastobs5-2026-09-25.csv"),
    )
    expect(await itemsOf(h15, recorded, "DGS2")).toContainEqual({ date: "2026-09-25", value: 4.81 })
    expect((await itemsOf(h15, recorded, "DGS10"))[0]).toEqual({ date: "2026-09-25", value: 5.17 })
    expect(await itemsOf(h15, recorded, "DGS10")).toHaveLength(5)
  })
  it("have no number on holidays: neither by the mark nor by the number that stands for it", async () => {
    const holidays = of(file("2026-09-04,4.5,4.9", "2026-09-07,ND,ND", "2026-11-26,-9999,-9999.0"))
    expect(await itemsOf(h15, holidays, "DGS10")).toEqual([{ date: "2026-09-04", value: 4.9 }])
  })
  it("stand in for the Treasury's own, behind which they are", () => {
    expect([treasury.rank, h15.rank]).toEqual([1, 2])
    expect(treasury.instances).toEqual(h15.instances)
  })
})
