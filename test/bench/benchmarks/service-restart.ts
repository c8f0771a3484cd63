import { Effect } from "effect"
import { openLmdbLog } from "../../../infra/log/lmdb.ts"
import { encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { feedUnchanged } from "../../../schemas/events/observations.ts"
import { eventually } from "../../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../../world/server.ts"
import { benchmark, median } from "../benchmark.ts"

const EVENTS = 1_000_000
const EACH_COMMIT = 5_000
const ROUNDS = 5

/** A million polls that confirmed what the log already held: what a month of a busy service leaves. */
const fill = (directory: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: `${directory}/log` })
      const writer = yield* log.claim("ingest", ["observations"])
      const startMs = Date.now() - 30 * 86_400_000
      for (let first = 0; first < EVENTS; first += EACH_COMMIT)
        yield* writer.commit(
          Array.from({ length: EACH_COMMIT }, (_, index) => {
            const time = instant(startMs + (first + index) * 2_000)
            return {
              topic: "observations" as const,
              key: "earthquakes",
              value: encodeEvent(
                makeEvent(feedUnchanged, {
                  id: `bench-${first + index}`,
                  source: "ingest",
                  subject: "earthquakes",
                  time,
                  data: {
                    feed: "earthquakes",
                    parameters: { magnitude: "2.5", period: "day" },
                    provider: "USGS.earthquakes",
                    latencyMs: 80,
                    hash: "0".repeat(64),
                    contentAt: time,
                    freshUntil: time,
                    standsInFor: null,
                  },
                }),
              ),
            }
          }),
        )
    }),
  )

const lag = async (service: Service): Promise<number> => {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const positions = text
    .split("\n")
    .filter((line) => line.startsWith("tidewire_processors_position_offset{"))
    .map((line) => Number(line.split(" ").at(-1)))
  return positions.length < 2 ? EVENTS : EVENTS - Math.min(...positions)
}

export default benchmark({
  name: "service-restart",
  title: "from the start of the process to ready, a million events in the log, embedded engines",
  budget: [{ label: "restart to ready", of: "value", atMost: 2 }],
  run: async () => {
    const directory = temporaryDirectory()
    const world = await startWorld({ seed: "restart" })
    const environment = { UPSTREAMS: world.url, LOG_LEVEL: "error" }
    const timed = async (dataDirectory: string) => {
      const begun = performance.now()
      const service = await startService({ dataDirectory, environment })
      await service.ready(600_000)
      return { service, seconds: (performance.now() - begun) / 1000 }
    }
    const empty = temporaryDirectory()
    try {
      await Effect.runPromise(fill(directory))
      const first = await timed(directory)
      await eventually("the processors have folded all", async () => (await lag(first.service)) <= 0, 900_000)
      await first.service.end("SIGTERM")
      const full: Array<number> = []
      const bare: Array<number> = []
      for (let round = 0; round < ROUNDS; round++)
        for (const [dataDirectory, figures] of [
          [directory, full],
          [empty, bare],
        ] as const) {
          const { service, seconds } = await timed(dataDirectory)
          figures.push(seconds)
          await service.end("SIGTERM")
        }
      return [
        { label: "start to ready, nothing in the log", value: median(bare), unit: "s" },
        { label: "restart to ready", value: median(full), unit: "s", ratioTo: "start to ready, nothing in the log" },
      ]
    } finally {
      await world.close()
      removeDirectory(directory)
      removeDirectory(empty)
    }
  },
})
