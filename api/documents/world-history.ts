import { worldHistoryEndpoint, worldRanges } from "../../schemas/endpoints/world-history.ts"
import { liveDocument } from "../routes/document.ts"

/** The numbers of every tile over some time. */
export default liveDocument({
  endpoint: worldHistoryEndpoint,
  current:
    ({ worldHistory }) =>
    ({ range }) =>
      worldHistory.replyOf(worldRanges.find((one) => one === range) ?? "24h"),
})
