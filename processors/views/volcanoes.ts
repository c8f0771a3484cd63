import {
  VOLCANO_REPORTS_SHOWN_MAX,
  VOLCANO_SUMMARY_MAX_CHARACTERS,
  type VolcanoReport,
  volcanoes,
  volcanoesEndpoint,
} from "../../schemas/feeds/volcanoes.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

/** The beginning of a report, cut after a word where it is too long. */
const summaryOf = (report: string): string => {
  const characters = [...report]
  if (characters.length <= VOLCANO_SUMMARY_MAX_CHARACTERS) return report
  const beginning = characters.slice(0, VOLCANO_SUMMARY_MAX_CHARACTERS - 1).join("")
  return `${beginning.replace(/\s+\S*$/, "")}…`
}

const volcanoRow = (report: VolcanoReport) => ({
  name: report.name,
  country: report.country,
  summary: summaryOf(report.report),
  link: report.url,
  category: report.category,
  period: report.period,
  period_start: report.periodStart,
  period_end: report.periodEnd,
  volcano_number: report.volcanoNumber,
  lat: report.latitude,
  lon: report.longitude,
  published_at: report.publishedAt,
})
const volcanoRows = rowsBy(volcanoRow)

export default view({
  endpoint: volcanoesEndpoint,
  reads: { issue: from(volcanoes) },
  changes: [changesOf(volcanoes, volcanoRow)],
  build: ({ issue }) => {
    const { items } = issue.payload
    const reports = volcanoRows(items.slice(0, VOLCANO_REPORTS_SHOWN_MAX))
    return { count: reports.length, total: items.length, reports }
  },
})
