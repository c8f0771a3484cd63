import { coins } from "../../../schemas/feeds/coins.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "coin_quotes",
  feed: coins,
  columns: ({ provider }) => ({ provider }),
  listed: "listed",
})
