import { spawn, spawnSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { describe } from "vitest"
import type { EventLog, LogRecord } from "../../../schemas/ports/event-log.ts"
import { topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { openLmdbLog } from "../lmdb/event-log.ts"
import { exportLog } from "./export.ts"
import { exportedTopics } from "./export-file.ts"
import { discardImport, importLog } from "./import.ts"
import { readMark } from "./import-mark.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tidewire-transfer-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)
const emptyLog = Effect.flatMap(directory, (path) => openLmdbLog({ path }))
const exported = (log: EventLog) => exportLog(log).pipe(Stream.runCollect)
/** The number of records that the last line promises. */
const recordsIn = (lines: ReadonlyArray<string>): unknown => JSON.parse(lines.at(-1) ?? "{}").trailer.records

const text = (value: string) => new TextEncoder().encode(value)
const value = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map(text),
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom(text("\ufeffmark"), text("line\u2028separator\r\nend"), text(""), text('{"a":1}')),
)
const someRecord: fc.Arbitrary<LogRecord> = fc
  .record({
    topic: fc.constantFrom(...exportedTopics),
    key: fc.constantFrom("", "a", "b", "\u2028", '"'),
    value: fc.option(value, { freq: 5 }),
  })
  .map((one) => (topicPolicy(one.topic).kept === "compacted" ? one : { ...one, value: one.value ?? text("") }))

describe("export and import", () => {
  it("reproduce the same bytes, for any content of the log", () =>
    fc.assert(
      fc.asyncProperty(fc.array(someRecord, { maxLength: 40 }), (records) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.gen(function* () {
              const first = yield* emptyLog
              const writer = yield* first.claim("test", topicNames)
              for (const record of records) yield* writer.commit([record])
              const lines = yield* exported(first)
              const second = yield* emptyLog
              const { records: count } = yield* importLog(second, Stream.fromIterable(lines))
              expect(count).toBe(recordsIn(lines))
              expect(yield* exported(second)).toEqual(lines)
              const { sha256 } = JSON.parse(lines.at(-1) ?? "{}").trailer
              expect([yield* readMark(first), yield* readMark(second)]).toEqual([null, { state: "imported", sha256 }])
              for (const topic of exportedTopics) {
                const valuesOf = (log: EventLog) =>
                  log.read(topic, 0).pipe(
                    Stream.runCollect,
                    Effect.map((batches) =>
                      batches
                        .flatMap((batch) => batch.records)
                        .filter((stored) => stored.value !== null)
                        .map((stored) => [stored.key, Buffer.from(stored.value ?? []).toString("hex")]),
                    ),
                  )
                expect(yield* valuesOf(second)).toEqual(yield* valuesOf(first))
              }
            }),
          ),
        ),
      ),
      { numRuns: 30 },
    ))

  it.live("handle more records than one group and one slice hold", () =>
    Effect.gen(function* () {
      const first = yield* emptyLog
      const writer = yield* first.claim("test", topicNames)
      const count = 5_500
      yield* writer.commit(
        Array.from({ length: count }, (_, n) => ({ topic: "observations" as const, key: "a", value: text(`${n}`) })),
      )
      const lines = yield* exported(first)
      const second = yield* emptyLog
      expect(yield* importLog(second, Stream.fromIterable(lines))).toEqual({ records: count, resumedFrom: 0 })
      expect(yield* exported(second)).toEqual(lines)
    }),
  )

  it.live("refuse a log that is not empty, and accept one that was emptied", () =>
    Effect.gen(function* () {
      const log = yield* emptyLog
      const writer = yield* log.claim("test", topicNames)
      yield* writer.commit([
        { topic: "views", key: "a", value: text("1") },
        { topic: "deltas", key: "a", value: text("1") },
      ])
      const lines = yield* exported(log)
      expect((yield* Effect.flip(importLog(log, Stream.fromIterable(lines)))).message).toContain("not empty")
      yield* writer.commit([{ topic: "views", key: "a", value: null }])
      yield* log.trim("deltas", yield* log.end("deltas"))
      expect(yield* importLog(log, Stream.fromIterable(lines))).toMatchObject({ records: 2 })
      expect(yield* exported(log)).toEqual(lines)
    }),
  )

  it.live("refuse lines that are no complete export, with the number of the line", () =>
    Effect.gen(function* () {
      const source = yield* emptyLog
      const writer = yield* source.claim("test", topicNames)
      yield* writer.commit([{ topic: "deltas", key: "a", value: text("1") }])
      const [first = "", section = "", record = "", last = ""] = yield* exported(source)
      const refused = (...lines: ReadonlyArray<string>) =>
        Effect.flatMap(emptyLog, (log) =>
          Effect.gen(function* () {
            const { message } = yield* Effect.flip(importLog(log, Stream.fromIterable(lines)))
            // Nothing of it was committed, so there is nothing to go on with.
            expect(yield* readMark(log)).toBeNull()
            expect(yield* exported(log)).toHaveLength(2)
            return message
          }),
        )
      expect(yield* refused()).toContain("ends before its last line")
      expect(yield* refused(first, section, record)).toContain("ends before its last line")
      expect(yield* refused(first, section, record, record, last)).toContain(
        "1 records of deltas were exported, 2 are here",
      )
      expect(yield* refused(first, section, record.replace("1", "2"), last)).toContain("the file was changed")
      expect(yield* refused(first, section, record, last, record)).toContain("line 5")
      expect(yield* refused(section, record, last)).toContain("line 1")
      expect(yield* refused(first.replace('"format":3', '"format":1'), last)).toContain("line 1")
      expect(yield* refused(first, "{", last)).toContain("line 2")
      expect(yield* refused(first, record, last)).toContain("line 2: a record before the first section")
      expect(yield* refused(first, '{"section":"nowhere","from":"log"}', last)).toContain("line 2")
      expect(yield* refused(first, '{"section":"imports","from":"log"}', last)).toContain("line 2")
    }),
  )

  it.live("continue an interrupted import with the same lines, and refuse other lines", () =>
    Effect.gen(function* () {
      const source = yield* emptyLog
      const writer = yield* source.claim("test", topicNames)
      const count = 3_500
      for (const topic of ["observations", "ledger"] as const)
        yield* writer.commit(
          Array.from({ length: count }, (_, n) => ({ topic, key: "a", value: text(`${topic} ${n}`) })),
        )
      const lines = yield* exported(source)
      const log = yield* emptyLog
      for (const [cut, committed] of [
        [2_600, 2_000],
        [4_700, 4_000],
        // Less than what stands is no way back.
        [3_000, 4_000],
      ] as const) {
        const stopped = yield* Effect.flip(importLog(log, Stream.fromIterable(lines.slice(0, cut))))
        expect(stopped).toMatchObject({ _tag: "ImportRefused", records: committed })
        expect(yield* readMark(log)).toMatchObject({ state: "importing", records: committed })
        expect(yield* Effect.flip(exportLog(log).pipe(Stream.runCollect))).toMatchObject({ _tag: "ImportUnfinished" })
      }
      const changed = lines.with(1_000, lines[1_001] ?? "")
      expect((yield* Effect.flip(importLog(log, Stream.fromIterable(changed)))).message).toContain("not the file")
      const resumed = yield* importLog(log, Stream.fromIterable(lines))
      expect(resumed).toEqual({ records: 2 * count, resumedFrom: 4_000 })
      expect(yield* exported(log)).toEqual(lines)
      // The hash is that of the whole file, also where half of it was skipped.
      const { sha256 } = JSON.parse(lines.at(-1) ?? "{}").trailer
      expect(yield* readMark(log)).toEqual({ state: "imported", sha256 })
      expect((yield* Effect.flip(discardImport(log))).message).toContain("no unfinished import")
    }),
  )

  it.live("discard an unfinished import, and accept another file afterwards", () =>
    Effect.gen(function* () {
      const source = yield* emptyLog
      const writer = yield* source.claim("test", topicNames)
      yield* writer.commit(
        Array.from({ length: 1_500 }, (_, n) => ({
          topic: topicNames[n % 4] ?? "views",
          key: `${n}`,
          value: text("1"),
        })),
      )
      const lines = yield* exported(source)
      const log = yield* emptyLog
      yield* Effect.flip(importLog(log, Stream.fromIterable(lines.slice(0, -1))))
      expect(yield* discardImport(log)).toBe(1_000)
      expect(yield* readMark(log)).toBeNull()
      const other = yield* exported(yield* emptyLog)
      expect(other).toHaveLength(2)
      expect(yield* importLog(log, Stream.fromIterable(lines))).toEqual({ records: 1_500, resumedFrom: 0 })
      expect(yield* exported(log)).toEqual(lines)
    }),
  )

  it.live("fail if the log is written to during the export", () =>
    Effect.gen(function* () {
      const log = yield* emptyLog
      const writer = yield* log.claim("test", topicNames)
      const records = Array.from({ length: 3_000 }, () => ({ topic: "deltas" as const, key: "a", value: text("1") }))
      yield* writer.commit(records)
      let written = false
      const failure = yield* exportLog(log).pipe(
        Stream.tap(() =>
          Effect.suspend(() => {
            if (written) return Effect.void
            written = true
            return writer.commit([{ topic: "observations", key: "clock", value: text("1") }])
          }),
        ),
        Stream.runCollect,
        Effect.flip,
      )
      expect(failure).toMatchObject({ _tag: "LogChanged", topic: "observations" })
    }),
  )

  it.live("work from the command line, with a file and with a pipe", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const cli = fileURLToPath(new URL("../../commands/main.js", import.meta.url))
      const run = (dataDir: string, input: string | undefined, ...parameters: ReadonlyArray<string>) => {
        const { KAFKA_BROKERS: _, ...environment } = process.env
        return Effect.promise(async () => {
          const child = spawn(process.execPath, [cli, "log", ...parameters], {
            env: { ...environment, DATA_DIR: join(home, dataDir) },
          })
          child.stdin.end(input ?? "")
          const [out, said] = await Promise.all([
            child.stdout.setEncoding("utf8").toArray(),
            child.stderr.setEncoding("utf8").toArray(),
          ])
          const exitCode = child.exitCode ?? (await new Promise((resolve) => child.once("close", resolve)))
          return { exitCode, out: out.join(""), said: said.join("") }
        })
      }
      const source = yield* emptyLog
      const writer = yield* source.claim("test", topicNames)
      yield* writer.commit([{ topic: "deltas", key: "a", value: text("\u2028") }])
      const lines = [...(yield* exported(source)), ""]
      const file = join(home, "export.ndjson")
      yield* Effect.promise(() => writeFile(file, lines.join("\n")))
      expect(yield* run("one", undefined, "import", file)).toMatchObject({
        exitCode: 0,
        said: expect.stringContaining("1 records imported"),
      })
      expect(yield* run("one", undefined, "import", file)).toMatchObject({ exitCode: 1 })
      const piped = yield* run("one", undefined, "export", "-")
      expect(piped).toMatchObject({ exitCode: 0, out: lines.join("\n") })
      expect(yield* run("two", piped.out, "import", "-")).toMatchObject({ exitCode: 0 })
      const again = join(home, "again.ndjson")
      expect(yield* run("two", undefined, "export", again)).toMatchObject({ exitCode: 0 })
      expect(yield* Effect.promise(() => readFile(again, "utf8"))).toBe(lines.join("\n"))
      expect(spawnSync(process.execPath, [cli, "export"]).status).toBe(2)
    }),
  )
})
