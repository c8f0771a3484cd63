import { economicSeries, seriesInEvent } from "../../../schemas/feeds/economic-series.ts"
import { itemTable } from "../../table.ts"

// No row of a number that is gone: it has left the list of the latest ones, and stays what it was.
export default itemTable(import.meta.url, {
  feed: economicSeries,
  held: { newest: "date" },
  columns: ({ parameters }) => {
    const { id, unit } = seriesInEvent(parameters)
    return { series: id, unit }
  },
})
