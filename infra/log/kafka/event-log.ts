import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Admin, ITopicMetadata } from "kafkajs"
import { Gauge } from "prom-client"
import {
  type ClaimFailed,
  type CommitFailed,
  type CommitResult,
  type EventLog,
  type FencedWriter,
  LogUnavailable,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { makeAppend } from "./append.ts"
import { beforeDeadline, isIdentityRefused, isUnauthorized, sentenceOf } from "./brokers.ts"
import { clusterTopic, type KafkaOptions, type KafkaSettings, makeClient, settingsOf } from "./client.ts"
import { makeAcknowledged, makeReading } from "./read.ts"
import { makeReaderPool, makeScanner } from "./reader.ts"
import { ensureTopics, readDurability, TopicUnfit } from "./topics.ts"
import { awaitTurn } from "./turn.ts"
import { Writer, type WriterHost } from "./writer.ts"

const replicas = new Gauge({
  name: "tidewire_log_kafka_replicas",
  help: "Replicas of a topic",
  labelNames: ["topic"],
})
const inSyncReplicas = new Gauge({
  name: "tidewire_log_kafka_in_sync_replicas",
  help: "Replicas of a topic that hold every acknowledged record",
  labelNames: ["topic"],
})

const EVERY = Duration.seconds(30)

/** Shows the replicas of each topic and those in sync, read every 30 seconds. After a failed read the last values are kept. */
const watchReplication = <E>(
  settings: KafkaSettings,
  metadataOf: (topics: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ITopicMetadata>, E>,
): Effect.Effect<never> =>
  Effect.suspend(() => metadataOf(settings.topics.map((topic) => clusterTopic(settings, topic)))).pipe(
    Effect.tap((topics) =>
      Effect.sync(() => {
        for (const topic of settings.topics) {
          const partition = topics.find(({ name }) => name === clusterTopic(settings, topic))?.partitions[0]
          if (partition === undefined) continue
          replicas.set({ topic }, partition.replicas.length)
          inSyncReplicas.set({ topic }, partition.isr.length)
        }
      }),
    ),
    Effect.ignore,
    Effect.andThen(Effect.sleep(EVERY)),
    Effect.forever,
  )

/** Claims a writer's name for the scope; see `EventLog.claim`. */
const claimWriter = (
  host: WriterHost,
  name: string,
  topics: ReadonlyArray<Topic>,
): Effect.Effect<FencedWriter, ClaimFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const unknown = topics.find((topic) => !topicNames.includes(topic))
    if (unknown !== undefined) return yield* new UnknownTopic({ topic: unknown })
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new Writer(host, name, topics)),
      (held) => Effect.promise(() => held.close()),
    )
    const fences = yield* Effect.tryPromise({
      try: () => writer.claim(),
      catch: (cause) => new LogUnavailable({ problem: `claiming "${name}": ${sentenceOf(cause)}`, cause }),
    })
    return {
      writer: name,
      ends: Object.fromEntries(topics.map((topic) => [topic, fences.get(topic) ?? 0])),
      commit: (records) =>
        Effect.callback<CommitResult, CommitFailed>((resume) => {
          const cancel = writer.enqueue({
            records,
            succeed: (committed) => resume(Effect.succeed(committed)),
            fail: (error) => resume(Effect.fail(error)),
          })
          return Effect.sync(cancel)
        }),
    }
  })

const RETRY_PAUSE_MS = 250
/** The pause between attempts of a process that waits for its brokers. */
const WAIT_PAUSE_MS = 1_000

/** Tests whether waiting cannot help: wrong credentials, an untrusted certificate, missing rights, unfit topics. */
const isFinal = (cause: unknown): boolean =>
  cause instanceof TopicUnfit || isIdentityRefused(cause) || isUnauthorized(cause)

/** Called with the problem while brokers are waited for. */
export type KafkaWaiting = (problem: string) => void

/**
 * Runs an administrative request over its own connection, with retries until the operation timeout; with `waiting`, for as long
 * as the brokers are away.
 */
const administrate = <A>(
  settings: KafkaSettings,
  what: string,
  use: (admin: Admin) => Promise<A>,
  waiting?: KafkaWaiting,
): Effect.Effect<A, LogUnavailable> =>
  Effect.suspend(() => {
    const lastAttemptMs = performance.now() + settings.operationTimeoutMs - RETRY_PAUSE_MS
    const attempt = Effect.tryPromise({
      try: async () => {
        const deadline =
          waiting === undefined ? lastAttemptMs + RETRY_PAUSE_MS : performance.now() + settings.operationTimeoutMs
        const client = makeClient(settings)
        try {
          const admin = client.kafka.admin()
          await beforeDeadline(deadline, Promise.race([admin.connect(), client.untrusted]))
          return await beforeDeadline(deadline, use(admin))
        } finally {
          client.discard()
        }
      },
      catch: (cause) => new LogUnavailable({ problem: `${what}: ${sentenceOf(cause)}`, cause }),
    })
    return attempt.pipe(
      Effect.tapError(({ problem, cause }) => Effect.sync(() => (isFinal(cause) ? undefined : waiting?.(problem)))),
      Effect.retry({
        schedule: Schedule.spaced(Duration.millis(waiting === undefined ? RETRY_PAUSE_MS : WAIT_PAUSE_MS)),
        while: ({ cause }) => !isFinal(cause) && (waiting !== undefined || performance.now() < lastAttemptMs),
      }),
    )
  })

/** The topics of the log that the cluster has. */
export const existingTopics = (options: KafkaOptions): Effect.Effect<ReadonlyArray<Topic>, LogUnavailable> =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(options)
    const names = new Set(yield* administrate(settings, "the brokers", (admin) => admin.listTopics()))
    return settings.topics.filter((topic) => names.has(clusterTopic(settings, topic)))
  })

/**
 * Opens the event log on Apache Kafka. Missing topics are created with one partition; a topic with more is refused. A writer
 * is a transactional producer whose id is the writer's name, and a commit is a transaction: a broker refuses a producer
 * that lost the name. Every claim writes a fence record to its topics, which readers do not see. Offsets are not dense.
 * Brokers that do not answer fail it after the operation timeout; with `waiting` they are waited for.
 */
export const openKafkaLog = (
  options: KafkaOptions,
  waiting?: KafkaWaiting,
): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(options)
    const durability = (admin: Admin) => readDurability(admin, settings)
    const [limits, { brokersCount }] = yield* administrate(
      settings,
      "the brokers",
      async (admin) => [await ensureTopics(admin, settings), await durability(admin)] as const,
      waiting,
    )
    if (brokersCount === 1)
      yield* Effect.logInfo(
        "the log is on one broker: its disk holds the only copy, of credits too; three brokers lose none",
      )
    yield* Effect.forkScoped(
      watchReplication(settings, (topics) =>
        administrate(settings, "the replicas", (admin) =>
          admin.fetchTopicMetadata({ topics: [...topics] }).then((metadata) => metadata.topics),
        ),
      ),
    )
    const acknowledged = makeAcknowledged()
    const pool = yield* makeReaderPool(settings)
    const scanner = makeScanner(settings, pool)
    const reading = makeReading(settings, pool, acknowledged)
    const append = yield* makeAppend(settings, limits, acknowledged)
    return {
      claim: (writer, topics) => claimWriter({ settings, limits, acknowledged, scanner }, writer, topics),
      awaitTurn: (writer, standby) => awaitTurn(settings, writer, standby),
      ...reading,
      risks: Effect.map(administrate(settings, "the brokers", durability), ({ risks }) => risks),
      // Unknown here: the brokers compress and replicate.
      bytes: (topic) => (limits.has(topic) ? Effect.succeed(null) : new UnknownTopic({ topic })),
      append,
      trim: (topic, before) =>
        Effect.gen(function* () {
          if (!limits.has(topic)) return yield* new UnknownTopic({ topic })
          const end = yield* reading.end(topic)
          const offset = String(Math.min(before, end))
          const name = clusterTopic(settings, topic)
          yield* administrate(settings, `trimming ${topic}`, async (admin) => {
            await admin.fetchTopicOffsets(name)
            await admin.deleteTopicRecords({ topic: name, partitions: [{ partition: 0, offset }] })
          })
        }),
    }
  })
