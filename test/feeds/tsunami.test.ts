import { describe, expect, it } from "vitest"
import { Undecodable } from "../../ingestors/document.ts"
import tsunamiGov from "../../ingestors/sources/tsunami-gov.ts"
import { tsunamiCategoryOf } from "../../ingestors/tsunami-category.ts"
import { makeLatest } from "../../processors/folds/latest.ts"
import tsunamiTable from "../../processors/tables/tsunami_messages/table.ts"
import tsunamiView from "../../processors/views/tsunami.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared } from "../../schemas/events/deltas.ts"
import type { Feed } from "../../schemas/feed.ts"
import { type TsunamiCategory, type TsunamiMessage, tsunami } from "../../schemas/feeds/tsunami.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey } from "../../schemas/view-record.ts"
import { failed, foldingBench, observed as polled, tick } from "../support/folding.ts"
import simulated, { latestBulletin } from "../world/upstreams/tsunami-gov.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, normalised, observed, reading, refusedBy, shown } from "./feed-test.ts"

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
    const made = refusedBy(tsunamiGov, wire("Hazard"), { parameters: PAAQ })
    expect(made).toBeInstanceOf(Undecodable)
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
  it.each([
    ["Advisory remains, Watch cancelled", "advisory"],
    ["Tsunami Watch is cancelled. A Tsunami Advisory remains in effect", "advisory"],
    ["Warning Cancellation", "cancellation"],
    ["Warnings and watches have been cancelled", "cancellation"],
    ["No Threat", "no_threat"],
    ["Information - no tsunami threat", "no_threat"],
    ["The tsunami threat has largely passed", "no_threat"],
    ["Warning - TEST", "test"],
    ["Test", "test"],
    ["Watch; Warning", "warning"],
    ["Hazard", null],
    ["", null],
  ])("that say %j are of category %s", (said, category) => {
    expect(tsunamiCategoryOf(said, "")).toBe(category)
  })
  it.each(["Test", "No Threat"])("of category %s are kept and not active", (said) => {
    expect(show(items(said), NOW_MS)).toMatchObject({
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
    expect(at("-21.246", "168.453")).toMatchObject({ latitude: -21.246, longitude: 168.453 })
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
  it("of a feed without entry and with a title that says nothing are refused: no answer is not no message", () => {
    const made = refusedBy(tsunamiGov, { feed: { title: "", updated: issuedMs } }, { parameters: PHEB })
    expect(made).toBeInstanceOf(Undecodable)
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

describe("messages of several products", () => {
  const feeds = new Map<string, Feed>([[tsunami.name, tsunami as unknown as Feed]])
  const MINUTE_MS = 60_000
  const at = (time: string): number => Date.parse(`2026-10-09T${time}:00.000Z`)
  const [pattern] = items("Threat")
  if (pattern === undefined) throw new Error("no message")

  const message = (
    product: string | null,
    number: number,
    category: TsunamiCategory,
    time: string,
  ): TsunamiMessage => ({
    ...pattern,
    centre: "PHEB",
    event: product === null ? null : "26282001",
    product,
    number,
    category,
    issuedAt: new Date(at(time)).toISOString(),
  })
  /** Folds what the Pacific centre's feed holds at each poll; gives what the endpoint then says. */
  const scene = () => {
    const bench = foldingBench(makeLatest([tsunamiView], feeds), eventReader)
    const poll = { parameters: PHEB, provider: "NOAA.tsunami_pheb" }
    return {
      bench,
      issue: (one: TsunamiMessage) =>
        bench.fold(
          polled(Date.parse(one.issuedAt) + MINUTE_MS, "tsunami", { items: [one], facts: {} } as unknown as Json, poll),
        ),
      at: (time: string) => {
        bench.fold(tick(at(time)))
        return (bench.view("/api/tsunami") as { readonly data: Record<string, unknown> }).data
      },
      poll,
    }
  }

  it("given a threat, when an information statement about the same event follows, then the threat stands", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "18:32"))
    panama.issue(message("WEZS42", 1, "information", "18:39"))
    expect(panama.at("18:45")).toMatchObject({
      highest_level: "warning",
      messages: [
        { product: "WEZS42", level: "info", active: true },
        { product: "WEPA40", level: "warning", active: true },
      ],
    })
    panama.issue(message("WEPA40", 2, "threat", "18:51"))
    expect(panama.at("18:55")).toMatchObject({
      highest_level: "warning",
      active_count: 2,
      messages: [{ product: "WEPA40", number: 2 }, { product: "WEZS42" }],
    })
  })
  it("given a threat, then its own cancellation ends it, that of another product does not", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "18:32"))
    panama.issue(message("WECA41", 1, "cancellation", "19:00"))
    expect(panama.at("19:10")).toMatchObject({ highest_level: "warning" })
    panama.issue(message("WEPA40", 2, "cancellation", "20:00"))
    expect(panama.at("20:10")).toMatchObject({ highest_level: "none", active_count: 0 })
  })
  it("given a threat and silence, then age ends it", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "00:10"))
    panama.issue(message("WEZS42", 1, "information", "00:20"))
    expect(panama.at("23:50")).toMatchObject({ highest_level: "warning", active_count: 1 })
    panama.bench.fold(tick(at("00:11") + 24 * HOUR_MS))
    expect(panama.at("23:59")).toMatchObject({ highest_level: "none" })
  })
  it("given a message that was read from a title, then the centre's next word about the danger replaces it", () => {
    const mexico = scene()
    mexico.issue(message(null, 7, "threat", "10:00"))
    mexico.issue(message("WEZS42", 1, "information", "10:05"))
    expect(mexico.at("10:10")).toMatchObject({ highest_level: "warning" })
    mexico.issue(message("WEPA40", 8, "cancellation", "11:00"))
    expect(mexico.at("11:10")).toMatchObject({ highest_level: "info" })
  })
  it("say since when the centres are watched without a gap", () => {
    const both = scene()
    const national = { ...both.poll, parameters: PAAQ, provider: "NOAA.tsunami_paaq" }
    const quiet = { items: [{ ...message("WEAK53", 1, "information", "00:01"), centre: "PAAQ" }], facts: {} }
    both.issue(message("WEGM42", 1, "information", "09:59"))
    expect(both.at("10:00")).toMatchObject({ watched_since: null })
    const pollBoth = (time: string) => {
      const standing = { items: [message("WEGM42", 1, "information", "09:59")], facts: {} }
      both.bench.fold(
        polled(at(time), "tsunami", standing as unknown as Json, both.poll),
        polled(at(time), "tsunami", quiet as unknown as Json, national),
      )
    }
    pollBoth("10:01")
    pollBoth("10:02")
    expect(both.at("10:02")).toMatchObject({ watched_since: "2026-10-09T10:01:00.000Z" })
    both.bench.fold(failed(at("10:03"), "tsunami", "timeout", "no answer", both.poll))
    pollBoth("10:30")
    expect(both.at("10:30")).toMatchObject({ watched_since: "2026-10-09T10:30:00.000Z" })
  })
  it("are remembered across a restart", () => {
    const panama = scene()
    panama.issue(message("WEPA40", 1, "threat", "18:32"))
    panama.issue(message("WEZS42", 1, "information", "18:39"))
    const again = foldingBench(makeLatest([tsunamiView], feeds), eventReader, panama.bench.checkpoint())
    again.fold(
      polled(
        at("18:50"),
        "tsunami",
        { items: [message("WEZS42", 2, "information", "18:49")], facts: {} } as unknown as Json,
        panama.poll,
      ),
    )
    expect(again.view("/api/tsunami")).toMatchObject({ data: { highest_level: "warning" } })
    expect(again.view(freshnessKey("/api/tsunami"))).toBeDefined()
  })
})
