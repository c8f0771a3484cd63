import { chessTv } from "../../../schemas/feeds/chess-tv.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "chess_games",
  feed: chessTv,
  texts: ["title", "color"],
  listed: "on_air",
})
