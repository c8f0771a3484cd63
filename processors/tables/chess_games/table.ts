import { chessTv } from "../../../schemas/feeds/chess-tv.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "chess_games",
  feed: chessTv,
  rows: ({ kind, item, observedAt }) => [
    {
      channel: item.channel,
      game_id: item.gameId,
      player: item.player,
      title: item.title ?? "",
      rating: item.rating,
      color: item.color ?? "",
      on_air: kind !== "gone",
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
