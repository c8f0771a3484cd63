import { headlines } from "../../../schemas/feeds/headlines.ts"
import { pressReleases } from "../../../schemas/feeds/press-releases.ts"
import { itemTable } from "../../table.ts"

// No row of a headline that is gone: outlets list their latest ones alone, it was not withdrawn.
export default itemTable(import.meta.url, {
  feeds: [headlines, pressReleases],
  now: { identity: ["outlet", "link"] },
  columns: ({ parameters }) => ({ outlet: parameters.outlet ?? parameters.office }),
})
