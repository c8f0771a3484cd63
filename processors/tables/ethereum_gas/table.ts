import { ethereumGas } from "../../../schemas/feeds/ethereum-gas.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "ethereum_gas",
  feed: ethereumGas,
  columns: ({ provider }) => ({ provider }),
})
