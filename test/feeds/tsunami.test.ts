import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/source.ts"
import tsunamiGov from "../../ingestors/sources/tsunami-gov.ts"
import tsunamiTable from "../../processors/tables/tsunami_messages/table.ts"
import tsunamiView from "../../processors/views/tsunami.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared } from "../../schemas/events/deltas.ts"
import type { TsunamiMessage } from "../../schemas/feeds/tsunami.ts"
import simulated, { latestBulletin } from "../world/upstreams/tsunami-gov.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, normalised, observed, reading, shown } from "./feed-test.ts"

const HOUR_MS = 3_600_000
const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
const PAAQ = { centre: "PAAQ" }
const PHEB = { centre: "PHEB" }
type Collected = Parameters<typeof tsunamiGov.normalise>[0]

const show = (items: ReadonlyArray<TsunamiMessage>, nowMs: number) =>
  shown(tsunamiView, [reading({ items }, PAAQ)], { nowMs })

const issuedMs = Date.parse("2026-11-20T12:00:00.000Z")
const wire = (category: string, title = "Bulletin", updated = issuedMs): Collected => ({
  feed: {
    title,
    updated,
    entry: [
      {
        id: "urn:uuid:1",
        title: "SOMEWHERE",
        updated,
        summary: `<div><strong>Category:</strong> ${category}<br/><strong>Lat/Lon: </strong>1 / 2<br/></div>`,
      },
    ],
  },
})
const items = (category: string, title?: string) => normalised(tsunamiGov, wire(category, title)).payload.items

describe.skipIf(capturesAbsent)("captured bulletins", () => {
  it("of the national centre", () => {
    const collected = collectedCapture(tsunamiGov, "bulletins", "PAAQAtom-2026-08-17.xml")
    const { payload, contentAtMs } = normalised(tsunamiGov, collected, { parameters: PAAQ })
    expect(contentAtMs).toBe(Date.parse("2026-08-17T20:39:52Z"))
    expect(payload.items).toEqual([
      {
        event: "tjxl6l",
        centre: "PAAQ",
        number: 1,
        category: "information",
        title: "Tsunami Information Statement Number 1",
        place: "100 miles SW of Kodiak City, Alaska",
        issuedAt: "2026-08-17T20:39:52.000Z",
        latitude: 57.2,
        longitude: -154.8,
        magnitude: 4.6,
        magnitudeType: "Mwp",
        note: "* There is NO tsunami danger from this earthquake.",
        url: "https://www.tsunami.gov/events/PAAQ/2026/08/17/tjxl6l/1/WEAK53/WEAK53.txt",
      },
    ])
    expect(show(payload.items, Date.parse("2026-08-17T21:00:00Z"))).toMatchObject({
      highest_level: "info",
      active_count: 1,
    })
    expect(show(payload.items, Date.parse("2026-09-17T21:00:00Z"))).toMatchObject({
      highest_level: "none",
      active_count: 0,
      messages: [{ active: false, level: "info" }],
    })
  })
  it("of the Pacific centre, whose blanks and empty note are none", () => {
    const collected = collectedCapture(tsunamiGov, "bulletins", "PHEBAtom-2026-09-25.xml")
    const { payload } = normalised(tsunamiGov, collected, { parameters: PHEB })
    expect(payload.items).toMatchObject([
      {
        event: "26268000",
        centre: "PHEB",
        title: "TSUNAMI INFORMATION STATEMENT NUMBER 1",
        place: "LOYALTY ISLANDS",
        magnitude: 7,
        note: null,
      },
    ])
  })
})

describe("tsunami messages", () => {
  it.each([
    ["Information", "information", "info"],
    ["Watch", "watch", "watch"],
    ["Advisory", "advisory", "advisory"],
    ["Warning", "warning", "warning"],
    ["Threat", "threat", "warning"],
  ])("of category %s are at their level", (said, category, level) => {
    expect(show(items(said), NOW_MS)).toMatchObject({
      highest_level: level,
      active_count: 1,
      messages: [{ category, level, active: true }],
    })
  })
  it("that cancel are listed and not active", () => {
    expect(show(items("Cancellation"), NOW_MS)).toMatchObject({
      highest_level: "none",
      messages: [{ category: "cancellation", level: "info", active: false }],
    })
    expect(items("", "TSUNAMI WARNING CANCELLATION")).toMatchObject([{ category: "cancellation" }])
  })
  it("without a category are read by their title, and refused where that says nothing either", () => {
    expect(items("", "Tsunami Warning Number 2")).toMatchObject([{ category: "warning" }])
    const made = tsunamiGov.normalise(wire("Hazard"), { parameters: PAAQ, observedAtMs: 0 })
    expect(made).toBeInstanceOf(UpstreamError)
  })
  it("of danger count for a day, of information for six hours", () => {
    const level = (category: string, hours: number) =>
      (show(items(category), issuedMs + hours * HOUR_MS) as { readonly highest_level: string }).highest_level
    expect([level("Warning", 23.9), level("Warning", 24)]).toEqual(["warning", "none"])
    expect([level("Information", 5.9), level("Information", 6)]).toEqual(["info", "none"])
  })
  it("of both centres stand together, newest first, the gravest level on top", () => {
    const [info] = items("Information")
    const warning = normalised(tsunamiGov, wire("Warning", "W", issuedMs - HOUR_MS), { parameters: PHEB }).payload
    const data = shown(tsunamiView, [reading({ items: info ? [info] : [] }, PAAQ), reading(warning, PHEB)], {
      nowMs: NOW_MS,
    })
    expect(data).toMatchObject({
      highest_level: "warning",
      active_count: 2,
      messages: [
        { centre: "PAAQ", level: "info" },
        { centre: "PHEB", level: "warning" },
      ],
    })
  })
  it("may be absent", () => {
    const { payload } = normalised(tsunamiGov, { feed: { title: "none", updated: issuedMs } })
    expect(show(payload.items, NOW_MS)).toEqual({ highest_level: "none", active_count: 0, messages: [] })
  })
  it.each([PAAQ, PHEB])("of the world's centre %o are shown", async (centre) => {
    for (const hours of [0, 20, 40, 60, 80, 100]) {
      const atMs = NOW_MS + hours * HOUR_MS
      const { payload } = await observed(tsunamiGov, simulated, atMs, centre)
      const bulletin = latestBulletin(worldAt("test", atMs), centre.centre)
      expect(bulletin).not.toBeNull()
      expect(shown(tsunamiView, [reading(payload, centre)], { nowMs: atMs })).toMatchObject({
        messages: [
          {
            centre: centre.centre,
            category: bulletin?.category.toLowerCase(),
            magnitude: bulletin?.quake.magnitude,
            issued_at: new Date(bulletin?.issuedMs ?? 0).toISOString(),
          },
        ],
      })
      expect(payload.items).toMatchObject([{ event: bulletin?.quake.id, number: bulletin?.number }])
    }
  })
  it("make a row each", () => {
    const [item] = items("Threat")
    if (item === undefined) throw new Error("no message")
    const observedAt = "2026-11-20T12:34:56.000Z"
    const data = { feed: "tsunami", parameters: PHEB, provider: "NOAA.tsunami_pheb", key: "k", item, observedAt }
    const rows = tsunamiTable.rows(
      makeEvent(itemAppeared, { id: "1", source: "s", subject: "x", time: observedAt, data }),
    )
    expect(rows).toMatchObject([{ category: "threat", level: "warning", magnitude: null, magnitude_type: "" }])
    expect(rows.map((row) => tsunamiTable.partition(row))).toEqual(["2026"])
  })
})
