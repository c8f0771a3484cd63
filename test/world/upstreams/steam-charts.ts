import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The chart is made anew so often. */
const CHART_MS = 5 * MINUTE_MS

const adjectives = ["Silent", "Amber", "Northern", "Hollow", "Last", "Crimson", "Quiet", "Iron"]
const nouns = ["Harbour", "Strike", "Kingdom", "Signal", "Garden"]

/** The games of the world, by number: the larger their base, the more they are played. */
const games = adjectives.flatMap((adjective, at) =>
  nouns.map((noun, index) => {
    const number = at * nouns.length + index
    return { appid: 400 + number * 730, name: `${adjective} ${noun}`, base: Math.round(900_000 / (number + 1)) }
  }),
)

/** A place of the world's chart. */
export interface WorldPlace {
  readonly appid: number
  readonly name: string
  readonly players: number
  readonly peak: number
}

/** Players rise in the evening and wander over the days; some games are played by few for some hours. */
const playersOf = (world: World, { appid, base }: { readonly appid: number; readonly base: number }, atMs: number) =>
  Math.max(1, Math.round(base * world.wander(`game/${appid}`, 1, 0.45, 3 * DAY_MS, atMs)))

/** The time of the world's chart. */
export const chartMs = ({ nowMs }: World): number => Math.floor(nowMs / CHART_MS) * CHART_MS

/** The chart of now, the most played first. */
export const chart = (world: World): ReadonlyArray<WorldPlace> => {
  const atMs = chartMs(world)
  return games
    .map((game) => ({
      appid: game.appid,
      name: game.name,
      players: playersOf(world, game, atMs),
      peak: Math.max(...Array.from({ length: 25 }, (_, hours) => playersOf(world, game, atMs - hours * HOUR_MS))),
    }))
    .sort((one, other) => other.players - one.players || one.appid - other.appid)
}

/** What the store says of a game: one game has been delisted, and members at their default are left out. */
const storeItem = (world: World, { appid, name }: WorldPlace) =>
  appid === games[7]?.appid
    ? { item_type: 0, id: appid, success: 15, visible: false, appid }
    : {
        item_type: 0,
        id: appid,
        success: 1,
        visible: true,
        name,
        store_url_path: `app/${appid}/${name.replaceAll(" ", "_")}`,
        appid,
        type: 0,
        ...(world.random("game", appid, "free") < 0.3 ? { is_free: true } : {}),
        basic_info: { short_description: `In ${name} nothing stays as it was.` },
      }

export default simulatedUpstream({
  name: "steam-charts",
  hosts: ["api.steampowered.com"],
  answer: ({ path, query }, world) => {
    if (path !== "/ISteamChartsService/GetGamesByConcurrentPlayers/v1/") return null
    const isNamed = (query.get("input_json") ?? "").includes('"include_basic_info":true')
    return {
      body: {
        response: {
          last_update: chartMs(world) / 1000,
          ranks: chart(world).map((place, index) => ({
            rank: index + 1,
            appid: place.appid,
            ...(isNamed ? { item: storeItem(world, place) } : {}),
            concurrent_in_game: place.players,
            peak_in_game: place.peak,
          })),
        },
      },
    }
  },
})
