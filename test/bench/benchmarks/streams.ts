import { loadavg } from "node:os"
import { benchmark } from "../benchmark.ts"
import { DELIVERY, MEMORY_PEAK, measureDelivery, nchanIsInstalled, RECEIVED_P99 } from "../streams/delivery.ts"
import { measureEveryFeed, WITH } from "../streams/every-feed.ts"
import { FREE, measureFreePath } from "../streams/free-path.ts"
import { HELD, measureSlowReaders, P99_BESIDE } from "../streams/slow-readers.ts"

export default benchmark({
  name: "streams",
  title: "changes as server-sent events, 20 a second, from an API alone on an embedded log",
  budget: [
    { label: MEMORY_PEAK, of: "value", atMost: 400 },
    { label: RECEIVED_P99, of: "value", atMost: 20 },
    ...(nchanIsInstalled() ? [{ label: DELIVERY, of: "ratio" as const, atMost: 3 }] : []),
    { label: HELD, of: "value", atMost: 300 },
    { label: P99_BESIDE, of: "ratio", atMost: 1.2 },
    { label: FREE, of: "ratio", atLeast: 0.9 },
    { label: WITH, of: "value", atMost: 400 },
  ],
  run: async () => [
    { label: "load average of the machine before", value: loadavg()[0] ?? Number.NaN, unit: "" },
    ...(await measureDelivery()),
    ...(await measureSlowReaders()),
    ...(await measureFreePath()),
    ...(await measureEveryFeed()),
  ],
})
