import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { decodeDocument } from "../../ingestors/poll/read.ts"
import faa from "../../ingestors/sources/faa-nasstatus.ts"
import faaStatusView from "../../processors/views/faa-status.ts"
import { faaStatus } from "../../schemas/feeds/faa-status.ts"
import { capturesAbsent, capturesDirectory, collectedCapture } from "./support/captures.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { reading, shown } from "./support/shown.ts"

type Row = Readonly<Record<string, unknown>>
const show = (payload: unknown, nowMs: number) =>
  shown(faaStatusView, [reading(payload)], { nowMs }) as Readonly<
    Record<"closures" | "restrictions", ReadonlyArray<Row>>
  >

describe.skipIf(capturesAbsent)("the captured list of 29 July 2026", () => {
  const captured = () => normalised(faa, collectedCapture(faa, "status", "airport-status-information-2026-07-29.xml"))
  const UPDATED_MS = Date.parse("2026-07-29T14:41:01Z")

  it("shows a program, a delay, three closures at night, and four restrictions that are none of the events", () => {
    const { payload, contentAtMs } = captured()
    expect(contentAtMs).toBe(UPDATED_MS)
    const { closures: closed, restrictions, ...others } = show(payload, UPDATED_MS)
    expect(others).toEqual({
      updated: "2026-07-29T14:41:01.000Z",
      ground_stops: [],
      ground_delays: [{ airport: "SFO", reason: "low ceilings", avg_minutes: 41, max_minutes: 100 }],
      delays: [
        {
          airport: "SAN",
          reason: "VOL:Compacted Demand",
          direction: "departure",
          min_minutes: 31,
          max_minutes: 45,
          trend: "increasing",
        },
      ],
      total_events: 5,
    })
    expect(closed).toEqual([
      {
        airport: "PVD",
        reason: "!PVD 07/028 PVD AD AP CLSD EXC HEL DLY 0430-0945 2607070430-2608150945",
        start: "2026-07-07T04:30:00.000Z",
        reopen: "2026-08-15T09:45:00.000Z",
        daily_window: { from: "04:30", to: "09:45", weekdays: null },
        closed_now: false,
      },
      {
        airport: "SNA",
        reason: "!SNA 07/047 SNA AD AP CLSD DLY 0630-1315 2607280630-2608011315",
        start: "2026-07-28T06:30:00.000Z",
        reopen: "2026-08-01T13:15:00.000Z",
        daily_window: { from: "06:30", to: "13:15", weekdays: null },
        closed_now: false,
      },
      {
        airport: "LFT",
        reason: "!LFT 07/046 LFT AD AP CLSD DLY 0430-0915 2607280430-2607310915",
        start: "2026-07-28T04:30:00.000Z",
        reopen: "2026-07-31T09:15:00.000Z",
        daily_window: { from: "04:30", to: "09:15", weekdays: null },
        closed_now: false,
      },
    ])
    expect(restrictions.map(({ airport, start, reopen }) => [airport, start, reopen])).toEqual([
      // The list says "May 28": the notice says of which year.
      ["LAX", "2026-05-27T18:26:00.000Z", "2027-05-28T16:00:00.000Z"],
      ["HNL", "2026-06-29T19:21:00.000Z", "2026-12-30T18:00:00.000Z"],
      ["LAS", "2026-04-28T17:10:00.000Z", "2026-07-29T23:00:00.000Z"],
      ["SAN", "2026-03-18T13:00:00.000Z", "2026-10-01T08:00:00.000Z"],
    ])
  })
  it("of the same night: which of them are closed follows the clock", () => {
    const { payload } = captured()
    const closedAt = (at: string) =>
      show(payload, Date.parse(at)).closures.flatMap(({ airport, closed_now }) =>
        closed_now === true ? [airport] : [],
      )
    expect(closedAt("2026-07-30T04:29:59Z")).toEqual([])
    expect(closedAt("2026-07-30T04:30:00Z")).toEqual(["PVD", "LFT"])
    expect(closedAt("2026-07-30T06:30:00Z")).toEqual(["PVD", "SNA", "LFT"])
    expect(closedAt("2026-07-30T09:15:00Z")).toEqual(["PVD", "SNA"])
    expect(closedAt("2026-07-30T13:15:00Z")).toEqual([])
    // LFT opens for good on 31 July, before its hours of the next night.
    expect(closedAt("2026-08-01T05:00:00Z")).toEqual(["PVD"])
  })
  it("is refused where it holds more than what is known, and not where it is laid out in lines", () => {
    const path = resolve(capturesDirectory, faa.recordedIn, "airport-status-information-2026-07-29.xml")
    const xml = readFileSync(path, "utf8")
    const changed = (from: string | RegExp, to: string) => {
      const { status } = faa.documents
      if (status === undefined || xml.replace(from, to) === xml) throw new Error(`nothing to change: ${from}`)
      const collected = Result.getOrThrow(decodeDocument("status", status, Buffer.from(xml.replace(from, to))))
      return refusedBy(faa, collected as Parameters<typeof faa.read>[0])?.message
    }
    const block = "<Delay_type>"
    for (const more of [
      "<Ground_Stop_List><Program><ARPT>EWR</ARPT></Program></Ground_Stop_List>",
      "<Delay_type><Name>Volcanic Ash</Name><Ash_List><Airport><ARPT>EWR</ARPT></Airport></Ash_List></Delay_type>",
      "<Delay_type/>",
    ])
      expect(changed(block, `${more}${block}`), more).toMatch(/unknown kind/)
    expect(changed("<ARPT>SFO</ARPT>", "<ARPT>San Francisco</ARPT>")).toMatch(/1 of 9 rows/)
    expect(changed(/></g, ">\n  <")).toBeUndefined()
    expect(changed(/<Delay_type>.*<\/Delay_type>/, "")).toBeUndefined()
    expect(changed("</Delay_type><Delay_type><Name>Airport Closures</Name>", "")).toBeUndefined()
  })
  it("keeps each notice under its number", () => {
    expect(captured().payload.items.map((event) => faaStatus.key(event))).toEqual([
      "ground_delay/SFO/",
      "delay/SAN/departure",
      "closure/PVD/07/028",
      "closure/SNA/07/047",
      "closure/LFT/07/046",
      "restriction/LAX/05/277",
      "restriction/HNL/06/658",
      "restriction/LAS/04/141",
      "restriction/SAN/03/071",
    ])
  })
})
