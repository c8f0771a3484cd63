import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AppendFailed, type EventLog, type LogRecord, LogUnavailable } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { beforeDeadline, type Cluster, isTooLarge, isUnauthorized, makeCluster, sentenceOf } from "./brokers.ts"
import { type KafkaClient, type KafkaSettings, makeClient } from "./client.ts"
import { layOut, makeGroupQueue, refusalOf, type Waiting } from "./group.ts"
import type { Acknowledged } from "./read.ts"
import { produceOnce } from "./session.ts"
import type { TopicLimits } from "./topics.ts"

const APPENDS_WAITING_MAX = 10_000
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 1_000
const CLOSE_WAIT_MS = 5_000

type WaitingAppend = Waiting<void, AppendFailed>

interface Connected {
  readonly client: KafkaClient
  readonly cluster: Cluster
}

/**
 * Appends without a claim, one group at a time. After a failure the connections are closed and the whole group is sent again
 * over new ones: delivery is at least once, and an acknowledged record is in the log, whichever of its copies was lost.
 */
export const makeAppend = (
  settings: KafkaSettings,
  limits: ReadonlyMap<Topic, TopicLimits>,
  acknowledged: Acknowledged,
): Effect.Effect<EventLog["append"], never, Scope.Scope> =>
  Effect.gen(function* () {
    let connected: Connected | undefined
    let closed = false

    const connect = (): Connected => {
      const client = makeClient(settings)
      connected = { client, cluster: makeCluster(client.kafka) }
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
          const { cluster } = connected ?? connect()
          for (const request of layOut(null, records, limits).requests) {
            const offsets = await beforeDeadline(deadline, produceOnce(settings, cluster, request))
            for (const [topic, { messages }] of request) {
              acknowledged.note(topic, (offsets.get(topic) ?? 0) + messages.length)
            }
          }
          return
        } catch (error) {
          drop()
          const isFinal = isTooLarge(error) || isUnauthorized(error)
          if (closed || isFinal || performance.now() + pauseMs > deadline) throw error
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
        await beforeDeadline(performance.now() + CLOSE_WAIT_MS, queue.idle()).catch(() => undefined)
        drop()
      }),
    )

    return (records) =>
      Effect.callback<void, AppendFailed>((resume) => {
        for (const record of records) {
          const refusal = refusalOf(record, limits)
          if (refusal !== undefined) return resume(Effect.fail(refusal))
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
