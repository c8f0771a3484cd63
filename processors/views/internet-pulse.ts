import { internetPulse, internetPulseEndpoint, type Pulse } from "../../schemas/feeds/internet-pulse.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const latencyRow = ({ name, latencyMs }: Pulse) => ({ name, latency_ms: latencyMs ?? -1 })
const latencyRows = rowsBy(latencyRow)

export default view({
  endpoint: internetPulseEndpoint,
  reads: { pulse: from(internetPulse) },
  changes: [changesOf(internetPulse, latencyRow)],
  build: ({ pulse }) => latencyRows(pulse.payload.items),
})
