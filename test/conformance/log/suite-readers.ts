import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { describe } from "vitest"
import { encodeEvent, eventType, makeEvent, makeEventReader } from "../../../schemas/event.ts"
import type { Batch, EventLog, Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import {
  claimIn,
  endOf,
  type MakeHarness,
  openAdapter,
  readThrough,
  record,
  spawnWriter,
  textOf,
  until,
  wire,
} from "./harness.ts"

const TOPICS: ReadonlyArray<Topic> = ["observations", "deltas", "views", "checkpoints"]

/** A follower that collects records until its scope closes. */
const following = (log: EventLog, topic: Topic, from: Offset) =>
  Effect.gen(function* () {
    const batches: Array<Batch> = []
    const fiber = yield* log.follow(topic, from).pipe(
      Stream.runForEach((batch) => Effect.sync(() => batches.push(batch))),
      Effect.forkScoped,
    )
    const records = (): ReadonlyArray<StoredRecord> => batches.flatMap((batch) => batch.records)
    return { batches, records, texts: () => records().map(textOf), fiber }
  })

/** The final state of a reader of a compacted topic. */
const folded = (records: ReadonlyArray<StoredRecord>): Readonly<Record<string, string>> => {
  const state: Record<string, string> = {}
  for (const stored of records) {
    const text = textOf(stored)
    if (text === null) delete state[stored.key]
    else state[stored.key] = text
  }
  return state
}

/** The guarantees of reading, following, compaction and trimming. */
export const readerTests = (makeHarness: MakeHarness): void => {
  const opened = Effect.gen(function* () {
    const harness = yield* makeHarness
    const log = yield* openAdapter(harness.adapter)
    return { harness, log, writer: yield* log.claim("ingest", TOPICS) }
  })

  describe("read", () => {
    it.live("gives the same bytes from any offset, however often", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const values = Array.from({ length: 40 }, (_, n) =>
          Uint8Array.from({ length: (n * 37) % 101 }, (_, index) => (n * 31 + index * 7) % 256),
        )
        const commits = yield* Effect.forEach(values, (value, n) =>
          writer.commit([{ topic: "observations", key: `ключ/${n % 3}`, value }]),
        )
        const offsets = commits.flatMap((committed) => committed.offsets)
        const end = endOf(offsets)
        for (const [n, offset] of offsets.entries()) {
          const records = yield* readThrough(log, "observations", offset, end)
          expect(records.map((one) => one.offset)).toEqual(offsets.slice(n))
          expect(records.map((one) => Buffer.from(one.value ?? []).toString("hex"))).toEqual(
            values.slice(n).map((value) => Buffer.from(value).toString("hex")),
          )
          expect(records.map((one) => one.key)).toEqual(values.slice(n).map((_, index) => `ключ/${(n + index) % 3}`))
        }
      }),
    )

    it.live("ends on an empty topic, at the end and past it", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const count = (topic: Topic, from: Offset) =>
          log.read(topic, from).pipe(
            Stream.runCollect,
            Effect.map((batches) => batches.flatMap((batch) => batch.records).length),
          )
        expect(yield* count("deltas", 0)).toBe(0)
        const { offsets } = yield* writer.commit([record("observations", "a", "1")])
        yield* readThrough(log, "observations", 0, endOf(offsets))
        expect(yield* count("observations", yield* log.end("observations"))).toBe(0)
        expect(yield* count("observations", (yield* log.end("observations")) + 1_000)).toBe(0)
      }),
    )

    it.live("gives many records in consecutive batches", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const texts = Array.from({ length: 6_000 }, (_, n) => `${n}`)
        const commits = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, n) => texts.slice(n * 100, n * 100 + 100)),
          (hundred) => writer.commit(hundred.map((text) => record("observations", "n", text))),
          { concurrency: 8 },
        )
        const end = endOf(commits.flatMap((committed) => committed.offsets))
        yield* until("the end", log.end("observations").pipe(Effect.map((now) => now >= end)))
        const batches = yield* log.read("observations", 0).pipe(Stream.runCollect)
        let next = 0
        for (const batch of batches) {
          expect(batch.topic).toBe("observations")
          for (const stored of batch.records) {
            expect(stored.offset).toBeGreaterThanOrEqual(next)
            next = stored.offset + 1
          }
          expect(batch.next).toBeGreaterThanOrEqual(next)
          next = batch.next
        }
        expect(next).toBeGreaterThanOrEqual(end)
        expect(batches.flatMap((batch) => batch.records).map(textOf)).toEqual(texts)
      }),
    )

    it.live("lets a reader stop at a record of a newer version, without a loss", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const noted = (version: number) =>
          eventType({
            type: "test.noted",
            topic: "observations",
            version,
            description: "A test event",
            data: Schema.Struct({ n: Schema.Int }),
            earlier: Array.from({ length: version - 1 }, (_, index) => ({
              version: index + 1,
              data: Schema.Struct({ n: Schema.Int }),
              upcast: (data: { n: number }) => data,
            })),
          })
        const event = (version: number, n: number) =>
          encodeEvent(
            makeEvent(noted(version), {
              id: `${n}`,
              source: "test",
              subject: "a",
              time: "2026-01-01T00:00:00.000Z",
              data: { n },
            }),
          )
        const { offsets } = yield* writer.commit(
          [1, 1, 2, 1].map((version, n) => ({ topic: "observations", key: "a", value: event(version, n) })),
        )
        const records = yield* readThrough(log, "observations", 0, endOf(offsets))
        const readAll = (version: number, from: Offset) => {
          const { readEvent } = makeEventReader([noted(version)])
          const ids: Array<string> = []
          for (const stored of records.filter(({ offset }) => offset >= from)) {
            const read = readEvent(stored.value ?? new Uint8Array())
            if (Result.isFailure(read)) return { ids, stoppedAt: stored.offset, error: read.failure._tag }
            ids.push(read.success.id)
          }
          return { ids }
        }
        const older = readAll(1, 0)
        expect(older).toEqual({ ids: ["0", "1"], stoppedAt: offsets[2], error: "NewerEvent" })
        expect(readAll(2, older.stoppedAt ?? -1)).toEqual({ ids: ["2", "3"] })
      }),
    )
  })

  describe("follow", () => {
    it.live("gives the existing records and every later commit, once and in order", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        yield* writer.commit([record("observations", "n", "0"), record("observations", "n", "1")])
        const early = yield* following(log, "observations", 0)
        yield* until(
          "what was there",
          Effect.sync(() => early.texts().length === 2),
        )
        const late = yield* following(log, "observations", yield* log.end("observations"))
        yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n + 2),
          (n) => writer.commit([record("observations", "n", `${n}`), record("deltas", "n", `${n}`)]),
          { concurrency: 16 },
        )
        const expected = Array.from({ length: 202 }, (_, n) => `${n}`)
        yield* until(
          "all commits",
          Effect.sync(() => early.texts().length >= 202 && late.texts().length >= 200),
        )
        expect(early.texts()).toEqual(expected)
        expect(late.texts()).toEqual(expected.slice(2))
        yield* Fiber.interrupt(early.fiber)
        yield* writer.commit([record("observations", "n", "202")])
        yield* until(
          "the next commit",
          Effect.sync(() => late.texts().at(-1) === "202"),
        )
        expect(early.texts()).toHaveLength(202)
      }),
    )

    it.live("gives the commits of another process", () =>
      Effect.gen(function* () {
        const { harness, log } = yield* opened
        const seen = yield* following(log, "deltas", 0)
        const child = yield* spawnWriter(harness.adapter)
        yield* claimIn(child, "processor/elsewhere", TOPICS)
        for (const id of ["1", "2", "3"]) {
          child.send({ do: "commit", id, records: [wire("deltas", "a", id)] })
          yield* until(
            `commit ${id}`,
            Effect.sync(() => seen.texts().at(-1) === id),
          )
        }
        expect(seen.texts()).toEqual(["1", "2", "3"])
      }),
    )

    it.live("continues where another reader has stopped, without gap or duplicate", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const write = Effect.forEach(
          Array.from({ length: 300 }, (_, n) => n),
          (n) => writer.commit([record("observations", "n", `${n}`)]),
          { concurrency: 4 },
        )
        const writing = yield* Effect.forkScoped(write)
        const seen: Array<string | null> = []
        let next = 0
        while (seen.length < 300) {
          const batch = yield* log.follow("observations", next).pipe(Stream.runHead, Effect.map(Option.getOrThrow))
          seen.push(...batch.records.map(textOf))
          next = batch.next
        }
        yield* Fiber.join(writing)
        expect(seen).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`))
      }),
    )
  })

  describe("a compacted topic", () => {
    it.live("gives the latest record of each key to readers from any offset", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const seen = yield* following(log, "views", 0)
        const history: Array<readonly [offset: Offset, key: string, text: string | null]> = []
        for (let n = 0; n < 60; n++) {
          const key = `view-${n % 7}`
          const text = n % 11 === 10 ? null : `body ${n}`
          const { offsets } = yield* writer.commit([record("views", key, text)])
          history.push([offsets[0] ?? -1, key, text])
        }
        const final: Record<string, string> = {}
        for (const [, key, text] of history) {
          if (text === null) delete final[key]
          else final[key] = text
        }
        const end = (history.at(-1)?.[0] ?? -1) + 1
        yield* until(
          "the last commit",
          Effect.sync(() => (seen.batches.at(-1)?.next ?? 0) >= end),
        )
        expect(folded(seen.records())).toEqual(final)
        for (const [from] of history) {
          const records = yield* readThrough(log, "views", from, end)
          const lastOf = new Map(
            history.filter(([offset]) => offset >= from).map(([offset, key, text]) => [key, { offset, text }]),
          )
          const found = new Map(records.map((stored) => [stored.key, { offset: stored.offset, text: textOf(stored) }]))
          expect(found).toEqual(lastOf)
        }
      }),
    )

    it.live("gives removals to a reader that was behind", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const first = yield* writer.commit([record("views", "a", "1"), record("views", "b", "1")])
        const away = endOf(first.offsets)
        const state = yield* readThrough(log, "views", 0, away)
        expect(folded(state)).toEqual({ a: "1", b: "1" })
        const second = yield* writer.commit([record("views", "a", null), record("views", "c", "1")])
        const third = yield* writer.commit([record("views", "c", "2")])
        const rest = yield* readThrough(log, "views", away, endOf([...second.offsets, ...third.offsets]))
        expect(folded([...state, ...rest])).toEqual({ b: "1", c: "2" })
        expect(rest.some(({ key, value }) => key === "a" && value === null)).toBe(true)
      }),
    )

    it.live("may have an empty tail: reads end, and followers continue", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const first = yield* writer.commit([record("views", "a", "1")])
        const seen = yield* following(log, "views", endOf(first.offsets))
        yield* writer.commit([record("views", "a", "2")])
        const gone = yield* writer.commit([record("views", "a", null)])
        const records = yield* readThrough(log, "views", 0, endOf(gone.offsets))
        expect(folded(records)).toEqual({})
        const last = yield* writer.commit([record("views", "b", "1")])
        yield* until(
          "the last commit",
          Effect.sync(() => (seen.records().at(-1)?.offset ?? -1) >= (last.offsets[0] ?? 0)),
        )
        expect(folded(seen.records())).toEqual({ b: "1" })
      }),
    )

    it.live("distinguishes an empty value from a removal", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const { offsets } = yield* writer.commit([record("views", "empty", ""), record("views", "gone", null)])
        const records = yield* readThrough(log, "views", 0, endOf(offsets))
        expect(records.map((stored) => [stored.key, stored.value?.length ?? null])).toEqual([
          ["empty", 0],
          ["gone", null],
        ])
      }),
    )
  })

  describe("trim", () => {
    it.live("drops records below the offset, and changes no offset", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const commits = yield* Effect.forEach(
          Array.from({ length: 30 }, (_, n) => n),
          (n) => writer.commit([record("observations", "n", `${n}`), record("deltas", "n", `${n}`)]),
        )
        const offsets = commits.map((committed) => committed.offsets[0] ?? -1)
        const end = endOf(offsets)
        yield* readThrough(log, "observations", 0, end)
        const before = offsets[12] ?? -1
        yield* log.trim("observations", before)
        const start = yield* log.start("observations")
        expect(start).toBe(before)
        const kept = yield* readThrough(log, "observations", 0, end)
        expect(kept.map((stored) => [stored.offset, textOf(stored)])).toEqual(
          offsets.map((offset, n) => [offset, `${n}`]).slice(12),
        )
        expect(yield* readThrough(log, "observations", offsets[20] ?? -1, end)).toHaveLength(10)
        expect(
          (yield* readThrough(log, "deltas", 0, endOf(commits.map((committed) => committed.offsets[1] ?? -1)))).length,
        ).toBe(30)
        // An offset below the start has no effect.
        yield* log.trim("observations", offsets[3] ?? -1)
        expect(yield* log.start("observations")).toBe(start)
      }),
    )

    it.live("may empty a topic, and readers and followers continue", () =>
      Effect.gen(function* () {
        const { log, writer } = yield* opened
        const first = yield* writer.commit(["1", "2", "3"].map((text) => record("observations", "n", text)))
        yield* readThrough(log, "observations", 0, endOf(first.offsets))
        const end = yield* log.end("observations")
        yield* log.trim("observations", end)
        expect(yield* log.start("observations")).toBe(end)
        expect(yield* log.end("observations")).toBe(end)
        const none = yield* log.read("observations", 0).pipe(Stream.runCollect)
        expect(none.flatMap((batch) => batch.records)).toEqual([])
        const behind = yield* following(log, "observations", 0)
        const { offsets } = yield* writer.commit([record("observations", "n", "4")])
        expect(offsets[0]).toBeGreaterThanOrEqual(end)
        yield* until(
          "the next commit",
          Effect.sync(() => behind.texts().length > 0),
        )
        expect(behind.texts()).toEqual(["4"])
        // A log that is opened again keeps its offsets.
        expect((yield* readThrough(log, "observations", 0, endOf(offsets))).map(textOf)).toEqual(["4"])
      }),
    )
  })
}
