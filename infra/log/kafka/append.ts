import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Producer } from "kafkajs"
import {
  type AppendFailed,
  type EventLog,
  type LogRecord,
  LogUnavailable,
  RecordTooLarge,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import {
  clusterTopic,
  isTooLarge,
  type KafkaClient,
  type KafkaSettings,
  makeClient,
  RETRY,
  sentenceOf,
} from "./client.ts"
import { compressionOf } from "./compression.ts"
import { makeGroupQueue, type Waiting } from "./queue.ts"
import type { Acknowledged } from "./read.ts"
import { within } from "./session.ts"
import type { TopicLimits } from "./topics.ts"
import { baseOffsetOf, layOut, recordBytes } from "./transaction.ts"

const APPENDS_WAITING_MAX = 10_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 1_000
const CLOSE_WAIT_MS = 5_000

type WaitingAppend = Waiting<void, AppendFailed>

interface Connected {
  readonly client: KafkaClient
  readonly producer: Producer
}

/**
 * Appends without a claim over one idempotent producer with one outstanding request. After a rejection the producer is
 * discarded and the records are sent again: delivery is at least once.
 */
export const makeAppend = (
  settings: KafkaSettings,
  limits: ReadonlyMap<Topic, TopicLimits>,
  acknowledged: Acknowledged,
): Effect.Effect<EventLog["append"], never, Scope.Scope> =>
  Effect.gen(function* () {
    let connected: Connected | undefined
    let closed = false

    const connect = async (deadline: number): Promise<Connected> => {
      const client = makeClient(settings)
      const producer = client.kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        createPartitioner: () => () => 0,
        retry: RETRY,
      })
      connected = { client, producer }
      await within(deadline, producer.connect())
      return connected
    }
    const drop = () => {
      connected?.client.discard()
      connected = undefined
    }

    const send = async (records: ReadonlyArray<LogRecord>): Promise<void> => {
      const deadline = performance.now() + settings.commitTimeoutMs
      for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
        try {
          const { producer } = connected ?? (await connect(deadline))
          for (const request of layOut("append", records, limits).requests) {
            const topicMessages = [...request].map(([topic, { messages }]) => ({
              topic: clusterTopic(settings, topic),
              messages: [...messages],
            }))
            const compression = compressionOf(settings.compression, request)
            const reply = await within(deadline, producer.sendBatch({ acks: -1, compression, topicMessages }))
            for (const [topic, { messages }] of request) {
              acknowledged.note(topic, baseOffsetOf(reply, clusterTopic(settings, topic)) + messages.length)
            }
          }
          return
        } catch (error) {
          drop()
          if (closed || isTooLarge(error) || performance.now() + pauseMs > deadline) throw error
          await sleep(pauseMs)
        }
      }
    }

    const write = async (group: ReadonlyArray<WaitingAppend>): Promise<void> => {
      try {
        await send(group.flatMap(({ records }) => records))
        for (const waiting of group) waiting.succeed()
      } catch (error) {
        if (isTooLarge(error) && group.length > 1) {
          for (const waiting of group) await write([waiting])
          return
        }
        for (const waiting of group) waiting.fail(new LogUnavailable({ problem: sentenceOf(error), cause: error }))
      }
    }
    const queue = makeGroupQueue(write)

    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        closed = true
        await within(performance.now() + CLOSE_WAIT_MS, queue.idle()).catch(() => undefined)
        drop()
      }),
    )

    return (records) =>
      Effect.callback<void, AppendFailed>((resume) => {
        for (const record of records) {
          const known = limits.get(record.topic)
          if (known === undefined) return resume(Effect.fail(new UnknownTopic({ topic: record.topic })))
          const sizeBytes = recordBytes(record)
          const maxBytes = known.recordBytesMax
          if (sizeBytes > maxBytes) {
            const { topic, key } = record
            return resume(Effect.fail(new RecordTooLarge({ topic, key, sizeBytes, maxBytes })))
          }
        }
        if (records.length === 0) return resume(Effect.void)
        if (closed || queue.waiting() >= APPENDS_WAITING_MAX) {
          const problem = closed ? "the log has been closed" : `${APPENDS_WAITING_MAX} appends wait already`
          return resume(Effect.fail(new LogUnavailable({ problem, cause: null })))
        }
        const cancel = queue.push({
          records,
          succeed: () => resume(Effect.void),
          fail: (error) => resume(Effect.fail(error)),
        })
        return Effect.sync(cancel)
      })
  })
