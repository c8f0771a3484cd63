import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { isTagged, loadDirectory } from "../directory.ts"
import { instanceKey } from "../feed.ts"
import { hasPlaces } from "../formats/table.ts"
import { endpoints } from "../registry.ts"
import { defaultParameters, type Endpoint, isView, standsReady, type ViewEndpoint } from "./endpoint-kinds.ts"
import { type Headline, MARKS_MAX, type Mark } from "./glance.ts"

const free = endpoints.filter(isView).filter(({ tier }) => tier === "free")

const feedFiles = await loadDirectory(new URL("../feeds/", import.meta.url))
/** The names of the endpoints that a feed declares: the test of the feed says what a glance at each shows. */
const declaredByFeeds = new Set(
  feedFiles.flatMap(({ exports }) => exports.filter(isTagged<Endpoint>("Endpoint")).map(({ name }) => name)),
)

/** Free views without a tile that are not fetched for what a caller names, each with its reason. */
const withoutTile: Readonly<Record<string, string>> = {
  briefing: "composed of feeds that have tiles",
  climate_weather_alerts: "the alerts that severe_weather counts",
}

const named = (name: string): ViewEndpoint => {
  const found = free.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no free view ${name}`)
  return found
}

/** Data that no glance may change. */
const frozen = <Value>(value: Value): Value => {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value)
    for (const member of Object.values(value)) frozen(member)
  }
  return value
}

const headlineOf = (name: string, data: unknown): Headline | undefined => named(name).glance?.headline(frozen(data))
const marksOf = (name: string, data: unknown): ReadonlyArray<Mark> => named(name).glance?.marks?.(frozen(data)) ?? []

/** What the example of each view that no feed's file declares shows: value, unit, note. */
const shown: Readonly<Record<string, readonly [Headline["value"], Headline["unit"], string]>> = {
  ai_stats: [2310, null, "to this service in 24 hours, 41 requests of 1 AI agent"],
  code_host_trending: [
    "petrel-labs/heron",
    null,
    "1,240 stars within 7 days, Rust, Watches tide gauges from the command line",
  ],
  crypto_movers: [-23.03, "%", "Tidewater Coin (TWC) in 24 hours, 0.0841 USD, the most of the 100 largest"],
  cyber_threats: ["CVE-2025-3248", null, "the newest, Langflow Missing Authentication Vulnerability, 17 Aug 2026"],
  economic_data: [4.12, "%", "14 Aug 2026, 2 years 3.45%, policy rate 3.88%, inflation 2.6%"],
  feed_reliability: [2, "of 2", "on time, 0 stale, 0 without data, 1 not polled here"],
  severe_weather: [
    1,
    null,
    "extreme or severe of 1 US alerts in force, the most severe Winter Storm Warning, Northern Cascades",
  ],
  stocks: [-0.7, "%", "SPY at 676.66 USD, change on the previous close, the most AAPL down 1.52%"],
}

const noCounts = { Extreme: 0, Severe: 0, Moderate: 0, Minor: 0, Unknown: 0 }

/** What was read and holds nothing, and what it shows: never an unknown value. */
const emptyLists: ReadonlyArray<readonly [string, unknown, Headline["value"]]> = [
  ["earthquake", { count: 0, earthquakes: [] }, "none"],
  ["climate_earthquakes", { magnitude: "all", period: "hour", count: 0, earthquakes: [] }, "none"],
  ["wildfires", { count: 0, fires: [] }, "none"],
  ["tsunami", { highest_level: "none", active_count: 0, watched_since: null, messages: [] }, "none"],
  ["severe_weather", { total_active: 0, counts_by_severity: noCounts, alerts: [] }, 0],
  ["disaster_alerts", { count: 0, total: 0, counts_by_level: { red: 0, orange: 0, green: 0 }, alerts: [] }, 0],
  ["volcanoes", { count: 0, total: 0, reports: [] }, 0],
  ["launches", { count: 0, launches: [] }, "none"],
  ["trade_halts", { count: 0, total: 0, halts: [] }, 0],
  ["humans_in_space", { count: 0, people: [] }, 0],
  ["chess_tv", { count: 0, channels: [] }, "none"],
  ["predictions", [], "none"],
  ["tech_news", [], "none"],
  ["event_market", { count: 0, markets: [] }, "none"],
  ["crypto_movers", { count: 0, movers: [] }, "none"],
  ["code_host_trending", { count: 0, window: "7d", repositories: [] }, "none"],
  ["model_hub_trending", { count: 0, models: [] }, "none"],
  ["game_platform_top", { count: 0, updated_at: "2026-08-17T20:30:00.000Z", games: [] }, "none"],
  ["internet_pulse", [{ name: "Asia", latency_ms: -1 }], "none"],
  ["cyber_threats", { count: 0, counts_by_source: { urlhaus: 0, threatfox: 0, cisa_kev: 0 }, threats: [] }, "none"],
]

const quake = { type: "earthquake", magnitude: null, location: null, time: "2026-08-17T20:33:01.000Z", depth_km: null }
const unread = { value: null, date: null, unit: "percent", source: "fred:X", previous: null }

/** What was read and does not know its value. */
const unknowns: ReadonlyArray<readonly [string, unknown]> = [
  ["earthquake", { count: 1, earthquakes: [quake] }],
  ["forex", { base: "USD", date: "2026-08-17", rates: { GBP: 0.74 }, previous: null }],
  ["service_status", [{ name: "GitHub", status: null }]],
  ["cyber_threats", { count: 0, counts_by_source: { urlhaus: 9, threatfox: 9, cisa_kev: null }, threats: [] }],
  ["stocks", { gainers: [], losers: [], indices: [], quotes: [], not_followed: [] }],
  ["harnesses", { view: "raw", current: "4.0", note: "n", revisions: [] }],
  ["economic_data", { yield_10y: unread, yield_2y: unread, fed_rate: unread, cpi_yoy_pct: null }],
]

describe("a glance", () => {
  it("is declared by every free view, but for those that say why not", () => {
    const without = free.filter(({ glance, kind }) => glance === null && kind !== "on-demand").map(({ name }) => name)
    expect(without).toEqual(Object.keys(withoutTile))
    expect(Object.keys(shown)).toEqual(
      free
        .filter(({ name, glance }) => glance !== null && !declaredByFeeds.has(name))
        .map(({ name }) => name)
        .sort(),
    )
    const premium = endpoints.filter(isView).filter(({ tier }) => tier === "premium")
    expect(premium.filter(({ glance }) => glance !== null)).toEqual([])
  })

  it("has a title of at most three words, which no other has", () => {
    const titles = free.flatMap(({ glance }) => glance?.title ?? [])
    expect(new Set(titles).size).toBe(titles.length)
    for (const title of titles) expect(title).toMatch(/^[A-Z][\w&-]+(?: [\w&-]+){0,2}$/)
  })

  it("draws of other replies only those that stand ready, under parameters and values of the endpoint", () => {
    const plotted = free.flatMap((endpoint) =>
      (endpoint.glance?.plotsOf ?? []).map(({ parameters }) => ({ endpoint, parameters })),
    )
    expect(plotted.length).toBeGreaterThan(0)
    for (const { endpoint, parameters } of plotted) {
      const all = { ...defaultParameters(endpoint), ...parameters }
      expect(Object.keys(all).sort()).toEqual(Object.keys(endpoint.parameters).sort())
      for (const [name, value] of Object.entries(all))
        expect(Schema.is(endpoint.parameters[name]?.schema as Schema.Schema<unknown>)(value), `${name}=${value}`).toBe(
          true,
        )
      expect(standsReady(endpoint, instanceKey(endpoint.path, all))).toBe(true)
    }
  })

  it.each(Object.entries(shown))("of %s is what an expert of the feed looks for", (name, [value, unit, note]) => {
    expect(headlineOf(name, structuredClone(named(name).example))).toEqual({ value, unit, note })
  })

  it.each(emptyLists)("of an empty %s says so", (name, data, value) => {
    const headline = headlineOf(name, data)
    expect(headline?.value).toBe(value)
    expect(headline?.note).not.toBe("")
  })

  it.each(unknowns)("of a %s without a value is null, with the reason in its note", (name, data) => {
    const headline = headlineOf(name, data)
    expect(headline?.value).toBe(null)
    expect(headline?.note).not.toBe("")
  })

  it("names the first of the largest, whatever stands before it", () => {
    const earthquakes = [3.1, null, 5.6, 5.6, 2.5].map((magnitude, at) => ({
      ...quake,
      magnitude,
      location: `place ${at}`,
    }))
    expect(headlineOf("earthquake", { count: 5, earthquakes })).toMatchObject({
      value: "M 5.6",
      note: "place 2, 17 Aug 20:33 UTC, of 5 events of 24 hours",
    })
  })

  it("spells times as exact as they are known", () => {
    const [launch] = (named("launches").example as { launches: ReadonlyArray<object> }).launches
    const timed = (net_precision: string | null) =>
      headlineOf("launches", { count: 1, launches: [{ ...launch, net_precision, net: "2026-12-31T00:00:00.000Z" }] })
    const words = ["second", "day", "week", "month", "quarter", "year", null].map(
      (precision) => timed(precision)?.value,
    )
    expect(words).toEqual([
      "31 Dec 00:00 UTC",
      "31 Dec 2026",
      "week of 31 Dec 2026",
      "Dec 2026",
      "a quarter of 2026",
      "2026",
      "31 Dec 2026",
    ])
    const untimed = headlineOf("launches", { count: 1, launches: [{ ...launch, net: null }] })
    expect(untimed).toMatchObject({ value: null, note: expect.stringContaining("Kestrel 3") })
  })
})

describe("marks", () => {
  const marked = free.filter(({ glance }) => glance?.marks !== undefined)

  it("are those of the views with places, no more and no less", () => {
    expect(marked).toEqual(free.filter(({ glance, table }) => glance !== null && table !== null && hasPlaces(table)))
  })

  it.each(marked.map((one) => [one.name, one] as const))(
    "of %s have place, name, weight and time",
    (name, { example }) => {
      const marks = marksOf(name, structuredClone(example))
      expect(marks.length).toBeGreaterThan(0)
      for (const { title, weight, at } of marks) {
        expect(title.length).toBeGreaterThan(3)
        expect(weight).toBeGreaterThan(0)
        expect(weight).toBeLessThanOrEqual(1)
        if (at !== null) expect(at).toBe(new Date(at).toISOString())
      }
    },
  )

  it("are the most severe, heaviest first, and what has no place is left out", () => {
    const row = (magnitude: number | null) => ({ ...quake, id: `${magnitude}`, magnitude, place: "P", lat: 1, lon: 2 })
    const magnitudes = Array.from({ length: 150 }, (_, at) => 2 + ((at * 37) % 150) / 25)
    const earthquakes = [...[...magnitudes, null, 11].map(row)]
    const marks = marksOf("climate_earthquakes", { magnitude: "2.5", period: "day", count: 152, earthquakes })
    expect(marks).toHaveLength(MARKS_MAX)
    expect(marks.map(({ weight }) => weight)).toEqual(marks.map(({ weight }) => weight).sort((a, b) => b - a))
    // Beyond any scale is the most severe, and no more.
    expect(marks[0]).toMatchObject({ title: "M 11.0, P", weight: 1 })
    const [fire] = (named("wildfires").example as { fires: ReadonlyArray<object> }).fires
    const fires = [
      { ...fire, lat: null },
      { ...fire, radiative_power_mw: null },
    ]
    expect(marksOf("wildfires", { count: 2, fires })).toMatchObject([{ title: "Fire, CA", weight: 0 }])
  })

  it("show each launch pad once, with its next launch", () => {
    const [launch] = (named("launches").example as { launches: ReadonlyArray<object> }).launches
    const launches = ["a", "b", "c"].map((id, at) => ({ ...launch, id, name: id, lat: at === 2 ? 5 : 57 }))
    const marks = marksOf("launches", { count: 3, launches })
    expect(marks.map(({ title }) => title)).toEqual(["a, 18 Aug 02:00 UTC", "c, 18 Aug 02:00 UTC"])
  })
})
