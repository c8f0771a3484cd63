import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { open } from "lmdb"
import { describe } from "vitest"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { endOf, readThrough, record, textOf, wire } from "./harness.ts"
import { lmdbSpec, script, straceMissing } from "./lmdb-under-test.ts"

const ownDisk = 'mount -t tmpfs -o size=6m none "$1" && shift 1 && exec "$@"'
const diskMissing =
  spawnSync("unshare", ["-rm", "sh", "-c", ownDisk, "sh", "/mnt", "true"]).status === 0
    ? ""
    : " (skipped: no small disk can be mounted here)"

describe("the embedded log", () => {
  it.live.skipIf(straceMissing !== "")(`answers only after the disk has${straceMissing}`, () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const trace = join(yield* scopedDirectory, "trace")
      const child = spawn(
        "strace",
        [
          ...[
            "-f",
            "-y",
            "-s",
            "64",
            "-o",
            trace,
            "-e",
            "trace=write,writev,pwrite64,pwritev,fdatasync,fsync,msync,openat",
          ],
          ...[process.execPath, script("writer.ts"), JSON.stringify(lmdbSpec(path))],
        ],
        { stdio: ["pipe", "ignore", "inherit"] },
      )
      const claim = { do: "claim", writer: "ingest", topics: ["deltas", "views"] }
      const commits = ["one", "two", "three"].map((id) => ({
        do: "commit",
        id,
        records: [wire("deltas", "a", id), wire("views", "a", id)],
      }))
      child.stdin.end([claim, ...commits].map((command) => `${JSON.stringify(command)}\n`).join(""))
      yield* Effect.promise(() => once(child, "close"))
      const calls = (yield* Effect.promise(() => readFile(trace, "utf8"))).split("\n")
      const answers = calls.flatMap((call, index) => (call.includes('\\"said\\":\\"committed\\"') ? [index] : []))
      expect(answers).toHaveLength(3)
      // The pages of a commit, a flush, and then the meta page that makes them valid: through a descriptor with O_DSYNC, or with
      // a second flush.
      const metaDescriptor = calls.map((call) => /data\.mdb.*O_DSYNC.* = (\d+)/.exec(call)?.[1]).find(Boolean)
      const begin = calls.findIndex((call) => call.includes('\\"said\\":\\"claimed\\"'))
      for (const [n, answer] of answers.entries()) {
        const between = calls.slice((n === 0 ? begin : (answers[n - 1] ?? 0)) + 1, answer)
        const flush = between.findLastIndex((call) => /(fdatasync|fsync|msync)\(/.test(call))
        const isWrite = (call: string) => /p?writev?(64)?\(\d+<[^>]*data\.mdb/.test(call)
        const isMeta = (call: string) => metaDescriptor !== undefined && call.includes(`(${metaDescriptor}<`)
        expect(flush).toBeGreaterThan(between.findIndex(isWrite))
        expect(between.findIndex(isWrite)).toBeGreaterThanOrEqual(0)
        expect(between.slice(flush).filter((call) => isWrite(call) && !isMeta(call))).toEqual([])
      }
    }),
  )

  it.live.skipIf(diskMissing !== "")(`says that the disk is full, and goes on after trimming${diskMissing}`, () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const child = spawn(
        "unshare",
        ["-rm", "sh", "-c", ownDisk, "sh", path, process.execPath, script("full-disk.ts"), path],
        // The library prints the disk's error; this cannot be turned off.
        { stdio: ["ignore", "pipe", "ignore"] },
      )
      const text: ReadonlyArray<string> = yield* Effect.promise(() => child.stdout.setEncoding("utf8").toArray())
      const { first, second } = JSON.parse(text.join(""))
      expect(first).toMatchObject({ error: "LogFull", together: true })
      expect(first.committed).toBeGreaterThan(10)
      expect(first.kept).toBe(first.committed)
      expect(second.error).toBe("LogFull")
      expect(second.committed).toBeGreaterThan(10)
    }),
  )

  it.live("keeps no old pages for a slow reader, whose bytes stay unchanged", () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const log = yield* openLmdbLog({ path })
      const writer = yield* log.claim("ingest", ["views", "observations"])
      yield* writer.commit(Array.from({ length: 3_000 }, (_, n) => record("observations", "a", `${n}`)))
      const body = (n: number) => ({ topic: "views" as const, key: "a", value: new Uint8Array(200 * 1024).fill(n) })
      yield* writer.commit([body(7)])
      const [held] = yield* readThrough(log, "views", 0, 1)
      const pull = yield* Stream.toPull(log.read("observations", 0))
      yield* pull
      for (let n = 0; n < 300; n++) yield* writer.commit([body(n % 5)])
      // 300 bodies of 200 KiB were written to the file; one is live.
      expect((yield* Effect.promise(() => stat(join(path, "data.mdb")))).size).toBeLessThan(10 * 1024 * 1024)
      expect(held?.value?.every((byte) => byte === 7)).toBe(true)
      yield* pull
    }),
  )

  it.live("drops the oldest removals beyond its limit", () =>
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: yield* scopedDirectory, removalsKept: 3 })
      const writer = yield* log.claim("ingest", ["views"])
      yield* writer.commit(Array.from({ length: 8 }, (_, n) => record("views", `${n}`, "here")))
      for (let n = 0; n < 6; n++) yield* writer.commit([record("views", `${n}`, null)])
      yield* writer.commit([record("views", "5", "again")])
      const { offsets } = yield* writer.commit([record("views", "6", null)])
      const records = yield* readThrough(log, "views", 0, endOf(offsets))
      expect(records.map((stored) => [stored.key, textOf(stored)])).toEqual([
        ["7", "here"],
        ["3", null],
        ["4", null],
        ["5", "again"],
        ["6", null],
      ])
      // Trimming the rest also empties the index.
      yield* log.trim("views", endOf(offsets))
      const next = yield* writer.commit([record("views", "7", "anew"), record("views", "4", "anew")])
      expect((yield* readThrough(log, "views", 0, endOf(next.offsets))).map(textOf)).toEqual(["anew", "anew"])
    }),
  )

  it.live("accepts keys of any length and content", () =>
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: yield* scopedDirectory })
      const writer = yield* log.claim("ingest", ["views"])
      const keys = ["", "\u0000", "a\u0000b", "k".repeat(600), `${"k".repeat(599)}l`, "\u{1F30A}".repeat(2_000)]
      yield* writer.commit(keys.map((key) => record("views", key, "1")))
      const { offsets } = yield* writer.commit(keys.map((key) => record("views", key, "2")))
      const records = yield* readThrough(log, "views", 0, endOf(offsets))
      expect(records.map((stored) => [stored.key, textOf(stored)])).toEqual(keys.map((key) => [key, "2"]))
    }),
  )

  it.live("keeps its records, ends and claims over a restart", () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLmdbLog({ path })
          const writer = yield* log.claim("ingest", ["deltas"])
          yield* writer.commit([record("deltas", "a", "1"), record("deltas", "a", "2")])
          yield* log.trim("deltas", 2)
          return writer
        }),
      )
      const log = yield* openLmdbLog({ path })
      expect([yield* log.start("deltas"), yield* log.end("deltas")]).toEqual([2, 2])
      const writer = yield* log.claim("ingest", ["deltas"])
      expect(writer.ends.deltas).toBe(2)
      expect((yield* writer.commit([record("deltas", "a", "3")])).offsets).toEqual([2])
      expect((yield* Effect.flip(first.commit([record("deltas", "a", "4")])))._tag).toMatch(/Fenced|LogUnavailable/)
    }),
  )

  it.live("refuses commits beyond the bound of waiting bytes, and accepts them later", () =>
    Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: yield* scopedDirectory, waitingBytesMax: 1_000 })
      const writer = yield* log.claim("ingest", ["deltas"])
      const text = "x".repeat(400)
      const exits = yield* Effect.forEach(
        [1, 2, 3, 4],
        () => Effect.exit(writer.commit([record("deltas", "a", text)])),
        {
          concurrency: "unbounded",
        },
      )
      expect(exits.map((exit) => Option.getOrUndefined(Exit.findErrorOption(exit))?._tag)).toEqual([
        ...[undefined, undefined],
        ...["LogUnavailable", "LogUnavailable"],
      ])
      const { offsets } = yield* writer.commit([record("deltas", "a", text)])
      expect(offsets).toEqual([2])
    }),
  )

  it.live("refuses every operation once it is closed", () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      const scope = yield* Scope.make()
      const log = yield* openLmdbLog({ path }).pipe(Scope.provide(scope))
      const writer = yield* log.claim("ingest", ["deltas"])
      yield* writer.commit([record("deltas", "a", "1")])
      const following = yield* log.follow("deltas", 0).pipe(Stream.runDrain, Effect.flip, Effect.forkScoped)
      const pull = yield* Stream.toPull(log.read("deltas", 0))
      yield* Scope.close(scope, Exit.void)
      const refused = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.flip(effect).pipe(Effect.map((error) => expect(error._tag).toBe("LogUnavailable")))
      yield* refused(Fiber.join(following).pipe(Effect.flip))
      yield* refused(writer.commit([record("deltas", "a", "2")]))
      yield* refused(log.claim("ingest", ["deltas"]))
      yield* refused(log.end("deltas"))
      yield* refused(log.start("deltas"))
      yield* refused(log.trim("deltas", 1))
      yield* refused(log.read("deltas", 0).pipe(Stream.runDrain))
      expect(Exit.isFailure(yield* Effect.exit(pull))).toBe(true)
      const again = yield* openLmdbLog({ path })
      expect((yield* readThrough(again, "deltas", 0, 1)).map(textOf)).toEqual(["1"])
    }),
  )

  it.live("that is opened to be read alone writes nothing, and has topics that it lacks as empty ones", () =>
    Effect.gen(function* () {
      const path = yield* scopedDirectory
      yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* (yield* openLmdbLog({ path })).claim("ingest", ["deltas"])
          yield* writer.commit([record("deltas", "a", "1"), record("deltas", "a", "2")])
        }),
      )
      // As a release wrote it that did not have this topic yet.
      yield* Effect.promise(async () => {
        const root = open({ path, noSubdir: false, overlappingSync: false, maxDbs: 40 })
        await root.openDB("records/versions", {}).drop()
        await root.close()
      })
      const written = () => Effect.promise(() => readFile(join(path, "data.mdb")))
      const before = yield* written()
      const log = yield* openLmdbLog({ path, readOnly: true })
      expect((yield* readThrough(log, "deltas", 0, 2)).map(textOf)).toEqual(["1", "2"])
      expect([yield* log.start("versions"), yield* log.end("versions")]).toEqual([0, 0])
      expect(yield* Stream.runCollect(log.read("versions", 0))).toEqual([])
      expect((yield* Effect.flip(log.claim("ingest", ["deltas"])))._tag).toBe("LogUnavailable")
      expect((yield* Effect.flip(log.trim("deltas", 1)))._tag).toBe("LogUnavailable")
      expect((yield* written()).equals(before)).toBe(true)
      const missing = openLmdbLog({ path: join(path, "missing"), readOnly: true })
      expect((yield* Effect.flip(missing))._tag).toBe("LogUnavailable")
    }),
  )

  it.live("gives the reason why a directory cannot be used", () =>
    Effect.gen(function* () {
      const parent = yield* scopedDirectory
      const file = join(parent, "file")
      yield* Effect.promise(() => writeFile(file, "not a directory"))
      expect((yield* Effect.flip(openLmdbLog({ path: file })))._tag).toBe("LogUnavailable")
      const newer = join(parent, "newer")
      yield* Effect.promise(async () => {
        const root = open({ path: newer, noSubdir: false, overlappingSync: false, maxDbs: 40 })
        await root.openDB<number, string>("meta", { encoding: "json" }).put("format", 99)
        await root.close()
      })
      expect((yield* Effect.flip(openLmdbLog({ path: newer }))).message).toContain("unavailable")
    }),
  )
})
