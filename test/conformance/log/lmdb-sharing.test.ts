import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe } from "vitest"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { claimIn, readThrough, record, rounds, spawnWriter, textOf, until, wire } from "./harness.ts"
import { lmdbSpec, script, straceMissing } from "./lmdb-under-test.ts"

const THREAD_ROUNDS = rounds(5)
const MAPS = "/proc/self/maps"
const mapsMissing = existsSync(MAPS) ? "" : ` (skipped: no ${MAPS} here)`

describe("the embedded log, open in several threads and processes", () => {
  it.live("is one log for the threads of a process and for other processes", () =>
    Effect.gen(function* () {
      const spec = lmdbSpec(yield* scopedDirectory)
      const count = 150
      const log = yield* openLmdbLog({ path: String(spec.options.path) })
      const seen: Array<string> = []
      yield* log.follow("observations", 0).pipe(
        Stream.runForEach((batch) =>
          Effect.sync(() => seen.push(...batch.records.map((stored) => `${stored.key} ${textOf(stored)}`))),
        ),
        Effect.forkScoped,
      )
      const names = ["thread/a", "thread/b", "thread/c"]
      const threads = names.map((name) => {
        const worker = new Worker(new URL("writer-thread.ts", import.meta.url), { workerData: { spec, name, count } })
        const said: Array<string> = []
        worker.on("message", (text: string) => said.push(text))
        const ended = new Promise((resolve) => worker.once("exit", resolve))
        return { worker, said, ended }
      })
      const child = yield* spawnWriter(spec)
      yield* claimIn(child, "process/d", ["observations"])
      for (let n = 0; n < count; n++)
        child.send({ do: "commit", id: `${n}`, records: [wire("observations", "process/d", `${n}`)] })
      const own = yield* log.claim("own", ["observations"])
      for (let n = 0; n < count; n++) yield* own.commit([record("observations", "own", `${n}`)])

      yield* until(
        "all commits",
        Effect.sync(() => seen.length === 5 * count),
      )
      for (const name of [...names, "process/d", "own"])
        expect(seen.filter((text) => text.startsWith(`${name} `))).toEqual(
          Array.from({ length: count }, (_, n) => `${name} ${n}`),
        )
      expect(yield* log.end("observations")).toBe(5 * count)

      // A claim in this thread fences a writer in another.
      for (const [index, { worker, said, ended }] of threads.entries()) {
        yield* until(
          "the thread's work",
          Effect.sync(() => said.includes("done")),
        )
        yield* log.claim(names[index] ?? "", ["observations"])
        worker.postMessage("go on")
        expect(yield* Effect.promise(() => ended)).toBe(0)
        expect(said).toEqual(["done", "Fenced"])
      }
    }),
  )

  it.live.skipIf(straceMissing !== "")(`loses nothing to processes that open it meanwhile${straceMissing}`, () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const log = yield* openLmdbLog({ path })
      const writer = yield* log.claim("ingest", ["observations"])
      // Extends the moment between the library's read and write of the last transaction's number to a hundred transactions.
      const slowly = ["-f", "-o", "/dev/null", "-P", join(path, "data.mdb"), "-e", "trace=mmap"]
      const child = spawn(
        "strace",
        [...slowly, "-e", "inject=mmap:delay_exit=20000", process.execPath, script("opener.ts"), path, "10"],
        { stdio: ["ignore", "ignore", "inherit"] },
      )
      let code: number | null = null
      child.once("exit", (status) => {
        code = status ?? 1
      })
      const offsets: Array<number> = []
      // Several at a time, so that there is always a writer.
      yield* Effect.forEach(
        Array.from({ length: 8 }, (_, n) => n),
        (n) =>
          Effect.gen(function* () {
            while (code === null) offsets.push(...(yield* writer.commit([record("observations", "a", `${n}`)])).offsets)
          }),
        { concurrency: "unbounded" },
      )
      expect(code).toBe(0)
      expect(offsets.toSorted((a, b) => a - b)).toEqual(offsets.map((_, n) => n))
      expect(yield* log.end("observations")).toBe(offsets.length)
    }),
  )

  it.live("grows while it is read, with writers in any thread or process", () =>
    Effect.gen(function* () {
      const spec = lmdbSpec(yield* scopedDirectory)
      const log = yield* openLmdbLog({ path: String(spec.options.path) })
      const child = yield* spawnWriter(spec)
      yield* claimIn(child, "ingest", ["observations"])
      const text = "x".repeat(1024 * 1024)
      const count = 40
      let bytes = 0
      yield* log.follow("observations", 0).pipe(
        Stream.runForEach((batch) =>
          Effect.sync(() => {
            for (const stored of batch.records) bytes += stored.value?.length ?? 0
          }),
        ),
        Effect.forkScoped,
      )
      for (let n = 0; n < count; n++)
        child.send({ do: "commit", id: `${n}`, records: [wire("observations", "a", text)] })
      yield* until(
        "all bytes",
        Effect.sync(() => bytes === count * text.length),
      )
    }),
  )

  // The library remaps without a lock, even while other threads read.
  it.live.skipIf(mapsMissing !== "")(`maps its file once, however much it grows${mapsMissing}`, () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const log = yield* openLmdbLog({ path })
      const writer = yield* log.claim("ingest", ["observations"])
      const value = new Uint8Array(1024 * 1024)
      for (let n = 0; n < 20; n++) yield* writer.commit([{ topic: "observations", key: "a", value }])
      yield* readThrough(log, "observations", 0, 20)
      const maps = yield* Effect.promise(() => readFile(MAPS, "utf8"))
      expect(maps.split("\n").filter((line) => line.endsWith(join(path, "data.mdb")))).toHaveLength(1)
    }),
  )

  it.live(
    "goes on when a thread ends in the midst of its commits",
    () =>
      Effect.gen(function* () {
        const spec = lmdbSpec(yield* scopedDirectory)
        const log = yield* openLmdbLog({ path: String(spec.options.path) })
        for (let round = 0; round < THREAD_ROUNDS; round++) {
          const worker = new Worker(new URL("writer-thread.ts", import.meta.url), {
            workerData: { spec, name: "thread", count: 1_000_000 },
          })
          const before = yield* log.end("observations")
          yield* until(
            "commits of the thread",
            log.end("observations").pipe(Effect.map((end) => end > before + 20 * round)),
          )
          const ended = new Promise((resolve) => worker.once("exit", resolve))
          worker.postMessage("end")
          yield* Effect.promise(() => ended)
          const writer = yield* log.claim("thread", ["observations"])
          yield* writer.commit([record("observations", "own", `${round}`)])
          const records = yield* readThrough(log, "observations", before, writer.ends.observations ?? 0)
          expect(records.map(textOf)).toEqual(Array.from({ length: records.length }, (_, n) => `${n}`))
          yield* log.trim("observations", yield* log.end("observations"))
        }
      }),
    300_000 + THREAD_ROUNDS * 5_000,
  )
})
