import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { describe } from "vitest"
import type { Topic } from "../../../schemas/topics.ts"
import {
  claimIn,
  DEADLINE_MS,
  endOf,
  type MakeHarness,
  openAdapter,
  readThrough,
  record,
  rounds,
  spawnWriter,
  textOf,
  until,
} from "./harness.ts"

const TOPICS: ReadonlyArray<Topic> = ["observations", "deltas", "checkpoints"]
const CRASH_ROUNDS = rounds(3)
const IN_FLIGHT = 32
/** Commits before the kill: a different number in each round, so that kills happen at various moments. */
const commitsBeforeKill = (round: number): number => 20 + ((round * 137) % 400)

/** A test that only some engines support: it is skipped with the reason that its effect gives. */
const liveOrSkipped = (
  name: string,
  test: Effect.Effect<string | undefined, unknown, Scope.Scope>,
  timeoutMs: number,
) =>
  it(
    name,
    async (context) => {
      const reason = await Effect.runPromise(Effect.scoped(test))
      if (reason !== undefined) context.skip(reason)
    },
    timeoutMs,
  )

/** The guarantees after a crash of a process. */
export const crashTests = (makeHarness: MakeHarness): void => {
  describe("kill -9", () => {
    it.live(
      `of the writer loses nothing acknowledged, doubles nothing and tears no commit (${CRASH_ROUNDS} rounds)`,
      () =>
        Effect.gen(function* () {
          const harness = yield* makeHarness
          const acknowledged = new Set<number>()
          let from = 0
          for (let round = 0; round < CRASH_ROUNDS; round++) {
            const child = yield* spawnWriter(harness.adapter)
            yield* claimIn(child, "ingest", TOPICS)
            child.send({ do: "pump", from, inFlight: IN_FLIGHT })
            const count = () => child.reports.filter((report) => report.said === "committed").length
            yield* until(
              "commits",
              Effect.sync(() => count() >= commitsBeforeKill(round)),
            )
            child.signal("SIGKILL")
            yield* child.exited
            for (const report of child.reports) {
              expect(report.said).not.toBe("failed")
              if (report.said === "committed") acknowledged.add(Number(report.id))
            }

            yield* Effect.scoped(
              Effect.gen(function* () {
                const log = yield* openAdapter(harness.adapter)
                const writer = yield* log.claim("ingest", TOPICS)
                const observed = (yield* readThrough(log, "observations", 0, writer.ends.observations ?? 0)).map(textOf)
                const deltas = (yield* readThrough(log, "deltas", 0, writer.ends.deltas ?? 0)).map(textOf)
                const state = yield* readThrough(log, "checkpoints", 0, writer.ends.checkpoints ?? 0)
                // No gap, no duplicate, in the order of the calls; and every topic has the same commits.
                expect(observed).toEqual(Array.from({ length: observed.length }, (_, n) => `${n}`))
                expect(deltas).toEqual(observed)
                expect(
                  state
                    .filter(({ key }) => key === "pump")
                    .map(textOf)
                    .at(-1),
                ).toBe(observed.at(-1))
                for (const n of acknowledged) expect(n).toBeLessThan(observed.length)
                from = observed.length
              }),
            )
          }
        }),
      DEADLINE_MS + CRASH_ROUNDS * 20_000,
    )

    it.live(
      `of a writer leaves the log to those who have it open (${CRASH_ROUNDS} rounds)`,
      () =>
        Effect.gen(function* () {
          const harness = yield* makeHarness
          const log = yield* openAdapter(harness.adapter)
          const seen: Array<string | null> = []
          yield* log.follow("observations", 0).pipe(
            Stream.runForEach((batch) => Effect.sync(() => seen.push(...batch.records.map(textOf)))),
            Effect.forkScoped,
          )
          let from = 0
          for (let round = 0; round < CRASH_ROUNDS; round++) {
            const child = yield* spawnWriter(harness.adapter)
            yield* claimIn(child, "ingest", TOPICS)
            child.send({ do: "pump", from, inFlight: IN_FLIGHT })
            yield* until(
              "commits",
              Effect.sync(() => seen.length >= from + commitsBeforeKill(round)),
            )
            child.signal("SIGKILL")
            yield* child.exited
            const writer = yield* log.claim("ingest", TOPICS)
            const deltas = yield* readThrough(log, "deltas", 0, writer.ends.deltas ?? 0)
            from = deltas.length
            yield* writer.commit([record("observations", "next", `${from}`), record("deltas", "next", `${from}`)])
            from += 1
            yield* until(
              "the follower",
              Effect.sync(() => seen.length >= from),
            )
            expect(seen).toEqual(Array.from({ length: from }, (_, n) => `${n}`))
          }
        }),
      DEADLINE_MS + CRASH_ROUNDS * 20_000,
    )

    liveOrSkipped(
      "of the engine, where it is a process of its own, loses nothing acknowledged and doubles nothing",
      Effect.gen(function* () {
        const harness = yield* makeHarness
        const { restartEngine } = harness
        if (restartEngine === undefined) return "the engine runs inside the process that opens it"
        const log = yield* openAdapter(harness.adapter)
        let from = 0
        for (let round = 0; round < CRASH_ROUNDS; round++) {
          const child = yield* spawnWriter(harness.adapter)
          yield* claimIn(child, "ingest", TOPICS)
          child.send({ do: "pump", from, inFlight: IN_FLIGHT })
          const committed = () =>
            child.reports.flatMap((report) => (report.said === "committed" ? [Number(report.id)] : []))
          yield* until(
            "commits",
            Effect.sync(() => committed().length >= commitsBeforeKill(round)),
          )
          yield* restartEngine
          // The writer retries over the outage, or stops with a typed error: a later claim shows the committed records.
          const soFar = committed().length
          yield* until(
            "commits after the restart, or the end of the writer",
            Effect.sync(() => committed().length >= soFar + 50 || child.reports.some(({ said }) => said === "failed")),
          )
          child.signal("SIGKILL")
          yield* child.exited
          const writer = yield* Effect.scoped(log.claim("ingest", TOPICS)).pipe(Effect.retry({ times: 20 }))
          const observed = (yield* readThrough(log, "observations", 0, writer.ends.observations ?? 0)).map(textOf)
          const deltas = (yield* readThrough(log, "deltas", 0, writer.ends.deltas ?? 0)).map(textOf)
          expect(observed).toEqual(Array.from({ length: observed.length }, (_, n) => `${n}`))
          expect(deltas).toEqual(observed)
          expect(observed.length).toBeGreaterThanOrEqual(Math.max(0, ...committed().map((n) => n + 1)))
          from = observed.length
        }
        return undefined
      }),
      DEADLINE_MS * 3 + CRASH_ROUNDS * 60_000,
    )
  })

  describe("full disk", () => {
    liveOrSkipped(
      "is a typed error that writes nothing; reading goes on, and writing does after trimming",
      Effect.gen(function* () {
        const harness = yield* makeHarness
        if (harness.openSmall === undefined) return "the space of this engine is not limited by us"
        const log = yield* harness.openSmall
        const writer = yield* log.claim("ingest", TOPICS)
        const value = new Uint8Array(256 * 1024).fill(1)
        const fill = Effect.gen(function* () {
          const offsets: Array<number> = []
          for (;;) {
            const exit = yield* Effect.exit(
              writer.commit([
                { topic: "observations", key: "n", value },
                { topic: "observations", key: "n", value },
                { topic: "deltas", key: "n", value: new Uint8Array(1) },
              ]),
            )
            if (Exit.isSuccess(exit)) offsets.push(exit.value.offsets[0] ?? -1)
            else {
              expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "LogFull" } })
              return offsets
            }
          }
        })
        const offsets = yield* fill
        expect(offsets.length).toBeGreaterThan(2)
        const count = offsets.length
        expect(yield* readThrough(log, "observations", 0, endOf(offsets) + 1)).toHaveLength(2 * count)
        expect((yield* log.end("deltas")) - (yield* log.start("deltas"))).toBe(count)
        yield* log.trim("observations", yield* log.end("observations"))
        const again = yield* fill
        expect(again.length).toBeGreaterThan(2)
        expect(yield* readThrough(log, "observations", 0, endOf(again) + 1)).toHaveLength(2 * again.length)
        return undefined
      }),
      DEADLINE_MS,
    )
  })
}
