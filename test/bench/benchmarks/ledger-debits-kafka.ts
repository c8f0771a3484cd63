import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { openKafkaLog } from "../../../infra/log/kafka/event-log.ts"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { dockerMissing, KAFKA_HEAP, startKafka } from "../../support/docker.ts"
import { benchmark, interleaved, percentile } from "../benchmark.ts"
import { openDebits, PACE } from "../ledger/debits.ts"

const ROUND_MS = 2_000
const ROUNDS = 3

/** The debits of `ledger-debits` through one broker, which acknowledges from its page cache. */
export const ledgerDebitsKafka = benchmark({
  name: "ledger-debits-kafka",
  title: "durable debits through Kafka, one broker in a container on the same machine",
  budget: [],
  run: async () => {
    const missing = await dockerMissing()
    if (missing !== undefined) {
      process.stderr.write(`${missing}: the debits through Kafka are not measured\n`)
      return []
    }
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const broker = await startKafka({ settings: { KAFKA_HEAP_OPTS: KAFKA_HEAP } })
    const measure = Effect.gen(function* () {
      const log = yield* openKafkaLog({ brokers: [...broker.brokers], clientId: "bench", topicPrefix: "bench." })
      const debits = yield* openDebits(log, yield* openLmdbState({ path: join(directory, "state") }))
      const times = yield* Effect.promise(() => debits.timesAtPace(ROUND_MS * ROUNDS))
      const rates = yield* Effect.promise(() => interleaved(ROUNDS, debits.contenders(ROUND_MS)))
      return { rates, times }
    })
    try {
      const { rates, times } = await Effect.runPromise(Effect.scoped(measure).pipe(Effect.provide(Logger.layer([]))))
      return [
        ...Object.entries(rates).map(([label, value]) => ({ label, value, unit: "debits/s" })),
        { label: `p50 at ${PACE} a second`, value: percentile(times, 0.5), unit: "ms" },
        { label: `p99 at ${PACE} a second`, value: percentile(times, 0.99), unit: "ms" },
      ]
    } finally {
      await broker.stop()
      await rm(directory, { recursive: true, force: true })
    }
  },
})
