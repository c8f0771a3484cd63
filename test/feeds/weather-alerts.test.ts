import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { PAYLOAD_MAX_BYTES } from "../../ingestors/poll/poll.ts"
import nws from "../../ingestors/sources/nws-alerts.ts"
import alertsTable from "../../processors/tables/alerts/table.ts"
import { BODY_MAX_UNITS } from "../../processors/view/build-view.ts"
import allAlertsView from "../../processors/views/climate-weather-alerts.ts"
import severeWeather from "../../processors/views/severe-weather.ts"
import { climateWeatherAlertsEndpoint, WeatherAlertsInForce } from "../../schemas/endpoints/climate-weather-alerts.ts"
import {
  ALERT_ZONES_MAX,
  ALERTS_MAX,
  alertScore,
  type WeatherAlert,
  weatherAlerts,
} from "../../schemas/feeds/weather-alerts.ts"
import simulated, { listedAlerts } from "../world/upstreams/nws-alerts.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { selected } from "./support/selected.ts"
import { inputsOf, reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof nws.read>[0]
type Page = Collected[number]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const TITLE = "Current watches, warnings, and advisories"

const alert = (members: object = {}) => ({
  properties: {
    id: "one",
    areaDesc: "Northern Cascades",
    geocode: { UGC: ["WAZ567", "WAC057", "WAZ567", "nonsense"] },
    sent: "2026-11-20T03:00:00-08:00",
    effective: "2026-11-20T03:00:00-08:00",
    expires: "2026-11-20T12:00:00-08:00",
    status: "Actual",
    messageType: "Alert",
    category: "Met",
    severity: "Severe",
    certainty: "Likely",
    urgency: "Expected",
    event: "Winter Storm Warning",
    senderName: "NWS Seattle WA",
    ...members,
  },
})
const pageOf = (...features: ReadonlyArray<object>): Page => ({ title: TITLE, features })
const itemsOf = (...features: ReadonlyArray<object>): ReadonlyArray<WeatherAlert> =>
  normalised(nws, [pageOf(...features)], { observedAtMs: NOW_MS }).payload.items

interface Severe {
  readonly total_active: number
  readonly counts_by_severity: Record<string, number>
  readonly alerts: ReadonlyArray<Record<string, unknown>>
}
const payloadOf = (items: ReadonlyArray<WeatherAlert>) => {
  const [first, ...others] = items
  if (first === undefined) throw new Error("the list is never empty")
  return { items: [first, ...others] as const, facts: { total: items.length } }
}
const severe = (items: ReadonlyArray<WeatherAlert>, nowMs: number): Severe =>
  shown(severeWeather, [reading(payloadOf(items))], { nowMs }) as Severe
const filtered = (items: ReadonlyArray<WeatherAlert>, nowMs: number, query: Readonly<Record<string, string>>) =>
  selected(climateWeatherAlertsEndpoint, allAlertsView, reading(payloadOf(items)), query, nowMs)

const item = {
  id: "one",
  event: "Winter Storm Warning",
  status: "Actual",
  messageType: "Alert",
  severity: "Severe",
  urgency: "Expected",
  certainty: "Likely",
  category: "Met",
  headline: "Snow",
  description: "Snow. More snow.",
  areaDescription: "Northern Cascades",
  zones: ["WAZ567", "WAC057"],
  sent: "2026-11-20T11:00:00.000Z",
  effective: "2026-11-20T11:00:00.000Z",
  onset: null,
  expires: "2026-11-20T20:00:00.000Z",
  ends: null,
  senderName: "NWS Seattle WA",
  web: null,
} as const
const row = {
  id: "one",
  event: "Winter Storm Warning",
  status: "Actual",
  message_type: "Alert",
  severity: "Severe",
  urgency: "Expected",
  certainty: "Likely",
  category: "Met",
  headline: "Snow",
  description: "Snow. More snow.",
  area: "Northern Cascades",
  zones: ["WAZ567", "WAC057"],
  sender_name: "NWS Seattle WA",
  sent: "2026-11-20T11:00:00.000Z",
  effective: "2026-11-20T11:00:00.000Z",
  onset: null,
  expires: "2026-11-20T20:00:00.000Z",
  ends: null,
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: weatherAlerts,
  polls: [
    polled({
      source: nws,
      world: simulated,
      freeText: true,
      breakRow: (pages) => [...pages, pageOf(alert({ id: "broken", expires: "2026-02-30T00:00:00Z" }))],
      refused: [
        [
          "the list of one zone",
          [{ ...pageOf(alert()), title: "Current watches for Harris County" }],
          /not the list of all/,
        ],
        ["a list without anything", [pageOf()], /has no items/],
      ],
    }),
  ],
  views: [severeWeather],
  table: alertsTable,
  rows: [
    { kind: "appeared", item, makes: row },
    { kind: "gone", item, makes: { ...row, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured alerts", () => {
  const CAPTURED_MS = Date.parse("2024-12-08T22:46:06Z")
  const captured = () => {
    const page = decodedCapture<Page>(nws, "page", "alerts-active-2024-12-08-trimmed.json")
    return normalised(nws, [page], { observedAtMs: CAPTURED_MS })
  }

  it("are 39 in force, the blizzard first; the keep-alive message is listed and is none", () => {
    const { payload, contentAtMs } = captured()
    expect(contentAtMs).toBe(CAPTURED_MS)
    expect(payload.items).toHaveLength(40)
    expect(payload.facts.total).toBe(40)
    const { total_active, counts_by_severity, alerts } = severe(payload.items, CAPTURED_MS)
    expect(total_active).toBe(39)
    expect(counts_by_severity).toEqual({ Extreme: 1, Severe: 15, Moderate: 16, Minor: 6, Unknown: 1 })
    expect(alerts).toHaveLength(15)
    expect(alerts.slice(0, 4).map(({ event, score, area_desc }) => [event, score, area_desc])).toEqual([
      ["Blizzard Warning", 43, "McCone; Richland; Dawson; Prairie; Wibaux"],
      ["Flood Warning", 34.5, "Rapides, LA"],
      ["Storm Warning", 34.5, "Cape Suckling to Gravel Point out to 15 NM"],
      ["Storm Warning", 34.5, "Barren Islands East"],
    ])
    expect(alerts[0]).toMatchObject({
      id: "urn:oid:2.49.0.1.840.0.9e206121c6aa8de8755c861244e0786d2b904ca2.001.1",
      severity: "Extreme",
      effective: "2024-12-08T20:31:00.000Z",
      expires: "2024-12-09T12:15:00.000Z",
      ends: "2024-12-09T11:00:00.000Z",
    })
  })
  it("end with their hazard, or with their message where that has no end, as the flood of Rapides", () => {
    const { items } = captured().payload
    const names = (at: string) =>
      severe(items, Date.parse(at)).alerts.map(({ event, area_desc }) => `${event} ${area_desc}`)
    const flood = "Flood Warning Rapides, LA"
    expect(names("2024-12-09T16:59:59Z")).toContain(flood)
    expect(names("2024-12-09T17:00:00Z")).not.toContain(flood)
    // The message about Barren Islands East lapses at 01:30Z; its hazard ends at 02:00Z.
    expect(names("2024-12-09T01:59:59Z")).toContain("Storm Warning Barren Islands East")
    expect(names("2024-12-09T02:00:00Z")).not.toContain("Storm Warning Barren Islands East")
  })
  it("fit into a payload and the data of a view, as many as a payload holds", () => {
    const { items } = captured().payload
    const many = Array.from({ length: ALERTS_MAX }, (_, index) => ({
      ...(items[index % items.length] as WeatherAlert),
      id: `urn:oid:2.49.0.1.840.0.9e206121c6aa8de8755c861244e0786d2b904ca2.${index}`,
    }))
    expect(Buffer.byteLength(JSON.stringify(payloadOf(many)))).toBeLessThan(PAYLOAD_MAX_BYTES)
    const { data } = allAlertsView.build(
      inputsOf(allAlertsView, {}, () => reading(payloadOf(many))),
      { parameters: {}, nowMs: CAPTURED_MS },
    )
    expect(JSON.stringify(data).length).toBeLessThan(BODY_MAX_UNITS)
  })
  it("of California are eight, most severe first, and two of them red flag warnings", () => {
    const { items } = captured().payload
    const california = filtered(items, CAPTURED_MS, { area: "ca" })
    expect(california).toMatchObject({
      count: 8,
      total_matching: 8,
      filters: { area: "CA", status: "Actual", limit: 50 },
    })
    expect(california.alerts.map(({ event }) => event)).toEqual([
      "Red Flag Warning",
      "Red Flag Warning",
      "High Wind Watch",
      "High Wind Watch",
      "Dense Fog Advisory",
      "Wind Advisory",
      "Frost Advisory",
      "Air Quality Alert",
    ])
    expect(filtered(items, CAPTURED_MS, { area: "CA", event: "red flag warning", limit: "1" })).toMatchObject({
      count: 1,
      total_matching: 2,
      alerts: [{ areaDesc: "San Luis Obispo County Mountains" }],
    })
    expect(filtered(items, CAPTURED_MS, { event: "Snow Day" })).toMatchObject({
      count: 0,
      total_matching: 0,
      alerts: [],
    })
    expect(filtered(items, CAPTURED_MS, { status: "Test" }).alerts.map(({ event }) => event)).toEqual(["Test Message"])
    expect(filtered(items, CAPTURED_MS, { severity: "Extreme", urgency: "Expected" }).count).toBe(1)
  })
})

describe("weather alerts", () => {
  it("score by severity, then urgency, then certainty", () => {
    const words = { severity: "Extreme", urgency: "Immediate", certainty: "Observed" } as const
    expect(alertScore(words)).toBe(44.5)
    expect(alertScore({ ...words, urgency: "Past", certainty: "Unlikely" })).toBe(40)
    expect(alertScore({ severity: "Unknown", urgency: "Unknown", certainty: "Unknown" })).toBe(0)
    // The least grave word of a severity ranks above the most severe of the next.
    expect(alertScore({ ...words, severity: "Severe" })).toBeLessThan(40)
  })
  it("keep each zone once and leave out what is no zone; unknown words count as Unknown", () => {
    const [one] = itemsOf(alert({ severity: "Cosmic", certainty: null, urgency: "", senderName: null }))
    expect(one).toMatchObject({
      zones: ["WAZ567", "WAC057"],
      severity: "Unknown",
      certainty: "Unknown",
      urgency: "Unknown",
      senderName: "National Weather Service",
      sent: "2026-11-20T11:00:00.000Z",
      ends: null,
      headline: null,
    })
  })
  it.each([
    ["no time of expiry", { expires: "soon" }],
    ["an end that is none", { ends: "tomorrow" }],
    ["a status outside the standard", { status: "Rumour" }],
    ["no event", { event: " " }],
    ["a time that lies in the future", { sent: "2026-11-21T03:00:00-08:00" }],
  ])("are refused, all of them, for one with %s: a missing warning misleads", (_, members) => {
    const good = Array.from({ length: 9 }, (__, index) => alert({ id: `good ${index}` }))
    expect(refusedBy(nws, [pageOf(...good, alert(members))], { observedAtMs: NOW_MS })).toBeDefined()
    expect(refusedBy(nws, [pageOf(...good)], { observedAtMs: NOW_MS })).toBeUndefined()
  })
  it("beyond the most that a payload holds are refused, all of them, and not cut", () => {
    const many = Array.from({ length: ALERTS_MAX + 1 }, (_, index) => alert({ id: `n${index}` }))
    const pages = (count: number) => [pageOf(...many.slice(900, count)), pageOf(...many.slice(0, 901))]
    const { payload } = normalised(nws, pages(ALERTS_MAX), { observedAtMs: NOW_MS })
    expect(payload.items).toHaveLength(ALERTS_MAX)
    expect(payload.facts.total).toBe(ALERTS_MAX)
    expect(refusedBy(nws, pages(ALERTS_MAX + 1), { observedAtMs: NOW_MS })?.message).toBe(
      `the list has ${ALERTS_MAX + 1} items, more than ${ALERTS_MAX}`,
    )
  })
  it("keep each of their zones, as an area is searched by them; too many refuse the list", () => {
    const zones = Array.from(
      { length: ALERT_ZONES_MAX + 1 },
      (_, n) => `${n < 700 ? "TXC" : "OKC"}${String(n % 700).padStart(3, "0")}`,
    )
    const of = (UGC: ReadonlyArray<string>) => alert({ geocode: { UGC } })
    const items = itemsOf(of(zones.slice(1)))
    expect(items[0]?.zones).toHaveLength(ALERT_ZONES_MAX)
    expect(filtered(items, NOW_MS, { area: "OK" }).count).toBe(1)
    expect(refusedBy(nws, [pageOf(of(zones))], { observedAtMs: NOW_MS })?.message).toMatch(/1 of 1 rows/)
  })
  it("that are cancelled, over or no actual ones are not in force", () => {
    const items = itemsOf(
      alert({ id: "in force" }),
      alert({ id: "cancelled", messageType: "Cancel" }),
      alert({ id: "over", ends: "2026-11-20T12:00:00Z" }),
      alert({ id: "exercise", status: "Exercise" }),
      alert({ id: "goes on after its message", expires: "2026-11-20T12:00:00Z", ends: "2026-11-20T18:00:00Z" }),
    )
    const ids = (rows: ReadonlyArray<Record<string, unknown>>) => rows.map(({ id }) => id).sort()
    expect(ids(severe(items, NOW_MS).alerts)).toEqual(["goes on after its message", "in force"])
    expect(ids(filtered(items, NOW_MS, {}).alerts)).toEqual(["goes on after its message", "in force"])
    expect(ids(filtered(items, NOW_MS, { status: "Exercise" }).alerts)).toEqual(["exercise"])
  })
  it("of the world come in pages, and are those in force", async () => {
    for (const atMs of [NOW_MS, NOW_MS + 7 * 60 * MINUTE_MS]) {
      const { payload } = await observed(nws, simulated, atMs)
      const world = listedAlerts(worldAt("test", atMs))
      expect(world.length).toBeGreaterThan(100)
      expect(payload.items.map(({ id }) => id).sort()).toEqual(
        [...world.map(({ id }) => id), payload.items.find(({ status }) => status === "Test")?.id].sort(),
      )
      const inForce = world.filter(
        ({ messageType, endsMs, expiresMs }) => messageType !== "Cancel" && (endsMs ?? expiresMs) > atMs,
      )
      expect(severe(payload.items, atMs).total_active).toBe(inForce.length)
      const washington = filtered(payload.items, atMs, { area: "WA", limit: "100" })
      expect(washington.alerts.map(({ id }) => id).sort()).toEqual(
        inForce.flatMap(({ id, office }) => (office[1] === "WA" ? [id] : [])).sort(),
      )
    }
  })
  it("of a day of the world are replaced under new ids, cancelled and over", () => {
    const seen = { updates: 0, cancelled: 0, over: 0 }
    for (let atMs = NOW_MS; atMs < NOW_MS + 24 * 60 * MINUTE_MS; atMs += 10 * MINUTE_MS)
      for (const { messageType, replaces, endsMs, expiresMs } of listedAlerts(worldAt("test", atMs))) {
        if (messageType === "Update" && replaces !== null) seen.updates += 1
        if (messageType === "Cancel") seen.cancelled += 1
        if ((endsMs ?? expiresMs) <= atMs) seen.over += 1
      }
    expect(
      Object.values(seen).every((count) => count > 0),
      JSON.stringify(seen),
    ).toBe(true)
  })
  it("follow no page to another host, and no list without an end", async () => {
    const real = upstreamOf(simulated, worldAt("test", NOW_MS))
    const pointing = (next: (url: string) => string): typeof real => ({
      ...real,
      fetch: (document, input) =>
        Effect.succeed({ ...pageOf(alert()), pagination: { next: next(document.url(input)) } } as never),
    })
    for (const next of [
      "https://evil.example/alerts?x=1",
      "http://api.weather.gov/alerts?x=1",
      "https://api.weather.gov.evil.example/alerts?x",
    ])
      expect(
        await pollFailure(
          nws,
          pointing(() => next),
        ),
      ).toMatchObject({ value: { message: expect.stringContaining("next page") } })
    expect(
      await pollFailure(
        nws,
        pointing(() => "https://api.weather.gov/alerts/active?cursor=1"),
      ),
    ).toMatchObject({
      value: { message: expect.stringContaining("more than 10 pages") },
    })
  })
  it("have changed when their times did, and not with their words", () => {
    const [item, extended, reworded] = [{}, { expires: "2026-11-20T20:00:00-08:00" }, { headline: "Much snow" }].map(
      (members) => itemsOf(alert(members))[0],
    )
    if (item === undefined || extended === undefined || reworded === undefined) throw new Error("an alert is missing")
    expect(weatherAlerts.isRevised(item, extended)).toBe(true)
    expect(weatherAlerts.isRevised(item, reworded)).toBe(false)
  })
  it("to select from fit their schema", async () => {
    const { payload } = await observed(nws, simulated, NOW_MS)
    const full = allAlertsView.build(
      inputsOf(allAlertsView, {}, () => reading(payload)),
      { parameters: {}, nowMs: NOW_MS },
    )
    expect(() => Schema.decodeUnknownSync(WeatherAlertsInForce)(full.data)).not.toThrow()
  })
})
