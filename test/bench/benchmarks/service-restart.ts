import * as Effect from "effect/Effect"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { feedUnchanged } from "../../../schemas/events/observations.ts"
import { eventually } from "../../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../../world/server.ts"
import { benchmark, interleaved } from "../benchmark.ts"
import { writeLedger } from "../ledger/scenes.ts"

const EVENTS = 1_000_000
const EACH_COMMIT = 5_000
const ROUNDS = 5

/** A million unchanged polls, as a month of a busy service appends. */
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

const ACCOUNTS = 10_000
const LAG_MAX_SECONDS = 60
const CAUGHT_UP_MAX_MS = 1_800_000
const NOTHING = "start to ready, nothing in the log"
const FEEDS = "restart to ready, a million events of feeds"
const LEDGER = "restart to ready, a million entries of the ledger"

const metric = (text: string, start: string): ReadonlyArray<number> =>
  text
    .split("\n")
    .filter((line) => line.startsWith(start))
    .map((line) => Number(line.split(" ").at(-1)))

/** Tests whether processors and history have reached the end of the log: a restart continues there. */
const caughtUp = async (service: Service, observations: number): Promise<boolean> => {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const positions = metric(text, "tidewire_processors_position_offset{")
  const lags = metric(text, "tidewire_history_lag_seconds{")
  return (
    positions.length > 1 &&
    Math.min(...positions) >= observations &&
    lags.length > 1 &&
    lags.every((seconds) => seconds < LAG_MAX_SECONDS)
  )
}

export default benchmark({
  name: "service-restart",
  title: "from the start of the process to ready, a million events in the log, embedded engines",
  budget: [
    { label: FEEDS, of: "value", atMost: 2 },
    { label: LEDGER, of: "value", atMost: 2 },
  ],
  run: async () => {
    const world = await startWorld({ seed: "restart" })
    const environment = { UPSTREAMS: world.url, LOG_LEVEL: "error" }
    const directories = {
      [NOTHING]: temporaryDirectory(),
      [FEEDS]: temporaryDirectory(),
      [LEDGER]: temporaryDirectory(),
    }
    const timed = async (dataDirectory: string) => {
      const begun = performance.now()
      const service = await startService({ dataDirectory, asInstalled: true, environment })
      await service.ready(600_000)
      return { service, seconds: (performance.now() - begun) / 1000 }
    }
    const settle = async (dataDirectory: string, observations: number) => {
      const { service } = await timed(dataDirectory)
      await eventually("all is folded and written", () => caughtUp(service, observations), CAUGHT_UP_MAX_MS)
      await service.end("SIGTERM")
    }
    const restart = (label: keyof typeof directories) => async () => {
      const { service, seconds } = await timed(directories[label])
      await service.end("SIGTERM")
      return seconds
    }
    try {
      await Effect.runPromise(fill(directories[FEEDS]))
      await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(openLmdbLog({ path: `${directories[LEDGER]}/log` }), (log) =>
            writeLedger(log, EVENTS, ACCOUNTS),
          ),
        ),
      )
      await settle(directories[FEEDS], EVENTS)
      await settle(directories[LEDGER], 1)
      const figures = await interleaved(ROUNDS, {
        [NOTHING]: restart(NOTHING),
        [FEEDS]: restart(FEEDS),
        [LEDGER]: restart(LEDGER),
      })
      return [
        { label: NOTHING, value: figures[NOTHING], unit: "s" },
        { label: FEEDS, value: figures[FEEDS], unit: "s", ratioTo: NOTHING },
        { label: LEDGER, value: figures[LEDGER], unit: "s", ratioTo: NOTHING },
      ]
    } finally {
      await world.close()
      for (const directory of Object.values(directories)) removeDirectory(directory)
    }
  },
})
