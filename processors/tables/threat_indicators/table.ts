import { malwareUrls } from "../../../schemas/feeds/malware-urls.ts"
import { threatIndicators } from "../../../schemas/feeds/threat-indicators.ts"
import { itemTable } from "../../table.ts"

// No row of an indicator that leaves the list of the newest: that says nothing about it.
export default itemTable(import.meta.url, {
  feeds: [malwareUrls, threatIndicators],
  columns: (change) =>
    change.feed === "threat-indicators"
      ? { source: "threatfox", status: "" }
      : {
          source: "urlhaus",
          type: "malware_url",
          indicator: change.item.url,
          malware: "",
          malware_name: "",
          confidence_percent: null,
          reference: "",
          first_seen: change.item.addedAt,
          last_seen: null,
        },
})
