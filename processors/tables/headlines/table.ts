import { headlines } from "../../../schemas/feeds/headlines.ts"
import { pressReleases } from "../../../schemas/feeds/press-releases.ts"
import { itemTable, monthOf } from "../../table.ts"

// No row of a headline that is gone: outlets list their latest ones alone, it was not withdrawn.
export default itemTable({
  name: "headlines",
  feeds: [headlines, pressReleases],
  texts: ["publisher"],
  columns: ({ parameters, provider }) => ({ outlet: parameters.outlet ?? parameters.office ?? "", provider }),
  partition: (row) => monthOf(row.published_at),
})
