import { type AddressInfo, createServer } from "node:net"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { exportLog } from "../../../infra/log/transfer/export.ts"
import { exportedTopics } from "../../../infra/log/transfer/export-file.ts"
import { importLog } from "../../../infra/log/transfer/import.ts"
import type { EventLog, Offset } from "../../../schemas/ports/event-log.ts"
import { topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { spawnScript } from "../../support/script-process.ts"
import { endOf, readThrough, record, textOf, until } from "./harness.ts"
import { brokerUnderTest } from "./kafka-broker.ts"
import { open } from "./kafka-quiet.ts"

const { missing, optionsOf } = await brokerUnderTest()

interface Standby {
  readonly kill: () => void
  readonly lines: ReadonlyArray<string>
}

/** Starts a standby process, which commits when it gets the turn. It is killed with the scope. */
const standby = (name: string, options: KafkaOptions): Effect.Effect<Standby, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const child = yield* spawnScript(new URL("kafka-standby.ts", import.meta.url), { name, options }, (line) =>
      lines.push(line),
    )
    return { kill: () => child.signal("SIGKILL"), lines }
  })

const says = (process: Standby, line: string, times = 1) =>
  until(
    `"${line}" ${times} times`,
    Effect.sync(() => countOf(process, line) >= times),
  )

const countOf = (process: Standby, line: string) => process.lines.filter((said) => said === line).length

/** The number of records in the trailer of an export. */
const recordsIn = (lines: ReadonlyArray<string>): unknown => JSON.parse(lines.at(-1) ?? "{}").trailer.records
const exported = (log: EventLog) => exportLog(log).pipe(Stream.runCollect)

describeUnless(missing, "the event log on its own broker", () => {
  it.live("lets a standby wait while the leader is healthy, and take over when it is killed", () =>
    Effect.gen(function* () {
      const options = optionsOf()
      const log = yield* open(options)
      const holder = yield* standby("first", options)
      yield* says(holder, "committed")
      const next = yield* standby("second", options)
      yield* says(next, "waiting")
      // A joining standby causes a rebalance: the leader must keep its turn over several heartbeats.
      yield* says(holder, "committed", countOf(holder, "committed") + 30)
      expect(next.lines).toEqual(["waiting"])
      holder.kill()
      yield* says(next, "committed", 3)
      const third = yield* standby("third", options)
      yield* says(third, "waiting")
      yield* says(next, "committed", countOf(next, "committed") + 30)
      expect(third.lines).toEqual(["waiting"])
      expect([...holder.lines, ...next.lines].filter((line) => line.startsWith("failed"))).toEqual([])
      const acknowledged = countOf(holder, "committed")
      const end = yield* log.end("deltas")
      const served = (yield* readThrough(log, "deltas", 0, end)).map(textOf)
      const first = served.filter((name) => name === "first").length
      expect(served.slice(0, first)).toEqual(Array.from({ length: first }, () => "first"))
      expect(first).toBeGreaterThanOrEqual(acknowledged)
    }),
  )

  it.live("gives the turn to the next member when the scope of the leader is closed", () =>
    Effect.gen(function* () {
      const log = yield* open(optionsOf())
      const scope = yield* Scope.make()
      yield* log.awaitTurn("ingest").pipe(Scope.provide(scope))
      let turn = false
      yield* log.awaitTurn("ingest").pipe(Effect.andThen(Effect.sync(() => (turn = true))), Effect.forkScoped)
      // Another name has its own turn.
      yield* log.awaitTurn("processor/other")
      expect(turn).toBe(false)
      yield* Scope.close(scope, Exit.void)
      yield* until(
        "the turn",
        Effect.sync(() => turn),
      )
    }),
  )

  it.live(
    "goes on to the next address where a connection is accepted and closed, as by the port mapping of a dead broker",
    () =>
      Effect.gen(function* () {
        let connections = 0
        const mapping = createServer((socket) => {
          connections += 1
          // The other side may have written already.
          socket.on("error", () => undefined)
          socket.end()
        })
        yield* Effect.acquireRelease(
          Effect.promise(() => new Promise<void>((resolve) => mapping.listen(0, "127.0.0.1", resolve))),
          () => Effect.sync(() => mapping.close()),
        )
        const { port } = mapping.address() as AddressInfo
        const options = optionsOf()
        const log = yield* open({
          ...options,
          replicationFactor: 1,
          brokers: [`127.0.0.1:${port}`, ...options.brokers],
        })
        // Each of these has a client of its own.
        yield* log.awaitTurn("ingest")
        const writer = yield* log.claim("ingest", ["deltas"])
        yield* writer.commit([record("deltas", "n", "claimed")])
        yield* log.append([{ ...record("usage", "n", "appended"), topic: "usage" }])
        for (const [topic, text] of [
          ["deltas", "claimed"],
          ["usage", "appended"],
        ] as const)
          expect((yield* readThrough(log, topic, 0, yield* log.end(topic))).map(textOf)).toEqual([text])
        expect(connections).toBeGreaterThanOrEqual(3)
      }),
  )

  it.live("reads topics whose tail compaction has emptied", () =>
    Effect.gen(function* () {
      const log = yield* open(
        optionsOf({
          topicSettings: {
            "segment.ms": "200",
            "min.compaction.lag.ms": "0",
            "delete.retention.ms": "0",
            "min.cleanable.dirty.ratio": "0.01",
          },
        }),
      )
      const offsets: Array<Offset> = []
      // Each claim writes with a new producer, whose last batch compaction keeps although it is empty.
      for (const round of [0, 1, 2]) {
        const writer = yield* log.claim("ingest", ["views"])
        for (let n = 0; n < 20; n++) {
          offsets.push(...(yield* writer.commit([record("views", `key-${n % 5}`, `${round} ${n}`)])).offsets)
        }
        if (round === 2) {
          for (let n = 0; n < 5; n++)
            offsets.push(...(yield* writer.commit([record("views", `key-${n}`, null)])).offsets)
        }
      }
      const writer = yield* log.claim("other", ["views"])
      let beats = 0
      // A segment is compacted only after a later record has started the next one.
      yield* until(
        "compaction",
        Effect.gen(function* () {
          const { offsets: beat } = yield* writer.commit([record("views", "beat", `${++beats}`)])
          yield* Effect.sleep("250 millis")
          const left = yield* readThrough(log, "views", 0, endOf(beat))
          return left.every(({ key }) => key === "beat")
        }),
      )
      const { offsets: last } = yield* writer.commit([record("views", "beat", "last")])
      for (const from of offsets) {
        const found = yield* readThrough(log, "views", from, endOf(last))
        expect(found.every(({ key }) => key === "beat")).toBe(true)
        expect(textOf(found.at(-1) ?? { offset: 0, key: "", value: null })).toBe("last")
      }
      const followed = yield* log.follow("views", offsets.at(-1) ?? 0).pipe(
        Stream.flatMap((batch) => Stream.fromIterable(batch.records)),
        Stream.takeUntil((stored) => textOf(stored) === "last"),
        Stream.runCount,
      )
      expect(followed).toBeGreaterThan(0)
      expect((yield* log.claim("ingest", ["views"])).ends.views).toBeGreaterThan(last[0] ?? 0)
    }),
  )

  it.live("holds the same bytes after an export from the embedded log, an import and an export", () =>
    Effect.gen(function* () {
      const embedded = yield* openLmdbLog({ path: yield* scopedDirectory })
      const writer = yield* embedded.claim("test", topicNames)
      for (let n = 0; n < 120; n++) {
        const topic = exportedTopics[n % exportedTopics.length] ?? "views"
        const removes = topicPolicy(topic).kept === "compacted" && n % 5 === 0
        const bytes = Uint8Array.from({ length: (n * 37) % 90 }, (_, index) => (n * 31 + index * 7) % 256)
        yield* writer.commit([{ topic, key: n % 3 === 0 ? "" : `k${n % 7}`, value: removes ? null : bytes }])
      }
      const lines = yield* exported(embedded)
      const kafka = yield* open(optionsOf())
      expect(yield* importLog(kafka, Stream.fromIterable(lines))).toEqual({ records: recordsIn(lines), resumedFrom: 0 })
      const again = yield* exported(kafka)
      expect(again).toEqual(lines)
      const back = yield* openLmdbLog({ path: yield* scopedDirectory })
      yield* importLog(back, Stream.fromIterable(again))
      expect(yield* exported(back)).toEqual(lines)
    }),
  )

  it.live("opens an existing log unchanged, from several processes at once", () =>
    Effect.gen(function* () {
      const options = optionsOf()
      const logs = yield* Effect.all([open(options), open(options), open(options)], { concurrency: "unbounded" })
      const writers = yield* Effect.forEach(logs, (log, n) => log.claim(`writer-${n}`, ["deltas"]), {
        concurrency: "unbounded",
      })
      const commits = yield* Effect.forEach(writers, (writer, n) => writer.commit([record("deltas", "n", `${n}`)]), {
        concurrency: "unbounded",
      })
      const log = yield* open(options)
      const seen = yield* readThrough(log, "deltas", 0, endOf(commits.flatMap(({ offsets }) => offsets)))
      expect(seen.map(textOf).sort()).toEqual(["0", "1", "2"])
    }),
  )
})
