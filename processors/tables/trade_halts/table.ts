import { tradeHalts } from "../../../schemas/feeds/trade-halts.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "trade_halts",
  feed: tradeHalts,
  listed: "listed",
})
