import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, largest, none, unknown } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** The channels that are served, in the order of replies, by the names that are shown. */
export const chessChannelLabels = {
  best: "Top Rated",
  bullet: "Bullet",
  blitz: "Blitz",
  rapid: "Rapid",
  classical: "Classical",
  chess960: "Chess960",
} as const

export type ChessChannel = keyof typeof chessChannelLabels
// The keys of a constant are its names.
export const chessChannels = Object.keys(chessChannelLabels) as ReadonlyArray<ChessChannel>

/** Names of players have at most 30 characters. */
export const CHESS_PLAYER_MAX_CHARACTERS = 60
export const CHESS_TITLE_MAX_CHARACTERS = 10
/** The largest rating that is believed: engines and bullet players exceed 3000. */
export const CHESS_RATING_MAX = 5_000

const Channel = Schema.Literals(chessChannels)
const Player = NonEmptyTextUpTo(CHESS_PLAYER_MAX_CHARACTERS)
const Title = NonEmptyTextUpTo(CHESS_TITLE_MAX_CHARACTERS)
const Rating = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: CHESS_RATING_MAX }))
const Color = Schema.Literals(["white", "black"])
const GameId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{8}$/))

/** The game that a channel shows now, from the side of one of its players. */
export const ChessGame = Schema.Struct({
  channel: Channel,
  player: Player,
  /** Such as GM or BOT; null for a player without a title. */
  title: Schema.NullOr(Title),
  /** Of the player in the variant of the channel (Glicko-2). */
  rating: Schema.NullOr(Rating),
  /** The side of the player; null in answers of older versions. */
  color: Schema.NullOr(Color),
  gameId: GameId,
})
export type ChessGame = typeof ChessGame.Type

export const chessTv = listFeed({
  name: "chess-tv",
  description: "The game that each main channel of Lichess TV shows, in the order of the channels.",
  item: ChessGame,
  itemsMax: chessChannels.length,
  key: ({ channel }) => channel,
  revision: ({ gameId, rating }) => JSON.stringify([gameId, rating]),
  order: (one, other) => chessChannels.indexOf(one.channel) - chessChannels.indexOf(other.channel),
  mayBeEmpty: false,
})

export const chessTvEndpoint = endpoint({
  path: "/api/chess-tv",
  name: "chess_tv",
  kind: "prepared",
  tier: "free",
  subject: "technology",
  ttl: "60 seconds",
  summary: "The featured game of each chess channel: top rated, bullet, blitz, rapid, classical and chess960",
  description: [
    "The games that Lichess TV shows. A channel without a game is left out. `best` is often the game of another channel too.",
    "The player is the one from whose side the game is shown; ratings are those of Lichess, by variant.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many channels are listed" }),
    channels: Schema.Array(
      Schema.Struct({
        channel: Channel,
        label: Schema.Literals(Object.values(chessChannelLabels)).annotate({ description: "Name of the channel" }),
        player: Player,
        title: Schema.NullOr(Title).annotate({ description: "Such as GM or BOT; null without a title" }),
        rating: Schema.NullOr(Rating).annotate({ description: "Of the player in this variant" }),
        color: Schema.NullOr(Color).annotate({ description: "The side of the player" }),
        game_id: GameId,
        url: HttpUrl,
      }),
    ).check(Schema.isMaxLength(chessChannels.length)),
  }),
  changes: [{ feed: chessTv, title: ({ label, title, player, rating }) => itemWords(label, title, player, rating) }],
  glance: {
    title: "Top chess game",
    plots: ({ channels }) => [
      ranking(
        "Ratings of the featured players",
        null,
        channels.map(({ label, player, rating }) => ({ label, value: rating, note: player })),
      ),
    ],
    headline: ({ count, channels }) => {
      if (count === 0) return none("No channel of Lichess shows a game")
      const best = largest(channels, ({ rating }) => rating)
      if (best === null) return unknown("The featured games name no rating")
      const { title, player, label } = best.item
      return { value: best.value, unit: "rating", note: clause(title === null ? player : `${title} ${player}`, label) }
    },
  },
  example: {
    count: 1,
    channels: [
      {
        channel: "best",
        label: "Top Rated",
        player: "Heron64",
        title: "GM",
        rating: 2955,
        color: "black",
        game_id: "tL6k89SU",
        url: "https://lichess.org/tL6k89SU",
      },
    ],
  },
})
