import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { EpochSeconds } from "../../ingestors/readers/wire.ts"
import steamCharts from "../../ingestors/sources/steam-charts.ts"

/** Peaks of a whole day: another list, without players now. */
const mostPlayed = document({
  format: "json",
  wire: Schema.Struct({
    response: Schema.Struct({
      rollup_date: EpochSeconds,
      ranks: Schema.Array(Schema.Struct({ rank: Schema.Int, appid: Schema.Int })),
    }),
  }),
  url: "https://api.steampowered.com/ISteamChartsService/GetMostPlayedGames/v1/",
})
/** The store's page of one game, by the number of the game. */
const appDetails = document({
  format: "json",
  wire: Schema.Record(
    Schema.String,
    Schema.Struct({
      success: Schema.Boolean,
      data: Schema.optionalKey(Schema.Struct({ type: Schema.String, name: Schema.String })),
    }),
  ),
  url: (appid: number) => `https://store.steampowered.com/api/appdetails?appids=${appid}`,
})
/** Names of all games; some are empty. */
const appList = document({
  format: "json",
  wire: Schema.Struct({
    applist: Schema.Struct({ apps: Schema.Array(Schema.Struct({ appid: Schema.Int, name: Schema.String })) }),
  }),
  url: "https://api.steampowered.com/ISteamApps/GetAppList/v2/",
})

export default recordedDocuments(steamCharts, { mostPlayed, appDetails, appList })
