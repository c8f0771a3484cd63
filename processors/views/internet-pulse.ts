import { internetPulse, internetPulseEndpoint } from "../../schemas/feeds/internet-pulse.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: internetPulseEndpoint,
  reads: { pulse: from(internetPulse) },
  build: ({ pulse }) => pulse.payload.items.map(({ name, latencyMs }) => ({ name, latency_ms: latencyMs ?? -1 })),
})
