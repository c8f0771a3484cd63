import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import bea from "../../ingestors/sources/bea-nipa.ts"
import { WORLD_KEY } from "../world/upstream.ts"
import beaWorld from "../world/upstreams/bea-nipa.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { answering, collected, isRead, itemsOf, NOW_MS, read, refusalOf } from "./support/publishers.ts"
import { normalised, readBy } from "./support/read.ts"
import { upstreamOf } from "./support/world.ts"

describe("the Bureau of Economic Analysis", () => {
  const of = (name: string, value: unknown) => answering(bea, (one) => (one === name ? value : undefined)).upstream
  const file = (...rows: ReadonlyArray<string>) =>
    read(bea.documents.file, ["%SeriesCode,Period,Value", ...rows, ""].join("\r\n"))
  const growth = "A191RL1Q225SBEA"

  it.skipIf(capturesAbsent)("as recorded: of a file of all series, the growth alone", async () => {
    const quarters = decodedCapture<ReadonlyArray<unknown>>(bea, "file", "NipaDataQ-2026q2-second-estimate-trimmed.txt")
    expect(quarters).toHaveLength(317)
    const items = await itemsOf(bea, of("file", quarters), growth)
    expect(items).toHaveLength(60)
    expect(items.slice(0, 3)).toEqual([
      { date: "2026-04-01", value: 1.5 },
      { date: "2026-01-01", value: 2.1 },
      { date: "2025-10-01", value: 0.5 },
    ])
    const exit = await collected(bea, of("file", quarters), growth)
    if (Exit.isFailure(exit)) throw new Error("refused")
    expect(readBy(bea, exit.value, { parameters: { series: growth }, observedAtMs: NOW_MS }).unreadable).toEqual([])
  })
  it("has quarters by their first day, and marks of none", async () => {
    const quarters = file(
      'A191RC,2026Q1,"1"',
      'A191RL,2026Q1,"(NA)"',
      'A191RL,2025Q4,"---"',
      'A191RL,2025Q3,"-1,004.4"',
      'A191RL,2025Q2,"3.8"',
      'A191RX,2026Q1,"9"',
    )
    expect(await itemsOf(bea, of("file", quarters), growth)).toEqual([
      { date: "2025-07-01", value: -1004.4 },
      { date: "2025-04-01", value: 3.8 },
    ])
    expect(isRead(bea.documents.file, '%SeriesCode,Period,Value\nA191RX,2026Q1,"9"\n')).toBe(false)
    expect(isRead(bea.documents.file, "<html>A191RL,2026Q1,1</html>")).toBe(false)
  })
  it("is read as far as the rows of the series reach", () => {
    const judge = bea.documents.file?.lines?.()
    const lines = [
      "%SeriesCode,Period,Value",
      "A191RC,2026Q1,1",
      "A191RL,2025Q4,1",
      "A191RL,2026Q1,1",
      "A191RX,1947Q1,1",
    ]
    expect(lines.map((line) => judge?.(line))).toEqual(["keep", "skip", "keep", "keep", "end"])
  })
  it("with a key is the same by the API; an empty answer refuses the key, and an error is none", async () => {
    const simulated = upstreamOf(beaWorld, worldAt("test", NOW_MS))
    const exit = await collected(bea, simulated, growth, NOW_MS, WORLD_KEY)
    if (Exit.isFailure(exit)) throw new Error("refused")
    const { items } = normalised(bea, exit.value, { parameters: { series: growth }, observedAtMs: NOW_MS }).payload as {
      items: []
    }
    expect(items).toEqual(await itemsOf(bea, simulated, growth))
    expect(items).toHaveLength(60)
    expect(await refusalOf(bea, simulated, growth, "wrong")).toMatchObject({ value: { reason: "key_refused" } })
    const api = (value: unknown) => of("api", read(bea.documents.api, JSON.stringify({ BEAAPI: value })))
    const error = { Error: { APIErrorCode: "1", APIErrorDescription: "Invalid API UserId" } }
    expect(await refusalOf(bea, api({ Results: error }), growth, "k")).toMatchObject({
      value: { reason: "key_refused" },
    })
    expect(await refusalOf(bea, api({ Results: { Error: { APIErrorCode: "40" } } }), growth, "k")).toMatchObject({
      value: { message: expect.stringContaining("query is refused") },
    })
    const rows = [
      { LineNumber: "1", TimePeriod: "2026Q2", DataValue: "1.5" },
      { LineNumber: "2", TimePeriod: "2026Q2", DataValue: "9" },
      { LineNumber: "1", TimePeriod: "2026Q1" },
    ]
    const partly = await collected(bea, api({ Results: { Data: rows } }), growth, NOW_MS, "k")
    expect(Exit.isSuccess(partly) && partly.value.rows[0]).toEqual({ date: "2026-04-01", value: "1.5" })
    expect(Exit.isSuccess(partly) && partly.value.rows).toHaveLength(2)
  })
})
