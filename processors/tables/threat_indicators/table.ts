import { malwareUrls } from "../../../schemas/feeds/malware-urls.ts"
import { threatIndicators } from "../../../schemas/feeds/threat-indicators.ts"
import { type ChangeOf, columnsOf, monthOf, table } from "../../table.ts"

type Change = ChangeOf<typeof malwareUrls> | ChangeOf<typeof threatIndicators>

const rowOf = (change: Change) => {
  if (change.feed === "malware-urls") {
    const { item } = change
    return {
      source: "urlhaus",
      id: item.id,
      type: "malware_url",
      indicator: item.url,
      threat: item.threat,
      malware: "",
      malware_name: "",
      confidence_percent: null,
      status: item.status,
      tags: item.tags,
      reference: "",
      first_seen: item.addedAt,
      last_seen: null,
      observed_at: change.observedAt,
    }
  }
  return {
    ...columnsOf(change.item, { texts: ["malware", "malwareName", "reference"] }),
    source: "threatfox",
    status: "",
    observed_at: change.observedAt,
  }
}

export default table({
  name: "threat_indicators",
  feeds: [malwareUrls, threatIndicators],
  // An indicator that leaves the list of the newest says nothing about itself.
  rows: (change) => (change.kind === "gone" ? [] : [rowOf(change)]),
  partition: (row) => monthOf(row.observed_at),
})
