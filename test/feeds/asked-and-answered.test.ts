import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import type { Source } from "../../ingestors/source.ts"
import alternative from "../../ingestors/sources/alternative-fng.ts"
import binance from "../../ingestors/sources/binance-spot.ts"
import kraken from "../../ingestors/sources/kraken.ts"
import firms from "../../ingestors/sources/nasa-firms.ts"
import openMeteo from "../../ingestors/sources/open-meteo.ts"
import statuspage, { statusHosts } from "../../ingestors/sources/statuspage.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import type { Parameters } from "../../schemas/feed.ts"
import { serviceIds, services } from "../../schemas/feeds/service-status.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"

/** An answer for another instance than the requested one is refused. (Coinbase's answers do not name their product.) */
const refuses = (source: unknown, collected: unknown, parameters: Parameters = {}) =>
  refusedBy(source as Source, collected, { parameters })?.message

describe("another symbol", () => {
  it("is no price of bitcoin", () => {
    expect(refuses(binance, { symbol: "ETHUSDT", lastPrice: 2000 })).toMatch(/no price of bitcoin/)
    expect(refuses(binance, { symbol: "BTCUSDT", lastPrice: 70_000 })).toBeUndefined()
    expect(refuses(kraken, { error: [], result: { XETHZUSD: { c: [2000] } } })).toMatch(/no price of bitcoin/)
    expect(
      refuses(kraken, { error: [], result: { XETHZUSD: { c: [2000] }, XXBTZUSD: { c: [70_000] } } }),
    ).toBeUndefined()
  })
})

it("another index is refused, and one without a name is believed", () => {
  const data = [{ value: "69", value_classification: "Greed", timestamp: "1788825600" }]
  expect(refuses(alternative, { name: "Altcoin Season Index", data })).toBe("the answer is another index")
  expect(normalised(alternative, { name: "Fear and Greed Index", data }).payload.items).toHaveLength(1)
  expect(normalised(alternative, { data }).payload.items).toHaveLength(1)
})

it("another place is refused", () => {
  const answer = { latitude: 48.2, longitude: 16.4, current: { time: "2026-11-21T10:00", temperature_2m: 3 } }
  expect(refuses(openMeteo, answer, { lat: "34.05", lon: "-118.24" })).toBe("the forecast is of another place")
  expect(refuses(openMeteo, answer, { lat: "48.21", lon: "16.37" })).toBeUndefined()
})

describe("a status page", () => {
  const answer = (page: object) => ({ page, status: { indicator: "none" }, components: [] })

  it("of another service is refused", () => {
    const cloudflare = answer({ id: "yh6f0r4529hb", name: "Cloudflare", url: "https://www.cloudflarestatus.com" })
    expect(refuses(statuspage, cloudflare, { service: "github" })).toBe("the page is of another service")
    expect(refuses(statuspage, cloudflare, { service: "cloudflare" })).toBeUndefined()
    expect(statuspage.recordedParameters(cloudflare)).toEqual({ service: "cloudflare" })
  })
  it("is recognised by its address or by its name, and accepted where it has neither", () => {
    for (const service of serviceIds) {
      for (const page of [{ url: `https://${statusHosts[service]}/` }, { name: services[service] }, {}])
        expect(refuses(statuspage, answer(page), { service }), `${service} ${JSON.stringify(page)}`).toBeUndefined()
      expect(refuses(statuspage, answer({ name: "Parked", url: "https://parked.example" }), { service })).toBeDefined()
    }
  })
})

describe("a satellite's detections", () => {
  const row = (satellite: string, more: object = {}) => ({
    latitude: "40.1",
    longitude: "-120.2",
    acq_date: "2026-11-20",
    acq_time: "930",
    satellite,
    confidence: "n",
    ...more,
  })
  const read = (rows: ReadonlyArray<unknown>, satellite: string) =>
    readBy(firms as Source, [{ columns: [], rows }], { parameters: { satellite } })

  it("of another satellite are refused, and a single one is left out", () => {
    expect(read([row("N20"), row("N20")], "noaa-21").outcome).toHaveProperty("problem", "2 of 2 rows cannot be read")
    const { outcome, unreadable } = read([row("N20"), row("1", { acq_time: "931" }), row("N")], "noaa-20")
    expect(outcome instanceof UpstreamError).toBe(false)
    expect(unreadable.map(({ problem }) => problem)).toEqual(["it is of another satellite than was asked for"])
  })
  it("of 30 February are of no day", () => {
    expect(read([row("N20", { acq_date: "2026-02-30" })], "noaa-20").unreadable).toHaveLength(1)
  })
  it("name the instance that a recording is of", () => {
    expect(firms.recordedParameters({ columns: [], rows: [row("N")] })).toEqual({ satellite: "suomi-npp" })
    expect(firms.recordedParameters({ columns: [], rows: [row("T")] })).toBeNull()
  })
})

it("a list of earthquakes of another magnitude or period is refused", () => {
  const url = "http://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson"
  const answer = { type: "FeatureCollection", metadata: { generated: 1, url }, features: [] }
  expect(refuses(usgs, answer, { magnitude: "2.5", period: "day" })).toBe("the list is of another magnitude or period")
  expect(refuses(usgs, answer, { magnitude: "all", period: "week" })).toBe("the list is of another magnitude or period")
  expect(refuses(usgs, answer, { magnitude: "all", period: "day" })).toBeUndefined()
  expect(usgs.recordedParameters(answer)).toEqual({ magnitude: "all", period: "day" })
})
