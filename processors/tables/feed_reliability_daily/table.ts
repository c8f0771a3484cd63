import { proFeedReliabilityHistoryEndpoint } from "../../../schemas/endpoints/pro-feed-reliability-history.ts"
import { tableView } from "../../table.ts"
import feedProbes from "../feed_probes/table.ts"

export default tableView(import.meta.url, {
  over: feedProbes,
  endpoints: [proFeedReliabilityHistoryEndpoint],
})
