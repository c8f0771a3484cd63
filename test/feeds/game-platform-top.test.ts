import { describe, expect, it } from "vitest"
import steamCharts from "../../ingestors/sources/steam-charts.ts"
import gamePlayersTable from "../../processors/tables/game_players/table.ts"
import gamePlatformTopView from "../../processors/views/game-platform-top.ts"
import { gamePlatformTop, type RankedGame } from "../../schemas/feeds/game-platform-top.ts"
import simulated, { chart, chartMs } from "../world/upstreams/steam-charts.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof steamCharts.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000

const place = (rank: number, members: object = {}) => ({
  rank,
  appid: rank * 10,
  item: { appid: rank * 10, name: `Game ${rank}`, is_free: true },
  concurrent_in_game: 1000 - rank,
  peak_in_game: 2000,
  ...members,
})
const chartOf = (...ranks: ReadonlyArray<object>): Collected => ({
  response: { last_update: Math.floor(NOW_MS / 1000), ranks },
})
const itemsOf = (...ranks: ReadonlyArray<object>): ReadonlyArray<RankedGame> =>
  normalised(steamCharts, chartOf(...ranks)).payload.items

const item = { rank: 3, appid: 730, name: "Heron Strike 2", playersNow: 5, peak24h: 9, isFree: true }
const row = {
  appid: 730,
  name: "Heron Strike 2",
  rank: 3,
  players: 5,
  peak_24h: 9,
  is_free: true,
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: gamePlatformTop,
  glances: {
    game_platform_top: [1_384_410, "players", "Heron Strike 2 on Steam, peak 1,509,177"],
  },
  polls: [
    polled({
      source: steamCharts,
      world: simulated,
      freeText: true,
      breakRow: ({ response }) => ({ response: { ...response, ranks: [...response.ranks, place(99, { appid: -1 })] } }),
      refused: [
        ["a chart without places", chartOf(), /has no items/],
        [
          "a chart of the day after tomorrow",
          { response: { last_update: Math.floor(NOW_MS / 1000) + 172_800, ranks: [place(1)] } },
          /lies in the future/,
        ],
      ],
    }),
  ],
  views: [gamePlatformTopView],
  table: gamePlayersTable,
  rows: [
    { kind: "appeared", item, makes: row },
    {
      kind: "changed",
      item: { ...item, name: null, peak24h: null, isFree: null },
      makes: { ...row, name: "", peak_24h: null, is_free: null },
    },
    { kind: "gone", item, makes: { ...row, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("the captured chart", () => {
  const captured = () => collectedCapture(steamCharts, "concurrent", "games-by-concurrent-players-2026-03.json")

  it("of 9 March 2026: its three places, all of their members", () => {
    const { payload, contentAtMs } = normalised(steamCharts, captured())
    expect(contentAtMs).toBe(Date.parse("2026-03-09T19:15:32Z"))
    expect(shown(gamePlatformTopView, [reading(payload)], { nowMs: NOW_MS })).toEqual({
      count: 3,
      updated_at: "2026-03-09T19:15:32.000Z",
      games: [
        {
          rank: 1,
          appid: 730,
          name: "Counter-Strike 2",
          players_now: 1384410,
          peak_today: 1509177,
          is_free: true,
          url: "https://store.steampowered.com/app/730",
        },
        {
          rank: 2,
          appid: 570,
          name: "Dota 2",
          players_now: 582538,
          peak_today: 736375,
          is_free: true,
          url: "https://store.steampowered.com/app/570",
        },
        {
          rank: 3,
          appid: 2868840,
          name: "Slay the Spire 2",
          players_now: 249640,
          peak_today: 568884,
          is_free: false,
          url: "https://store.steampowered.com/app/2868840",
        },
      ],
    })
  })
  it("of most played games is another list, and never read as this one", () => {
    expect(() => collectedCapture(steamCharts, "concurrent", "most-played-games-2026-05-08.json")).toThrow(
      /last_update/,
    )
    const { response } = decodedCapture<{ readonly response: { readonly ranks: ReadonlyArray<object> } }>(
      steamCharts,
      "mostPlayed",
      "most-played-games-2026-05-08.json",
    )
    expect(response.ranks).toEqual([
      { rank: 1, appid: 730 },
      { rank: 34, appid: 550 },
    ])
    // Its places say nothing about players now.
    expect(refusedBy(steamCharts, chartOf(...response.ranks))?.message).toMatch(/2 of 2 rows cannot be read/)
  })
  it("has names that the store and its list give to the same numbers", () => {
    const list = decodedCapture<{
      readonly applist: { readonly apps: ReadonlyArray<{ readonly appid: number; readonly name: string }> }
    }>(steamCharts, "appList", "hand-made-applist.json")
    const names = new Map(list.applist.apps.map(({ appid, name }) => [appid, name]))
    const { items } = normalised(steamCharts, captured()).payload
    expect(items.map(({ appid }) => names.get(appid))).toEqual(items.map(({ name }) => name))
    expect(decodedCapture(steamCharts, "appDetails", "store-appdetails-620.json")).toEqual({
      620: { success: true, data: { type: "game", name: "Portal 2" } },
    })
  })
})

describe("the chart", () => {
  it("is the first 25 places by rank, in whatever order they come", () => {
    const ranks = Array.from({ length: 100 }, (_, index) => place(((index * 37) % 100) + 1))
    expect(itemsOf(...ranks).map(({ rank }) => rank)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
  })
  it.each([
    ["an entry", { appid: 10, name: "A" }, "A", false],
    ["a free game", { appid: 10, name: "A", is_free: true }, "A", true],
    ["no entry", null, null, null],
    ["an entry without a name", { appid: 10, success: 15 }, null, null],
    ["an entry with an empty name", { appid: 10, name: "" }, null, null],
    ["an entry of another game", { appid: 20, name: "B", is_free: true }, null, null],
    ["an entry without a number", { name: "A" }, "A", false],
  ])("of a place with %s %o has the name %s, free: %s", (_, entry, name, isFree) => {
    expect(itemsOf(place(1, { item: entry }))[0]).toMatchObject({ name, isFree })
  })
  it("has no peak where none is given, and never zero players instead of an unknown number", () => {
    const { peak_in_game, ...without } = place(1)
    expect(itemsOf(without)[0]).toMatchObject({ playersNow: 999, peak24h: null })
    for (const none of [null, 0, -1, 1e12])
      expect(itemsOf(place(1, { peak_in_game: none }))[0]).toMatchObject({ playersNow: 999, peak24h: null })
    const { concurrent_in_game, ...unknown } = place(2)
    const { outcome, unreadable } = readBy(steamCharts, chartOf(place(1), place(3), unknown))
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({ payload: { items: [{ rank: 1 }, { rank: 3 }] } })
  })
  it("reads numbers that are sent as texts", () => {
    expect(itemsOf(place(1, { concurrent_in_game: "2499", peak_in_game: "3000" }))[0]).toMatchObject({
      playersNow: 2499,
      peak24h: 3000,
    })
  })
  it.each([
    ["half a player", { concurrent_in_game: 1.5 }],
    ["fewer than no players", { concurrent_in_game: -1 }],
    ["no number of the game", { appid: null }],
    ["rank 0", { rank: 0 }],
  ])("leaves out a place with %s, and counts it", (_, members) => {
    const { outcome, unreadable } = readBy(steamCharts, chartOf(place(1), place(2), place(3, members)))
    expect(unreadable).toHaveLength(1)
    expect(outcome).toMatchObject({ payload: { items: [{ rank: 1 }, { rank: 2 }] } })
  })
  it("has changed with players or peak, and not with the rank alone", () => {
    expect(gamePlatformTop.isRevised(item, { ...item, rank: 4 })).toBe(false)
    expect(gamePlatformTop.isRevised(item, { ...item, playersNow: 6 })).toBe(true)
    expect(gamePlatformTop.isRevised(item, { ...item, peak24h: 10 })).toBe(true)
  })
  it("is requested with the names of its games", () => {
    const url = new URL(steamCharts.documents.concurrent?.url(undefined) ?? "")
    expect(JSON.parse(url.searchParams.get("input_json") ?? "")).toEqual({
      context: { language: "english", country_code: "US" },
      data_request: { include_basic_info: true },
    })
  })
  it("of the world is that shown, a delisted game without its name", async () => {
    const { payload, contentAtMs } = await observed(steamCharts, simulated, NOW_MS)
    const world = worldAt("test", NOW_MS)
    expect(contentAtMs).toBe(chartMs(world))
    expect(payload.items.map(({ appid, playersNow, peak24h }) => [appid, playersNow, peak24h])).toEqual(
      chart(world)
        .slice(0, 25)
        .map(({ appid, players, peak }) => [appid, players, peak]),
    )
    expect(payload.items.filter(({ name }) => name === null)).toHaveLength(1)
    expect(new Set(payload.items.map(({ isFree }) => isFree))).toEqual(new Set([true, false, null]))
  })
  it("of each day of the world has games that enter and games that leave", () => {
    const listed = (atMs: number) =>
      new Set(
        chart(worldAt("test", atMs))
          .slice(0, 25)
          .map(({ appid }) => appid),
      )
    for (let day = 0; day < 14; day++) {
      const [before, after] = [listed(NOW_MS + day * 24 * HOUR_MS), listed(NOW_MS + (day + 1) * 24 * HOUR_MS)]
      expect(
        [...before].some((appid) => !after.has(appid)),
        String(day),
      ).toBe(true)
    }
  })
})
