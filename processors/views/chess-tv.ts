import { type ChessGame, chessChannelLabels, chessTv, chessTvEndpoint } from "../../schemas/feeds/chess-tv.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const channelRow = ({ channel, player, title, rating, color, gameId }: ChessGame) => ({
  channel,
  label: chessChannelLabels[channel],
  player,
  title,
  rating,
  color,
  game_id: gameId,
  url: `https://lichess.org/${gameId}`,
})
const channelRows = rowsBy(channelRow)

export default view({
  endpoint: chessTvEndpoint,
  reads: { tv: from(chessTv) },
  changes: [changesOf(chessTv, channelRow)],
  build: ({ tv }) => {
    const rows = channelRows(tv.payload.items)
    return { count: rows.length, channels: rows }
  },
})
