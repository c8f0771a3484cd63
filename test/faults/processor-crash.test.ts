import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { afterAll, describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { describeVerification } from "../../processors/run/rebuild.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { verifyViews } from "../../processors/run/verify.ts"
import { crashProcessors } from "../support/crash-world.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 5)
/** The least commits of the ingest in a round before the process is killed. */
const COMMITS_MIN = 3
const KILL_WITHIN_MS = 400

const path = mkdtempSync(join(tmpdir(), "tidewire-crash-"))
afterAll(() => rmSync(path, { recursive: true, force: true }))
const child = fileURLToPath(new URL("processor-crash-child.ts", import.meta.url))

/** Starts the process, and kills it at a moment that differs from round to round. */
const round = async (index: number): Promise<void> => {
  const running = spawn(process.execPath, [child, path], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(running, "exit")
  let commits = 0
  const working = new Promise<void>((resolve) => {
    running.stdout.on("data", (chunk: Buffer) => {
      commits += chunk.length
      if (commits >= COMMITS_MIN) resolve()
    })
  })
  await Promise.race([working, ended])
  await sleep((index * 97) % KILL_WITHIN_MS)
  running.kill("SIGKILL")
  const [code, signal] = await ended
  expect([code, signal, commits >= COMMITS_MIN]).toEqual([null, "SIGKILL", true])
}

describe("a process that appends and folds observations", () => {
  it(
    `leaves views, state and derived events equal to an uninterrupted fold, killed ${ROUNDS} times`,
    async () => {
      let before = 0
      for (let index = 0; index < ROUNDS; index += 1) {
        await round(index)
        const { verification, events } = await Effect.runPromise(
          Effect.scoped(
            Effect.gen(function* () {
              const log = yield* openLmdbLog({ path })
              // The log as the kill left it: every commit must be complete.
              const left = yield* verifyViews(log, { processors: crashProcessors })
              for (const processor of crashProcessors) {
                const reached = yield* Deferred.make<void>()
                const ready = Deferred.succeed(reached, undefined).pipe(Effect.asVoid)
                yield* Effect.raceFirst(Effect.scoped(runProcessor({ log, processor, ready })), Deferred.await(reached))
              }
              const caughtUp = yield* verifyViews(log, { processors: crashProcessors })
              const ids = yield* Stream.runFold(
                log.read("deltas", 0),
                () => [] as string[],
                (all, { records }) => [
                  ...all,
                  ...records.map(({ value }) => JSON.parse(Buffer.from(value ?? []).toString()).id),
                ],
              )
              expect(new Set(ids).size).toBe(ids.length)
              return { verification: [left, caughtUp], events: yield* log.end("observations") }
            }),
          ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
        )
        expect(verification.flatMap(describeVerification).filter((line) => line.includes("NOT"))).toEqual([])
        expect(verification.every(({ equal }) => equal)).toBe(true)
        expect(verification[1]?.comparisons.map((one) => one.events)).toEqual([events, events])
        expect(events).toBeGreaterThan(before)
        before = events
      }
    },
    300_000 + ROUNDS * 10_000,
  )
})
