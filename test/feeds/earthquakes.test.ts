import { describe, expect, it } from "vitest"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import climateEarthquakes from "../../processors/views/climate-earthquakes.ts"
import earthquake from "../../processors/views/earthquake.ts"
import { dayOf } from "../../schemas/day.ts"
import {
  climateEarthquakesEndpoint,
  DAILY,
  type Earthquake,
  earthquakeEndpoint,
  earthquakes,
} from "../../schemas/feeds/earthquakes.ts"
import simulated from "../world/upstreams/usgs-earthquakes.ts"
import { quakes, worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const ALL_DAY = { magnitude: "all", period: "day" }
const metadata = { generated: NOW_MS, count: 1 }

const feature = (id: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  id,
  geometry: { coordinates: [129.5633, 26.6579, 10] },
  properties: { mag: 5.6, place: "158km E of Nago, Japan", time: NOW_MS - 1000, updated: NOW_MS, ...changes },
})
const collection = (...features: ReadonlyArray<unknown>): Parameters<typeof usgs.read>[0] => ({
  type: "FeatureCollection",
  metadata,
  features,
})
const items = (...features: ReadonlyArray<unknown>) => normalised(usgs, collection(...features)).payload.items

const afghanistan: Earthquake = {
  id: "us6000len8",
  type: "earthquake",
  magnitude: 6.3,
  magnitudeType: "mww",
  place: "western Afghanistan",
  time: "2023-10-11T00:41:56.160Z",
  revisedAt: "2023-10-11T19:57:32.893Z",
  latitude: 34.5565,
  longitude: 62.0449,
  depthKm: 9,
  tsunami: false,
  alert: "red",
  significance: 2029,
  status: "reviewed",
  url: "https://earthquake.usgs.gov/earthquakes/eventpage/us6000len8",
}

feedTest({
  feed: earthquakes,
  glances: {
    climate_earthquakes: [1, null, "from magnitude 2.5, last day, the latest M 4.6, 100 km S of Kodiak, Alaska"],
    earthquake: ["M 4.6", null, "100 km S of Kodiak, Alaska, 17 Aug 20:33 UTC, of 1 event of 24 hours"],
  },
  polls: [
    polled({
      source: usgs,
      world: simulated,
      instances: [DAILY, ALL_DAY],
      freeText: true,
      breakRow: (answer) => ({
        ...answer,
        features: [...answer.features, { ...feature("x"), geometry: { coordinates: [null, null, 3] } }],
      }),
      refused: [["an empty list that counts events", collection(), /empty, and counts events/]],
    }),
  ],
  views: [earthquake, climateEarthquakes],
  rows: [
    {
      kind: "changed",
      parameters: ALL_DAY,
      item: afghanistan,
      makes: {
        id: "us6000len8",
        revised_at: "2023-10-11T19:57:32.893Z",
        time: "2023-10-11T00:41:56.160Z",
        magnitude: 6.3,
        magnitude_type: "mww",
        place: "western Afghanistan",
        latitude: 34.5565,
        longitude: 62.0449,
        depth_km: 9,
        tsunami: false,
        alert: "red",
        significance: 2029,
        status: "reviewed",
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", parameters: ALL_DAY, item: afghanistan, makes: null },
  ],
})

/** What the page draws by event time of the catalogue of a month, and of the plain list. */
const monthDrawn = (data: unknown) => climateEarthquakesEndpoint.glance?.plotsOf?.[0]?.plots(data as never)[0]
const hoursDrawn = (data: unknown) => earthquakeEndpoint.glance?.plots?.(data as never)[0]
const pointsOf = (plot: ReturnType<typeof monthDrawn>) => (plot?.kind === "series" ? plot.points : [])

describe.skipIf(capturesAbsent)("captured catalogues", () => {
  const captured = (file: string) => normalised(usgs, collectedCapture(usgs, "summary", file))

  it("of a month, by the day: whole days from the one after the oldest event, 0 where nothing happened", () => {
    const { payload } = captured("significant_month-2023-10-11.geojson")
    const parameters = { magnitude: "4.5", period: "month" }
    const plot = monthDrawn(shown(climateEarthquakes, [reading(payload, parameters)], { nowMs: NOW_MS, parameters }))
    expect(plot).toMatchObject({ title: "Quakes of magnitude 4.5 and above a day, by when they happened", bars: {} })
    const points = pointsOf(plot)
    expect([points[0]?.at, points.at(-1)?.at, points.length]).toEqual(["2023-09-13", "2023-10-11", 29])
    // The catalogue's own days, counted by hand; the event of 12 September is of a day of which the list holds a part.
    const days = { "18": 1, "19": 1, "30": 1 }
    const inOctober = { "02": 1, "03": 1, "04": 1, "06": 1, "07": 7, "09": 2, "11": 1 }
    const counted = (month: string, counts: Readonly<Record<string, number>>) =>
      Object.entries(counts).map(([day, count]) => [`2023-${month}-${day}`, count])
    expect(points.flatMap(({ at, value }) => (value === 0 ? [] : [[at, value]]))).toEqual(
      [...counted("09", days), ...counted("10", inOctober)].sort(),
    )
    expect(points.at(-1)?.note).toBe("until 00:41 UTC")
  })

  it("of the significant events of a month: all 18, the newest first, with their alerts", () => {
    const { payload, contentAtMs } = captured("significant_month-2023-10-11.geojson")
    expect(contentAtMs).toBe(Date.parse("2023-10-11T20:16:31Z"))
    expect(payload.items).toHaveLength(18)
    expect(payload.items[0]).toEqual(afghanistan)
    expect(payload.items.find(({ id }) => id === "us6000ldqd")).toMatchObject({
      magnitude: 6.7,
      depthKm: 53.498,
      tsunami: true,
      alert: "green",
      otherIds: ["at00s25h5f", "pt23280002"],
    })
    // Thirteen of the eighteen are known to one network alone.
    expect(payload.items.filter(({ otherIds }) => otherIds === undefined)).toHaveLength(13)
    expect(shown(earthquake, [reading(payload, DAILY)], { nowMs: NOW_MS })).toMatchObject({
      count: 18,
      earthquakes: expect.arrayContaining([
        {
          type: "earthquake",
          magnitude: 6.3,
          location: "western Afghanistan",
          time: "2023-10-11T00:41:56.160Z",
          depth_km: 9,
        },
      ]),
    })
  })
  it("of a day in 2018: the strongest, as the catalogue states it", () => {
    const { payload } = captured("all_day-2018-09-16.geojson")
    expect(payload.items).toHaveLength(188)
    expect(payload.items.find(({ id }) => id === "us2000hf24")).toEqual({
      id: "us2000hf24",
      type: "earthquake",
      magnitude: 5.6,
      magnitudeType: "mww",
      place: "158km E of Nago, Japan",
      time: "2018-09-15T08:05:29.280Z",
      revisedAt: "2018-09-15T15:44:25.040Z",
      latitude: 26.6579,
      longitude: 129.5633,
      depthKm: 10,
      tsunami: false,
      alert: "green",
      significance: 483,
      status: "reviewed",
      url: "https://earthquake.usgs.gov/earthquakes/eventpage/us2000hf24",
    })
    const catalogue = shown(climateEarthquakes, [reading(payload, ALL_DAY)], { nowMs: NOW_MS, parameters: ALL_DAY })
    expect(catalogue).toMatchObject({
      magnitude: "all",
      period: "day",
      count: 188,
      earthquakes: expect.arrayContaining([
        {
          id: "us2000hf24",
          type: "earthquake",
          magnitude: 5.6,
          place: "158km E of Nago, Japan",
          time: "2018-09-15T08:05:29.280Z",
          depth_km: 10,
          lat: 26.6579,
          lon: 129.5633,
          tsunami: false,
          url: "https://earthquake.usgs.gov/earthquakes/eventpage/us2000hf24",
        },
      ]),
    })
  })
  it("of a day in 2016: five quarry blasts and three explosions are left out, and are no unreadable rows", () => {
    const wire = collectedCapture(usgs, "summary", "all_day-2016-11-03.geojson")
    expect(wire.features).toHaveLength(151)
    const { payload } = normalised(usgs, wire)
    expect(payload.items).toHaveLength(143)
    expect(readBy(usgs, wire).unreadable).toEqual([])
    expect(payload.items[0]).toMatchObject({
      id: "ci37517303",
      magnitude: 1.09,
      place: "24km E of Lake Isabella, CA",
      latitude: 35.6175,
      longitude: -118.2046667,
      depthKm: 4.52,
      status: "automatic",
    })
    expect(payload.items.find(({ id }) => id === "us100073yc")).toMatchObject({ magnitude: 5, tsunami: true })
  })
})

describe("earthquakes", () => {
  it.each(["volcanic eruption", "volcanic explosion", "landslide", "ice quake", "snow avalanche"])(
    "include an event of type %s, with its type",
    (type) => {
      expect(items(feature("a", { type }))).toMatchObject([{ type }])
    },
  )
  it("keep each id of other networks, by which they are known to be the same", () => {
    const ids = Array.from({ length: 40 }, (_, n) => `network${n}`)
    expect(items(feature("us1", { ids: `,us1,${ids.join(",")},` }))[0]?.otherIds).toEqual(ids)
  })
  it("leave out what people do", () => {
    expect(items(feature("a", { type: "quarry blast" }), feature("b", { type: "Sonic Boom" }))).toEqual([])
  })
  it("have null for a magnitude or a depth that cannot be, and stay", () => {
    const deep = { ...feature("a", { mag: 12 }), geometry: { coordinates: [1, 2, 9000] } }
    expect(items(deep)).toMatchObject([{ magnitude: null, depthKm: null, latitude: 2, longitude: 1 }])
  })
  it("change when the agency revises them, and not otherwise", () => {
    const [before] = items(feature("a"))
    const [same] = items(feature("a", { mag: 5.7 }))
    const [revised] = items(feature("a", { updated: NOW_MS + 1 }))
    if (before === undefined || same === undefined || revised === undefined) throw new Error("an event is missing")
    expect(earthquakes.isRevised(before, same)).toBe(false)
    expect(earthquakes.isRevised(before, revised)).toBe(true)
  })
  it("are published as changes by the one instance that holds every event of the day", () => {
    const publishing = earthquakes.instances.filter((instance) => earthquakes.publishesChanges(instance))
    expect(publishing).toEqual([ALL_DAY])
  })
  it("have no drawing of a day of which the list holds one event or none", () => {
    expect(hoursDrawn({ count: 0, earthquakes: [] })).toMatchObject({ points: [] })
    expect(hoursDrawn(earthquakeEndpoint.example)).toMatchObject({ points: [] })
  })
  it("of the world are drawn by the day and by the hour in which they happened", async () => {
    const month = { magnitude: "4.5", period: "month" }
    const { payload } = await observed(usgs, simulated, NOW_MS, month)
    const drawn = pointsOf(
      monthDrawn(shown(climateEarthquakes, [reading(payload, month)], { nowMs: NOW_MS, parameters: month })),
    )
    const happened = (day: string) => payload.items.filter(({ time }) => time.startsWith(day)).length
    expect(drawn.map(({ at, value }) => [at, value])).toEqual(drawn.map(({ at }) => [at, happened(at)]))
    expect(drawn.length).toBeGreaterThan(26)
    // A month that begins within a day holds a part of it.
    const begun = dayOf(NOW_MS - 30 * 86_400_000)
    expect(drawn.map(({ at }) => at)).not.toContain(begun)
    const day = await observed(usgs, simulated, NOW_MS, DAILY)
    const hours = pointsOf(hoursDrawn(shown(earthquake, [reading(day.payload, DAILY)], { nowMs: NOW_MS })))
    expect(hours.length).toBeGreaterThan(12)
    const ofHour = (at: string) => day.payload.items.filter(({ time }) => time.startsWith(at.slice(0, 13))).length
    expect(hours.map(({ value }) => value)).toEqual(hours.map(({ at }) => ofHour(at)))
  })
  it("of the world are those shown", async () => {
    const { payload } = await observed(usgs, simulated, NOW_MS, DAILY)
    const minuteMs = Math.floor(NOW_MS / 60_000) * 60_000
    const expected = quakes(worldAt("test", NOW_MS), minuteMs - 86_400_000, minuteMs)
      .filter(({ magnitude }) => magnitude >= 2.5)
      .map(({ place, magnitude }) => [place, magnitude])
      .reverse()
    const { earthquakes: rows } = shown(earthquake, [reading(payload, DAILY)], { nowMs: NOW_MS }) as {
      readonly earthquakes: ReadonlyArray<{ readonly location: string; readonly magnitude: number }>
    }
    expect(rows.length).toBeGreaterThan(2)
    expect(rows.map(({ location, magnitude }) => [location, magnitude])).toEqual(expected)
  })
})
