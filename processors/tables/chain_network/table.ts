import { chainNetwork } from "../../../schemas/feeds/chain-network.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "chain_network",
  feed: chainNetwork,
  columns: ({ provider }) => ({ provider }),
})
