import { setTimeout as sleep } from "node:timers/promises"
import { sources } from "../../../ingestors/registry.ts"
import { freeReplies, singleFeeds } from "../../support/some-feed.ts"
import { simulatedUpstreams } from "../../world/server.ts"
import { benchmark, percentile } from "../benchmark.ts"
import { startEveryFeed } from "../every-feed/service.ts"
import { sampleOf } from "../metric-sample.ts"
import { childrenOf, forgetPeak, memoryOf } from "../process-memory.ts"

/** How long all feeds are polled, each at its own interval. Memory is that of this time, not of an hour. */
const MINUTES = 10
/** Pause between two reads of all replies. A sample is late by this and by the time of the reads. */
const LOOK_MS = 20
const NOTED_LATE_MS = 100
const MEGABYTE = 1_000_000

/** Replies of one instance that is the only one of its feed: their times are those of its last poll. */
const watched = singleFeeds
  .filter(({ feed }) => feed.instances.length === 1)
  .map(({ feed, path }) => {
    const names = new Set(sources.filter(({ fills }) => fills === feed).map(({ name }) => name))
    return { path, hosts: simulatedUpstreams.filter(({ name }) => names.has(name)).flatMap((one) => one.hosts) }
  })

export default benchmark({
  name: "every-feed",
  title: `the whole service with every feed at its own interval, history on, in the world's own time, for ${MINUTES} minutes`,
  budget: [
    { label: "start to data for every free endpoint", of: "value", atMost: 60 },
    { label: "memory of Node at its peak", of: "value", atMost: 400 },
    { label: "memory of the engine at its peak", of: "value", atMost: 500 },
    { label: "event-loop delay of the answering thread, p99", of: "value", atMost: 20 },
    { label: "upstream to served, p99", of: "value", atMost: 250 },
  ],
  run: async () => {
    const { service, pid, polled, answeredMs, filledMs, end } = await startEveryFeed()
    try {
      const asOf = async (path: string) => (await service.get(path, { method: "HEAD" })).headers.get("x-service-as-of")
      const seen = new Map<string, string | null>()
      for (const { path } of watched) seen.set(path, await asOf(path))

      const engines = childrenOf(pid)
      for (const one of [pid, ...engines]) forgetPeak(one)
      const polledBefore = polled()
      // A read of the delays resets them, which excludes the start.
      await (await fetch(`${service.adminUrl}/metrics`)).text()
      const samples: Array<number> = []
      const endsMs = Date.now() + MINUTES * 60_000
      while (Date.now() < endsMs) {
        for (const { path, hosts } of watched) {
          const now = await asOf(path)
          if (now === null || now === seen.get(path)) continue
          seen.set(path, now)
          const servedMs = Date.now()
          // The reply's time is that of its commit, just after the last document; this process may have noted it later.
          const times = hosts.flatMap((host) => answeredMs.get(host) ?? [])
          const last = Math.max(...times.filter((atMs) => atMs <= Date.parse(now) + NOTED_LATE_MS))
          if (Number.isFinite(last)) samples.push(servedMs - last)
        }
        await sleep(LOOK_MS)
      }
      const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
      const lag = (thread: string) => sampleOf(metrics, `nodejs_eventloop_lag_p99_seconds{thread="${thread}"}`) * 1000
      const requests = polled() - polledBefore
      const engineBytes = engines.reduce((sum, one) => sum + memoryOf(one, "VmHWM"), 0)
      return [
        { label: "free endpoints", value: freeReplies.length, unit: "" },
        { label: "start to data for every free endpoint", value: filledMs / 1000, unit: "s" },
        { label: "requests to upstreams", value: requests / MINUTES, unit: "a minute" },
        { label: "memory of Node at its peak", value: memoryOf(pid, "VmHWM") / MEGABYTE, unit: "MB" },
        { label: "memory of the engine at its peak", value: engineBytes / MEGABYTE, unit: "MB" },
        { label: "event-loop delay of the answering thread, p99", value: lag("main"), unit: "ms" },
        { label: "event-loop delay of the folding thread, p99", value: lag("pipeline"), unit: "ms" },
        { label: "samples", value: samples.length, unit: "" },
        { label: "upstream to served, p50", value: percentile(samples, 0.5), unit: "ms" },
        { label: "upstream to served, p99", value: percentile(samples, 0.99), unit: "ms" },
      ]
    } finally {
      await end()
    }
  },
})
