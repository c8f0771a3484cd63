import { ethereumGas } from "../../../schemas/feeds/ethereum-gas.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: ethereumGas,
  held: {},
})
