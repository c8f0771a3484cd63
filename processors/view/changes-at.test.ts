import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, expectTypeOf, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { instant } from "../../schemas/event.ts"
import { type Feed, instanceKey, type Parameters, valueFeed } from "../../schemas/feed.ts"
import type { Flaw } from "../../schemas/feeds/ai-stack-cves.ts"
import type { Earthquake } from "../../schemas/feeds/earthquakes.ts"
import { EXPOSURE_TARGETS, type HostExposure } from "../../schemas/feeds/exposure-scan.ts"
import { type FundingRate, fundingVenues } from "../../schemas/feeds/funding-rates.ts"
import type { Launch } from "../../schemas/feeds/launches.ts"
import type { SpaceAlert, SpaceWeather } from "../../schemas/feeds/space-weather.ts"
import { type TsunamiMessage, tsunamiCategories, tsunamiInstances } from "../../schemas/feeds/tsunami.ts"
import type { Headline } from "../../schemas/headline.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader, feeds as everyFeed } from "../../schemas/registry.ts"
import { makeLatest } from "../folds/latest.ts"
import { views as everyView } from "../registry.ts"
import { launch } from "../testing/delta-feeds.ts"
import { failed, foldingBench, type GivenEvent, observed, tick, unchangedPoll } from "../testing/folding.ts"
import { followsClock } from "./build-view.ts"
import { from, nextAfter, until, type View, view } from "./view.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BEGIN_MS = Date.parse("2026-11-20T00:00:00.000Z")

const gauge = valueFeed({
  name: "gauge",
  description: "",
  value: Schema.Struct({ endsAtMs: Schema.Int }),
  key: "gauge",
})
const free = { tier: "free", ttl: "1 minute", summary: "", description: "", parameters: {} } as const
/** Its function fails from the end of its payload on, for an hour. */
const brittle = view({
  endpoint: endpoint({
    ...free,
    path: "/api/brittle",
    name: "brittle",
    kind: "prepared",
    data: Schema.Struct({ ended: Schema.Boolean }),
    example: { ended: false },
  }),
  reads: { gauge: from(gauge) },
  clock: true,
  build: ({ gauge: { payload } }, { nowMs }) => {
    if (nowMs >= payload.endsAtMs && nowMs < payload.endsAtMs + HOUR) throw new Error("the end of the payload")
    return until({ ended: nowMs >= payload.endsAtMs }, nextAfter(nowMs, [payload.endsAtMs]))
  },
})
const views: ReadonlyArray<View> = [...everyView.filter(followsClock), brittle]
const feeds = new Map<string, Feed>([...everyFeed, ["gauge", gauge as Feed]])
const viewKeys = views.flatMap(({ endpoint: { path }, instances }) =>
  instances.map((parameters) => instanceKey(path, parameters)),
)

/** The same views, built at every tick whatever `changesAt` says; `built` counts the builds. */
const counted = (isAlways: boolean) => {
  let builds = 0
  const counting = views.map(
    (one): View => ({
      ...one,
      build: (inputs, context) => {
        builds += 1
        const timed = one.build(inputs, context)
        return isAlways ? until(timed.data, context.nowMs) : timed
      },
    }),
  )
  return { bench: foldingBench(makeLatest(counting, feeds), eventReader), builds: () => builds }
}

const message = (
  atMs: number,
  ageMinutes: number,
  category: number,
  number: number,
  centre: string,
): TsunamiMessage => ({
  event: number % 3 === 0 ? null : `event-${number % 2}`,
  product: number % 4 === 0 ? null : "WEPA40",
  centre: centre === "PAAQ" ? "PAAQ" : "PHEB",
  number,
  category: tsunamiCategories[category % tsunamiCategories.length] ?? "information",
  title: `Message ${number}`,
  place: "Somewhere",
  issuedAt: instant(atMs - ageMinutes * MINUTE),
  latitude: null,
  longitude: null,
  magnitude: null,
  magnitudeType: null,
  note: null,
  url: null,
})
const alert = (atMs: number, lastsMinutes: number, number: number): SpaceAlert => ({
  code: `ALT${number}`,
  serial: number,
  kind: "alert",
  headline: "Geomagnetic",
  scale: null,
  issuedAt: instant(atMs),
  activeUntil: instant(atMs + lastsMinutes * MINUTE),
})
const flaw = (publishedMs: number, number: number): Flaw => ({
  id: `CVE-2026-${1000 + number}`,
  aliases: [],
  severity: "high",
  cvss: null,
  epss: null,
  summary: null,
  publishedAt: instant(publishedMs),
  modifiedAt: instant(publishedMs),
  url: "https://osv.dev/",
})
const quake = (atMs: number, ageMinutes: number, number: number): Earthquake => ({
  id: `quake-${number}`,
  type: "earthquake",
  magnitude: 5 + number / 10,
  magnitudeType: null,
  place: number % 3 === 0 ? null : "Somewhere",
  time: instant(atMs - Math.max(ageMinutes, 0) * MINUTE),
  revisedAt: instant(atMs),
  latitude: 0,
  longitude: 0,
  depthKm: null,
  tsunami: false,
  alert: null,
  significance: null,
  status: "automatic",
  url: null,
})
const SIGNIFICANT = { parameters: { magnitude: "significant", period: "day" } }
const measurements: SpaceWeather["measurements"] = { kp: null, kpEstimated: null, solarWind: null, xray: null }
const rate = (number: number): FundingRate => ({
  symbol: `C${number}USDT`,
  base: `C${number}`,
  periodHours: 8,
  periodRate: number / 10_000,
  annualizedPercent: number * 10.95,
  markPrice: null,
  nextFundingTime: null,
})
/** Published almost a day ago: soon it leaves the window of the sentiment. */
const headline = (publishedMs: number, number: number): Headline => ({
  title: number % 2 === 0 ? "Bitcoin soars" : `Ether falls ${number}`,
  link: `https://www.coindesk.com/${number}`,
  publishedAt: instant(publishedMs),
  publisher: null,
})
const price = (value: number) => ({
  currency: "USD",
  price: value,
  change24hPercent: null,
  high24h: null,
  low24h: null,
  volume24h: null,
})

const numberedLaunch = (netMs: number, number: number): Launch =>
  launch(`launch-${number}`, number % 7 === 0 ? null : netMs, {
    statusAbbreviation: number % 5 === 0 ? "In Flight" : "Go",
  })

const happening = fc.record({
  kind: fc.constantFrom(
    "tick",
    "tick",
    "tick",
    "tsunami",
    "space",
    "flaw",
    "headline",
    "price",
    "same price",
    "failed",
    "gauge",
    "funding",
    "same funding",
    "exposure",
    "quake",
    "same quake",
    "launch",
  ),
  gapMs: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 26 * HOUR }), fc.constant(5 * MINUTE)),
  minutes: fc.integer({ min: -10, max: 1600 }),
  number: fc.integer({ min: 1, max: 20 }),
})
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never

const eventOf = ({ kind, minutes, number }: Happening, atMs: number): GivenEvent => {
  const centre = tsunamiInstances[number % 2] ?? { centre: "PAAQ" }
  const json = (payload: unknown) => payload as Json
  switch (kind) {
    case "tsunami": {
      const items = [message(atMs, minutes, minutes + number, number, centre.centre ?? "")]
      return observed(atMs, "tsunami", json({ items, facts: {} }), { parameters: centre })
    }
    case "space":
      return observed(atMs, "space-weather", json({ measurements, alerts: [alert(atMs, minutes, number)] }))
    case "flaw": {
      // Published almost 30 days ago: soon it no longer counts among those of the last 30 days.
      const items = [flaw(atMs - 30 * 24 * HOUR + minutes * MINUTE, number)]
      return observed(atMs, "ai-stack-cves", json({ items, facts: {} }), { parameters: { package: "torch" } })
    }
    case "headline": {
      const items = [headline(atMs - 24 * HOUR + minutes * MINUTE, number)]
      return observed(atMs, "headlines", json({ items, facts: {} }), { parameters: { outlet: "coindesk" } })
    }
    case "price":
      return observed(atMs, "btc-price", price(number))
    case "same price":
      return unchangedPoll(atMs, "btc-price")
    case "failed":
      return failed(atMs, "btc-price", "timeout", "slow")
    case "funding":
    case "same funding": {
      const poll = { parameters: { venue: fundingVenues[number % 2] ?? "" } }
      return kind === "funding"
        ? observed(atMs, "funding-rates", json({ items: [rate(number)], facts: { markets: number } }), poll)
        : unchangedPoll(atMs, "funding-rates", poll)
    }
    case "exposure": {
      const { ip } = EXPOSURE_TARGETS[number % EXPOSURE_TARGETS.length] ?? EXPOSURE_TARGETS[0]
      const lists = { vulns: [], hostnames: [], tags: [], cpes: [] }
      const totals = { ports: 1, vulns: 0, hostnames: 0, tags: 0, cpes: 0 }
      const host: HostExposure = { ip, found: true, ports: [number], ...lists, totals }
      return observed(atMs, "exposure-scan", json(host), { parameters: { ip } })
    }
    case "quake":
      return observed(atMs, "earthquakes", json({ items: [quake(atMs, minutes, number)], facts: {} }), SIGNIFICANT)
    case "same quake":
      return unchangedPoll(atMs, "earthquakes", SIGNIFICANT)
    case "launch":
      return observed(atMs, "launches", json({ items: [numberedLaunch(atMs + minutes * MINUTE, number)], facts: {} }))
    case "gauge":
      return observed(atMs, "gauge", { endsAtMs: atMs + minutes * MINUTE })
    default:
      return tick(atMs)
  }
}

describe("a view that follows the clock", () => {
  it("covers every view whose data depends on the current time or whose memory has a window", () => {
    expect(viewKeys).toEqual(
      expect.arrayContaining([
        "/api/pro/sentiment",
        "/api/tsunami",
        "/api/space-weather",
        "/api/ai-stack-cves",
        "/api/funding-rates",
        "/api/launches",
        "/api/pro/agent-context",
        "/api/pro/briefing",
        "/api/exposure-scan",
      ]),
    )
  })

  it("is, after every event, what building it at every tick makes of it", () => {
    let skipping = 0
    let always = 0
    fc.assert(
      fc.property(fc.array(happening, { minLength: 1, maxLength: 40 }), (history) => {
        const skip = counted(false)
        const each = counted(true)
        let atMs = BEGIN_MS
        for (const one of history) {
          atMs += one.gapMs
          const event = eventOf(one, atMs)
          skip.bench.fold(event)
          each.bench.fold(event)
          for (const key of viewKeys) expect([key, skip.bench.view(key)]).toEqual([key, each.bench.view(key)])
        }
        skipping += skip.builds()
        always += each.builds()
      }),
      { numRuns: 400 },
    )
    expect(skipping).toBeLessThan(always)
  })

  it("given data that stands until an instant, then no tick before it builds, and the first at it or after it does", () => {
    const { bench, builds } = counted(false)
    bench.fold(eventOf({ kind: "space", gapMs: 0, minutes: 60, number: 1 }, BEGIN_MS))
    const before = builds()
    for (let ms = 10_000; ms < HOUR; ms += 10_000) bench.fold(tick(BEGIN_MS + ms))
    expect(builds()).toBe(before)
    expect(bench.view("/api/space-weather")).toMatchObject({ data: { active_alerts: [{ code: "ALT1" }] } })
    bench.fold(tick(BEGIN_MS + HOUR))
    expect(builds()).toBe(before + 1)
    expect(bench.view("/api/space-weather")).toMatchObject({
      changedAt: instant(BEGIN_MS + HOUR),
      data: { active_alerts: [] },
    })
    bench.fold(tick(BEGIN_MS + 2 * HOUR))
    expect(builds()).toBe(before + 1)
  })

  it("given a function that fails, then it is tried at every tick, and recovers without news", () => {
    const made = counted(false).bench
    made.fold(observed(BEGIN_MS, "gauge", { endsAtMs: BEGIN_MS + HOUR }), tick(BEGIN_MS + HOUR))
    expect(made.view("/api/brittle")).toMatchObject({ data: { ended: false } })
    expect(made.problems()).toHaveLength(1)
    made.fold(tick(BEGIN_MS + HOUR + MINUTE))
    expect(made.problems()).toHaveLength(1)
    made.fold(tick(BEGIN_MS + 2 * HOUR))
    expect(made.view("/api/brittle")).toMatchObject({ data: { ended: true }, changedAt: instant(BEGIN_MS + 2 * HOUR) })
  })

  it("survives a restart without a build", () => {
    const made = foldingBench(makeLatest(views, feeds), eventReader)
    made.fold(eventOf({ kind: "space", gapMs: 0, minutes: 60, number: 1 }, BEGIN_MS))
    const again = foldingBench(makeLatest(views, feeds), eventReader, made.checkpoint())
    again.fold(tick(BEGIN_MS + HOUR))
    expect(again.view("/api/space-weather")).toMatchObject({ data: { active_alerts: [] } })
  })

  it("is alone given the time", () => {
    const plain = {
      ...free,
      path: "/api/plain",
      name: "plain",
      kind: "prepared",
      data: Schema.Struct({ ended: Schema.Boolean }),
      example: { ended: false },
    } as const
    const timeless = view({
      endpoint: endpoint(plain),
      reads: { gauge: from(gauge) },
      build: (_, context) => {
        expectTypeOf(context).not.toHaveProperty("nowMs")
        return { ended: false }
      },
    })
    const context = { parameters: {}, nowMs: 0 }
    expect(timeless.build({}, context)).toEqual(until({ ended: false }, null))
    expect(brittle.build({ gauge: { payload: { endsAtMs: 7 } } }, context)).toEqual(until({ ended: false }, 7))
  })

  /** A view on demand that shows the time at which it is built, and asks to be built again a minute later. */
  const onDemand = (prepared: ReadonlyArray<Parameters>) =>
    view({
      endpoint: endpoint({
        ...free,
        kind: "on-demand",
        path: "/api/x",
        name: "x",
        prepared,
        parameters: { at: choice(["here"], { description: "Where", optional: true }) },
        data: Schema.Struct({ at: Schema.String }),
        example: { at: "" },
      }),
      reads: { gauge: from(gauge, (parameters) => parameters) },
      clock: true,
      build: (_, { nowMs }) => until({ at: instant(nowMs) }, nowMs + MINUTE),
    }) as View

  it("is not on demand, unless some of its replies stand ready, which alone follow it", () => {
    expect(() => onDemand([])).toThrow("it cannot follow the clock")
    const made = foldingBench(makeLatest([onDemand([{}])], feeds), eventReader)
    const here = { parameters: { at: "here" } }
    made.fold(observed(BEGIN_MS, "gauge", { endsAtMs: 1 }), observed(BEGIN_MS, "gauge", { endsAtMs: 1 }, here))
    made.fold(tick(BEGIN_MS + MINUTE))
    expect(made.view("/api/x")).toMatchObject({ data: { at: instant(BEGIN_MS + MINUTE) } })
    expect(made.view("/api/x?at=here")).toMatchObject({ data: { at: instant(BEGIN_MS) } })
  })
})

describe("the next of some instants", () => {
  it("is the earliest that is still ahead", () => {
    expect(nextAfter(5, [9, 7, 5, 1])).toBe(7)
    expect(nextAfter(9, [9, 7])).toBeNull()
    expect(nextAfter(0, [])).toBeNull()
  })
})
