import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect, Exit, Fiber, Option, References, type Scope, Stream } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { type EventLog, LogFull } from "../../../infra/log/event-log.port.ts"
import { openLmdbLog } from "../../../infra/log/lmdb.ts"
import { loadCheckpoint } from "../../../processors/checkpoint.ts"
import { chunksOfOthers, readChunks } from "../../../processors/digest-chunks.ts"
import { type Processor, processor, type Step } from "../../../processors/processor.ts"
import { rebuildViews } from "../../../processors/rebuild.ts"
import { rebuildMain } from "../../../processors/rebuild-cli.ts"
import { type ProcessorStopped, runProcessor } from "../../../processors/runner.ts"
import { verifyViews } from "../../../processors/verify.ts"
import { type EventType, encodeEvent } from "../../../schemas/event.ts"
import { feedProbed } from "../../../schemas/events/deltas.ts"
import { feedObserved } from "../../../schemas/events/observations.ts"
import { type Given, observed, tick } from "../../support/folding.ts"

const paths: Array<string> = []
afterEach(() => {
  for (const path of paths.splice(0)) rmSync(path, { recursive: true, force: true })
})

const withLog = <A, E>(use: (log: EventLog) => Effect.Effect<A, E, Scope.Scope>): Promise<A> => {
  const path = mkdtempSync(join(tmpdir(), "tidewire-runner-"))
  paths.push(path)
  return Effect.runPromise(
    Effect.scoped(Effect.flatMap(openLmdbLog({ path }), use)).pipe(
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  )
}

/** Counts observations, in state, in a view and as derived events; every tick is a view of its own. */
const counting = (from = 0, name = "counting"): Processor =>
  processor({
    name,
    step: (state, event, nowMs): Step => {
      if (event.type !== feedObserved.type)
        return { views: [{ key: "/tick", body: { v: 1, updatedAt: event.time, data: nowMs } }] }
      const count = Number(state.get("count") ?? from) + 1
      return {
        state: [["count", count]],
        views: [{ key: "/count", body: { v: 1, updatedAt: event.time, data: count } }],
        events: [
          {
            type: feedProbed as unknown as EventType,
            subject: "things",
            data: { feed: "things", parameters: {}, provider: "A", verdict: "ok", probedAt: event.time, ageMs: count },
          },
        ],
      }
    },
  })

/** Where the sealed digests of a generation begin. */
const ordinals = (log: EventLog, generation: number) =>
  Effect.map(readChunks(log, "counting", generation), (chunks) => chunks.map(({ ordinal }) => ordinal))

let ids = 0
const write = (log: EventLog, events: ReadonlyArray<Given | Uint8Array>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim("ingest", ["observations"])
      yield* writer.commit(
        events.map((one) => ({
          topic: "observations" as const,
          key: "things",
          value: typeof one === "function" ? encodeEvent(one(`e${ids++}`)) : one,
        })),
      )
    }),
  )
const some = (count: number, fromMs = 0): ReadonlyArray<Given> =>
  Array.from({ length: count }, (_, index) =>
    index % 5 === 4 ? tick(fromMs + index * 1000) : observed(fromMs + index * 1000, "things", index),
  )

/** Runs a processor until it has folded what the log holds. */
const foldAll = (log: EventLog, one: Processor): Effect.Effect<void, ProcessorStopped> =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const run = Effect.scoped(
      runProcessor({ log, processor: one, ready: Deferred.succeed(reached, undefined).pipe(Effect.asVoid) }),
    )
    yield* Effect.raceFirst(run, Deferred.await(reached))
  })

const views = (log: EventLog) =>
  Effect.gen(function* () {
    const all = new Map<string, unknown>()
    yield* Stream.runForEach(log.read("views", 0), ({ records }) =>
      Effect.sync(() => {
        for (const { key, value } of records)
          if (value === null) all.delete(key)
          else all.set(key, JSON.parse(new TextDecoder().decode(value)).data)
      }),
    )
    return Object.fromEntries(all)
  })
const derivedCount = (log: EventLog) =>
  Stream.runFold(
    log.read("deltas", 0),
    () => 0,
    (sum, { records }) => sum + records.length,
  )

describe("the runner", () => {
  it("folds what the log holds and what comes, through restarts, exactly once", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(1500))
        yield* foldAll(log, counting())
        yield* write(log, some(10, 2_000_000))
        yield* foldAll(log, counting())
        expect(yield* views(log)).toEqual({ "/count": 1208, "/tick": 2_009_000 })
        expect(yield* derivedCount(log)).toBe(1208)
        expect(yield* verifyViews(log, { processors: [counting()] })).toMatchObject({ equal: true, foreignViews: [] })
      }),
    ))

  it("folds on as events come", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkScoped(runProcessor({ log, processor: counting() }))
        yield* write(log, some(7))
        yield* Stream.runHead(Stream.filter(log.follow("deltas", 5), ({ records }) => records.length > 0))
        expect(yield* views(log)).toMatchObject({ "/count": 6 })
        yield* Fiber.interrupt(running)
      }),
    ))

  it.each([
    [
      "newer than it",
      new TextEncoder().encode(
        JSON.stringify({ type: "feed.observed", v: 99, id: "x", time: "2026-01-01T00:00:00.000Z", data: {} }),
      ),
      "NewerEvent",
    ],
    [
      "of an unknown type",
      new TextEncoder().encode(
        JSON.stringify({ type: "x.y", v: 1, id: "x", time: "2026-01-01T00:00:00.000Z", data: {} }),
      ),
      "NewerEvent",
    ],
    ["that is not JSON", new Uint8Array([123]), "MalformedEvent"],
  ])("stops at an event %s, keeps what came before and skips nothing", (_, bytes, tag) =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, [...some(3), bytes, ...some(3, 10_000)])
        for (const attempt of [1, 2]) {
          const exit = yield* Effect.exit(foldAll(log, counting()))
          expect([attempt, Exit.isFailure(exit) && JSON.stringify(exit.cause)]).toEqual([
            attempt,
            expect.stringContaining(tag),
          ])
          expect(yield* views(log)).toEqual({ "/count": 3 })
        }
        expect((yield* loadCheckpoint(log, "counting")).position).toMatchObject({ next: 3, count: 3 })
      }),
    ),
  )

  it("stops when another process has claimed its name", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(3))
        const running = yield* Effect.forkScoped(runProcessor({ log, processor: counting() }))
        yield* Stream.runHead(log.follow("deltas", 0))
        yield* log.claim("processor/counting", ["checkpoints", "views", "deltas"])
        yield* write(log, some(3, 10_000))
        const exit = yield* Fiber.await(running)
        expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("Fenced")
        expect(yield* derivedCount(log)).toBe(3)
      }),
    ))

  it("waits while the disk is full, and loses nothing", () =>
    withLog((log) =>
      Effect.gen(function* () {
        let refusals = 2
        const cramped: EventLog = {
          ...log,
          claim: (writer, topics) =>
            Effect.map(log.claim(writer, topics), (held) => ({
              ...held,
              commit: (records) =>
                Effect.suspend(() =>
                  refusals-- > 0 ? Effect.fail(new LogFull({ problem: "test" })) : held.commit(records),
                ),
            })),
        }
        yield* write(log, some(5))
        yield* foldAll(cramped, counting())
        expect(yield* views(log)).toMatchObject({ "/count": 4 })
        expect(yield* derivedCount(log)).toBe(4)
      }),
    ))

  it("refuses to go on where observations that it needs were trimmed", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(3))
        yield* foldAll(log, counting())
        yield* write(log, some(6, 10_000))
        yield* log.trim("observations", 5)
        const exit = yield* Effect.exit(foldAll(log, counting()))
        expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("ObservationsTrimmed")
      }),
    ))

  it("gives up digests of events that the log no longer holds", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(600))
        yield* foldAll(log, counting())
        expect(yield* ordinals(log, 1)).toEqual([0, 256])
        yield* log.trim("observations", 300)
        yield* write(log, some(300, 1_000_000))
        yield* foldAll(log, counting())
        yield* write(log, some(1, 2_000_000))
        yield* foldAll(log, counting())
        expect(yield* ordinals(log, 1)).toEqual([256, 512])
      }),
    ))
})

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
          `  the builds part at event ${expected} (feed.observed, offset 411): its step says something else`,
        )
        expect(lines.at(-1)).toContain("NOT")
      }),
    ))

  it("finds a damaged view, a foreign view, and a derived event that was told twice", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* built(log)
        const told = Option.getOrThrow(yield* Stream.runHead(log.read("deltas", 0))).records[0]
        const body = new TextEncoder().encode(JSON.stringify({ v: 1, updatedAt: "2026-01-01T00:00:00.000Z", data: 1 }))
        const writer = yield* log.claim("processor/counting", ["views", "deltas"])
        yield* writer.commit([
          { topic: "views", key: "/count", value: body },
          { topic: "views", key: "/foreign", value: body },
          { topic: "deltas", key: told?.key ?? "", value: told?.value ?? null },
        ])
        const { equal, comparisons, foreignViews } = yield* verifyViews(log, { processors: [counting()] })
        expect(equal).toBe(false)
        expect(foreignViews).toEqual(["/foreign"])
        expect(comparisons[0]?.parting).toMatchObject({ offset: 0, what: "derived" })
        expect(comparisons[0]?.differences).toEqual(
          expect.arrayContaining(["view /count", expect.stringMatching(/^derived .*\/counting\/0: told twice$/)]),
        )
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
  it("makes the views of a changed fold, tells nothing again, and the next start goes on from it", () =>
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
        const { position, leftovers } = yield* loadCheckpoint(log, "counting")
        expect(position).toMatchObject({ generation: 2, toldFrom: 700, count: 705 })
        expect(leftovers).toEqual([])
      }),
    ))

  it("leaves no digests behind: of the build that it replaces, nor of one that was cut short", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(700))
        yield* foldAll(log, counting())
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
        const cut = yield* Effect.exit(Effect.scoped(rebuildViews(withoutPosition, { processors: [counting(1000)] })))
        expect(Exit.isFailure(cut) && JSON.stringify(cut.cause)).toContain("LogFull")
        expect(yield* ordinals(log, 2)).toEqual([0, 256])
        yield* foldAll(log, counting())
        expect(yield* ordinals(log, 1)).toEqual([0, 256])
        expect(yield* chunksOfOthers(log, "counting", 1)).toEqual([])

        const [rebuilt] = yield* Effect.scoped(rebuildViews(log, { processors: [counting()] }))
        const generation = rebuilt?.generation ?? 0
        expect(yield* chunksOfOthers(log, "counting", generation)).toHaveLength(2)
        yield* foldAll(log, counting())
        expect(yield* ordinals(log, generation)).toEqual([0, 256])
        expect(yield* chunksOfOthers(log, "counting", generation)).toEqual([])
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
        const prefix = (before: number) =>
          Stream.map(Stream.fromIterable(archive), (batch) => ({
            ...batch,
            records: batch.records.filter(({ offset }) => offset < before),
            next: before,
          }))
        const refused = yield* Effect.exit(verifyViews(log, { processors: [counting()] }))
        expect(Exit.isFailure(refused) && JSON.stringify(refused.cause)).toContain("ObservationsTrimmed")
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
