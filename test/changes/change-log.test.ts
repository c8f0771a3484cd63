import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeChangeLog } from "../../processors/changes/change-log.ts"
import { cursorText } from "../../schemas/change.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import { withLog } from "../support/counting.ts"
import { everythingShown, LOG_NAME, numberedChange, otherEvent } from "./numbered-changes.ts"

const commit = (log: EventLog, records: ReadonlyArray<LogRecord>) =>
  Effect.scoped(Effect.flatMap(log.claim("test", ["deltas"]), (writer) => writer.commit(records)))

/** Changes in runs, with other events between them, so that numbers and offsets drift apart unevenly. */
const filled = (log: EventLog, runs: ReadonlyArray<readonly [changes: number, others: number]>) =>
  Effect.gen(function* () {
    let ordinal = 0
    let other = 0
    for (const [changes, others] of runs)
      yield* commit(log, [
        ...Array.from({ length: changes }, () => numberedChange(++ordinal)),
        ...Array.from({ length: others }, () => otherEvent(++other)),
      ])
    return ordinal
  })

const ordinalsOf = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1)

describe("the numbered changes of a log", () => {
  it("are read from any number, in pages of any size, wherever they lie among other events", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const last = yield* filled(log, [
          [1, 4_000],
          [3_000, 0],
          [20, 6_000],
          [2_000, 100],
        ])
        const changes = makeChangeLog({ log, archive: null, ...everythingShown })
        expect(yield* changes.last).toEqual({ log: LOG_NAME, ordinal: last })
        expect(yield* changes.bounds).toEqual({ log: LOG_NAME, oldest: 1, last })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.nat(last), fc.integer({ min: 1, max: 400 }), async (after, max) => {
              const page = await Effect.runPromise(changes.read({ log: LOG_NAME, ordinal: after }, max))
              expect(page.changes.map(({ ordinal }) => ordinal)).toEqual(ordinalsOf(after, Math.min(last, after + max)))
              expect(page).toMatchObject({ after, reached: Math.min(last, after + max) })
            }),
            { numRuns: 60 },
          ),
        )
      }),
    ))

  it("are stated as their endpoint states them", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* commit(log, [numberedChange(1)])
        const { changes } = yield* makeChangeLog({ log, archive: null, ...everythingShown }).read(
          { log: LOG_NAME, ordinal: 0 },
          1,
        )
        expect(changes[0]?.change).toEqual({
          cursor: cursorText({ log: LOG_NAME, ordinal: 1 }),
          type: "appeared",
          feed: "earthquakes",
          endpoint: "climate/earthquakes",
          parameters: { magnitude: "all", period: "day" },
          key: "quake1",
          item: {
            id: "quake1",
            type: "earthquake",
            magnitude: 0.1,
            place: `1 km of 日本 "O'Brien"`,
            time: "2026-01-31T23:50:01.000Z",
            depth_km: 10.5,
            lat: 0.75,
            lon: -0.875,
            tsunami: false,
            url: null,
          },
          happened_at: "2026-01-31T23:50:01.000Z",
          known_at: "2026-01-31T23:50:01.000Z",
          source: "USGS.earthquakes",
        })
      }),
    ))

  it("that may not be shown are passed over, and counted", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* commit(log, [numberedChange(1), numberedChange(2)])
        const rules = { ...everythingShown, isShown: () => false }
        expect(yield* makeChangeLog({ log, archive: null, ...rules }).read({ log: LOG_NAME, ordinal: 0 }, 10)).toEqual({
          log: LOG_NAME,
          after: 0,
          reached: 2,
          changes: [],
        })
      }),
    ))

  it("are gone where the log was trimmed and nothing archives it, and never passed over silently", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const last = yield* filled(log, [[2_500, 0]])
        const changes = makeChangeLog({ log, archive: null, ...everythingShown })
        yield* changes.read({ log: LOG_NAME, ordinal: 1_200 }, 10)
        yield* log.trim("deltas", 1_500)
        expect(yield* changes.bounds).toEqual({ log: LOG_NAME, oldest: 1_501, last })
        expect(yield* Effect.flip(changes.read({ log: LOG_NAME, ordinal: 1_200 }, 10))).toMatchObject({
          _tag: "ChangesGone",
          oldest: 1_501,
        })
        expect(
          (yield* changes.read({ log: LOG_NAME, ordinal: 1_500 }, 2)).changes.map(({ ordinal }) => ordinal),
        ).toEqual([1_501, 1_502])
      }),
    ))

  it.each([
    ["and holds again what the log does", 3_100],
    ["and has nothing of what the log holds yet", 1_000],
  ])(
    "are gone where the archive was off for longer than the log keeps, %s, and go on behind what is missing",
    (_, to) =>
      withLog((log) =>
        Effect.gen(function* () {
          yield* commit(
            log,
            ordinalsOf(3_000, 3_100).map((ordinal) => numberedChange(ordinal)),
          )
          const isArchived = (ordinal: number) => ordinal <= 1_000 || (ordinal > 3_000 && ordinal <= to)
          const archived = (ordinal: number) => ({
            cursor: { log: LOG_NAME, ordinal },
            offset: ordinal,
            value: numberedChange(ordinal).value as Uint8Array,
          })
          const changes = makeChangeLog({
            log,
            archive: {
              behind: ({ ordinal: after }, max) =>
                Effect.succeed(ordinalsOf(after, 3_100).filter(isArchived).slice(0, max).map(archived)),
              first: (name) => Effect.succeed({ log: name, ordinal: 1 }),
              last: Effect.succeed({ log: LOG_NAME, ordinal: to }),
            },
            ...everythingShown,
          })
          const gone: Array<unknown> = []
          const seen: Array<number> = []
          // As every caller does: from what can be read again where the next one is gone.
          for (let after = 0, reads = 0; after < 3_100 && reads < 100; reads++) {
            const place = { log: LOG_NAME, ordinal: after }
            const portion = yield* Effect.catchTag(changes.read(place, 300), "ChangesGone", ({ oldest }) => {
              gone.push([after, oldest])
              return Effect.succeed({ reached: oldest - 1, changes: [] })
            })
            seen.push(...portion.changes.map(({ ordinal }) => ordinal))
            after = portion.reached
          }
          expect(gone).toEqual([[1_000, 3_001]])
          expect(seen).toEqual([...ordinalsOf(0, 1_000), ...ordinalsOf(3_000, 3_100)])
          expect(yield* Effect.flip(changes.read({ log: LOG_NAME, ordinal: 1_500 }, 10))).toMatchObject({
            oldest: 3_001,
          })
        }),
      ),
  )

  it("are those of the current name alone, after the log has lost its tail", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* commit(
          log,
          [1, 2, 3].map((ordinal) => numberedChange(ordinal, "oldname2")),
        )
        yield* commit(
          log,
          [7, 8].map((ordinal) => numberedChange(ordinal)),
        )
        const changes = makeChangeLog({ log, archive: null, ...everythingShown })
        expect(yield* changes.bounds).toEqual({ log: LOG_NAME, oldest: 7, last: 8 })
        expect((yield* changes.read({ log: LOG_NAME, ordinal: 6 }, 10)).changes.map(({ ordinal }) => ordinal)).toEqual([
          7, 8,
        ])
        expect(yield* Effect.flip(changes.read({ log: LOG_NAME, ordinal: 2 }, 10))).toMatchObject({
          _tag: "ChangesGone",
          oldest: 7,
        })
      }),
    ))

  it("are followed from any number as they are committed, each once", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* filled(log, [[600, 20]])
        const changes = makeChangeLog({ log, archive: null, ...everythingShown })
        const seen: Array<number> = []
        const following = yield* Effect.forkScoped(
          Stream.runForEachWhile(changes.follow({ log: LOG_NAME, ordinal: 590 }), (portion) =>
            Effect.sync(() => {
              expect(portion.after).toBe(seen.at(-1) ?? 590)
              seen.push(...portion.changes.map(({ ordinal }) => ordinal))
              return portion.reached < 620
            }),
          ),
        )
        for (let ordinal = 601; ordinal <= 620; ordinal += 2)
          yield* commit(log, [numberedChange(ordinal), otherEvent(ordinal), numberedChange(ordinal + 1)])
        yield* Fiber.join(following)
        expect(seen).toEqual(ordinalsOf(590, 620))
      }),
    ))

  it("are none in a new log", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const changes = makeChangeLog({ log, archive: null, ...everythingShown })
        expect(yield* changes.last).toBeNull()
        expect(yield* changes.bounds).toBeNull()
        expect(yield* changes.read({ log: LOG_NAME, ordinal: 0 }, 10)).toEqual({
          log: LOG_NAME,
          after: 0,
          reached: 0,
          changes: [],
        })
      }),
    ))
})
