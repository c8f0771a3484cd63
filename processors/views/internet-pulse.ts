import { internetPulse, internetPulseEndpoint, type Pulse } from "../../schemas/feeds/internet-pulse.ts"
import { from, rowsBy, view } from "../view/view.ts"

const latencyRows = rowsBy(({ name, latencyMs }: Pulse) => ({ name, latency_ms: latencyMs ?? -1 }))

export default view({
  endpoint: internetPulseEndpoint,
  reads: { pulse: from(internetPulse) },
  build: ({ pulse }) => latencyRows(pulse.payload.items),
})
