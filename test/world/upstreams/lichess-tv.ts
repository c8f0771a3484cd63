import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const MINUTE_MS = 60_000

/** Channels in the order in which the provider sends them, and the rating about which their players stand. */
const channels = {
  chess960: 2300,
  best: 0,
  antichess: 2200,
  computer: 2100,
  bullet: 2950,
  horde: 2200,
  atomic: 2100,
  bot: 3000,
  racingKings: 2200,
  ultraBullet: 2050,
  blitz: 2750,
  kingOfTheHill: 2000,
  crazyhouse: 2250,
  threeCheck: 1700,
  classical: 2250,
  rapid: 2480,
} as const
type Channel = keyof typeof channels
// The keys of a constant are its names.
const names = Object.keys(channels) as ReadonlyArray<Channel>

/** How long a game stays on its channel. */
const gameMs = (channel: Channel): number =>
  (channel === "classical" ? 25 : channel === "rapid" ? 12 : channel.endsWith("ullet") ? 2 : 5) * MINUTE_MS
/** Chess960 has no game for the first minutes of each hour. */
const PAUSE_MS = 4 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS

const birds = ["Avocet", "Bittern", "Curlew", "Dunlin", "Egret", "Fulmar", "Godwit", "Heron"]
const titles = ["GM", "IM", "WGM", "FM", null, null, null, null]
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const gameOf = (world: World, channel: Channel) => {
  const number = Math.floor(world.nowMs / gameMs(channel))
  const random = (label: string) => world.random("chess", channel, number, label)
  const pick = <One>(all: ReadonlyArray<One>, label: string): One => all[Math.floor(random(label) * all.length)] as One
  const name = `${pick(birds, "player")}${Math.floor(random("number") * 90) + 10}`
  const title = channel === "bot" ? "BOT" : pick(titles, "title")
  return {
    user: {
      name,
      ...(title === null ? {} : { title }),
      ...(random("flair") < 0.4 ? { flair: "nature.wolf" } : {}),
      ...(random("patron") < 0.1 ? { patron: true, patronColor: 2 } : {}),
      id: name.toLowerCase(),
    },
    rating: channels[channel] + Math.floor(random("rating") * 200),
    gameId: Array.from({ length: 8 }, (_, at) => LETTERS[Math.floor(random(`id ${at}`) * LETTERS.length)]).join(""),
    color: random("color") < 0.5 ? "white" : "black",
  }
}

/** The games by channel, as they stand now: `best` shows the game of the bullet channel. */
export const games = (world: World): Readonly<Partial<Record<Channel, ReturnType<typeof gameOf>>>> =>
  Object.fromEntries(
    names.flatMap((channel) =>
      channel === "chess960" && world.nowMs % HOUR_MS < PAUSE_MS
        ? []
        : [[channel, gameOf(world, channel === "best" ? "bullet" : channel)]],
    ),
  )

export default simulatedUpstream({
  name: "lichess-tv",
  hosts: ["lichess.org"],
  answer: ({ path }, world) => (path === "/api/tv/channels" ? { body: games(world) } : null),
})
