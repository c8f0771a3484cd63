import { chainNetwork } from "../../../schemas/feeds/chain-network.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: chainNetwork,
  held: {},
})
