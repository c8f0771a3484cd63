import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { decodeDocument } from "../../ingestors/poll/read.ts"
import firms from "../../ingestors/sources/nasa-firms.ts"
import firesTable from "../../processors/tables/fires/table.ts"
import wildfiresView from "../../processors/views/wildfires.ts"
import { FIRES_MAX, type Fire, wildfires } from "../../schemas/feeds/wildfires.ts"
import simulated, { detections } from "../world/upstreams/nasa-firms.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-08-20T12:34:56.000Z")
type Collected = Parameters<typeof firms.read>[0]
type Row = Readonly<Record<string, string>>
interface Table {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

const captured = (file: string) => decodedCapture<Table>(firms, "detections", file)
const moved = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.map((row) => (row.longitude === "" ? row : { ...row, longitude: String(-100 + Number(row.longitude) / 100) }))
const row = (changes: Row): Row => ({
  latitude: "40.6",
  longitude: "-122.5",
  acq_date: "2026-08-20",
  acq_time: "0905",
  satellite: "N20",
  confidence: "nominal",
  frp: "10",
  version: "2.0NRT",
  daynight: "N",
  bright_ti4: "330",
  ...changes,
})
const items = (...rows: ReadonlyArray<Row>) => normalised(firms, [{ columns: [], rows }]).payload.items
const show = (items: ReadonlyArray<Fire>, nowMs = NOW_MS) =>
  shown(wildfiresView, [reading({ items }, { satellite: "noaa-20" })], { nowMs }) as {
    readonly count: number
    readonly fires: ReadonlyArray<Record<string, unknown>>
  }

const bare: Fire = {
  latitude: 55,
  longitude: -120,
  acquiredAt: "2026-08-20T09:05:00.000Z",
  satellite: "Terra",
  instrument: null,
  confidence: null,
  confidencePercent: 85,
  radiativePowerMw: 10,
  brightnessK: null,
  daytime: null,
  version: null,
}

feedTest({
  feed: wildfires,
  glances: {
    wildfires: [183.89, "MW", "strongest of 1 detection in North America, CA, 17 Aug 20:33 UTC"],
  },
  polls: [
    polled({
      source: firms,
      world: simulated,
      freeText: false,
      breakRow: ([first, ...rest]): Collected => [first, ...rest, { columns: [], rows: [row({ latitude: "x" })] }],
      refused: [
        [
          "a file that is mostly unreadable",
          [{ columns: [], rows: [row({ latitude: "x" }), row({ latitude: "x" }), row({})] }],
          /2 of 3 rows cannot be read/,
        ],
      ],
    }),
  ],
  views: [wildfiresView],
  table: firesTable,
  rows: [
    {
      kind: "appeared",
      item: bare,
      makes: {
        acquired_at: "2026-08-20T09:05:00.000Z",
        latitude: 55,
        longitude: -120,
        us_state: "",
        satellite: "Terra",
        instrument: "",
        radiative_power_mw: 10,
        confidence: "",
        confidence_percent: 85,
        brightness_k: null,
        daytime: null,
        version: "",
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item: bare, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured detections", () => {
  it("of the area interface: short times and letters, and a row that is none", () => {
    const { rows } = captured("viirs-snpp-area-api-2026-06-27-slice.csv")
    // Siberia and Australia are not shown; moved to Canada the same rows are.
    expect(normalised(firms, [{ columns: [], rows }]).payload.items).toEqual([])
    const found = items(...moved(rows).filter(({ latitude }) => Number(latitude) > 0))
    expect(found).toHaveLength(4)
    expect(found[1]).toEqual({
      latitude: 63.00505,
      longitude: expect.closeTo(-99.21, 2),
      acquiredAt: "2026-06-27T05:21:00.000Z",
      satellite: "Suomi NPP",
      instrument: "VIIRS",
      confidence: "low",
      confidencePercent: null,
      radiativePowerMw: 183.89,
      brightnessK: 367,
      daytime: true,
      version: "2.0NRT",
    })
    expect(found[0]).toMatchObject({ brightnessK: null, radiativePowerMw: 183.89 })
  })
  it("of the keyless file: whole words and padded times", () => {
    const { rows } = captured("viirs-noaa21-text-feed-2026-09-26-trimmed.csv")
    const found = items(...moved(rows).map((one) => ({ ...one, latitude: String(Number(one.latitude) + 20) })))
    expect(found).toHaveLength(5)
    expect(found[0]).toMatchObject({
      acquiredAt: "2026-09-26T00:03:00.000Z",
      satellite: "NOAA-21",
      confidence: "nominal",
      radiativePowerMw: 2.47,
      daytime: false,
    })
  })
  it("of MODIS: a percentage, kept, and its class", () => {
    const { rows } = captured("MODIS_C6_1_Global_24h-2025-11-23-trimmed.csv")
    expect(rows).toHaveLength(2000)
    const { payload, contentAtMs } = normalised(firms, [{ columns: [], rows }])
    expect(contentAtMs).toBeGreaterThan(Date.parse("2025-11-23T00:00:00Z"))
    expect(payload.items.every(({ longitude }) => longitude < -50)).toBe(true)
    // The strongest fire of the continent: British Columbia, at night, seen by Terra.
    expect(payload.items[0]).toEqual({
      latitude: 56.24184,
      longitude: -119.98122,
      acquiredAt: "2025-11-23T05:08:00.000Z",
      satellite: "Terra",
      instrument: "MODIS",
      confidence: "high",
      confidencePercent: 100,
      radiativePowerMw: 273.65,
      brightnessK: 355.56,
      daytime: false,
      version: "6.1NRT",
    })
    const found = items(...moved(rows).map((one) => ({ ...one, latitude: "45" })))
    expect(found).toHaveLength(FIRES_MAX)
    const classes = found.map(({ confidence, confidencePercent }) => `${confidence} ${(confidencePercent ?? -1) >= 80}`)
    expect(new Set(classes)).toEqual(new Set(["low false", "nominal false", "high true"]))
    expect(found[0]).toMatchObject({ satellite: expect.stringMatching(/^(Terra|Aqua)$/), instrument: "MODIS" })
  })
})

describe("wildfires", () => {
  it("are the strongest of the last 24 hours, twenty-five of them, with an approximate state", () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      row({ longitude: `-12${index % 3}.5${String(index).padStart(2, "0")}`, frp: String(index) }),
    )
    const { count, fires } = show(items(...many))
    expect(count).toBe(25)
    expect(fires.map(({ radiative_power_mw }) => radiative_power_mw)).toEqual(
      Array.from({ length: 25 }, (_, index) => 39 - index),
    )
    expect(show(items(row({}))).fires).toEqual([
      {
        lat: 40.6,
        lon: -122.5,
        state: "CA",
        radiative_power_mw: 10,
        confidence: "nominal",
        satellite: "NOAA-20",
        acquired_at: "2026-08-20T09:05:00.000Z",
        daytime: false,
      },
    ])
    expect(show(items(row({ latitude: "55", longitude: "-120" }))).fires).toMatchObject([{ state: null }])
  })
  it("of a satellite whose file stands still give way to those of the others", () => {
    const old = row({ satellite: "N21", acq_date: "2026-08-19", acq_time: "0904", frp: "900" })
    const parts = [
      reading({ items: items(row({})) }, { satellite: "noaa-20" }),
      reading({ items: items(old) }, { satellite: "noaa-21" }),
    ]
    expect(shown(wildfiresView, parts, { nowMs: NOW_MS })).toMatchObject({
      count: 1,
      fires: [{ satellite: "NOAA-20" }],
    })
    // Without the other one it is the last good answer.
    expect(shown(wildfiresView, parts.slice(1), { nowMs: NOW_MS })).toMatchObject({ count: 1 })
  })
  it("are merged over the satellites", () => {
    const parts = [row({ frp: "5" }), row({ satellite: "N21", frp: "7" })].map((one, index) =>
      reading({ items: items(one) }, { satellite: index === 0 ? "noaa-20" : "noaa-21" }),
    )
    expect(shown(wildfiresView, parts, { nowMs: NOW_MS })).toMatchObject({
      count: 2,
      fires: [{ satellite: "NOAA-21" }, { satellite: "NOAA-20" }],
    })
  })
  it("come last without a power, and are no fires without a place or a time", () => {
    const found = items(
      row({ frp: "" }),
      row({ frp: "0", latitude: "41" }),
      row({ latitude: "" }),
      row({ acq_time: "12:30" }),
      row({ latitude: "42", frp: "1" }),
    )
    expect(found.map(({ radiativePowerMw }) => radiativePowerMw)).toEqual([1, 0, null])
  })
  it("of a row with a wrong number of columns are counted, and not left out in silence", () => {
    const { detections: file } = firms.documents
    if (file === undefined) throw new Error("the source has no such document")
    const rows = [50, 51, 52].map((latitude) => `${latitude},-100,2026-08-20,1100,N20,n`)
    const text = ["latitude,longitude,acq_date,acq_time,satellite,confidence", ...rows, "53,-100,2026"].join("\n")
    const table = Result.getOrThrow(decodeDocument("detections", file, Buffer.from(text))) as Table
    const { outcome, unreadable } = readBy(firms, [table], { observedAtMs: NOW_MS })
    expect(outcome).toMatchObject({ payload: { items: [{ latitude: 50 }, { latitude: 51 }, { latitude: 52 }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("of a row from the future do not replace those that burn", () => {
    const rows = [row({}), row({ latitude: "41" }), row({ latitude: "42", acq_date: "2099-01-01" })]
    const { outcome, unreadable } = readBy(firms, [{ columns: [], rows }], { observedAtMs: NOW_MS })
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({
      payload: { items: [{ latitude: 40.6 }, { latitude: 41 }] },
      contentAtMs: Date.parse("2026-08-20T09:05:00Z"),
    })
  })
  it("of South America, which the files reach into, are left out", () => {
    expect(items(row({ latitude: "9", longitude: "-70" }), row({ latitude: "9", longitude: "-79.5" }))).toHaveLength(1)
  })
  it("of a file without any are none", () => {
    expect(items()).toEqual([])
  })
  it.each([
    ["noaa-20", "N20", 0],
    ["noaa-21", "N21", -50],
    ["suomi-npp", "N", 50],
  ])("of the world, seen by %s in overlapping files, are each there once", async (satellite, code, late) => {
    const { payload, contentAtMs } = await observed(firms, simulated, NOW_MS, { satellite })
    const seen = detections(worldAt("test", NOW_MS), code, late)
    expect(seen.length).toBeGreaterThan(500)
    expect(payload.items).toHaveLength(Math.min(seen.length, FIRES_MAX))
    expect(contentAtMs).toBe(Math.max(...seen.map(({ atMs }) => atMs)))
    const powers = seen.map(({ frpMw }) => frpMw).sort((a, b) => b - a)
    const data = shown(wildfiresView, [reading(payload, { satellite })], { nowMs: NOW_MS }) as ReturnType<typeof show>
    expect(data.fires.map(({ radiative_power_mw }) => radiative_power_mw)).toEqual(powers.slice(0, 25))
  })
})
