import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, none, numberText } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** How many games are kept and shown. */
export const GAMES_MAX = 25
export const GAME_NAME_MAX_CHARACTERS = 120
/** The largest number of players: it must fit the table. */
export const GAME_PLAYERS_MAX = 2 ** 32 - 1
const APP_ID_MAX = 2 ** 32 - 1

const Name = NonEmptyTextUpTo(GAME_NAME_MAX_CHARACTERS)
const Players = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: GAME_PLAYERS_MAX }))
const AppId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: APP_ID_MAX }))
const Rank = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))

/** One place of the chart of games by concurrent players. */
export const RankedGame = Schema.Struct({
  /** 1: the most played. */
  rank: Rank,
  /** The platform's number of the game. */
  appid: AppId,
  /** Null where the platform does not name the game, as where it is delisted. */
  name: Schema.NullOr(Name),
  playersNow: Players,
  /** Most players at once within the last 24 hours. */
  peak24h: Schema.NullOr(Players),
  /** Null where the platform says nothing about the game. */
  isFree: Schema.NullOr(Schema.Boolean),
})
export type RankedGame = typeof RankedGame.Type

export const gamePlatformTop = listFeed({
  name: "game-platform-top",
  description: "The games of Steam with the most players at once, by rank.",
  item: RankedGame,
  facts: Schema.Struct({
    /** When the platform made the chart. */
    updatedAt: Instant,
  }),
  itemsMax: GAMES_MAX,
  keepsFirst: true,
  key: ({ appid }) => String(appid),
  revision: ({ playersNow, peak24h }) => JSON.stringify([playersNow, peak24h]),
  order: (one, other) => one.rank - other.rank || one.appid - other.appid,
  mayBeEmpty: false,
  contentAgeMax: "1 hour",
})

export const gamePlatformTopEndpoint = endpoint({
  path: "/api/game-platform-top",
  name: "game_platform_top",
  kind: "prepared",
  tier: "free",
  subject: "technology",
  ttl: "10 minutes",
  summary: "Top games by concurrent players, with their peak of the day",
  description: [
    "The first 25 places of the chart of Steam. `peak_today` is the largest number of players at once within the last 24",
    "hours, as the chart states it, and not since a midnight.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many games are listed" }),
    updated_at: Instant.annotate({ description: "When the platform made the chart" }),
    games: Schema.Array(
      Schema.Struct({
        rank: Rank.annotate({ description: "1: the most played" }),
        appid: AppId.annotate({ description: "Number of the game on Steam" }),
        name: Schema.NullOr(Name).annotate({ description: "Null where the platform does not name the game" }),
        players_now: Players.annotate({ description: "Concurrent players" }),
        peak_today: Schema.NullOr(Players).annotate({
          description: "Most concurrent players within the last 24 hours",
        }),
        is_free: Schema.NullOr(Schema.Boolean).annotate({
          description: "Free to play; null where the platform says nothing about the game",
        }),
        url: HttpUrl,
      }),
    ).check(Schema.isMaxLength(GAMES_MAX)),
  }),
  changes: [{ feed: gamePlatformTop, title: ({ name, players_now }) => itemWords(name, players_now) }],
  glance: {
    title: "Most played game",
    plots: ({ games }) => [
      ranking(
        "Players at once",
        null,
        games.map(({ name, appid, players_now }) => ({ label: name ?? `Game ${appid}`, value: players_now })),
      ),
    ],
    headline: ({ games: [first] }) => {
      if (first === undefined) return none("No game is played")
      const { name, players_now, peak_today: peak } = first
      return {
        value: players_now,
        unit: "players",
        note: clause(`${name ?? "a game without a name"} on Steam`, peak === null ? null : `peak ${numberText(peak)}`),
      }
    },
  },
  example: {
    count: 1,
    updated_at: "2026-08-17T20:30:00.000Z",
    games: [
      {
        rank: 1,
        appid: 730,
        name: "Heron Strike 2",
        players_now: 1384410,
        peak_today: 1509177,
        is_free: true,
        url: "https://store.steampowered.com/app/730",
      },
    ],
  },
})
