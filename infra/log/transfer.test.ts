import { spawn, spawnSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { describe } from "vitest"
import { topicNames, topicPolicy } from "../../schemas/topics.ts"
import type { EventLog, LogRecord } from "./event-log.port.ts"
import { IMPORTED_KEY, isImported } from "./imported.ts"
import { openLmdbLog } from "./lmdb.ts"
import { exportLog, importLog } from "./transfer.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tidewire-transfer-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)
const emptyLog = Effect.flatMap(directory, (path) => openLmdbLog({ path }))
const exported = (log: EventLog) => exportLog(log).pipe(Stream.runCollect)

const text = (value: string) => new TextEncoder().encode(value)
const value = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map(text),
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom(text("\ufeffmark"), text("line\u2028separator\r\nend"), text(""), text('{"a":1}')),
)
const someRecord: fc.Arbitrary<LogRecord> = fc
  .record({
    topic: fc.constantFrom(...topicNames),
    key: fc.constantFrom("", "a", "b", "\u2028", '"'),
    value: fc.option(value, { freq: 5 }),
  })
  .map((one) => (topicPolicy(one.topic).kept === "compacted" ? one : { ...one, value: one.value ?? text("") }))

describe("export and import", () => {
  it("give the same bytes again, whatever the log holds", () =>
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
              expect(yield* importLog(second, Stream.fromIterable(lines))).toBe(lines.length - 2)
              expect(yield* exported(second)).toEqual(lines)
              expect([yield* isImported(first), yield* isImported(second)]).toEqual([false, true])
              for (const topic of topicNames) {
                const valuesOf = (log: EventLog) =>
                  log.read(topic, 0).pipe(
                    Stream.runCollect,
                    Effect.map((batches) =>
                      batches
                        .flatMap((batch) => batch.records)
                        .filter((stored) => stored.value !== null && stored.key !== IMPORTED_KEY)
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

  it.live("take more records than one group and one slice hold", () =>
    Effect.gen(function* () {
      const first = yield* emptyLog
      const writer = yield* first.claim("test", topicNames)
      const count = 5_500
      yield* writer.commit(
        Array.from({ length: count }, (_, n) => ({ topic: "observations" as const, key: "a", value: text(`${n}`) })),
      )
      const lines = yield* exported(first)
      const second = yield* emptyLog
      expect(yield* importLog(second, Stream.fromIterable(lines))).toBe(count)
      expect(yield* exported(second)).toEqual(lines)
    }),
  )

  it.live("refuse a log that is not empty, and take one that was emptied", () =>
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
      expect(yield* importLog(log, Stream.fromIterable(lines))).toBe(2)
      expect(yield* exported(log)).toEqual(lines)
    }),
  )

  it.live("refuse lines that are no whole export, and say where", () =>
    Effect.gen(function* () {
      const first = '{"log":"tidewire","format":1}'
      const record = '{"topic":"deltas","key":"a","text":"1"}'
      const refused = (...lines: ReadonlyArray<string>) =>
        Effect.flatMap(emptyLog, (log) => Effect.flip(importLog(log, Stream.fromIterable(lines)))).pipe(
          Effect.map((error) => error.message),
        )
      expect(yield* refused()).toContain("ends before its last line")
      expect(yield* refused(first, record)).toContain("ends before its last line")
      expect(yield* refused(first, record, '{"records":2}')).toContain("2 records were exported, 1 are here")
      expect(yield* refused(first, '{"records":0}', record)).toContain("line 3")
      expect(yield* refused(record, '{"records":1}')).toContain("line 1")
      expect(yield* refused('{"log":"tidewire","format":2}', '{"records":0}')).toContain("line 1")
      expect(yield* refused(first, "{", '{"records":1}')).toContain("line 2")
      expect(yield* refused(first, '{"topic":"nowhere","key":"a"}', '{"records":1}')).toContain("line 2")
    }),
  )

  it.live("work from the command line, by file and by pipe", () =>
    Effect.gen(function* () {
      const home = yield* directory
      const cli = fileURLToPath(new URL("cli.ts", import.meta.url))
      const run = (dataDir: string, input: string | undefined, ...parameters: ReadonlyArray<string>) => {
        const { KAFKA_BROKERS: _, ...environment } = process.env
        return Effect.promise(async () => {
          const child = spawn(process.execPath, [cli, ...parameters], {
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
      const lines = [
        '{"log":"tidewire","format":1}',
        '{"topic":"deltas","key":"a","text":"\u2028"}',
        '{"records":1}',
        "",
      ]
      const file = join(home, "export.ndjson")
      yield* Effect.promise(() => writeFile(file, lines.join("\n")))
      expect(yield* run("one", undefined, "import", file)).toMatchObject({ exitCode: 0, said: "1 records imported\n" })
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
