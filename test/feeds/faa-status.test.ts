import { describe, expect, it } from "vitest"
import faa from "../../ingestors/sources/faa-nasstatus.ts"
import airportEventsTable from "../../processors/tables/airport_events/table.ts"
import faaStatusView from "../../processors/views/faa-status.ts"
import { AIRPORT_EVENTS_MAX, type AirportEvent, faaStatus } from "../../schemas/feeds/faa-status.ts"
import simulated, { airportStatus } from "../world/upstreams/faa-nasstatus.ts"
import { worldAt } from "../world/world.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { expectFollowsClock } from "./support/follows-clock.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof faa.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const UPDATED = "Fri Nov 20 12:34:01 2026 GMT"
const status = (Delay_type?: ReadonlyArray<unknown>, Update_Time = UPDATED): Collected => ({
  AIRPORT_STATUS_INFORMATION: { Update_Time, ...(Delay_type === undefined ? {} : { Delay_type }) },
})
const stops = (...Program: ReadonlyArray<object>) => ({ Name: "Ground Stop Programs", Ground_Stop_List: { Program } })
const programs = (...Ground_Delay: ReadonlyArray<object>) => ({ Ground_Delay_List: { Ground_Delay } })
const delays = (...Delay: ReadonlyArray<object>) => ({ Arrival_Departure_Delay_List: { Delay } })
const closures = (...Airport: ReadonlyArray<object>) => ({ Airport_Closure_List: { Airport } })

const itemsOf = (...blocks: ReadonlyArray<unknown>): ReadonlyArray<AirportEvent> =>
  normalised(faa, status(blocks)).payload.items
type Row = Readonly<Record<string, unknown>>
interface Shown {
  readonly updated: string
  readonly ground_stops: ReadonlyArray<Row>
  readonly ground_delays: ReadonlyArray<Row>
  readonly closures: ReadonlyArray<Row>
  readonly delays: ReadonlyArray<Row>
  readonly restrictions: ReadonlyArray<Row>
  readonly total_events: number
}
const show = (payload: { readonly items: ReadonlyArray<AirportEvent>; readonly facts: object }, nowMs: number): Shown =>
  shown(faaStatusView, [reading(payload)], { nowMs }) as Shown

const row = {
  airport: "SAN",
  kind: "delay",
  reason: "wind",
  direction: "",
  trend: "",
  minimum_minutes: null,
  average_minutes: null,
  maximum_minutes: null,
  end_time: "",
  notam: "",
  starts_at: null,
  ends_at: null,
  daily_from: "",
  daily_to: "",
  weekdays: [],
  distinction: "",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: faaStatus,
  glances: {
    faa_status: [2, null, "1 ground delay, 1 closure"],
  },
  polls: [
    polled({
      source: faa,
      world: simulated,
      freeText: true,
      breakRow: ({ AIRPORT_STATUS_INFORMATION: { Update_Time, Delay_type = [] } }) =>
        status([...(Delay_type as ReadonlyArray<unknown>), stops({ ARPT: "NOWHERE", Reason: "wind" })], Update_Time),
      refused: [
        ["a list without a time", status([], "soon"), /has no time/],
        ["a list of an unknown kind", status([{ Name: "Volcanic Ash", Ash_List: { Airport: {} } }]), /unknown kind/],
      ],
    }),
  ],
  views: [faaStatusView],
  table: airportEventsTable,
  rows: [
    {
      kind: "appeared",
      item: {
        kind: "delay",
        airport: "SAN",
        reason: "wind",
        direction: "departure",
        minimumMinutes: 31,
        maximumMinutes: 45,
        trend: null,
      },
      makes: { ...row, direction: "departure", minimum_minutes: 31, maximum_minutes: 45 },
    },
    {
      kind: "gone",
      item: { kind: "ground_stop", airport: "SAN", reason: "wind", endTime: "8:00 am EDT", distinction: "wind/1" },
      makes: { ...row, kind: "ground_stop", end_time: "8:00 am EDT", distinction: "wind/1", listed: false },
    },
    {
      kind: "changed",
      item: { kind: "ground_delay", airport: "SAN", reason: "wind", averageMinutes: 41, maximumMinutes: null },
      makes: { ...row, kind: "ground_delay", average_minutes: 41 },
    },
    {
      kind: "appeared",
      item: {
        kind: "closure",
        airport: "SAN",
        reason: "wind",
        notam: null,
        startsAt: "2026-07-07T04:30:00.000Z",
        endsAt: null,
        isAtCertainHours: true,
        dailyWindow: { from: "04:30", to: "09:45", weekdays: ["MON"] },
      },
      makes: {
        ...row,
        kind: "closure",
        starts_at: "2026-07-07T04:30:00.000Z",
        daily_from: "04:30",
        daily_to: "09:45",
        weekdays: ["MON"],
      },
    },
  ],
})

describe("a list of airports", () => {
  it("without any is all clear", () => {
    for (const clear of [status(), status([])]) {
      const { payload } = normalised(faa, clear)
      expect(payload).toEqual({ items: [], facts: { updatedAt: "2026-11-20T12:34:01.000Z" } })
      expect(show(payload, NOW_MS).total_events).toBe(0)
    }
  })
  it("names each airport in several lists, and each direction of a delay", () => {
    const both = {
      ARPT: "EWR",
      Reason: "WX:Wind",
      Arrival_Departure: ["Arrival", "Departure"].map((type) => ({ "@_Type": type })),
    }
    const items = itemsOf(stops({ ARPT: " ewr ", Reason: "wind", End_Time: "4:00 pm EDT." }), delays(both))
    expect(items.map((event) => faaStatus.key(event))).toEqual([
      "ground_stop/EWR/",
      "delay/EWR/arrival",
      "delay/EWR/departure",
    ])
    expect(items[0]).toMatchObject({ endTime: "4:00 pm EDT." })
  })
  describe("with several entries of a kind for one airport", () => {
    const stop = (Reason: string, End_Time: string) => ({ ARPT: "EWR", Reason, End_Time })
    const [wind, fog] = [stop("wind", "4:00 pm EDT."), stop("fog", "5:00 pm EDT.")]
    const keysOf = (...blocks: ReadonlyArray<unknown>) => itemsOf(...blocks).map((event) => faaStatus.key(event))

    it("keeps each under its reason, whatever their order, and shows each", () => {
      const { payload } = normalised(faa, status([stops(wind, fog)]))
      expect(payload.items).toEqual([
        { kind: "ground_stop", airport: "EWR", reason: "wind", endTime: "4:00 pm EDT.", distinction: "wind/1" },
        { kind: "ground_stop", airport: "EWR", reason: "fog", endTime: "5:00 pm EDT.", distinction: "fog/1" },
      ])
      expect(keysOf(stops(wind, fog))).toEqual(["ground_stop/EWR//wind/1", "ground_stop/EWR//fog/1"])
      expect(keysOf(stops(fog, wind)).sort()).toEqual(keysOf(stops(wind, fog)).sort())
      // An end that is put off changes neither key.
      expect(keysOf(stops(stop("wind", "9:00 pm EDT."), fog))).toEqual(keysOf(stops(wind, fog)))
      expect(show(payload, NOW_MS)).toMatchObject({
        ground_stops: [
          { airport: "EWR", reason: "wind", end_time: "4:00 pm EDT." },
          { airport: "EWR", reason: "fog", end_time: "5:00 pm EDT." },
        ],
        total_events: 2,
      })
    })
    it("leaves the key of one that is alone at its airport, and takes equal entries for one", () => {
      expect(keysOf(stops(wind, wind))).toEqual(["ground_stop/EWR/"])
      expect(keysOf(stops(wind), stops({ ...fog, ARPT: "JFK" }))).toEqual(["ground_stop/EWR/", "ground_stop/JFK/"])
      expect(keysOf(stops(wind), programs(fog))).toEqual(["ground_stop/EWR/", "ground_delay/EWR/"])
    })
    it("keeps each of one reason too, and of none", () => {
      const later = stop("wind", "6:00 pm EDT.")
      expect(keysOf(stops(later, wind, fog)).sort()).toEqual([
        "ground_stop/EWR//fog/1",
        "ground_stop/EWR//wind/1",
        "ground_stop/EWR//wind/2",
      ])
      expect(itemsOf(stops(later, wind)).map(({ distinction }) => distinction)).toEqual(["wind/2", "wind/1"])
      expect(keysOf(programs({ ARPT: "EWR" }, { ARPT: "EWR", Avg: "9 minutes" })).sort()).toEqual([
        "ground_delay/EWR///1",
        "ground_delay/EWR///2",
      ])
    })
    it("keeps each delay of a direction, and each notice of a number", () => {
      const delay = (Reason: string, type: string) => ({ ARPT: "EWR", Reason, Arrival_Departure: { "@_Type": type } })
      expect(
        keysOf(delays(delay("wind", "Arrival"), delay("VOL:Volume", "Arrival"), delay("wind", "Departure"))),
      ).toEqual(["delay/EWR/arrival/wind/1", "delay/EWR/arrival/VOL:Volume/1", "delay/EWR/departure"])
      const notice = (at: string) => ({ ARPT: "EWR", Reason: `!${at} 07/028 EWR AD AP CLSD 2611200000-2711200000` })
      expect(itemsOf(closures(notice("EWR"), notice("NYC")))).toHaveLength(2)
      expect(keysOf(closures(notice("EWR")), closures(notice("EWR")))).toEqual(["closure/EWR/07/028"])
    })
  })
  it("may hold programs of the airspace, which are of no airport", () => {
    expect(itemsOf({ Airspace_Flow_List: { Airspace_Flow: { CTL_Element: "FCAJX5" } } }, { CTOP_List: "" })).toEqual([])
  })
  it("may stand several times in one block", () => {
    const twice = { Ground_Stop_List: ["EWR", "JFK"].map((ARPT) => ({ Program: { ARPT } })) }
    expect(itemsOf(twice).map(({ airport }) => airport)).toEqual(["EWR", "JFK"])
  })
  it.each([
    ["in a block of its own", [{ Name: "Volcanic Ash", Ash_List: "" }]],
    ["in the block of a known one", [{ ...stops({ ARPT: "EWR" }), Ash_List: { Airport: { ARPT: "JFK" } } }]],
    ["behind a known one", [stops({ ARPT: "EWR" }), { Ash_List: "" }]],
    ["of no name", [{ Name: "Ground Stop Programs" }]],
    ["as a text", ["the service is not available"]],
  ])("of an unknown kind, %s, is refused, as its airports would seem to be clear", (_, blocks) => {
    expect(refusedBy(faa, status(blocks))).toMatchObject({
      _tag: "UpstreamError",
      message: expect.stringContaining("unknown kind"),
    })
  })
  it("is refused for one entry that cannot be read, as its airport would seem to be clear", () => {
    const one = status([stops({ ARPT: "EWR" }, { ARPT: "JFK" }, { ARPT: "Newark" })])
    expect(refusedBy(faa, one)?.message).toMatch(/1 of 3 rows/)
    expect(refusedBy(faa, status([{ Ground_Stop_List: "not available" }]))?.message).toMatch(/1 of 1 rows/)
    expect(itemsOf({ Ground_Stop_List: "" })).toEqual([])
  })
  it("of more events than a payload holds is refused, and not cut", () => {
    const many = Array.from({ length: AIRPORT_EVENTS_MAX + 1 }, (_, index) => ({
      ARPT: index.toString(36).padStart(3, "0"),
    }))
    expect(itemsOf(stops(...many.slice(1)))).toHaveLength(AIRPORT_EVENTS_MAX)
    expect(refusedBy(faa, status([stops(...many)]))).toMatchObject({
      _tag: "UpstreamError",
      message: `the list has ${AIRPORT_EVENTS_MAX + 1} items, more than ${AIRPORT_EVENTS_MAX}`,
    })
  })
  it.each([
    ["no airport", stops({ Reason: "wind" })],
    ["a name for a code", stops({ ARPT: "Newark" })],
    ["a delay of no direction", delays({ ARPT: "EWR", Reason: "wind", Arrival_Departure: { "@_Type": "Both" } })],
    ["a delay without its details", delays({ ARPT: "EWR", Reason: "wind" })],
  ])("with %s is not read", (_, block) => {
    expect(refusedBy(faa, status([block]))?.message).toMatch(/1 of 1 rows/)
  })
  it.each([
    ["41 minutes", 41],
    ["1 minute", 1],
    ["1 hour and 40 minutes", 100],
    ["2 hours", 120],
    ["2 hours and 7 minutes", 127],
    ["1 hour 5 minutes", 65],
    ["  1  hour and\n5 min.", 65],
    ["0 minutes", 0],
    ["", null],
    ["unknown", null],
    ["41", null],
    ["-5 minutes", null],
    [`1 hour${" ".repeat(100_000)}x`, null],
  ])("has %j as %s minutes", (text, minutes) => {
    expect(itemsOf(programs({ ARPT: "SFO", Avg: text }))[0]).toMatchObject({
      averageMinutes: minutes,
      maximumMinutes: null,
    })
  })
  it("has no longest delay that is shorter than the mean", () => {
    expect(itemsOf(programs({ ARPT: "SFO", Avg: "46 minutes", Max: "0 minutes" }))[0]).toMatchObject({
      averageMinutes: 46,
      maximumMinutes: null,
    })
  })
  it.each([
    ["Increasing", "increasing"],
    ["Decreasing", "decreasing"],
    ["No Change", "no_change"],
    ["Wild", null],
  ])("has %s as the trend %s", (Trend, trend) => {
    expect(itemsOf(delays({ ARPT: "SFO", Arrival_Departure: { "@_Type": "Arrival", Trend } }))[0]).toMatchObject({
      trend,
    })
  })
})

describe("a closure", () => {
  const closure = (Reason: string) =>
    itemsOf(closures({ ARPT: "PVD", Reason, Start: "Nov 20 at 12:00 UTC.", Reopen: "Nov 20 at 18:00 UTC." }))[0]

  it("has the period of its notice, else that of the list in the years nearest to it", () => {
    expect(closure("!PVD 11/028 PVD AD AP CLSD 2511200000-2711200000")).toMatchObject({
      kind: "closure",
      notam: "11/028",
      startsAt: "2025-11-20T00:00:00.000Z",
      endsAt: "2027-11-20T00:00:00.000Z",
    })
    expect(closure("snow removal")).toMatchObject({
      kind: "closure",
      notam: null,
      startsAt: "2026-11-20T12:00:00.000Z",
      endsAt: "2026-11-20T18:00:00.000Z",
    })
  })
  it("to some users alone is a restriction, whatever its block", () => {
    expect(closure("!PVD 11/028 PVD AD AP CLSD TO JETS 2511200000-2711200000")).toMatchObject({ kind: "restriction" })
  })
  it("at hours that are not read is neither open nor closed", () => {
    const items = itemsOf(
      closures({ ARPT: "PVD", Reason: "!PVD 11/028 PVD AD AP CLSD DLY SS-SR 2511200000-2711200000" }),
    )
    const payload = { items, facts: { updatedAt: "2026-11-20T12:34:01.000Z" } }
    expect(show(payload, NOW_MS).closures).toMatchObject([{ daily_window: null, closed_now: null }])
  })
})

it("each day of the world has a ground stop, all clear, both kinds of closure, and a view that follows its clock", async () => {
  for (const dayMs of [NOW_MS, NOW_MS + 40 * 24 * HOUR_MS]) {
    const seen = { stops: 0, clear: 0, closed: 0, open: 0, throughout: 0, restrictions: 0, builds: 0 }
    for (let atMs = dayMs; atMs < dayMs + 24 * HOUR_MS; atMs += 10 * MINUTE_MS) {
      const { payload } = await observed(faa, simulated, atMs)
      const world = airportStatus(worldAt("test", atMs))
      const data = show(payload, atMs)
      expect(data.ground_stops.map(({ airport }) => airport)).toEqual(world.stops.map(({ airport }) => airport))
      expect(data.ground_delays.map(({ avg_minutes }) => avg_minutes)).toEqual(
        world.programs.map(({ minutes }) => minutes),
      )
      expect(data.delays.map(({ airport, max_minutes }) => [airport, max_minutes])).toEqual(
        world.delays.map(({ airport, minutes }) => [airport, minutes + 14]),
      )
      expect(data.restrictions.map(({ airport }) => airport)).toEqual(world.restrictions.map(({ airport }) => airport))
      expect(data.closures.map(({ start, reopen }) => [start, reopen])).toEqual(
        world.closures.map(({ startMs, endMs }) => [new Date(startMs).toISOString(), new Date(endMs).toISOString()]),
      )
      seen.stops += data.ground_stops.length
      seen.clear += Number(data.total_events + data.restrictions.length === 0)
      seen.closed += data.closures.filter(({ closed_now }) => closed_now === true).length
      seen.open += data.closures.filter(({ closed_now }) => closed_now === false).length
      seen.throughout += data.closures.filter(({ daily_window }) => daily_window === null).length
      seen.restrictions += data.restrictions.length
      if (atMs % (6 * HOUR_MS) < 10 * MINUTE_MS)
        seen.builds += expectFollowsClock(faaStatusView, reading(payload), {
          fromMs: atMs,
          untilMs: atMs + 50 * HOUR_MS,
          everyMs: 7 * MINUTE_MS,
        })
    }
    expect(
      Object.values(seen).every((count) => count > 0),
      JSON.stringify(seen),
    ).toBe(true)
  }
})
