import { describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import { makeAdmission } from "../../ingestors/poll/admission.ts"
import type { Candidate } from "../../ingestors/poll/plan.ts"
import openMeteo from "../../ingestors/sources/open-meteo.ts"
import airQualitySource from "../../ingestors/sources/open-meteo-air-quality.ts"
import airQualityView from "../../processors/views/air-quality.ts"
import { AIR_QUALITY_CANARY, type AirQuality, airQuality, airQualityEndpoint } from "../../schemas/feeds/air-quality.ts"
import simulated, { airAt } from "../world/upstreams/open-meteo-air-quality.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
const BERLIN = { lat: "52.55", lon: "13.45" }
const HERE = { lat: "1", lon: "2" }
type Answer = Parameters<typeof airQualitySource.read>[0]

const show = (payload: AirQuality, parameters: Readonly<Record<string, string>>) =>
  shown(airQualityView, [reading(payload, parameters)], { nowMs: NOW_MS, parameters })
const read = (answer: Answer, parameters: Readonly<Record<string, string>>) =>
  normalised(airQualitySource, answer, { parameters })

const air: AirQuality = {
  latitude: 52.5,
  longitude: 13.4,
  at: "2026-11-20T12:00:00.000Z",
  usAqi: 101,
  europeanAqi: null,
  pm25UgPerM3: 35.5,
  pm10UgPerM3: 50,
  ozoneUgPerM3: 0,
  nitrogenDioxideUgPerM3: 20.1,
  sulphurDioxideUgPerM3: null,
  carbonMonoxideUgPerM3: 310,
}
// The place of the canary, which is the instance that refusals are tried with.
const here = { latitude: 34.1, longitude: -118.2 }

feedTest({
  feed: airQuality,
  polls: [
    polled({
      source: airQualitySource,
      world: simulated,
      instances: [AIR_QUALITY_CANARY, BERLIN, { lat: "-33.87", lon: "151.21" }],
      freeText: false,
      breakRow: null,
      refused: [
        ["an error object", { error: true, reason: "no" }, /was refused/],
        ["a place without current values", here, /no current values/],
        ["an unreadable time", { ...here, current: { time: "now", us_aqi: 3 } }, /no current values/],
        ["none of the requested values", { ...here, current: { time: "2026-11-20T12:00" } }, /no current values/],
      ],
    }),
  ],
  views: [airQualityView],
  rows: [
    {
      kind: "changed",
      parameters: BERLIN,
      item: air,
      makes: {
        asked_latitude: 52.55,
        asked_longitude: 13.45,
        at: "2026-11-20T12:00:00.000Z",
        latitude: 52.5,
        longitude: 13.4,
        us_aqi: 101,
        european_aqi: null,
        pm2_5_ug_m3: 35.5,
        pm10_ug_m3: 50,
        ozone_ug_m3: 0,
        nitrogen_dioxide_ug_m3: 20.1,
        sulphur_dioxide_ug_m3: null,
        carbon_monoxide_ug_m3: 310,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", parameters: BERLIN, item: air, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured air quality", () => {
  it("of Berlin has all eight values, at a local time one hour ahead", () => {
    const answer = collectedCapture(airQualitySource, "current", "current-all-pollutants-berlin-2024-02-21.json")
    const { payload, contentAtMs } = read(answer, BERLIN)
    expect(contentAtMs).toBe(Date.parse("2024-02-21T15:00:00Z"))
    expect(show(payload, BERLIN)).toEqual({
      lat: 52.55,
      lon: 13.45,
      timezone: "GMT",
      snapshot: {
        time: "2024-02-21T15:00:00.000Z",
        us_aqi: 41,
        european_aqi: 22,
        pm2_5: 8.8,
        pm10: 9.7,
        ozone: 54,
        nitrogen_dioxide: 17.7,
        sulphur_dioxide: 1.3,
        carbon_monoxide: 220,
      },
      category: { label: "good", color: "green" },
    })
  })
  it("of three places gives the requested one, with units whose letters were wrongly encoded", () => {
    const answer = collectedCapture(airQualitySource, "current", "current-multi-location-2026-06-27.json")
    expect(read(answer, { lat: "35.68", lon: "139.69" })).toEqual({
      contentAtMs: Date.parse("2026-06-27T07:00:00Z"),
      payload: {
        latitude: 35.700005,
        longitude: 139.70001,
        at: "2026-06-27T07:00:00.000Z",
        usAqi: 47,
        europeanAqi: 23,
        pm25UgPerM3: 14,
        pm10UgPerM3: 14.1,
        ozoneUgPerM3: 4,
        nitrogenDioxideUgPerM3: 46.2,
        sulphurDioxideUgPerM3: null,
        carbonMonoxideUgPerM3: null,
      },
    })
  })
  it("of Charlotte has the US index alone, and everything else is null", () => {
    const answer = collectedCapture(airQualitySource, "current", "current-us-aqi-charlotte-2026-09-13.json")
    const charlotte = { lat: "35.23", lon: "-80.84" }
    const { payload } = read(answer, charlotte)
    expect(show(payload, charlotte)).toMatchObject({
      snapshot: {
        time: "2026-09-13T14:00:00.000Z",
        us_aqi: 25,
        european_aqi: null,
        pm2_5: null,
        carbon_monoxide: null,
      },
      category: { label: "good", color: "green" },
    })
  })
})

describe("air quality", () => {
  const answer = (values: object, units: Readonly<Record<string, string>> = {}): Answer => ({
    latitude: 1,
    longitude: 2,
    current: { time: "2026-11-20T12:00", ...values },
    current_units: units,
  })

  it("is in the band of its US index, whose bounds belong to the lower one", () => {
    const label = (usAqi: number | null) =>
      (show({ ...air, usAqi }, HERE) as { category: { label: string } | null }).category?.label ?? null
    expect([0, 50, 51, 100, 101, 150, 151, 200, 201, 300, 301, 900].map(label)).toEqual([
      "good",
      "good",
      "moderate",
      "moderate",
      "unhealthy_sensitive",
      "unhealthy_sensitive",
      "unhealthy",
      "unhealthy",
      "very_unhealthy",
      "very_unhealthy",
      "hazardous",
      "hazardous",
    ])
    expect(label(null)).toBeNull()
  })
  it("is null, and never zero, where the model has no value or an impossible one", () => {
    const { payload } = read(answer({ us_aqi: null, pm10: -1, pm2_5: 2e6, european_aqi: 40.6, ozone: 0 }), HERE)
    expect(payload).toMatchObject({
      usAqi: null,
      pm10UgPerM3: null,
      pm25UgPerM3: null,
      europeanAqi: 41,
      ozoneUgPerM3: 0,
    })
    expect(show(payload, HERE)).toMatchObject({ category: null })
  })
  it.each([
    ["\u03BCg/m\u00B3", 300],
    ["\u00B5g/m\u00B3", 300],
    ["\u00CE\u00BCg/m\u00C2\u00B3", 300],
    ["\uFFFDg/m\uFFFD", 300],
    ["ug/m3", 300],
    ["mg/m\u00B3", null],
    ["ppb", null],
  ])("in %o is %o", (unit, value) => {
    expect(read(answer({ carbon_monoxide: 300 }, { carbon_monoxide: unit }), HERE).payload).toMatchObject({
      carbonMonoxideUgPerM3: value,
    })
  })
  it("of another place than the requested one is refused", () => {
    expect(refusedBy(airQualitySource, answer({ us_aqi: 3 }), { parameters: BERLIN })).toMatchObject({
      message: "the air quality is of another place",
    })
  })
  it("is that of both defaults where a coordinate is missing, given twice or invalid", () => {
    const accept = makeParameterReader(airQualityEndpoint)
    const defaults = { _tag: "Accepted", parameters: AIR_QUALITY_CANARY }
    for (const query of [{}, { lat: "52.55" }, { lon: "13" }, { lat: "91", lon: "13" }, { lat: ["1", "2"], lon: "3" }])
      expect(accept(query)).toMatchObject(defaults)
    expect(accept({ lat: "52.549", lon: "-0.001" })).toMatchObject({ parameters: { lat: "52.55", lon: "0" } })
  })
  it.each([AIR_QUALITY_CANARY, BERLIN])("of the world at %o is shown", async (place) => {
    const { payload } = await observed(airQualitySource, simulated, NOW_MS, place)
    const truth = airAt(worldAt("test", NOW_MS), Number(place.lat), Number(place.lon))
    expect(shown(airQualityView, [reading(payload, place)], { nowMs: NOW_MS, parameters: place })).toMatchObject({
      snapshot: {
        time: "2026-11-20T12:00:00.000Z",
        us_aqi: truth.usAqi,
        pm2_5: truth.pm25,
        sulphur_dioxide: truth.sulphurDioxide,
        carbon_monoxide: truth.carbonMonoxide,
      },
    })
  })
  it("takes 2,000 fetches on request a day of the 9,000 that it shares with the weather", () => {
    const admission = makeAdmission(new Map(), true)
    /** The fetches that are admitted in a day, each counted as one request. */
    const admitted = (source: unknown) => {
      const candidate = { source, key: null, provider: "OpenMeteo" } as Candidate
      let count = 0
      for (let minute = 0; minute < 24 * 60; minute++) {
        const atMs = NOW_MS + minute * 60_000
        while (admission.begin(candidate, true, atMs) === null && admission.request(candidate, true, atMs) === null)
          count += 1
      }
      return count
    }
    expect([admitted(airQualitySource), admitted(openMeteo)]).toEqual([2_000, 7_000])
  })
  it("is asked of the customers' host where there is a key, and of the free one without", () => {
    const url = (key: string | null) =>
      airQualitySource.documents.current?.url({ parameters: BERLIN, observedAtMs: NOW_MS, key })
    expect(url(null)).toMatch(/^https:\/\/air-quality-api\.open-meteo\.com\/v1\/air-quality\?latitude=52\.55&/)
    expect(url(null)).not.toContain("apikey")
    expect(url("secret")).toMatch(/^https:\/\/customer-air-quality-api\.open-meteo\.com\/.*&apikey=secret$/)
  })
})
