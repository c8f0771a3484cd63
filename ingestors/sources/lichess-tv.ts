import * as Schema from "effect/Schema"
import {
  CHESS_PLAYER_MAX_CHARACTERS,
  CHESS_RATING_MAX,
  CHESS_TITLE_MAX_CHARACTERS,
  chessChannelLabels,
  chessChannels,
  chessTv,
} from "../../schemas/feeds/chess-tv.ts"
import { document, UpstreamError } from "../document.ts"
import { lichess } from "../providers/lichess.ts"
import { within } from "../readers/numbers.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://lichess.org/api#tag/TV/operation/tvChannels The game of a channel, from the side of `color`. */
const Game = Schema.Struct({
  user: Schema.Struct({ name: Schema.String, title: maybe(Schema.String) }),
  rating: maybe(Schema.Finite),
  gameId: Schema.String,
  color: maybe(Schema.Literals(["white", "black"])),
})

/**
 * Games by channel, in no order. A channel without a current game is absent. Older versions name channels by their labels
 * (`Top Rated`) and have no `color`.
 */
const channels = document({
  format: "json",
  wire: Schema.Record(Schema.String, Schema.Unknown),
  url: "https://lichess.org/api/tv/channels",
})

const Row = Schema.Struct({ channel: Schema.Literals(chessChannels), game: Game })

/** The games of the channels that are served, each with the channel's name. */
const rowsOf = (games: Readonly<Record<string, unknown>>) =>
  chessChannels.flatMap((channel) => {
    const game = games[channel] ?? games[chessChannelLabels[channel]] ?? null
    return game === null ? [] : [{ channel, game }]
  })

export default listSource({
  name: "lichess-tv",
  provider: "Lichess.tv",
  fills: chessTv,
  every: "60 seconds",
  access: lichess,
  documents: { channels },
  collect: (upstream) => upstream.fetch(channels, undefined),
  rows: (games) => {
    const rows = rowsOf(games)
    return rows.length === 0 ? new UpstreamError({ message: "the answer has none of the channels" }) : rows
  },
  row: Row,
  toItem: ({ channel, game }) => {
    const rating = within(game.rating, 0, CHESS_RATING_MAX)
    return {
      channel,
      player: cleanText(game.user.name, CHESS_PLAYER_MAX_CHARACTERS),
      title: cleanTextOrNull(game.user.title, CHESS_TITLE_MAX_CHARACTERS),
      rating: rating === null ? null : Math.round(rating),
      color: game.color ?? null,
      gameId: game.gameId,
    }
  },
  // The answer has no time.
  contentAtMs: () => null,
  attribution: {
    provider: "Lichess TV",
    licence: "Lichess terms of service; game data is offered freely by its API",
    url: "https://lichess.org/api",
  },
  terms: termsOf({ use: "provider", url: "https://lichess.org/terms-of-service" }),
})
