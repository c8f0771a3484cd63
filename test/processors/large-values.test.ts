import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { loadCheckpoint } from "../../processors/run/checkpoint.ts"
import { rebuildViews } from "../../processors/run/rebuild.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { recordsBytes } from "../../processors/run/stored-values.ts"
import { verifyViews } from "../../processors/run/verify.ts"
import { observed } from "../../processors/testing/folding.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import { patchKey } from "../../schemas/value-patch.ts"
import { bulky, FILL, foldThrough, storedTexts } from "../support/bulky.ts"
import { counting, foldAll, withLog, write } from "../support/counting.ts"
import { eventually } from "../support/eventually.ts"

const BEGIN_MS = Date.parse("2026-11-20T10:00:00.000Z")
/** Of the runner; its texts are ASCII but for the one that fills a view. */
const COMMIT_MAX_UNITS = 4 * 1024 * 1024
const STATE = "bulky/1/items"
const changes = (numbers: ReadonlyArray<number>) =>
  numbers.map((number, index) => observed(BEGIN_MS + index * 1000, "things", number))
/** Changes of twenty of the items. A commit takes 500 of them, so that 1,200 make one whole value and two patches. */
const some = (count: number) => changes(Array.from({ length: count }, (_, index) => (index % 20) * 19))

/** The log, with the records of each commit of the processor. */
const watched = (log: EventLog) => {
  const commits: Array<ReadonlyArray<LogRecord>> = []
  const watching: EventLog = {
    ...log,
    claim: (name, topics) =>
      Effect.map(log.claim(name, topics), (held) => ({
        ...held,
        commit: (records) => {
          commits.push(records)
          return held.commit(records)
        },
      })),
  }
  return { watching, commits }
}

/** Puts a record in place of another, as damage would. */
const spoil = (log: EventLog, topic: "checkpoints" | "views", key: string, value: Uint8Array | null) =>
  Effect.scoped(
    Effect.flatMap(log.claim("processor/bulky", [topic]), (writer) => writer.commit([{ topic, key, value }])),
  )

describe("large values", () => {
  it("cost what differs, and stay near the bound of a commit", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(1_200))
        const { watching, commits } = watched(log)
        yield* foldThrough(watching, bulky)
        const whole = recordsBytes(commits[0] ?? [])
        expect(whole).toBeGreaterThan(100_000)
        for (const records of commits.slice(1)) expect(recordsBytes(records)).toBeLessThan(COMMIT_MAX_UNITS + whole)
        expect(commits.slice(1).map((records) => recordsBytes(records) < whole / 4)).toEqual([true, true])
        expect(yield* verifyViews(log, { processors: [bulky] })).toMatchObject({ equal: true, foreignViews: [] })
      }),
    ))

  it("are written once for all batches that a fold reads while it catches up, and then with each batch", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const large = "x".repeat(400_000)
        yield* write(
          log,
          Array.from({ length: 40 }, (_, index) => observed(BEGIN_MS + index * 1000, "things", large)),
        )
        const { watching, commits } = watched(log)
        yield* foldAll(watching, counting())
        expect(commits).toHaveLength(1)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.forkScoped(runProcessor({ log: watching, processor: counting() }))
            for (const count of [2, 3]) {
              yield* write(log, changes([count]))
              yield* Effect.promise(() => eventually(`commit ${count}`, () => commits.length === count))
            }
          }),
        )
      }),
    ))

  it("bring a commit to its end where one event is above its bound", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, changes([1, 2, FILL, 3, 4]))
        const { watching, commits } = watched(log)
        yield* foldThrough(watching, bulky)
        const [first = [], second = []] = commits
        expect(commits).toHaveLength(2)
        expect(recordsBytes(first)).toBeGreaterThan(12_000_000)
        expect(recordsBytes(second)).toBeLessThan(COMMIT_MAX_UNITS)
      }),
    ))

  const expectMended = (log: EventLog) =>
    Effect.gen(function* () {
      yield* Effect.scoped(rebuildViews(log, { processors: [bulky] }))
      yield* write(log, some(5))
      yield* foldThrough(log, bulky)
      expect(yield* verifyViews(log, { processors: [bulky] })).toMatchObject({ equal: true, foreignViews: [] })
      expect((yield* loadCheckpoint(log, bulky)).leftovers).toEqual([])
      const keys = Object.keys(yield* storedTexts(log))
      expect(keys).toEqual(["/bulky", "bulky/2/items"])
    })

  it("of a view that has lost a part are found by verifying, and mended by a rebuild", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(1_200))
        yield* foldThrough(log, bulky)
        yield* spoil(log, "views", patchKey("/bulky", 2), new Uint8Array(10))
        expect(yield* verifyViews(log, { processors: [bulky] })).toMatchObject({
          equal: false,
          comparisons: [{ differences: ["view /bulky"] }],
        })
        yield* expectMended(log)
      }),
    ))

  it("of a state that has lost a part keep the processor from starting, until a rebuild", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(1_200))
        yield* foldThrough(log, bulky)
        yield* spoil(log, "checkpoints", patchKey(STATE, 2), new Uint8Array(10))
        const exit = yield* Effect.exit(foldThrough(log, bulky))
        expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toMatch(/CheckpointUnreadable.*bulky\/1\/items/)
        yield* expectMended(log)
      }),
    ))

  it("of a build that was replaced are cleared away with all their patches", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(1_200))
        yield* foldThrough(log, bulky)
        const { logKeys } = yield* loadCheckpoint(log, bulky)
        expect([...logKeys].filter((key) => key.startsWith(STATE))).toEqual([
          STATE,
          patchKey(STATE, 1),
          patchKey(STATE, 2),
        ])
        yield* expectMended(log)
        expect([...(yield* loadCheckpoint(log, bulky)).logKeys].filter((key) => key.startsWith(STATE))).toEqual([])
      }),
    ))
})
