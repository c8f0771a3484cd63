import { fundingRates } from "../../../schemas/feeds/funding-rates.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: fundingRates,
  held: {},
})
