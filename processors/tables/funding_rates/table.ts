import { fundingRates } from "../../../schemas/feeds/funding-rates.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "funding_rates",
  feed: fundingRates,
  columns: ({ parameters }) => ({ venue: parameters.venue ?? "" }),
  listed: "listed",
})
