import { gamePlatformTop, gamePlatformTopEndpoint, type RankedGame } from "../../schemas/feeds/game-platform-top.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const gameRow = ({ rank, appid, name, playersNow, peak24h, isFree }: RankedGame) => ({
  rank,
  appid,
  name,
  players_now: playersNow,
  peak_today: peak24h,
  is_free: isFree,
  url: `https://store.steampowered.com/app/${appid}`,
})
const gameRows = rowsBy(gameRow)

export default view({
  endpoint: gamePlatformTopEndpoint,
  reads: { chart: from(gamePlatformTop) },
  changes: [changesOf(gamePlatformTop, gameRow)],
  build: ({
    chart: {
      payload: { items, facts },
    },
  }) => ({ count: items.length, updated_at: facts.updatedAt, games: gameRows(items) }),
})
