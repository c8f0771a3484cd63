import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { processor } from "../../processors/processor.ts"
import { chunksOfOthers, loadCheckpoint } from "../../processors/run/checkpoint.ts"
import { rebuildMain, rebuildViews } from "../../processors/run/rebuild.ts"
import { verifyViews } from "../../processors/run/verify.ts"
import type { EventReader } from "../../schemas/event.ts"
import { type EventLog, LogFull } from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import {
  counting,
  derivedCount,
  foldAll,
  ordinals,
  sealedAfter,
  some,
  views,
  withLog,
  write,
} from "../support/counting.ts"

describe("verification", () => {
  const built = (log: EventLog) => write(log, some(700)).pipe(Effect.andThen(foldAll(log, counting())))

  it("names the first event at which two builds part", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* built(log)
        const other = counting()
        const changed = processor({
          name: "counting",
          step: (state, event, nowMs) => {
            const step = other.step(state, event, nowMs)
            return nowMs >= 411_000 ? { ...step, state: [...(step.state ?? []), ["late", true]] } : step
          },
        })
        const first = yield* Stream.runHead(log.read("observations", 411))
        const lines: Array<string> = []
        const code = yield* rebuildMain({ log, processors: [changed], verify: true, print: (line) => lines.push(line) })
        expect(code).toBe(1)
        const expected =
          first._tag === "Some"
            ? JSON.parse(new TextDecoder().decode(first.value.records[0]?.value ?? new Uint8Array())).id
            : ""
        expect(lines[1]).toBe(
          `  the builds part at event ${expected} (feed.observed, offset 411): its step gives another result`,
        )
        expect(lines.at(-1)).toContain("NOT")
      }),
    ))

  it("finds a damaged view, a foreign view, and a derived event that was logged twice", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* built(log)
        const derived = Option.getOrThrow(yield* Stream.runHead(log.read("deltas", 0))).records[0]
        const body = new TextEncoder().encode(JSON.stringify({ v: 2, changedAt: "2026-01-01T00:00:00.000Z", data: 1 }))
        const writer = yield* log.claim("processor/counting", ["views", "deltas"])
        yield* writer.commit([
          { topic: "views", key: "/count", value: body },
          { topic: "views", key: "/foreign", value: body },
          { topic: "deltas", key: derived?.key ?? "", value: derived?.value ?? null },
        ])
        const { equal, comparisons, foreignViews } = yield* verifyViews(log, { processors: [counting()] })
        expect(equal).toBe(false)
        expect(foreignViews).toEqual(["/foreign"])
        expect(comparisons[0]?.parting).toMatchObject({ offset: 0, what: "derived" })
        expect(comparisons[0]?.differences).toEqual(
          expect.arrayContaining(["view /count", expect.stringMatching(/^derived .*\/counting\/0: logged twice$/)]),
        )
      }),
    ))

  it("compares what stood at one moment while the live fold goes on", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* built(log)
        let moves = 0
        // The live fold goes on while all derived events are read.
        const live: EventLog = {
          ...log,
          read: (topic, from) =>
            topic !== "deltas" || from > 0
              ? log.read(topic, from)
              : Stream.concat(
                  log.read(topic, from),
                  Stream.unwrap(
                    Effect.suspend(() => {
                      moves += 1
                      return write(log, some(1, moves * 1_000_000)).pipe(
                        Effect.andThen(foldAll(log, counting())),
                        Effect.orDie,
                        Effect.as(Stream.empty),
                      )
                    }),
                  ),
                ),
        }
        expect(yield* verifyViews(live, { processors: [counting()] })).toMatchObject({
          equal: true,
          comparisons: [{ events: 701 }],
        })
        expect(moves).toBe(1)
      }),
    ))

  it("finds a derived event that is missing", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* built(log)
        const silent: EventLog = {
          ...log,
          read: (topic, from) =>
            Stream.map(log.read(topic, from), (batch) =>
              topic === "deltas" ? { ...batch, records: batch.records.filter(({ offset }) => offset !== 17) } : batch,
            ),
        }
        const { equal, comparisons } = yield* verifyViews(silent, { processors: [counting()] })
        expect(equal).toBe(false)
        // Every fifth observation derives nothing: the 18th derived event is that of offset 21.
        expect(comparisons[0]?.parting).toMatchObject({ offset: 21, what: "derived" })
      }),
    ))
})

describe("a rebuild", () => {
  it("builds the views of a changed fold, publishes no event again, and the next start goes on from it", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(700))
        yield* foldAll(log, counting())
        const changed = counting(1000)
        expect(yield* Effect.scoped(rebuildViews(log, { processors: [changed] }))).toMatchObject([
          { generation: 2, events: 700, viewsWritten: 1 },
        ])
        expect(yield* views(log)).toMatchObject({ "/count": 1560 })
        expect(yield* derivedCount(log)).toBe(560)
        yield* write(log, some(5, 1_000_000))
        yield* foldAll(log, changed)
        expect(yield* views(log)).toMatchObject({ "/count": 1564 })
        expect(yield* verifyViews(log, { processors: [changed] })).toMatchObject({ equal: true })
        const { position, leftovers } = yield* loadCheckpoint(log, counting())
        expect(position).toMatchObject({ generation: 2, derivedFrom: 700, count: 705 })
        expect(leftovers).toEqual([])
      }),
    ))

  it.for([
    { what: "with state", one: counting() },
    // Only its digests remain of the build of this one.
    { what: "without state", one: processor({ name: "counting", step: () => ({}) }) },
  ])("$what leaves no digests behind: of the build that it replaces, nor of one that was cut short", ({ one }) =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(700))
        yield* foldAll(log, one)
        const withoutPosition: EventLog = {
          ...log,
          claim: (name, topics) =>
            Effect.map(log.claim(name, topics), (held) => ({
              ...held,
              commit: (records) =>
                records.some(({ key }) => key === "counting/position")
                  ? Effect.fail(new LogFull({ problem: "test" }))
                  : held.commit(records),
            })),
        }
        const cut = yield* Effect.exit(Effect.scoped(rebuildViews(withoutPosition, { processors: [one] })))
        expect(Exit.isFailure(cut) && JSON.stringify(cut.cause)).toContain("LogFull")
        expect(yield* ordinals(log, 2)).toEqual(sealedAfter(700))
        yield* foldAll(log, one)
        expect(yield* ordinals(log, 1)).toEqual(sealedAfter(700))
        expect(yield* chunksOfOthers(log, "counting", 1)).toEqual([])

        const [rebuilt] = yield* Effect.scoped(rebuildViews(log, { processors: [one] }))
        const generation = rebuilt?.generation ?? 0
        expect(yield* chunksOfOthers(log, "counting", generation)).toHaveLength(sealedAfter(700).length)
        yield* foldAll(log, one)
        expect(yield* ordinals(log, generation)).toEqual(sealedAfter(700))
        expect(yield* chunksOfOthers(log, "counting", generation)).toEqual([])
      }),
    ),
  )

  it("folds several processors together, each as far as its live build, and parses each event once", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const summing = processor({
          name: "summing",
          step: (state, event, nowMs) => ({
            state: [["sum", Number(state.get("sum") ?? 0) + nowMs]],
            views: [{ key: "/sum", body: { v: 2, changedAt: event.time, data: nowMs } }],
          }),
        })
        const processors = [counting(), summing]
        yield* write(log, some(300))
        yield* foldAll(log, counting())
        yield* write(log, some(400, 1_000_000))
        yield* foldAll(log, summing)
        let parsed = 0
        const reader: EventReader = {
          ...eventReader,
          readEvent: (bytes) => {
            parsed += 1
            return eventReader.readEvent(bytes)
          },
        }
        expect(yield* Effect.scoped(rebuildViews(log, { processors, reader }))).toMatchObject([
          { processor: "counting", generation: 2, events: 300, viewsWritten: 0 },
          { processor: "summing", generation: 2, events: 700, viewsWritten: 0 },
        ])
        expect(parsed).toBe(700)
        // A verification folds each by itself.
        expect(yield* verifyViews(log, { processors })).toMatchObject({ equal: true })
        yield* foldAll(log, counting())
        expect(yield* views(log)).toMatchObject({ "/count": 560 })
        expect(yield* verifyViews(log, { processors })).toMatchObject({ equal: true })
      }),
    ))

  it("that folds nothing of the events in the log gives how many there are, the reason, and fails", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const rebuilt = (names: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const lines: Array<string> = []
            const processors = names.map((name) => counting(0, name))
            const code = yield* Effect.scoped(
              rebuildMain({ log, processors, verify: false, print: (line) => lines.push(line) }),
            )
            return { code, lines }
          })
        expect(yield* rebuilt(["counting"])).toMatchObject({ code: 0, lines: [expect.stringContaining("of 0 events")] })
        yield* write(log, some(300))
        yield* foldAll(log, counting(0, "folded"))
        const unfolded =
          "counting: 0 of 300 events were folded: a rebuild goes as far as the build before it, which had folded none; the service folds them when it starts"
        // An imported log that no service ever folded, and one with a processor that is new.
        expect(yield* rebuilt(["counting"])).toEqual({ code: 1, lines: [unfolded] })
        expect(yield* rebuilt(["folded", "counting"])).toEqual({
          code: 0,
          lines: [expect.stringContaining("folded: generation 2 of 300 events is live"), unfolded],
        })
        yield* foldAll(log, counting())
        expect(yield* verifyViews(log, { processors: [counting()] })).toMatchObject({ equal: true })
      }),
    ))

  it("removes views that no processor makes any more", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(5))
        yield* foldAll(log, counting())
        const silent = processor({ name: "counting", step: () => ({}) })
        yield* Effect.scoped(rebuildViews(log, { processors: [silent] }))
        expect(yield* views(log)).toEqual({})
      }),
    ))

  it("takes from the archive what the log no longer holds, and refuses without it", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(300))
        yield* foldAll(log, counting())
        const archive = yield* Stream.runCollect(log.read("observations", 0))
        yield* log.trim("observations", 200)
        const prefix = (_: string, before: number) =>
          Stream.map(Stream.fromIterable(archive), (batch) => ({
            ...batch,
            records: batch.records.filter(({ offset }) => offset < before),
            next: before,
          }))
        const refused = yield* Effect.exit(verifyViews(log, { processors: [counting()] }))
        expect(Exit.isFailure(refused) && JSON.stringify(refused.cause)).toContain("EventsTrimmed")
        expect(yield* verifyViews(log, { processors: [counting()], prefix })).toMatchObject({ equal: true })
        yield* Effect.scoped(rebuildViews(log, { processors: [counting()], prefix }))
        expect(yield* verifyViews(log, { processors: [counting()], prefix })).toMatchObject({ equal: true })
      }),
    ))

  it("mends a position that cannot be read", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(30))
        yield* foldAll(log, counting())
        const writer = yield* log.claim("processor/counting", ["checkpoints"])
        yield* writer.commit([{ topic: "checkpoints", key: "counting/position", value: new Uint8Array([1]) }])
        const exit = yield* Effect.exit(foldAll(log, counting()))
        expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("CheckpointUnreadable")
        yield* Effect.scoped(rebuildViews(log, { processors: [counting()] }))
        yield* foldAll(log, counting())
        expect(yield* verifyViews(log, { processors: [counting()] })).toMatchObject({ equal: true })
      }),
    ))
})
