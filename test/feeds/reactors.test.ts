import { describe, expect, it } from "vitest"
import nrcReactors from "../../ingestors/sources/nrc-reactors.ts"
import reactorPowerTable from "../../processors/tables/reactor_power/table.ts"
import reactorsView from "../../processors/views/reactors.ts"
import { reactors } from "../../schemas/feeds/reactors.ts"
import simulated, { newestReport, reactorUnits } from "../world/upstreams/nrc-reactors.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof nrcReactors.read>[0]
type Line = Collected["rows"][number]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000
const FILE = "PowerReactorStatusForLast365Days-2024-03-31-trimmed.txt"

const line = (ReportDt: string, Unit: string, Power: string | number): Line => ({
  ReportDt,
  Unit,
  Power: String(Power),
})
const tableOf = (rows: ReadonlyArray<Line>): Collected => ({ columns: ["ReportDt", "Unit", "Power"], rows })
/** A report of one day: `first` lines, and enough units at full power. */
const report = (date: string, ...first: ReadonlyArray<Line>): ReadonlyArray<Line> => [
  ...first,
  ...Array.from({ length: 90 - first.length }, (_, index) => line(date, `Unit ${index}`, 100)),
]
const dataOf = (collected: Collected, nowMs = NOW_MS) =>
  shown(reactorsView, [reading(normalised(nrcReactors, collected, { observedAtMs: nowMs }).payload)], { nowMs })

const item = { unit: "Braidwood 1", reportDate: "2026-11-20", powerPercent: 85 }
const row = {
  unit: "Braidwood 1",
  report_date: "2026-11-20",
  power_percent: 85,
  provider: PROVIDER,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: reactors,
  glances: {
    reactors: [99.8, "%", "mean power of 93 units at work, 1 offline, 17 Aug 2026"],
  },
  polls: [
    polled({
      source: nrcReactors,
      world: simulated,
      freeText: false,
      breakRow: ({ columns, rows }) => ({ columns, rows: [...rows, line("2/30/2026 12:00:00 AM", "Broken 1", 100)] }),
      refused: [
        ["a file without a line", tableOf([]), /has no items/],
        ["a report of 79 units", tableOf(report("11/20/2026 12:00:00 AM").slice(0, 79)), /fewer than 80 units/],
        [
          "a fleet without power",
          tableOf(report("11/20/2026 12:00:00 AM").map((one) => ({ ...one, Power: "0" }))),
          /every unit is at 0 percent/,
        ],
      ],
    }),
  ],
  views: [reactorsView],
  table: reactorPowerTable,
  rows: [
    { kind: "appeared", item, makes: row },
    { kind: "changed", item: { ...item, powerPercent: 0 }, makes: { ...row, power_percent: 0 } },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured reactor status", () => {
  const captured = () => collectedCapture(nrcReactors, "lastYear", FILE)
  const until = (date: string) => {
    const { columns, rows } = captured()
    return { columns, rows: rows.slice(rows.findIndex(({ ReportDt }) => ReportDt === `${date} 12:00:00 AM`)) }
  }

  it("of 31 March 2024: the fleet in numbers, and each unit below full power", () => {
    expect(dataOf(captured())).toEqual({
      report_date: "2024-03-31",
      total: 94,
      at_full_power: 72,
      reduced_count: 10,
      offline_count: 12,
      reduced: [
        { unit: "Braidwood 1", power_pct: 85 },
        { unit: "Browns Ferry 3", power_pct: 93 },
        { unit: "Davis-Besse", power_pct: 96 },
        { unit: "Grand Gulf 1", power_pct: 40 },
        { unit: "Harris 1", power_pct: 87 },
        { unit: "Hatch 1", power_pct: 98 },
        { unit: "Hope Creek 1", power_pct: 85 },
        { unit: "Limerick 1", power_pct: 87 },
        { unit: "Palo Verde 3", power_pct: 95 },
        { unit: "Vogtle 4", power_pct: 90 },
      ],
      offline: [
        "Catawba 2",
        "D.C. Cook 2",
        "Fermi 2",
        "Monticello",
        "North Anna 1",
        "Quad Cities 2",
        "Saint Lucie 1",
        "Sequoyah 1",
        "South Texas 2",
        "Susquehanna 1",
        "Waterford 3",
        "Wolf Creek 1",
      ].map((unit) => ({ unit, power_pct: 0 })),
    })
    expect(normalised(nrcReactors, captured()).contentAtMs).toBe(Date.parse("2024-03-31T00:00:00Z"))
    expect(readBy(nrcReactors, captured()).unreadable).toEqual([])
  })
  it("of 25 March 2024, as the file stood that day: Cooper at 80, Davis-Besse still offline", () => {
    const data = dataOf(until("3/25/2024"))
    expect(data).toMatchObject({ report_date: "2024-03-25", total: 94, at_full_power: 71, offline_count: 13 })
    expect(data).toMatchObject({
      reduced: expect.arrayContaining([
        { unit: "Cooper", power_pct: 80 },
        { unit: "Browns Ferry 3", power_pct: 35 },
        { unit: "Vogtle 4", power_pct: 62 },
      ]),
      offline: expect.arrayContaining([
        { unit: "Davis-Besse", power_pct: 0 },
        { unit: "Nine Mile Point 2", power_pct: 0 },
      ]),
    })
  })
  it("of 18 March 2024, the last day of the file: Hatch 1 at 6 percent is reduced, not offline", () => {
    const data = dataOf(until("3/18/2024"))
    expect(data).toMatchObject({ report_date: "2024-03-18", total: 94, at_full_power: 69, reduced_count: 15 })
    expect(data).toMatchObject({
      reduced: expect.arrayContaining([
        { unit: "Hatch 1", power_pct: 6 },
        { unit: "LaSalle 1", power_pct: 62 },
      ]),
      offline: [
        "Browns Ferry 3",
        "Catawba 2",
        "Comanche Peak 2",
        "Davis-Besse",
        "Grand Gulf 1",
        "Nine Mile Point 2",
        "North Anna 1",
        "Quad Cities 2",
        "Saint Lucie 1",
        "Waterford 3",
      ].map((unit) => ({ unit, power_pct: 0 })),
    })
  })
})

describe("reactor status", () => {
  it("is that of the newest day, wherever its lines stand", () => {
    const [yesterday, today] = ["11/19/2026 12:00:00 AM", "11/20/2026 12:00:00 AM"] as const
    const mixed = [...report(yesterday, line(yesterday, "Hatch 1", 0)), ...report(today, line(today, "Hatch 1", 55))]
    expect(dataOf(tableOf(mixed))).toMatchObject({
      report_date: "2026-11-20",
      total: 90,
      reduced: [{ unit: "Hatch 1", power_pct: 55 }],
      offline: [],
    })
  })
  it("reads a day with leading zeros, or without a time, and a power with decimals", () => {
    for (const date of ["11/05/2026", "11/5/2026 12:00:00 AM", "11/05/2026 0:00"])
      expect(dataOf(tableOf(report(date, line(date, "Hatch 1", "99.5"))))).toMatchObject({
        report_date: "2026-11-05",
        at_full_power: 89,
        reduced: [{ unit: "Hatch 1", power_pct: 99.5 }],
      })
  })
  it("counts 100 percent and more as full power", () => {
    const date = "11/20/2026 12:00:00 AM"
    const data = dataOf(
      tableOf(report(date, line(date, "A 1", "101"), line(date, "B 1", "99"), line(date, "C 1", "1"))),
    )
    expect(data).toMatchObject({ at_full_power: 88, reduced_count: 2, offline_count: 0 })
  })
  it.each([
    ["no power", "11/20/2026", ""],
    ["a power below nothing", "11/20/2026", "-1"],
    ["a power beyond belief", "11/20/2026", "999"],
    ["a word for its power", "11/20/2026", "N/A"],
    ["a day ahead of now", "11/22/2026", "100"],
    ["a day that does not exist", "13/1/2026", "100"],
  ])("leaves out a line with %s, and counts it", (_, date, power) => {
    const collected = tableOf([line(`${date} 12:00:00 AM`, "Broken 1", power), ...report("11/20/2026 12:00:00 AM")])
    const { outcome, unreadable } = readBy(nrcReactors, collected, { observedAtMs: NOW_MS })
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({ payload: { facts: { reportDate: "2026-11-20" } } })
    expect(dataOf(collected)).toMatchObject({ total: 90, at_full_power: 90, offline_count: 0 })
  })
  it("counts a line without its columns, instead of leaving a unit out", () => {
    const rows = [{}, ...report("11/20/2026 12:00:00 AM")]
    const { unreadable } = readBy(nrcReactors, tableOf(rows), { observedAtMs: NOW_MS })
    expect(unreadable).toHaveLength(1)
  })
  it("takes no unit for two when a report lists it twice", () => {
    const date = "11/20/2026 12:00:00 AM"
    const twice = [...report(date).slice(0, 79), line(date, "Unit 0", 0)]
    expect(refusedBy(nrcReactors, tableOf(twice), { observedAtMs: NOW_MS })?.message).toMatch(/fewer than 80/)
    expect(dataOf(tableOf([...report(date), line(date, "Unit 0", 0)]))).toMatchObject({ total: 90, offline_count: 0 })
  })
  it("has a row for each day, also at the same power", () => {
    expect(reactors.isRevised(item, { ...item })).toBe(false)
    expect(reactors.isRevised(item, { ...item, reportDate: "2026-11-21" })).toBe(true)
  })
  it("is requested with a short User-Agent", () => {
    expect(nrcReactors.documents.lastYear?.userAgentCharactersMax).toBe(80)
  })
  it("of the world is the report of this morning, or of yesterday before it is published", async () => {
    for (const [at, day] of [
      ["2026-11-20T11:59:00Z", "2026-11-19"],
      ["2026-11-20T12:00:00Z", "2026-11-20"],
    ] as const) {
      const { payload } = await observed(nrcReactors, simulated, Date.parse(at))
      const { date, units } = newestReport(worldAt("test", Date.parse(at)))
      expect(date).toBe(day)
      expect(payload.facts.reportDate).toBe(day)
      expect(payload.items.map(({ unit, powerPercent }) => ({ unit, power: powerPercent }))).toEqual(units)
    }
  })
  it("of each day of the world has a unit offline, one at reduced power, and one missing", () => {
    for (let index = 0; index < 60; index++) {
      const { date, units } = newestReport(worldAt("test", NOW_MS + index * DAY_MS))
      expect(units.filter(({ power }) => power === 0).length, date).toBeGreaterThan(0)
      expect(units.filter(({ power }) => power > 0 && power < 100).length, date).toBeGreaterThan(0)
      expect(units.length, date).toBe(reactorUnits.length - 1)
    }
  })
})
