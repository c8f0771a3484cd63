import { volcanoes } from "../../../schemas/feeds/volcanoes.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "volcano_reports",
  feed: volcanoes,
  // "gone" only means that the next issue replaced it: no row.
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            volcano_number: item.volcanoNumber,
            name: item.name,
            country: item.country ?? "",
            category: item.category ?? "",
            period: item.period,
            period_start: item.periodStart,
            period_end: item.periodEnd,
            report: item.report,
            url: item.url,
            latitude: item.latitude,
            longitude: item.longitude,
            published_at: item.publishedAt,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.observed_at),
})
