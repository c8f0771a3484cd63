import { headlines } from "../../../schemas/feeds/headlines.ts"
import { pressReleases } from "../../../schemas/feeds/press-releases.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "headlines",
  feeds: [headlines, pressReleases],
  // Outlets list their latest headlines alone: one that is gone was not withdrawn.
  rows: ({ kind, item, parameters, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            published_at: item.publishedAt,
            outlet: parameters.outlet ?? parameters.office ?? "",
            link: item.link,
            title: item.title,
            publisher: item.publisher ?? "",
            provider,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.published_at),
})
