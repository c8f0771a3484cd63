import { describe, expect, it } from "vitest"
import { endpoints } from "../registry.ts"
import { isView, type ViewEndpoint } from "./endpoint-kinds.ts"
import { type Headline, MARKS_MAX, type Mark } from "./glance.ts"

const free = endpoints.filter(isView).filter(({ tier }) => tier === "free")

/** Free views without a tile, each with its reason. */
const withoutTile: Readonly<Record<string, string>> = {
  air_quality: "fetched for a place that a caller names",
  briefing: "composed of feeds that have tiles",
  climate_weather_alerts: "the alerts that severe_weather counts",
  exposure_scan: "a look-up of a host, whose prepared reply is an example",
  weather: "fetched for a place that a caller names",
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

/** What each example shows: value, unit, note. */
const shown: Readonly<Record<string, readonly [Headline["value"], Headline["unit"], string]>> = {
  ai_stack_cves: [1, null, "exploited, of 3 known in packages of the AI stack, the gravest CVE-2025-3248 in langflow"],
  ai_stats: [2310, null, "to this service in 24 hours, 41 requests of 1 AI agent"],
  btc_price: [63_213, "USD", "one bitcoin, up 0.97% in 24 hours"],
  chain_network: [3750, "transactions/s", "1,087 without votes, epoch 837 at 17%"],
  chess_tv: [2955, "rating", "GM Heron64, Top Rated"],
  climate_earthquakes: [1, null, "from magnitude 2.5, last day, the latest M 4.6, 100 km S of Kodiak, Alaska"],
  code_host_trending: [
    "petrel-labs/heron",
    null,
    "1,240 stars within 7 days, Rust, Watches tide gauges from the command line",
  ],
  crypto_movers: [-23.03, "%", "Tidewater Coin (TWC) in 24 hours, 0.0841 USD, the most of the 100 largest"],
  cyber_threats: ["CVE-2025-3248", null, "the newest, Langflow Missing Authentication Vulnerability, 17 Aug 2026"],
  disaster_alerts: [0, null, "red alerts worldwide, 1 orange, 0 green, the gravest Earthquake in Papua New Guinea"],
  earthquake: ["M 4.6", null, "100 km S of Kodiak, Alaska, 17 Aug 20:33 UTC, of 1 event of 24 hours"],
  economic_data: [4.12, "%", "14 Aug 2026, 2 years 3.45%, policy rate 3.88%, inflation 2.6%"],
  event_market: [81, "%", "Rates are held: Central bank decision in December?"],
  faa_status: [2, null, "1 ground delay, 1 closure"],
  fear_greed: [69, "of 100", "Greed, mood of the crypto market today"],
  feed_reliability: [2, "of 2", "within their promise, 0 stale, 0 dark, 1 not polled here"],
  forex: [1.1578, "USD", "one euro, up 0.04% on the day before, reference rate of 17 Aug 2026"],
  funding_rates: [
    -459.9,
    "% a year",
    "TRBUSDT at binance, the largest, sellers pay buyers, not read: okx and hyperliquid",
  ],
  game_platform_top: [1_384_410, "players", "Heron Strike 2 on Steam, peak 1,509,177"],
  harnesses: [51.52, "%", "Lantern Code with Meridian 6, best on Terminal-Bench 4.0"],
  humans_in_space: [2, null, "ISS 1, Tiangong 1"],
  internet_pulse: [92, "ms", "median to 1 place from here, US East 92 ms, no answer from Asia"],
  launches: ["18 Aug 02:00 UTC", null, "next Kestrel 3 | Survey Satellite 12, Northern Launch Company, Go for Launch"],
  model_hub_trending: ["heron-ai/Heron-27B", null, "text-generation, 1,233 likes in 7 days on Hugging Face"],
  predictions: [51, "%", "Yes: Will it rain on the opening day of the fair?"],
  reactors: [99.8, "%", "mean power of 93 units at work, 1 offline, 17 Aug 2026"],
  service_status: [1, null, "of 2 services not fully operational, Cloudflare minor"],
  severe_weather: [
    1,
    null,
    "extreme or severe of 1 US alerts in force, the gravest Winter Storm Warning, Northern Cascades",
  ],
  space_weather: [4.33, "Kp", "solar wind 442 km/s, flares up to C1.3 in 24 hours, 1 active alert"],
  stocks: [-0.7, "%", "SPY at 676.66 USD, change on the previous close, the most AAPL down 1.52%"],
  tech_news: [
    "Structure and Interpretation of Computer Programs (1996) [pdf]",
    null,
    "first on Hacker News, 661 points, 142 comments",
  ],
  trade_halts: [1, null, "in force on US exchanges, the latest TIDE, News pending"],
  tsunami: [
    "info",
    null,
    "1 active message, the latest 100 miles SW of Kodiak City, Alaska, no warning service: follow your local authorities",
  ],
  volcanoes: [1, null, "in the weekly report, first Mount Sable, Syldavia, New Eruptive Activity"],
  wildfires: [183.89, "MW", "strongest of 1 detection in North America, CA, 17 Aug 20:33 UTC"],
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
    const without = free.filter(({ glance }) => glance === null).map(({ name }) => name)
    expect(without).toEqual(Object.keys(withoutTile))
    expect(Object.keys(shown)).toEqual(
      free
        .filter(({ glance }) => glance !== null)
        .map(({ name }) => name)
        .sort(),
    )
    const premium = endpoints.filter(isView).filter(({ tier }) => tier === "premium")
    expect(premium.filter(({ glance }) => glance !== null)).toEqual([])
  })

  it("has a title of a few words, which no other has", () => {
    const titles = free.flatMap(({ glance }) => glance?.title ?? [])
    expect(new Set(titles).size).toBe(titles.length)
    for (const title of titles) expect(title).toMatch(/^[A-Z][\w&, ]{2,27}$/)
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

  it("are those of the feeds with places", () => {
    expect(marked.map(({ name }) => name)).toEqual([
      "climate_earthquakes",
      "disaster_alerts",
      "launches",
      "tsunami",
      "volcanoes",
      "wildfires",
    ])
  })

  it.each(marked.map((one) => [one.name, one] as const))(
    "of %s have place, name, weight and time",
    (name, { example }) => {
      const marks = marksOf(name, structuredClone(example))
      expect(marks).toHaveLength(1)
      for (const { title, weight, at } of marks) {
        expect(title.length).toBeGreaterThan(3)
        expect(weight).toBeGreaterThan(0)
        expect(weight).toBeLessThanOrEqual(1)
        expect(at).toMatch(/^2026-/)
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
