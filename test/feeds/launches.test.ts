import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import launchLibrary from "../../ingestors/sources/launch-library.ts"
import launchesTable from "../../processors/tables/launches/table.ts"
import launchesView from "../../processors/views/launches.ts"
import { type Launch, launches } from "../../schemas/feeds/launches.ts"
import simulated, { upcomingLaunches } from "../world/upstreams/launch-library.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof launchLibrary.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const entry = (members: object = {}) => ({
  id: "one",
  name: "Kestrel 3 | Test",
  status: { id: 1, name: "Go for Launch", abbrev: "Go" },
  net: "2026-11-21T00:00:00Z",
  net_precision: { name: "Minute" },
  ...members,
})
const listed = (...results: ReadonlyArray<object>): Collected => ({ results })
const itemsOf = (...results: ReadonlyArray<object>): ReadonlyArray<Launch> =>
  normalised(launchLibrary, listed(...results), { observedAtMs: NOW_MS }).payload.items
const rowsAt = (items: ReadonlyArray<Launch>, nowMs: number) =>
  (
    shown(launchesView, [reading({ items, facts: {} })], { nowMs }) as {
      readonly launches: ReadonlyArray<Record<string, unknown>>
    }
  ).launches

const launch = {
  id: "one",
  name: "Kestrel 3 | Test",
  provider: null,
  vehicle: null,
  mission: "Test",
  status: "Go for Launch",
  statusAbbreviation: "Go",
  net: "2026-11-21T00:00:00.000Z",
  netPrecision: "minute",
  windowStart: null,
  windowEnd: null,
  pad: null,
  location: null,
  latitude: null,
  longitude: null,
  probabilityPercent: null,
  webcastLive: null,
  url: null,
  updatedAt: "2026-11-20T00:00:00.000Z",
} as const
const row = {
  id: "one",
  name: "Kestrel 3 | Test",
  provider: "",
  vehicle: "",
  mission: "Test",
  status: "Go for Launch",
  status_abbrev: "Go",
  net: "2026-11-21T00:00:00.000Z",
  net_precision: "minute",
  window_start: null,
  window_end: null,
  pad: "",
  location: "",
  latitude: null,
  longitude: null,
  probability_percent: null,
  updated_at: "2026-11-20T00:00:00.000Z",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: launches,
  glances: {
    launches: [
      "18 Aug 02:00 UTC",
      null,
      "next Kestrel 3 | Survey Satellite 12, Northern Launch Company, Go for Launch",
    ],
  },
  polls: [
    polled({
      source: launchLibrary,
      world: simulated,
      freeText: true,
      breakRow: ({ results }) => ({ results: [...results, entry({ id: "broken", net: "2026-02-30T00:00:00Z" })] }),
      refused: [["an empty list", { results: [] }, /has no items/]],
    }),
  ],
  views: [launchesView],
  table: launchesTable,
  rows: [
    { kind: "appeared", item: launch, makes: row },
    { kind: "gone", item: launch, makes: { ...row, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured launches", () => {
  it("of version 2.3.0: one entry, all of its members", () => {
    const collected = collectedCapture(launchLibrary, "upcoming", "upcoming-2.3.0-normal-2026-06-27-trimmed.json")
    const { payload, contentAtMs } = normalised(launchLibrary, collected)
    expect(contentAtMs).toBe(Date.parse("2026-06-26T11:58:08Z"))
    expect(rowsAt(payload.items, Date.parse("2026-06-27T00:00:00Z"))).toEqual([
      {
        id: "1e79a5e9-c02c-470f-882f-884120100fef",
        name: "Long March 10B | Demo Flight",
        provider: "China Aerospace Science and Technology Corporation",
        vehicle: "Long March 10B",
        mission: "Demo Flight",
        status: "To Be Confirmed",
        status_abbrev: "TBC",
        net: "2026-07-10T05:00:00.000Z",
        net_precision: "hour",
        window_start: "2026-07-10T05:00:00.000Z",
        window_end: "2026-07-10T09:00:00.000Z",
        pad: "Commercial LC-2",
        location: "Wenchang Space Launch Site, People's Republic of China",
        lat: 19.59755,
        lon: 110.936481,
        probability: null,
        webcast_live: false,
        url: "https://lldev.thespacedevs.com/2.3.0/launches/1e79a5e9-c02c-470f-882f-884120100fef/",
      },
    ])
  })
  it("of version 2.2.0: coordinates that are texts, in the order of their times, and a month for a date", () => {
    const collected = collectedCapture(launchLibrary, "upcomingBefore", "upcoming-2.2.0-detailed-2026-07-25.json")
    const { payload, contentAtMs } = normalised(launchLibrary, collected)
    expect(contentAtMs).toBe(Date.parse("2026-07-25T20:04:24Z"))
    const rows = rowsAt(payload.items, Date.parse("2026-07-26T00:00:00Z"))
    expect(rows.map(({ name, net, net_precision }) => [name, net, net_precision])).toEqual([
      ["Falcon 9 Block 5 | Starlink Group 17-52", "2026-07-29T02:00:00.000Z", "minute"],
      ["Long March 7A | Unknown Payload", "2026-07-29T11:50:00.000Z", "hour"],
      ["Long March 6A | Unknown Payload", "2026-07-30T01:00:00.000Z", "hour"],
      ["Falcon 9 Block 5 | NROL-95", "2026-07-30T07:09:00.000Z", "minute"],
      ["Electron | LOXSAT 1", "2026-07-31T00:00:00.000Z", "month"],
    ])
    expect(rows[4]).toMatchObject({ status_abbrev: "TBD", pad: "Unknown Pad", lat: -39.260881, lon: 177.865826 })
    expect(rows[3]).toMatchObject({ provider: "SpaceX", vehicle: "Falcon 9 Block 5", mission: "NROL-95" })
  })
  it("of the same day, later: a launch whose time has passed is no longer listed", () => {
    const collected = collectedCapture(launchLibrary, "upcomingBefore", "upcoming-2.2.0-detailed-2026-07-25.json")
    const { items } = normalised(launchLibrary, collected).payload
    const names = (at: string) => rowsAt(items, Date.parse(at)).map(({ name }) => name)
    expect(names("2026-07-30T07:08:59.999Z")).toEqual(["Falcon 9 Block 5 | NROL-95", "Electron | LOXSAT 1"])
    expect(names("2026-07-30T07:09:00Z")).toEqual(["Electron | LOXSAT 1"])
  })
})

describe("launches", () => {
  it.each([
    ["Second", "second"],
    ["Minute", "minute"],
    ["Hour", "hour"],
    ["Morning", "day"],
    ["Afternoon", "day"],
    ["Day", "day"],
    ["Week", "week"],
    ["Month", "month"],
    ["Quarter 1", "quarter"],
    ["Q3", "quarter"],
    ["Half 1", "half"],
    ["H2", "half"],
    ["Year", "year"],
    ["Fiscal Year", "year"],
    ["Decade", null],
  ])("have %s as the precision %s", (name, precision) => {
    expect(itemsOf(entry({ net_precision: { name } }))[0]?.netPrecision).toBe(precision)
  })
  it("are null in unknown members, and never have half a position", () => {
    const [launch] = itemsOf(
      entry({
        net: null,
        net_precision: null,
        mission: null,
        probability: -1,
        pad: { latitude: "12.5", longitude: "" },
      }),
    )
    expect(launch).toMatchObject({
      net: null,
      netPrecision: null,
      mission: null,
      vehicle: null,
      probabilityPercent: null,
      latitude: null,
      longitude: null,
      webcastLive: null,
      url: null,
      updatedAt: null,
    })
  })
  it.each([
    ["a text that is no time", { net: "next Tuesday" }],
    ["30 February", { net: "2026-02-30T00:00:00Z" }],
    ["no name", { name: " " }],
    ["a change in the future", { last_updated: "2099-01-01T00:00:00Z" }],
    ["no id", { id: "" }],
  ])("leaves out an entry with %s, and counts it", (_, members) => {
    const { outcome, unreadable } = readBy(
      launchLibrary,
      listed(entry(), entry({ id: "two" }), entry({ id: "3", ...members })),
      {
        observedAtMs: NOW_MS,
      },
    )
    expect(outcome).toMatchObject({ payload: { items: [{ id: "one" }, { id: "two" }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("are listed on hold and in flight whatever their time, else until it has come", () => {
    const past = "2026-11-20T12:00:00Z"
    const items = itemsOf(
      entry({ id: "go", net: past }),
      entry({ id: "hold", net: past, status: { name: "On Hold", abbrev: "Hold" } }),
      entry({ id: "flight", net: past, status: { name: "Launch in Flight", abbrev: "In Flight" } }),
      entry({ id: "success", net: past, status: { name: "Launch Successful", abbrev: "Success" } }),
      entry({ id: "undated hold", net: null, status: { name: "On Hold", abbrev: "Hold" } }),
      entry({ id: "next" }),
    )
    expect(rowsAt(items, NOW_MS).map(({ id }) => id)).toEqual(["flight", "hold", "next", "undated hold"])
  })
  it("have changed when status, time or entry did, and not with the state of a webcast", () => {
    const [before, webcast, slipped] = [{}, { webcast_live: true }, { net: "2026-11-22T00:00:00Z" }].map(
      (members) => itemsOf(entry(members))[0],
    )
    if (before === undefined || webcast === undefined || slipped === undefined) throw new Error("a launch is missing")
    expect(launches.isRevised(before, webcast)).toBe(false)
    expect(launches.isRevised(before, slipped)).toBe(true)
  })
  it("come from the version before where the newer one is gone, and from neither when both fail", async () => {
    const world = worldAt("test", NOW_MS)
    const real = upstreamOf(simulated, world)
    const failing = (status: number, ...versions: ReadonlyArray<string>): typeof real => ({
      ...real,
      fetch: (document, input) =>
        versions.some((version) => document.url(input).includes(version))
          ? Effect.fail(new HttpFailed({ reason: "status", host: "x", status, retryAfterMs: null, message: "refused" }))
          : real.fetch(document, input),
    })
    const collected = await Effect.runPromise(
      launchLibrary.collect(failing(410, "2.3.0"), { parameters: {}, key: null, observedAtMs: NOW_MS }),
    )
    const { items } = normalised(launchLibrary, collected, { observedAtMs: NOW_MS }).payload
    expect(items.map(({ id }) => id)).toEqual(
      upcomingLaunches(world)
        .slice(0, 25)
        .map(({ id }) => id),
    )
    expect(await pollFailure(launchLibrary, failing(404, "2.3.0", "2.2.0"))).toMatchObject({ value: { status: 404 } })
    expect(await pollFailure(launchLibrary, failing(503, "2.3.0"))).toMatchObject({ value: { status: 503 } })
  })
  it("of the world are those shown", async () => {
    const { payload } = await observed(launchLibrary, simulated, NOW_MS)
    const world = upcomingLaunches(worldAt("test", NOW_MS)).slice(0, 25)
    const rows = rowsAt(payload.items, NOW_MS)
    expect(rows.map(({ id, net }) => [id, net])).toEqual(
      world
        .filter(({ netMs, status }) => netMs > NOW_MS || status[2] === "In Flight")
        .slice(0, 20)
        .map(({ id, netMs }) => [id, new Date(netMs).toISOString()]),
    )
  })
  it("of each day of the world hold one that slips, one without a firm date, and one in flight", () => {
    for (const day of [0, 1, 9, 15, 30].map((days) => Date.parse("2026-11-01T00:00:00Z") + days * DAY_MS)) {
      const times = new Map<string, Set<number>>()
      const statuses = new Set<string>()
      for (let atMs = day; atMs < day + DAY_MS; atMs += 10 * 60_000)
        for (const { id, netMs, status, isFirm } of upcomingLaunches(worldAt("test", atMs)).slice(0, 25)) {
          statuses.add(isFirm ? status[2] : "without a firm date")
          times.set(id, (times.get(id) ?? new Set()).add(netMs))
        }
      expect(statuses, new Date(day).toISOString()).toContain("In Flight")
      expect(statuses, new Date(day).toISOString()).toContain("without a firm date")
      expect(
        [...times.values()].some((nets) => nets.size > 1),
        new Date(day).toISOString(),
      ).toBe(true)
    }
  })
})
