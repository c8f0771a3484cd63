import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import kafkajs from "kafkajs"
import { RETRY } from "../../../infra/log/kafka/client.ts"
import { openKafkaLog } from "../../../infra/log/kafka/event-log.ts"
import { dockerMissing, KAFKA_HEAP } from "../../support/docker.ts"
import { BROKER_IDS, startKafkaCluster } from "../../support/kafka-cluster.ts"
import { benchmark, interleaved, median, percentile, ratePerSecond } from "../benchmark.ts"
import type { LoadResult } from "../premium-http/load.ts"
import { put, serve, startLoad } from "../premium-http/processes.ts"
import { endAll } from "../processes.ts"

const ROUNDS = 5
const ROUND_MS = 2_000
const CALLERS = [1, 64, 256] as const
/** The size of a debit's entry. */
const ENTRY_BYTES = 600
const BARE_TOPIC = "bare"

const BARE = "a bare transaction of kafkajs, acks=all"
const COMMIT = "one commit of the ledger's topic"
const callsOf = (engine: "three brokers" | "embedded log", callers: number): string =>
  `premium calls, ${callers === 1 ? "1 caller" : `${callers} callers`}, ${engine}`

/** Sends one record in one transaction, again and again, as the documentation of kafkajs does it. */
const bareTransaction = (brokers: ReadonlyArray<string>): Effect.Effect<() => Promise<void>, never, Scope.Scope> => {
  const producer = new kafkajs.Kafka({
    brokers: [...brokers],
    clientId: "bare",
    logLevel: kafkajs.logLevel.NOTHING,
    // With the default pause of 300 ms it would mostly wait.
    retry: RETRY,
  }).producer({ transactionalId: "bare", maxInFlightRequests: 1, idempotent: true, retry: RETRY })
  return Effect.acquireRelease(
    Effect.promise(() => producer.connect()),
    () => Effect.promise(() => producer.disconnect()),
  ).pipe(
    Effect.as(async () => {
      const transaction = await producer.transaction()
      await transaction.send({
        topic: BARE_TOPIC,
        acks: -1,
        messages: [{ key: "a", value: Buffer.alloc(ENTRY_BYTES) }],
      })
      await transaction.commit()
    }),
  )
}

/** Commits of the ledger and premium calls on three brokers with three replicas, beside the embedded log. */
export const ledgerCluster = benchmark({
  name: "ledger-cluster",
  title: "ledger commits and premium calls on three brokers on this machine, three replicas, two of them in sync",
  budget: [
    { label: COMMIT, of: "ratio", atMost: 1.5 },
    { label: callsOf("three brokers", 64), of: "ratio", atLeast: 0.5 },
  ],
  profile:
    "Where the time goes (2026-11-24): latency, not processor time. A call is two commits in a row, and a writer has one transaction open at a time, so that 64 callers wait for about 1.5 commits each; with 256 callers the same commits carry four times the calls. Of the requests of one transaction, sent by hand on a calm machine (p50), the coordinator refuses the first one twice for 5.8 ms until the markers of the last transaction are replicated, the records take 1.9 ms and the commit 1.3 ms.",
  run: async () => {
    const missing = await dockerMissing()
    if (missing !== undefined) {
      process.stderr.write(`${missing}: the ledger on three brokers is not measured\n`)
      return []
    }
    const cluster = await startKafkaCluster({ KAFKA_HEAP_OPTS: KAFKA_HEAP })
    const brokers = cluster.directBrokers
    const optionsOf = (topicPrefix: string) => ({
      ...{ brokers, clientId: "bench", topicPrefix },
      replicationFactor: BROKER_IDS.length,
    })
    const commits = Effect.gen(function* () {
      yield* Effect.promise(() =>
        cluster.admin.createTopics({
          topics: [{ topic: BARE_TOPIC, numPartitions: 1, replicationFactor: BROKER_IDS.length }],
        }),
      )
      const writer = yield* Effect.flatMap(openKafkaLog(optionsOf("commits.")), (log) => log.claim("bench", ["ledger"]))
      const bare = yield* bareTransaction(brokers)
      const value = new Uint8Array(ENTRY_BYTES)
      const commit = () => Effect.runPromise(writer.commit([{ topic: "ledger", key: "a", value }]))
      const msOf = (work: () => Promise<unknown>) => async () => 1000 / (await ratePerSecond(1, ROUND_MS, work))
      // A warm-up round of both.
      yield* Effect.promise(() => interleaved(1, { bare: msOf(bare), commit: msOf(commit) }))
      return yield* Effect.promise(() => interleaved(ROUNDS, { bare: msOf(bare), commit: msOf(commit) }))
    })
    try {
      const { bare, commit } = await Effect.runPromise(Effect.scoped(commits).pipe(Effect.provide(Logger.layer([]))))
      const [onBrokers, embedded] = await Promise.all([serve("premium", optionsOf("premium.")), serve("premium")])
      const client = startLoad()
      const contenders = CALLERS.flatMap((callers) => [
        { callers, server: onBrokers, label: callsOf("three brokers", callers), results: [] as Array<LoadResult> },
        { callers, server: embedded, label: callsOf("embedded log", callers), results: [] as Array<LoadResult> },
      ])
      try {
        for (let round = 0; round <= ROUNDS; round++)
          for (const { callers, server, results } of contenders) {
            const load = { keyed: false, durationMs: ROUND_MS, connections: callers, pace: null }
            const found = await put(client, server, load)
            // The first round is a warm-up.
            if (round > 0) results.push(found)
          }
      } finally {
        await endAll([client, onBrokers, embedded])
      }
      return [
        { label: BARE, value: bare, unit: "ms" },
        { label: COMMIT, value: commit, unit: "ms", ratioTo: BARE },
        ...contenders.flatMap(({ callers, label, server, results }) => [
          {
            label,
            value: median(results.map(({ times, tookMs }) => (times.length * 1000) / tookMs)),
            unit: "calls/s",
            ...(server === onBrokers ? { ratioTo: callsOf("embedded log", callers) } : {}),
          },
          { label: `p99: ${label}`, value: median(results.map(({ times }) => percentile(times, 0.99))), unit: "ms" },
        ]),
      ]
    } finally {
      await cluster.stop()
    }
  },
})
