import { benchmark } from "../benchmark.ts"
import { DELIVERY, MEMORY_PEAK, measureDelivery, nchanIsInstalled, RECEIVED_P99 } from "../streams/delivery.ts"

export default benchmark({
  name: "streams",
  title: "changes as server-sent events from an API alone, 20 a second to 1,000 readers, embedded log",
  budget: [
    { label: MEMORY_PEAK, of: "value", atMost: 400 },
    { label: RECEIVED_P99, of: "value", atMost: 20 },
    ...(nchanIsInstalled() ? [{ label: DELIVERY, of: "ratio" as const, atMost: 3 }] : []),
  ],
  run: async () => [...(await measureDelivery())],
})
