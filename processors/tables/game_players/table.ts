import { gamePlatformTop } from "../../../schemas/feeds/game-platform-top.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: gamePlatformTop,
  held: {},
  columns: ({ item }) => ({ players: item.playersNow }),
})
