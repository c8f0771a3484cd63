import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import gdacs from "../../ingestors/sources/gdacs.ts"
import disastersTable from "../../processors/tables/disasters/table.ts"
import disasterAlertsView from "../../processors/views/disaster-alerts.ts"
import { DISASTERS_MAX, type Disaster, disasterAlerts } from "../../schemas/feeds/disaster-alerts.ts"
import simulated, { listedDisasters } from "../world/upstreams/gdacs.ts"
import { worldAt } from "../world/world.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof gdacs.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const feature = (members: object = {}, geometry: object = { type: "Point", coordinates: [13.597, -4.459] }) => ({
  type: "Feature",
  geometry,
  properties: {
    eventtype: "WF",
    eventid: 7,
    episodeid: 2,
    name: "Forest fires in Qurac",
    alertlevel: "Green",
    iscurrent: "true",
    country: "Qurac",
    iso3: "QRC",
    fromdate: "2026-11-12T00:00:00",
    todate: "2026-11-19T00:00:00",
    datemodified: "2026-11-20T07:14:48",
    affectedcountries: [],
    severitydata: { severity: 11197, severitytext: "11197 ha", severityunit: "ha" },
    ...members,
  },
})
const shownOnMap = (...features: ReadonlyArray<object>): Collected => ({ features })
const payloadOf = (...features: ReadonlyArray<object>) =>
  normalised(gdacs, shownOnMap(...features), { observedAtMs: NOW_MS }).payload
const itemOf = (members: object = {}, geometry?: object): Disaster | undefined =>
  payloadOf(feature(members, geometry)).items[0]
const rssItem = (members: object = {}) => ({
  "gdacs:eventtype": "WF",
  "gdacs:eventid": "7",
  "gdacs:alertlevel": "Green",
  "gdacs:fromdate": "Thu, 12 Nov 2026 00:00:00 GMT",
  "gdacs:datemodified": "Fri, 20 Nov 2026 07:14:48 GMT",
  "georss:point": "-4.459 13.597",
  ...members,
})
const inFeed = (...item: ReadonlyArray<object>): Collected => ({ rss: { channel: { item } } })

interface Shown {
  readonly count: number
  readonly total: number
  readonly counts_by_level: Readonly<Record<string, number>>
  readonly alerts: ReadonlyArray<Record<string, unknown>>
}
const show = (payload: ReturnType<typeof payloadOf>): Shown =>
  shown(disasterAlertsView, [reading(payload)], { nowMs: NOW_MS }) as Shown

const item: Disaster = {
  id: "WF7",
  type: "wildfire",
  episode: null,
  name: "Forest fires in Qurac",
  level: "green",
  country: null,
  countries: ["Qurac"],
  from: "2026-11-12T00:00:00.000Z",
  to: null,
  updatedAt: "2026-11-20T07:14:48.000Z",
  isCurrent: null,
  latitude: null,
  longitude: null,
  severity: null,
  url: null,
}
const row = {
  type: "wildfire",
  id: "WF7",
  episode: null,
  name: "Forest fires in Qurac",
  alert_level: "green",
  country: "",
  countries: ["Qurac"],
  from_at: "2026-11-12T00:00:00.000Z",
  to_at: null,
  updated_at: "2026-11-20T07:14:48.000Z",
  is_current: null,
  severity_value: null,
  severity_unit: "",
  severity_text: "",
  latitude: null,
  longitude: null,
  url: "",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: disasterAlerts,
  glances: {
    disaster_alerts: [
      0,
      null,
      "red alerts worldwide, 1 orange, 0 green, the most severe Earthquake in Papua New Guinea",
    ],
  },
  polls: [
    polled({
      source: gdacs,
      world: simulated,
      freeText: true,
      breakRow: (collected) =>
        "features" in collected
          ? shownOnMap(
              ...(collected.features as ReadonlyArray<object>),
              feature({ datemodified: "2026-02-30T00:00:00" }),
            )
          : collected,
      refused: [
        ["a map without an event", shownOnMap(), /has no items/],
        ["a feed without an event", inFeed(), /has no items/],
        ["a map of something else", shownOnMap({ type: "Feature", properties: { mag: 5 } }), /cannot be read/],
      ],
    }),
  ],
  views: [disasterAlertsView],
  table: disastersTable,
  rows: [
    { kind: "appeared", item, makes: row },
    {
      kind: "gone",
      item: { ...item, severity: { value: 5.5, unit: "M", text: "Magnitude 5.5M" }, isCurrent: false, episode: 3 },
      makes: {
        ...row,
        severity_value: 5.5,
        severity_unit: "M",
        severity_text: "Magnitude 5.5M",
        is_current: false,
        episode: 3,
        listed: false,
      },
    },
  ],
})

describe("disasters", () => {
  it.each([
    ["EQ", "earthquake"],
    ["TC", "tropical_cyclone"],
    ["FL", "flood"],
    ["VO", "volcano"],
    ["DR", "drought"],
    ["WF", "wildfire"],
    ["TS", "tsunami"],
  ])("of the letters %s are of the type %s", (eventtype, type) => {
    expect(itemOf({ eventtype })).toMatchObject({ id: `${eventtype}7`, type })
  })
  it("stand where their centre is, whichever of their shapes comes first", () => {
    const cone = { Class: "Poly_Cones", name: "Cone" }
    const { items, facts } = payloadOf(
      feature(cone, { type: "Polygon", coordinates: [[[0, 0]]] }),
      feature({ ...cone, eventid: 8 }, { type: "Polygon", coordinates: [[[0, 0]]] }),
      feature({ Class: "Point_0", name: "Track" }, { type: "Point", coordinates: [1, 1] }),
      feature({ Class: "Point_Centroid" }),
    )
    expect(items).toMatchObject([
      { id: "WF7", name: "Forest fires in Qurac", latitude: -4.459, longitude: 13.597 },
      { id: "WF8", latitude: null, longitude: null },
    ])
    expect(facts).toEqual({ total: 2, countsByLevel: { red: 0, orange: 0, green: 2 } })
  })
  it("come from the feed in the form of the map", () => {
    const { items } = normalised(gdacs, inFeed(rssItem()), { observedAtMs: NOW_MS }).payload
    expect(items).toEqual([
      {
        ...item,
        name: "Forest fires",
        countries: [],
        latitude: -4.459,
        longitude: 13.597,
        url: "https://www.gdacs.org/report.aspx?eventtype=WF&eventid=7",
      },
    ])
    const older = rssItem({ "gdacs:datemodified": "", pubDate: "Fri, 20 Nov 2026 07:14:48 GMT" })
    expect(readBy(gdacs, inFeed(older)).unreadable).toHaveLength(1)
    const { "gdacs:datemodified": _, ...oldest } = older
    expect(normalised(gdacs, inFeed(oldest)).payload.items).toMatchObject([{ updatedAt: item.updatedAt }])
  })
  it("have null for what is not given", () => {
    expect(
      itemOf(
        {
          episodeid: null,
          iscurrent: null,
          country: "",
          todate: null,
          severitydata: null,
        },
        { type: "Point", coordinates: [200, 0] },
      ),
    ).toMatchObject({
      episode: null,
      isCurrent: null,
      country: null,
      countries: [],
      to: null,
      severity: null,
      name: "Forest fires",
      latitude: null,
      longitude: null,
    })
  })
  it("have their times in UTC, with a zone or without", () => {
    expect(itemOf({ fromdate: "2026-11-12T02:00:00+02:00", todate: "2026-11-19T00:00:00Z" })).toMatchObject({
      from: "2026-11-12T00:00:00.000Z",
      to: "2026-11-19T00:00:00.000Z",
    })
  })
  it.each([
    ["an unknown type", { eventtype: "XX" }],
    ["an unknown level", { alertlevel: "Purple" }],
    ["no begin", { fromdate: "" }],
    ["an update in the future", { datemodified: "2026-11-21T00:00:00" }],
    ["a number that is none", { eventid: 1.5 }],
  ])("with %s are left out, and counted", (_, members) => {
    const rows = [feature(), feature({ eventid: 8 }), feature({ eventid: 9, ...members })]
    const { outcome, unreadable } = readBy(gdacs, shownOnMap(...rows), { observedAtMs: NOW_MS })
    expect(outcome).toMatchObject({ payload: { items: [{ id: "WF7" }, { id: "WF8" }], facts: { total: 2 } } })
    expect(unreadable).toHaveLength(1)
  })
  it("beyond the most that are kept are green ones, and are counted; a hundred are shown", () => {
    const many = Array.from({ length: DISASTERS_MAX + 3 }, (_, eventid) =>
      feature({ eventid, alertlevel: eventid % 10 === 0 ? "Red" : eventid % 10 === 1 ? "Orange" : "Green" }),
    )
    const payload = payloadOf(...many)
    expect(payload.items).toHaveLength(DISASTERS_MAX)
    expect(payload.facts).toEqual({
      total: DISASTERS_MAX + 3,
      countsByLevel: { red: 101, orange: 101, green: DISASTERS_MAX - 199 },
    })
    const { count, total, alerts } = show(payload)
    expect([count, total]).toEqual([100, DISASTERS_MAX + 3])
    expect(alerts.every(({ alert_level }) => alert_level === "red")).toBe(true)
  })
  it("have changed with their update, level or episode, and not with their words", () => {
    const [one, renamed, updated, raised, next] = [
      {},
      { name: "Fires" },
      { datemodified: "2026-11-20T08:00:00" },
      { alertlevel: "RED" },
      { episodeid: "3" },
    ].map((members) => itemOf(members))
    if (!one || !renamed || !updated || !raised || !next) throw new Error("a disaster is missing")
    expect([renamed, updated, raised, next].map((other) => disasterAlerts.isRevised(one, other))).toEqual([
      false,
      true,
      true,
      true,
    ])
  })
  it("are the same by the map and by the feed", async () => {
    const atMs = NOW_MS
    const world = upstreamOf(simulated, worldAt("test", atMs))
    const [onMap, inRss] = await Promise.all(
      [
        world,
        {
          ...world,
          fetch: ((document, input) =>
            document.url(input).includes("/MAP")
              ? Effect.fail(
                  new HttpFailed({
                    reason: "timeout",
                    host: "x",
                    status: null,
                    retryAfterMs: null,
                    message: "no answer",
                  }),
                )
              : world.fetch(document, input)) as typeof world.fetch,
        },
      ].map(async (upstream) => {
        const collected = await Effect.runPromise(
          gdacs.collect(upstream, { parameters: {}, key: null, observedAtMs: atMs }),
        )
        return normalised(gdacs, collected, { observedAtMs: atMs }).payload
      }),
    )
    expect(onMap?.items.length).toBeGreaterThan(5)
    expect(inRss).toEqual(onMap)
  })
  it("name countries without stray commas, and no number that the words beside it contradict", () => {
    expect(itemOf({ country: ", Japan, , Guam," })).toMatchObject({
      country: "Japan, Guam",
      countries: ["Japan", "Guam"],
      name: "Forest fires in Japan, Guam",
    })
    const everywhere = Array.from({ length: 250 }, (_, n) => `C${n}`)
    expect(itemOf({ country: everywhere.join(", ") })?.countries).toEqual(everywhere)
    const severity = (value: number, unit: string, text: string) =>
      itemOf({ severitydata: { severity: value, severitytext: text, severityunit: unit } })?.severity
    expect(severity(5.6, "M", "Magnitude 4.7M, Depth:10km")).toMatchObject({
      value: null,
      text: "Magnitude 4.7M, Depth:10km",
    })
    expect(severity(5.55, "M", "Magnitude 5.5M, Depth:10km")).toMatchObject({ value: 5.55 })
    expect(severity(101.8512, "km/h", "Hurricane/Typhoon > 74 mph (maximum wind speed of 102 km/h)")).toMatchObject({
      value: 101.8512,
    })
    expect(severity(101.8512, "km/h", "Tropical Storm (maximum wind speed of 139 km/h)")).toMatchObject({ value: null })
    expect(severity(11197, "ha", "a fire")).toMatchObject({ value: 11197 })
  })
  it("come from the feed where the map fails or shows nothing, and from neither when both fail", async () => {
    const real = upstreamOf(simulated, worldAt("test", NOW_MS))
    const replacing = (
      path: string,
      answer: Effect.Effect<never, HttpFailed> | Effect.Effect<Collected>,
    ): typeof real => ({
      ...real,
      fetch: (document, input) =>
        document.url(input).includes(path) ? (answer as Effect.Effect<never, HttpFailed>) : real.fetch(document, input),
    })
    const failure = (status: number) =>
      Effect.fail(new HttpFailed({ reason: "status", host: "x", status, retryAfterMs: null, message: "refused" }))
    const ids = listedDisasters(worldAt("test", NOW_MS)).map(({ type, number }) => `${type}${number}`)
    for (const upstream of [replacing("/MAP", failure(503)), replacing("/MAP", Effect.succeed({ features: [] }))]) {
      const collected = await Effect.runPromise(
        gdacs.collect(upstream, { parameters: {}, key: null, observedAtMs: NOW_MS }),
      )
      expect("rss" in collected).toBe(true)
      const { items } = normalised(gdacs, collected, { observedAtMs: NOW_MS }).payload
      expect(items.map(({ id }) => id).sort()).toEqual(ids.toSorted())
    }
    expect(await pollFailure(gdacs, replacing("gdacs.org", failure(503)))).toMatchObject({ value: { status: 503 } })
  })
  it("of the world are those of its list, each once, droughts that are not flagged as current among them", async () => {
    const seen = { cyclones: 0, unflagged: 0, grave: 0 }
    for (const atMs of [0, 1, 3, 9, 27].map((days) => NOW_MS + days * DAY_MS)) {
      const { payload } = await observed(gdacs, simulated, atMs)
      const world = listedDisasters(worldAt("test", atMs))
      const { alerts, total } = show(payload)
      expect(total).toBe(world.length)
      for (const one of world) {
        const alert = payload.items.find(({ id }) => id === `${one.type}${one.number}`)
        expect(alert).toMatchObject({
          name: one.name,
          level: one.level.toLowerCase(),
          isCurrent: one.isCurrent,
          countries: one.type === "WF" ? [one.country] : one.countries,
          latitude: one.latitude,
          severity: one.severity.value === 0 ? null : one.severity,
          updatedAt: new Date(one.updatedMs).toISOString(),
        })
      }
      seen.cyclones += alerts.filter(({ type }) => type === "tropical_cyclone").length
      seen.unflagged += alerts.filter(({ type, is_current }) => type === "drought" && is_current === false).length
      seen.grave += alerts.filter(({ alert_level }) => alert_level !== "green").length
    }
    expect(seen.unflagged).toBe(10)
    expect(
      Object.values(seen).every((count) => count > 0),
      JSON.stringify(seen),
    ).toBe(true)
  })
})
