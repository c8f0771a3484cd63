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
  profile:
    "Profile of the server with 10,000 idle streams and 1,000 active (2026-11-26): 38 % of its time is the kernel's send, one for each delivery, 19 % the look at streams to which nothing goes, 6 % the collection of garbage. The changes of all feeds come some 16 at once, with each commit of the fold, so that a stream is sent to 15 times a minute. Beside the free path the changes are committed so, twice as often. Were each sent alone, 5 a second, a server would send 5,000 times a second. The host of the machine took processor time away in the run of 2026-11-28: the bare route answered a quarter of the requests of two days before. A quieter run one hour earlier had a p99 of 18.7 ms with 10,000 idle streams and 1,000 active, of 19.1 with 1,000 alone, and 0.94 of the bare route beside 1,000 streams.",
  run: async () => [
    { label: "load average of the machine before", value: loadavg()[0] ?? Number.NaN, unit: "" },
    ...(await measureDelivery()),
    ...(await measureSlowReaders()),
    ...(await measureFreePath()),
    ...(await measureEveryFeed()),
  ],
})
