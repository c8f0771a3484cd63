import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Admin } from "kafkajs"
import { type EventLog, LogUnavailable, UnknownTopic } from "../../../schemas/ports/event-log.ts"
import { makeAppend } from "./append.ts"
import { claimWriter } from "./claim.ts"
import {
  clusterTopic,
  isIdentityRefused,
  type KafkaOptions,
  type KafkaSettings,
  makeClient,
  sentenceOf,
  settingsOf,
} from "./client.ts"
import { makeAcknowledged, makeReading } from "./read.ts"
import { makeReaderPool } from "./reader-pool.ts"
import { watchReplication } from "./replication.ts"
import { makeScanner } from "./scan.ts"
import { within } from "./session.ts"
import { ensureTopics, TopicUnfit } from "./topics.ts"
import { awaitTurn } from "./turn.ts"

export type { KafkaOptions } from "./client.ts"

const RETRY_PAUSE_MS = 250

/** Runs an administrative request over its own connection, with retries until the operation timeout. */
const administrate = <A>(
  settings: KafkaSettings,
  what: string,
  use: (admin: Admin) => Promise<A>,
): Effect.Effect<A, LogUnavailable> =>
  Effect.suspend(() => {
    const deadline = performance.now() + settings.operationTimeoutMs
    const attempt = Effect.tryPromise({
      try: async () => {
        const client = makeClient(settings)
        try {
          const admin = client.kafka.admin()
          await within(deadline, Promise.race([admin.connect(), client.untrusted]))
          return await within(deadline, use(admin))
        } finally {
          client.discard()
        }
      },
      catch: (cause) => new LogUnavailable({ problem: `${what}: ${sentenceOf(cause)}`, cause }),
    })
    return attempt.pipe(
      Effect.retry({
        schedule: Schedule.spaced(Duration.millis(RETRY_PAUSE_MS)),
        while: ({ cause }) =>
          !(cause instanceof TopicUnfit) && !isIdentityRefused(cause) && performance.now() + RETRY_PAUSE_MS < deadline,
      }),
    )
  })

/**
 * Opens the event log on Apache Kafka. Missing topics are created with one partition; a topic with more is refused. A writer
 * is a transactional producer whose id is the writer's name, and a commit is a transaction: a broker refuses a producer
 * that lost the name. Every claim writes a fence record to its topics, which readers do not see. Offsets are not dense.
 */
export const openKafkaLog = (options: KafkaOptions): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(options)
    const limits = yield* administrate(settings, "the brokers", (admin) => ensureTopics(admin, settings))
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
