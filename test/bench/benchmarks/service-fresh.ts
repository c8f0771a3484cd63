import { setTimeout as sleep } from "node:timers/promises"
import { eventually } from "../../support/eventually.ts"
import { removeDirectory, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../../world/server.ts"
import { benchmark } from "../benchmark.ts"

const SAMPLES = 60
const HOST = "earthquake.usgs.gov"
const DOCUMENT = "/earthquakes/feed/v1.0/summary/2.5_day.geojson"
const REPLY = "/api/earthquake"
/** Pause between two looks at the reply: what it adds to a sample, at most. */
const LOOK_MS = 2

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

/** The value of a Prometheus sample with the given start. */
const sample = (text: string, start: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.split(" ")
      .at(-1),
  )

export default benchmark({
  name: "service-fresh",
  title: "from an upstream's last byte to served bytes, every source polled once a second, history on",
  budget: [
    { label: "upstream to served, p99", of: "value", atMost: 250 },
    { label: "event-loop delay of the answering thread, p99", of: "value", atMost: 20 },
  ],
  run: async () => {
    const directory = temporaryDirectory()
    let answeredMs: number | undefined
    // A minute of the world in a second, so that polls bring new content.
    const startedMs = Date.now()
    const world = await startWorld({
      seed: "bench",
      now: () => startedMs + (Date.now() - startedMs) * 60,
      onAnswered: ({ host, path }) => {
        if (host === HOST && path === DOCUMENT) answeredMs = performance.now()
      },
    })
    const service = await startService({
      dataDirectory: directory,
      environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "1", LOG_LEVEL: "error" },
    })
    try {
      await service.ready(90_000)
      const asOf = async (): Promise<unknown> => JSON.parse(await (await service.get(REPLY)).text())._meta.as_of
      await eventually("the feed is filled", async () => (await asOf()) ?? undefined)
      await (await fetch(`${service.adminUrl}/metrics`)).text()
      const samples: Array<number> = []
      while (samples.length < SAMPLES) {
        answeredMs = undefined
        const before = await asOf()
        while ((await asOf()) === before) await sleep(LOOK_MS)
        if (answeredMs !== undefined) samples.push(performance.now() - answeredMs)
      }
      const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
      return [
        { label: "upstream to served, p50", value: percentile(samples, 0.5), unit: "ms" },
        { label: "upstream to served, p99", value: percentile(samples, 0.99), unit: "ms" },
        {
          label: "event-loop delay of the answering thread, p99",
          value: sample(metrics, 'nodejs_eventloop_lag_p99_seconds{thread="main"}') * 1000,
          unit: "ms",
        },
        {
          label: "event-loop delay of the folding thread, p99",
          value: sample(metrics, 'nodejs_eventloop_lag_p99_seconds{thread="pipeline"}') * 1000,
          unit: "ms",
        },
      ]
    } finally {
      await service.end("SIGTERM")
      await world.close()
      removeDirectory(directory)
    }
  },
})
