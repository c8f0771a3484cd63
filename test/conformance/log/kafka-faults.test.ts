import { randomUUID } from "node:crypto"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { afterAll, afterEach } from "vitest"
import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import type { EventLog, FencedWriter, StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { startKafka } from "../../support/docker.ts"
import { type Fault, KAFKA_API, type KafkaProxy, startKafkaProxy } from "../../support/proxy.ts"
import { endOf, readThrough, record, textOf, until } from "./harness.ts"
import { brokerUnderTest } from "./kafka-broker.ts"
import { open } from "./kafka-quiet.ts"

const TOPICS: ReadonlyArray<Topic> = ["observations", "deltas"]
const COMMITS = 40
let proxy: KafkaProxy
const { missing, optionsOf } = await brokerUnderTest(async () => {
  proxy = await startKafkaProxy()
  const broker = await startKafka({
    advertisedPort: proxy.port,
    // The broker checks for timed-out transactions every second, which shortens the test.
    settings: { KAFKA_TRANSACTION_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS: "1000" },
  })
  proxy.to(broker.address)
  return broker
})
afterAll(() => proxy?.close())
afterEach(() => proxy.accept())

const opened = (options: Partial<KafkaOptions> = {}) => open(optionsOf({ requestTimeoutMs: 1_500, ...options }))

const commitNumber = (writer: FencedWriter, n: number) =>
  writer.commit([record("observations", "n", `${n}`), record("deltas", "n", `${n}`)])

/** Asserts that every number is in both topics, once, in order, at the offsets that the commits gave. */
const expectNumbers = (log: EventLog, commits: ReadonlyArray<{ readonly offsets: ReadonlyArray<number> }>) =>
  Effect.gen(function* () {
    for (const [index, topic] of TOPICS.entries()) {
      const offsets = commits.map((committed) => committed.offsets[index] ?? -1)
      const records = yield* readThrough(log, topic, 0, endOf(offsets))
      expect(records.map(textOf)).toEqual(commits.map((_, n) => `${n}`))
      expect(records.map(({ offset }) => offset)).toEqual(offsets)
    }
  })

/** The records that a follower has received so far. */
const following = (log: EventLog, topic: Topic) =>
  Effect.gen(function* () {
    const seen: Array<StoredRecord> = []
    const fiber = yield* log.follow(topic, 0).pipe(
      Stream.runForEach((batch) => Effect.sync(() => seen.push(...batch.records))),
      Effect.forkScoped,
    )
    return { fiber, texts: () => seen.map(textOf) }
  })

const LOSSES: ReadonlyArray<readonly [string, Fault]> = [
  ["a produce reply is lost", { kind: "swallow", api: KAFKA_API.produce }],
  ["a produce reply is lost with its connection", { kind: "cut", api: KAFKA_API.produce }],
  ["the reply to a commit is lost", { kind: "swallow", api: KAFKA_API.endTransaction }],
  ["the reply to a commit is lost with its connection", { kind: "cut", api: KAFKA_API.endTransaction }],
  [
    "the reply that lets a topic into a transaction is lost",
    { kind: "cut", api: KAFKA_API.addPartitionsToTransaction },
  ],
]

describeUnless(missing, "Kafka behind a faulty network", () => {
  for (const [name, fault] of LOSSES) {
    it.live(`neither loses nor doubles a record when ${name}`, () =>
      Effect.gen(function* () {
        const log = yield* opened()
        const writer = yield* log.claim("ingest", TOPICS)
        proxy.plan(fault)
        const alone = yield* commitNumber(writer, 0)
        const numbers = Array.from({ length: COMMITS }, (_, index) => index + 1)
        const crowd = yield* Effect.forEach(numbers, (n) => commitNumber(writer, n), {
          concurrency: "unbounded",
        }).pipe(Effect.forkChild)
        proxy.plan(fault)
        const rest = yield* Fiber.join(crowd)
        proxy.plan(fault)
        const last = yield* commitNumber(writer, COMMITS + 1)
        expect(proxy.planned()).toBe(0)
        yield* expectNumbers(log, [alone, ...rest, last])
      }),
    )
  }

  it.live("writes a commit once although the broker aborted its first transaction", () =>
    Effect.gen(function* () {
      const log = yield* opened({ requestTimeoutMs: 25_000, commitTimeoutMs: 45_000 })
      const writer = yield* log.claim("ingest", TOPICS)
      const first = yield* commitNumber(writer, 0)
      proxy.plan({ kind: "hold", api: KAFKA_API.endTransaction, ms: 13_000 })
      const second = yield* commitNumber(writer, 1)
      const third = yield* commitNumber(writer, 2)
      yield* expectNumbers(log, [first, second, third])
    }),
  )

  it.live("fails with LogUnavailable while no broker can be reached, and continues afterwards", () =>
    Effect.gen(function* () {
      const topicPrefix = `${randomUUID()}.`
      const impatient = { topicPrefix, commitTimeoutMs: 6_000, operationTimeoutMs: 6_000 }
      const patient = yield* opened({ topicPrefix })
      const log = yield* opened(impatient).pipe(Effect.retry({ times: 5 }))
      const writer = yield* patient
        .claim("ingest", TOPICS)
        .pipe(Effect.andThen(log.claim("ingest", TOPICS)), Effect.retry({ times: 5 }))
      proxy.refuse()
      const tags = yield* Effect.all(
        [
          Effect.flip(commitNumber(writer, 0)),
          Effect.flip(log.append([{ ...record("usage", "a", "1"), topic: "usage" }])),
          Effect.flip(log.end("observations")),
          Effect.flip(log.start("observations")),
          Effect.flip(log.read("observations", 0).pipe(Stream.runDrain)),
          Effect.flip(log.trim("observations", 1)),
          Effect.flip(Effect.scoped(log.claim("other", TOPICS))),
          Effect.flip(Effect.scoped(log.awaitTurn("other"))),
          Effect.flip(Effect.scoped(opened(impatient))),
        ],
        { concurrency: "unbounded" },
      )
      expect(tags.map((error) => error._tag)).toEqual(tags.map(() => "LogUnavailable"))
      proxy.accept()
      const commits = yield* Effect.forEach([0, 1, 2], (n) => commitNumber(writer, n).pipe(Effect.retry({ times: 20 })))
      yield* expectNumbers(patient, commits)
    }),
  )

  it.live("fails with OutcomeUnknown when the outcome of a commit cannot be read, and the next claim shows it", () =>
    Effect.gen(function* () {
      const topicPrefix = `${randomUUID()}.`
      const log = yield* opened({ topicPrefix, requestTimeoutMs: 9_000, commitTimeoutMs: 10_000 })
      const writer = yield* log.claim("ingest", TOPICS)
      yield* commitNumber(writer, 0)
      proxy.plan({ kind: "swallow", api: KAFKA_API.endTransaction })
      const doubtful = yield* commitNumber(writer, 1).pipe(Effect.flip, Effect.forkChild)
      yield* until(
        "the lost reply",
        Effect.sync(() => proxy.planned() === 0),
      )
      // Waits until the broker has applied the request; the proxy has dropped the reply by then.
      yield* Effect.sleep("3 seconds")
      proxy.refuse()
      expect((yield* Fiber.join(doubtful))._tag).toBe("OutcomeUnknown")
      proxy.accept()
      expect((yield* Effect.flip(commitNumber(writer, 2)))._tag).toBe("OutcomeUnknown")
      const next = yield* log.claim("ingest", TOPICS)
      const seen = yield* readThrough(log, "deltas", 0, next.ends.deltas ?? 0)
      expect(seen.map(textOf)).toEqual(["0", "1"])
    }),
  )

  it.live("continues to follow after an outage, without gap or duplicate", () =>
    Effect.gen(function* () {
      const log = yield* opened()
      const writer = yield* log.claim("ingest", TOPICS)
      const follower = yield* following(log, "observations")
      yield* commitNumber(writer, 0)
      yield* until(
        "the first",
        Effect.sync(() => follower.texts().length === 1),
      )
      for (let n = 1; n <= 3; n++) {
        proxy.refuse()
        const committing = yield* Effect.forkChild(Effect.exit(commitNumber(writer, n)))
        yield* Effect.sleep("300 millis")
        proxy.accept()
        const exit = yield* Fiber.join(committing)
        expect(Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Exit.findErrorOption(exit))).toBeUndefined()
      }
      yield* until(
        "all of them",
        Effect.sync(() => follower.texts().length >= 4),
      )
      expect(follower.texts()).toEqual(["0", "1", "2", "3"])
    }),
  )
})
