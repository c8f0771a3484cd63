import { gamePlatformTop } from "../../../schemas/feeds/game-platform-top.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "game_players",
  feed: gamePlatformTop,
  without: ["playersNow"],
  texts: ["name"],
  columns: ({ item }) => ({ players: item.playersNow }),
  listed: "listed",
})
