import { describe, expect, it } from "vitest"
import tsunamiGov from "../../ingestors/sources/tsunami-gov.ts"
import tsunamiTable from "../../processors/tables/tsunami_messages/table.ts"
import tsunamiView from "../../processors/views/tsunami.ts"
import { type TsunamiMessage, tsunami } from "../../schemas/feeds/tsunami.ts"
import simulated, { latestBulletin } from "../world/upstreams/tsunami-gov.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const HOUR_MS = 3_600_000
const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
const PAAQ = { centre: "PAAQ" }
const PHEB = { centre: "PHEB" }
type Collected = Parameters<typeof tsunamiGov.read>[0]

const show = (items: ReadonlyArray<TsunamiMessage>, nowMs: number) =>
  shown(tsunamiView, [reading({ items, facts: {} }, PAAQ)], { nowMs })

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
const items = (category: string, title?: string) =>
  normalised(tsunamiGov, wire(category, title), { parameters: PAAQ }).payload.items

const both = (...categories: ReadonlyArray<string>): Collected => ({
  feed: { title: "", updated: issuedMs, entry: categories.flatMap((category) => wire(category).feed.entry ?? []) },
})

const threat: TsunamiMessage = {
  event: "26282001",
  product: "WEPA40",
  centre: "PHEB",
  number: 1,
  category: "threat",
  title: "T",
  place: "PANAMA",
  issuedAt: "2026-10-09T18:32:00.000Z",
  latitude: 7.6,
  longitude: -82.3,
  magnitude: 7.6,
  magnitudeType: null,
  note: null,
  url: null,
}

feedTest({
  feed: tsunami,
  glances: {
    tsunami: [
      "info",
      null,
      "1 active message, the latest 100 miles SW of Kodiak City, Alaska, no warning service: follow your local authorities",
    ],
  },
  polls: [
    polled({
      source: tsunamiGov,
      world: simulated,
      freeText: true,
      breakRow: ({ feed }) => ({
        feed: { ...feed, title: "", entry: [...(feed.entry ?? []), ...(wire("Hazard").feed.entry ?? [])] },
      }),
      refused: [
        ["a category that is not known", wire("Hazard"), /cannot be read/],
        ["a category that is not known beside one that is", both("Hazard", "Information"), /1 of 2 rows/],
        // A missing answer does not mean that no message is in force.
        ["no entry and no title", { feed: { title: "", updated: issuedMs } }, /cannot be read/],
      ],
    }),
  ],
  views: [tsunamiView],
  table: tsunamiTable,
  rows: [
    {
      kind: "appeared",
      parameters: PHEB,
      item: threat,
      makes: {
        issued_at: "2026-10-09T18:32:00.000Z",
        centre: "PHEB",
        event: "26282001",
        product: "WEPA40",
        number: 1,
        category: "threat",
        level: "warning",
        title: "T",
        place: "PANAMA",
        latitude: 7.6,
        longitude: -82.3,
        magnitude: 7.6,
        magnitude_type: "",
        note: "",
        url: "",
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", parameters: PHEB, item: threat, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured bulletins", () => {
  it("of the national centre", () => {
    const collected = collectedCapture(tsunamiGov, "bulletins", "PAAQAtom-2026-08-17.xml")
    const { payload, contentAtMs } = normalised(tsunamiGov, collected, { parameters: PAAQ })
    expect(contentAtMs).toBe(Date.parse("2026-08-17T20:39:52Z"))
    expect(payload.items).toEqual([
      {
        event: "tjxl6l",
        product: "WEAK53",
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
  ])("of category %s are at their level", (written, category, level) => {
    expect(show(items(written), NOW_MS)).toMatchObject({
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
  it("without a category are read by their title", () => {
    expect(items("", "Tsunami Warning Number 2")).toMatchObject([{ category: "warning" }])
  })
  it("of danger count for a day, of information for six hours", () => {
    const level = (category: string, hours: number) =>
      (show(items(category), issuedMs + hours * HOUR_MS) as { readonly highest_level: string }).highest_level
    expect([level("Warning", 23.9), level("Warning", 24)]).toEqual(["warning", "none"])
    expect([level("Information", 5.9), level("Information", 6)]).toEqual(["info", "none"])
  })
  it("of both centres stand together, newest first, the most severe level on top", () => {
    const [info] = items("Information")
    const warning = normalised(tsunamiGov, wire("Warning", "W", issuedMs - HOUR_MS), { parameters: PHEB }).payload
    const data = shown(tsunamiView, [reading({ items: info ? [info] : [], facts: {} }, PAAQ), reading(warning, PHEB)], {
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
  it.each(["Test", "No Threat"])("of category %s are kept and not active", (written) => {
    expect(show(items(written), NOW_MS)).toMatchObject({
      highest_level: "none",
      active_count: 0,
      messages: [{ active: false, level: "info" }],
    })
  })
  it("read south and west, however they are written, as negative", () => {
    const [entry] = wire("Warning").feed.entry ?? []
    if (entry === undefined) throw new Error("no entry")
    const at = (latitude: string, longitude: string) =>
      normalised(
        tsunamiGov,
        { feed: { title: "T", updated: issuedMs, entry: [{ ...entry, "geo:lat": latitude, "geo:long": longitude }] } },
        { parameters: PHEB },
      ).payload.items[0]
    expect(at("7.6S", "82.3W")).toMatchObject({ latitude: -7.6, longitude: -82.3 })
    expect(at("7.6 N", "82.3 E")).toMatchObject({ latitude: 7.6, longitude: 82.3 })
    expect(at("-21.2461234567", "168.453°E")).toMatchObject({ latitude: -21.2461234567, longitude: 168.453 })
    expect(at("57.2E0", "154.8km")).toMatchObject({ latitude: null, longitude: null })
    expect(at("-21.246", "168.453")).toMatchObject({ latitude: -21.246, longitude: 168.453 })
  })
  it.each([
    ["7.6(Mwp)", 7.6],
    ["7.6Mw", 7.6],
    ["7.6 Mw (Mwp)", 7.6],
    ["Mw7.6", 7.6],
    ["7.6 to 7.8", 7.6],
    ["8.8E0", null],
    ["7.6x", null],
    ["7,6", null],
    ["76.5", null],
    ["unknown", null],
  ])("have of %j the magnitude %s, never a part of the number", (written, magnitude) => {
    const [entry] = wire("Warning").feed.entry ?? []
    if (entry === undefined) throw new Error("no entry")
    const summary = `${entry.summary}<strong>Preliminary Magnitude: </strong>${written}<br/>`
    const answer = { feed: { title: "T", updated: issuedMs, entry: [{ ...entry, summary }] } }
    expect(normalised(tsunamiGov, answer, { parameters: PHEB }).payload.items).toMatchObject([{ magnitude }])
  })
  it("are read from the title of a feed that holds no entry while a threat is in force", () => {
    const title = "        TSUNAMI THREAT MESSAGE NUMBER   7        "
    const { payload } = normalised(tsunamiGov, { feed: { title, updated: issuedMs } }, { parameters: PHEB })
    expect(payload.items).toMatchObject([
      { centre: "PHEB", category: "threat", number: 7, event: null, product: null, place: "" },
    ])
    expect(shown(tsunamiView, [reading(payload, PHEB)], { nowMs: NOW_MS })).toMatchObject({
      highest_level: "warning",
      active_count: 1,
    })
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
})
