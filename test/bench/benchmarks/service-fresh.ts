import { setTimeout as sleep } from "node:timers/promises"
import { eventually } from "../../support/eventually.ts"
import { removeDirectory, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../../world/server.ts"
import { benchmark, type Measure, percentile } from "../benchmark.ts"
import { sampleOf } from "../metric-sample.ts"

/** Endpoints of one feed each, and the source of its documents. */
const probes: ReadonlyArray<{ readonly reply: string; readonly host: string; readonly document?: string }> = [
  {
    reply: "/api/earthquake",
    host: "earthquake.usgs.gov",
    document: "/earthquakes/feed/v1.0/summary/2.5_day.geojson",
  },
  { reply: "/api/btc-price", host: "api.exchange.coinbase.com" },
  { reply: "/api/fear-greed", host: "api.alternative.me" },
  { reply: "/api/humans-in-space", host: "api.open-notify.org" },
  { reply: "/api/predictions", host: "gamma-api.polymarket.com" },
  { reply: "/api/space-weather", host: "services.swpc.noaa.gov" },
  { reply: "/api/tech-news", host: "hacker-news.firebaseio.com" },
]

/** Pause between two reads of all replies: the largest error of a sample. */
const LOOK_MS = 5
/** The number of answers that are kept of each feed. */
const REMEMBERED = 256

const NOTED_LATE_MS = 100

interface Pace {
  readonly label: string
  readonly pollSeconds: number
  /** The speed of the world's time, so that polls return new content. */
  readonly worldSpeed: number
  readonly lookedAtMs: number
}

const measure = async ({ label, pollSeconds, worldSpeed, lookedAtMs }: Pace): Promise<ReadonlyArray<Measure>> => {
  const directory = temporaryDirectory()
  const answered = new Map<string, Array<number>>(probes.map(({ reply }) => [reply, []]))
  const startedMs = Date.now()
  const world = await startWorld({
    seed: "bench",
    now: () => startedMs + (Date.now() - startedMs) * worldSpeed,
    onAnswered: ({ host, path }) => {
      for (const probe of probes)
        if (probe.host === host && (probe.document === undefined || probe.document === path)) {
          const times = answered.get(probe.reply) ?? []
          times.push(Date.now())
          if (times.length > REMEMBERED) times.shift()
        }
    },
  })
  const service = await startService({
    asInstalled: true,
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: String(pollSeconds), LOG_LEVEL: "error" },
  })
  try {
    await service.ready()
    const asOf = async (reply: string) => (await service.get(reply, { method: "HEAD" })).headers.get("x-service-as-of")
    const seen = new Map<string, string>()
    for (const { reply } of probes)
      seen.set(reply, await eventually(`${reply} is filled`, async () => (await asOf(reply)) ?? undefined))
    // A read of the delays resets them, which excludes the start.
    await (await fetch(`${service.adminUrl}/metrics`)).text()
    const samples: Array<number> = []
    const endsMs = Date.now() + lookedAtMs
    while (Date.now() < endsMs) {
      for (const { reply } of probes) {
        const now = await asOf(reply)
        if (now === null || now === seen.get(reply)) continue
        seen.set(reply, now)
        // The reply's time is that of its commit, just after the last document; this process may have noted the document later.
        const last = answered.get(reply)?.findLast((atMs) => atMs <= Date.parse(now) + NOTED_LATE_MS)
        if (last !== undefined) samples.push(Date.now() - last)
      }
      await sleep(LOOK_MS)
    }
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    const lag = (thread: string) => sampleOf(metrics, `nodejs_eventloop_lag_p99_seconds{thread="${thread}"}`) * 1000
    return [
      { label: `${label}: samples`, value: samples.length, unit: "" },
      { label: `${label}: upstream to served, p50`, value: percentile(samples, 0.5), unit: "ms" },
      { label: `${label}: upstream to served, p99`, value: percentile(samples, 0.99), unit: "ms" },
      { label: `${label}: event-loop delay of the answering thread, p99`, value: lag("main"), unit: "ms" },
      { label: `${label}: event-loop delay of the folding thread, p99`, value: lag("pipeline"), unit: "ms" },
    ]
  } finally {
    await service.end("SIGTERM")
    await world.close()
    removeDirectory(directory)
  }
}

// The shortest schedule is 15 s, most are a minute or longer: this is several times the load of the service. Measured for
// long enough that p99 is not the slowest single sample.
const brisk: Pace = { label: "every 10 s", pollSeconds: 10, worldSpeed: 6, lookedAtMs: 300_000 }
// Reported without a budget: the behaviour with new content of every feed every second.
const hasty: Pace = { label: "every second", pollSeconds: 1, worldSpeed: 60, lookedAtMs: 30_000 }

export default benchmark({
  name: "service-fresh",
  title: "from an upstream's last byte to served bytes, every feed polled at the same pace, history on",
  budget: [
    { label: "every 10 s: upstream to served, p99", of: "value", atMost: 250 },
    { label: "every 10 s: event-loop delay of the answering thread, p99", of: "value", atMost: 20 },
  ],
  profile:
    "Every 10 s, all instances together are polled ten times as often as by their own intervals, on two processors that the simulated upstreams share. The budget is that of the service's own pace, which `every-feed` measures.",
  run: async () => [...(await measure(brisk)), ...(await measure(hasty))],
})
