import { gamePlatformTop } from "../../../schemas/feeds/game-platform-top.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "game_players",
  feed: gamePlatformTop,
  rows: ({ kind, item, observedAt }) => [
    {
      appid: item.appid,
      name: item.name ?? "",
      rank: item.rank,
      players: item.playersNow,
      peak_24h: item.peak24h,
      is_free: item.isFree,
      listed: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
