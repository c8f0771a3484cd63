import * as Schema from "effect/Schema"
import { GAME_NAME_MAX_CHARACTERS, GAME_PLAYERS_MAX, gamePlatformTop } from "../../schemas/feeds/game-platform-top.ts"
import { document, UpstreamError } from "../document.ts"
import { instantOrNull, isAhead } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanTextOrNull } from "../readers/text.ts"
import { Decimal, EpochSeconds, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** What the store says of a game. Members at their default are left out, so a game that is not free has no `is_free`. */
const StoreItem = Schema.Struct({
  appid: maybe(Schema.Int),
  name: maybe(Schema.String),
  is_free: maybe(Schema.Boolean),
})

/** One place. Another chart, that of most played games, has no `concurrent_in_game`. */
const Place = Schema.Struct({
  rank: Schema.Int,
  appid: Schema.Int,
  item: maybe(StoreItem),
  concurrent_in_game: Decimal,
  peak_in_game: maybe(Decimal),
})
type Place = typeof Place.Type

const Chart = Schema.Struct({
  response: Schema.Struct({ last_update: EpochSeconds, ranks: Schema.Array(Schema.Unknown) }),
})

/** Without this request the chart holds numbers of games, and no names. */
const WITH_NAMES = JSON.stringify({
  context: { language: "english", country_code: "US" },
  data_request: { include_basic_info: true },
})

/** https://partner.steamgames.com/doc/webapi Steam itself reads its charts from here. */
const concurrent = document({
  format: "json",
  wire: Chart,
  url: `https://api.steampowered.com/ISteamChartsService/GetGamesByConcurrentPlayers/v1/?input_json=${encodeURIComponent(WITH_NAMES)}`,
})

/** The store's entry of the place's game; null without one, and for one of another game. */
const storeItemOf = ({ appid, item }: Place) =>
  item === null || item === undefined || (item.appid ?? appid) !== appid ? null : item

export default listSource({
  name: "steam-charts",
  provider: "Steam.players",
  fills: gamePlatformTop,
  every: "10 minutes",
  documents: { concurrent },
  collect: (upstream) => upstream.fetch(concurrent, undefined),
  rows: ({ response }) => response.ranks,
  row: Place,
  toItem: (place) => {
    const item = storeItemOf(place)
    const name = cleanTextOrNull(item?.name, GAME_NAME_MAX_CHARACTERS)
    return {
      rank: place.rank,
      appid: place.appid,
      name,
      playersNow: place.concurrent_in_game,
      // The store leaves a number out if it is zero.
      peak24h: within(place.peak_in_game, 1, GAME_PLAYERS_MAX),
      // Of a delisted game the store sends the id alone, so that nothing else is known.
      isFree: name === null ? null : (item?.is_free ?? false),
    }
  },
  facts: ({ response }, _, { observedAtMs }) => {
    const updatedAt = instantOrNull(response.last_update * 1000)
    return updatedAt === null || isAhead(updatedAt, observedAtMs)
      ? new UpstreamError({ message: "the time of the chart lies in the future" })
      : { updatedAt }
  },
  contentAtMs: ({ response }) => response.last_update * 1000,
  attribution: {
    provider: "Steam charts (Valve Corporation)",
    licence: "Steam Web API terms of use",
    url: "https://steamcommunity.com/dev/apiterms",
  },
  terms: termsOf({
    use: "provider",
    url: "https://steamcommunity.com/dev/apiterms",
    clause: "end users' personal use; links to Valve",
    sold: "no",
  }),
})
