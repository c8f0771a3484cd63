import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import eia from "../../ingestors/sources/eia.ts"
import { WORLD_KEY } from "../world/upstream.ts"
import eiaWorld from "../world/upstreams/eia.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { answering, collected, isRead, itemsOf, NOW_MS, read, refusalOf } from "./support/publishers.ts"
import { normalised, readBy } from "./support/read.ts"
import { upstreamOf } from "./support/world.ts"

describe("the Energy Information Administration", () => {
  const of = (name: string, value: unknown) => answering(eia, (one) => (one === name ? value : undefined)).upstream
  const page = (rows: string, link = "<a href='../hist_xls/RWTCd.xls'>Download</a>", title = "") =>
    read(
      eia.documents.page,
      `<html><title>${title}</title>${link}<table><tr><th>Week Of</th><th>Mon</th></tr>${rows}</table></html>`,
    )
  const week = (name: string, ...cells: ReadonlyArray<string>) =>
    `<tr><td class='B6'>&nbsp;&nbsp;${name}</td>${cells.map((cell) => `<td class='B3'>${cell}</td>`).join("")}</tr>`

  it.skipIf(capturesAbsent)("as recorded: the page of 2015 and the workbook of 2025", async () => {
    const gas = await itemsOf(
      eia,
      of("page", decodedCapture(eia, "page", "rngwhhdd-history-table-2015-11-30-reserialised.html")),
      "DHHNGSP",
    )
    expect(gas).toHaveLength(60)
    expect(gas.slice(0, 3)).toEqual([
      { date: "2015-11-23", value: 2.18 },
      { date: "2015-11-20", value: 2.18 },
      { date: "2015-11-19", value: 2.1 },
    ])
    const oil = of("workbook", decodedCapture(eia, "workbook", "RWTCd-2025-04.xls"))
    expect((await itemsOf(eia, oil, "DCOILWTICO")).slice(0, 2)).toEqual([
      { date: "2025-04-21", value: 63.48 },
      { date: "2025-04-17", value: 65.07 },
    ])
    const exit = await collected(eia, oil, "DCOILWTICO")
    // The day on which a barrel cost less than nothing.
    expect(Exit.isSuccess(exit) && exit.value.rows).toContainEqual({ date: "2020-04-20", value: -36.98 })
    expect(await refusalOf(eia, oil, "DHHNGSP")).toMatchObject({ _tag: "Some" })
    const refused = of("api", decodedCapture(eia, "api", "v2-403-api-key-missing-2026-09-29.json"))
    expect(await refusalOf(eia, refused, "DCOILWTICO", "wrong")).toMatchObject({ value: { reason: "key_refused" } })
  })
  it("has weeks over New Year, days below ten, prices below zero, and marks of none", async () => {
    const answer = page(
      [
        week("2019 Dec-30 to Jan- 3", "61.66", "61.14", "", "61.17", "63.00"),
        "<tr><td height='3'></td><td></td><td></td><td></td><td></td><td></td></tr>",
        week("2020 Jan- 6 to Jan-10", "-36.98", "NA", "-", "--", "1,059.02"),
        week("2020 Jan-13 to Jan-17", "W", "&nbsp;"),
      ].join(""),
    )
    expect(await itemsOf(eia, of("page", answer), "DCOILWTICO")).toEqual([
      { date: "2020-01-10", value: 1059.02 },
      { date: "2020-01-06", value: -36.98 },
      { date: "2020-01-03", value: 63 },
      { date: "2020-01-02", value: 61.17 },
      { date: "2019-12-31", value: 61.14 },
      { date: "2019-12-30", value: 61.66 },
    ])
  })
  it("counts the prices of a week that begins with another day than Monday as unreadable", async () => {
    const good =
      week("2020 Jan- 6 to Jan-10", "1", "2", "3", "4", "5") + week("2020 Jan-13 to Jan-17", "1", "2", "3", "4", "5")
    const exit = await collected(eia, of("page", page(good + week("2020 Jan-21 to Jan-24", "9"))), "DCOILWTICO")
    if (Exit.isFailure(exit)) throw new Error("refused")
    const context = { parameters: { series: "DCOILWTICO" }, observedAtMs: NOW_MS }
    expect(readBy(eia, exit.value, context).unreadable).toHaveLength(1)
  })
  it("is read of a page that names its series, by its link or its title", async () => {
    const rows = week("2020 Jan- 6 to Jan-10", "1")
    const gas = page(rows, "<a href='../hist_xls/RNGWHHDd.xls'>Download</a>")
    expect(await refusalOf(eia, of("page", gas), "DCOILWTICO")).toMatchObject({
      value: { message: expect.stringContaining("another series") },
    })
    expect(await itemsOf(eia, of("page", page(rows, "", "Cushing, OK WTI Spot Price FOB")), "DCOILWTICO")).toHaveLength(
      1,
    )
    for (const html of [
      `<table>${rows}</table>`,
      `<a href='../hist_xls/RBRTEd.xls'>Cushing, OK WTI Spot Price FOB</a><table>${rows}</table>`,
      "<title>Henry Hub Natural Gas Spot Price</title><p>Unavailable</p>",
    ])
      expect(isRead(eia.documents.page, html), html).toBe(false)
  })
  it("with a key is the same by the API, whose failures the page stands in for, but not for a refused key", async () => {
    const world = worldAt("test", NOW_MS)
    const simulated = upstreamOf(eiaWorld, world)
    for (const series of ["DCOILWTICO", "DHHNGSP"] as const) {
      const exit = await collected(eia, simulated, series, NOW_MS, WORLD_KEY)
      if (Exit.isFailure(exit)) throw new Error("refused")
      const read = normalised(eia, exit.value, { parameters: { series }, observedAtMs: NOW_MS }).payload as {
        items: []
      }
      expect(read.items).toEqual(await itemsOf(eia, simulated, series))
    }
    expect(await refusalOf(eia, simulated, "DHHNGSP", "wrong")).toMatchObject({ value: { reason: "key_refused" } })
    const pageAlone = of("page", page(week("2020 Jan- 6 to Jan-10", "1")))
    expect(Exit.isSuccess(await collected(eia, pageAlone, "DCOILWTICO", NOW_MS, WORLD_KEY))).toBe(true)
    const data = [{ period: "2026-09-21", series: "RBRTE", value: 70, units: "$/BBL" }]
    expect(await refusalOf(eia, of("api", { response: { data } }), "DCOILWTICO", "k")).toMatchObject({ _tag: "Some" })
  })
})
