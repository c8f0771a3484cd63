import { describe, expect, it } from "vitest"
import { providers } from "../../ingestors/providers.ts"
import lichessTv from "../../ingestors/sources/lichess-tv.ts"
import chessGamesTable from "../../processors/tables/chess_games/table.ts"
import chessTvView from "../../processors/views/chess-tv.ts"
import { type ChessGame, chessTv } from "../../schemas/feeds/chess-tv.ts"
import simulated, { games } from "../world/upstreams/lichess-tv.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof lichessTv.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000

const game = (members: object = {}) => ({
  user: { name: "Heron64", id: "heron64" },
  rating: 2500,
  gameId: "tL6k89SU",
  color: "white",
  ...members,
})
const itemsOf = (collected: Collected): ReadonlyArray<ChessGame> => normalised(lichessTv, collected).payload.items
const rowsOf = (collected: Collected) =>
  (
    shown(chessTvView, [reading(normalised(lichessTv, collected).payload)], { nowMs: NOW_MS }) as {
      readonly channels: ReadonlyArray<Record<string, unknown>>
    }
  ).channels

const item = {
  channel: "best",
  player: "Heron64",
  title: null,
  rating: 2500,
  color: "white",
  gameId: "tL6k89SU",
} as const
const row = {
  channel: "best",
  game_id: "tL6k89SU",
  player: "Heron64",
  title: "",
  rating: 2500,
  color: "white",
  on_air: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: chessTv,
  glances: {
    chess_tv: [2955, "rating", "GM Heron64, Top Rated"],
  },
  polls: [
    polled({
      source: lichessTv,
      world: simulated,
      freeText: false,
      breakRow: (channels) => ({ ...channels, rapid: { ...game(), gameId: "../admin" } }),
      refused: [
        ["an answer without channels", {}, /none of the channels/],
        ["an answer of other channels alone", { antichess: game() }, /none of the channels/],
      ],
    }),
  ],
  views: [chessTvView],
  table: chessGamesTable,
  rows: [
    { kind: "appeared", item, makes: row },
    { kind: "changed", item: { ...item, title: "GM" }, makes: { ...row, title: "GM" } },
    { kind: "gone", item, makes: { ...row, on_air: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured channels", () => {
  it("of July 2026: the six, all of their members, in their order", () => {
    const collected = collectedCapture(lichessTv, "channels", "channels-2026-07-06.json")
    const one = (channel: string, label: string, player: string, rating: number, color: string, game_id: string) => ({
      channel,
      label,
      player,
      title: null,
      rating,
      color,
      game_id,
      url: `https://lichess.org/${game_id}`,
    })
    expect(rowsOf(collected)).toEqual([
      one("best", "Top Rated", "TheMarsisback2015", 3180, "white", "3hkEI6VI"),
      one("bullet", "Bullet", "TheMarsisback2015", 3180, "white", "3hkEI6VI"),
      { ...one("blitz", "Blitz", "Silvermist15", 2405, "white", "6rZLZI3j"), title: "WGM" },
      one("rapid", "Rapid", "gek76", 2401, "white", "9MlHhzMW"),
      one("classical", "Classical", "us_player", 1978, "black", "cDj1V8Cp"),
      one("chess960", "Chess960", "NotThe0ne", 2239, "black", "h1y0KxVw"),
    ])
  })
  it("of September 2025: players, titles and ratings", () => {
    const rows = rowsOf(collectedCapture(lichessTv, "channels", "channels-2025-09-23.json"))
    expect(rows.map(({ channel, player, title, rating, color }) => [channel, player, title, rating, color])).toEqual([
      ["best", "Sergoy45", "GM", 2955, "black"],
      ["bullet", "Sergoy45", "GM", 2955, "black"],
      ["blitz", "Toro123", "IM", 2655, "white"],
      ["rapid", "Ondiiik2007", null, 2494, "black"],
      ["classical", "ReubenFine2025", null, 2565, "white"],
      ["chess960", "jean_val_jean", null, 2448, "white"],
    ])
  })
  it("from the one to the other, every channel has changed its game", () => {
    const [before, after] = ["channels-2025-09-23.json", "channels-2026-07-06.json"].map((file) =>
      itemsOf(collectedCapture(lichessTv, "channels", file)),
    )
    const revised = before?.map((one, at) => chessTv.isRevised(one, after?.[at] as ChessGame))
    expect(revised).toEqual([true, true, true, true, true, true])
  })
})

describe("chess channels", () => {
  it("without a game are left out", () => {
    expect(rowsOf({ chess960: null, rapid: game(), horde: game() }).map(({ channel }) => channel)).toEqual(["rapid"])
  })
  it("of older versions stand under their labels, and have no side", () => {
    const { color, ...old } = game({ user: { name: "Toro123", title: "IM" } })
    expect(itemsOf({ Blitz: old, "Top Rated": old, "King of the Hill": old })).toMatchObject([
      { channel: "best", player: "Toro123", color: null },
      { channel: "blitz", title: "IM", color: null },
    ])
  })
  it.each([
    ["no game id", { gameId: "" }],
    ["a game id that is a path", { gameId: "../../x?" }],
    ["a game id that goes on", { gameId: "tL6k89SU/x" }],
    ["no player", { user: { name: " " } }],
    ["a side that is none", { color: "green" }],
  ])("with %s are left out, and counted", (_, members) => {
    const { outcome, unreadable } = readBy(lichessTv, { best: game(), blitz: game(), rapid: game(members) })
    expect(outcome).toMatchObject({ payload: { items: [{ channel: "best" }, { channel: "blitz" }] } })
    expect(unreadable).toHaveLength(1)
  })
  it.each([
    [null, null],
    [-1, null],
    [90_000, null],
    [0, 0],
    [3250, 3250],
  ])("with a rating of %s have %s", (rating, read) => {
    expect(itemsOf({ best: game({ rating }) })[0]?.rating).toBe(read)
  })
  it("have changed with the game or the rating", () => {
    expect(chessTv.isRevised(item, { ...item, title: "FM" })).toBe(false)
    expect(chessTv.isRevised(item, { ...item, rating: 2501 })).toBe(true)
    expect(chessTv.isRevised(item, { ...item, gameId: "ENgdWtYK" })).toBe(true)
  })
  it("are requested one at a time, and not within a minute after status 429", () => {
    expect(lichessTv.access).toMatchObject({
      hosts: ["lichess.org"],
      pace: { concurrencyMax: 1, rateLimitedPauseMs: 60_000 },
    })
    expect(providers).toContain(lichessTv.access)
    expect(lichessTv.everyMs({})).toBe(60_000)
  })
  it("of the world are those shown; chess960 pauses, and the best game is that of bullet", async () => {
    for (const [at, count] of [
      ["2026-11-20T12:34:56Z", 6],
      ["2026-11-20T13:02:00Z", 5],
    ] as const) {
      const { payload } = await observed(lichessTv, simulated, Date.parse(at))
      const world = games(worldAt("test", Date.parse(at)))
      expect(payload.items).toHaveLength(count)
      expect(payload.items.map(({ channel, gameId }) => [channel, gameId])).toEqual(
        payload.items.map(({ channel }) => [channel, world[channel]?.gameId]),
      )
      expect(world.best?.gameId).toBe(world.bullet?.gameId)
    }
  })
  it("of the world change their games within an hour", () => {
    const shownBy = (atMs: number) => games(worldAt("test", atMs))
    const [before, after] = [shownBy(NOW_MS), shownBy(NOW_MS + HOUR_MS)]
    for (const channel of ["best", "blitz", "rapid", "classical"] as const)
      expect(after[channel]?.gameId).not.toBe(before[channel]?.gameId)
  })
})
