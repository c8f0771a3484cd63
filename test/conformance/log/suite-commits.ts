import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { describe } from "vitest"
import { type FencedWriter, RECORD_MAX_BYTES } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import {
  claimIn,
  endOf,
  type MakeHarness,
  openAdapter,
  readThrough,
  record,
  spawnWriter,
  textOf,
  wire,
} from "./harness.ts"

const TOPICS: ReadonlyArray<Topic> = ["observations", "deltas", "checkpoints"]
const CROWD = 300

/** The error of a commit. */
const refusal = (writer: FencedWriter, ...records: Parameters<FencedWriter["commit"]>[0]) =>
  writer.commit(records).pipe(
    Effect.flip,
    Effect.map((error) => error._tag),
  )

/** The guarantees of commits and claims. */
export const commitTests = (makeHarness: MakeHarness): void => {
  const opened = Effect.gen(function* () {
    const harness = yield* makeHarness
    return { harness, log: yield* openAdapter(harness.adapter) }
  })

  describe("commit", () => {
    it.live("keeps the order of calls, and gives the offsets of the records", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const writer = yield* log.claim("ingest", TOPICS)
        const offsets: Array<number> = []
        for (let n = 0; n < 20; n++) {
          const committed = yield* writer.commit([
            record("observations", "a", `${2 * n}`),
            record("deltas", "x", `between ${n}`),
            record("observations", "b", `${2 * n + 1}`),
          ])
          expect(committed.offsets).toHaveLength(3)
          offsets.push(committed.offsets[0] ?? -1, committed.offsets[2] ?? -1)
        }
        const records = yield* readThrough(log, "observations", 0, endOf(offsets))
        expect(records.map(textOf)).toEqual(Array.from({ length: 40 }, (_, n) => `${n}`))
        expect(records.map(({ key }) => key)).toEqual(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? "a" : "b")))
        expect(records.map(({ offset }) => offset)).toEqual(offsets)
        expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b))
      }),
    )

    it.live("keeps each of many concurrent commits, in the order of the calls, over all topics", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const writer = yield* log.claim("ingest", TOPICS)
        const commits = yield* Effect.forEach(
          Array.from({ length: CROWD }, (_, n) => n),
          (n) =>
            writer.commit([
              record("observations", "n", `${n}`),
              record("deltas", "n", `${n}`),
              record("checkpoints", `key-${n}`, `${n}`),
            ]),
          { concurrency: "unbounded" },
        )
        const expected = Array.from({ length: CROWD }, (_, n) => `${n}`)
        for (const [index, topic] of TOPICS.entries()) {
          const offsets = commits.map((committed) => committed.offsets[index] ?? -1)
          const records = yield* readThrough(log, topic, 0, endOf(offsets))
          expect(records.map(textOf)).toEqual(expected)
          expect(records.map(({ offset }) => offset)).toEqual(offsets)
        }
      }),
    )

    it.live("without records writes nothing, and is fenced all the same", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const writer = yield* log.claim("ingest", TOPICS)
        expect((yield* writer.commit([])).offsets).toEqual([])
        const { offsets } = yield* writer.commit([record("deltas", "a", "1")])
        expect((yield* readThrough(log, "deltas", 0, endOf(offsets))).map(textOf)).toEqual(["1"])
        // An empty commit tests whether the claim still holds.
        yield* log.claim("ingest", TOPICS)
        expect(yield* refusal(writer)).toBe("Fenced")
      }),
    )

    it.live("writes nothing of a commit with an oversized record, and accepts later commits", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const writer = yield* log.claim("ingest", TOPICS)
        const large = { topic: "deltas" as const, key: "large", value: new Uint8Array(RECORD_MAX_BYTES) }
        expect(yield* refusal(writer, record("observations", "torn", "1"), large)).toBe("RecordTooLarge")
        // Commits that wait beside a refused one are not refused with it.
        const [beside, refused, alsoBeside] = yield* Effect.all(
          [
            writer.commit([record("observations", "a", "1")]),
            refusal(writer, record("observations", "torn", "2"), large),
            writer.commit([record("observations", "a", "2")]),
          ],
          { concurrency: "unbounded" },
        )
        expect(refused).toBe("RecordTooLarge")
        const records = yield* readThrough(log, "observations", 0, endOf([...beside.offsets, ...alsoBeside.offsets]))
        expect(records.map(textOf)).toEqual(["1", "2"])
        expect(records.every(({ key }) => key === "a")).toBe(true)
      }),
    )

    it.live("accepts the largest record of the port's contract", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const writer = yield* log.claim("ingest", TOPICS)
        const value = new Uint8Array(RECORD_MAX_BYTES - 5).fill(7)
        const { offsets } = yield* writer.commit([{ topic: "observations", key: "large", value }])
        const [stored] = yield* readThrough(log, "observations", 0, endOf(offsets))
        expect(stored?.value?.length).toBe(value.length)
        expect(Buffer.compare(stored?.value ?? new Uint8Array(), value)).toBe(0)
      }),
    )

    it.live("refuses an unknown topic in every operation, and continues", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        // Excluded by the type, but possible with another version of Tidewire on the same log.
        const unknown = "nowhere" as Topic
        const writer = yield* log.claim("ingest", TOPICS)
        expect(yield* refusal(writer, record("observations", "torn", "1"), record(unknown, "a", "1"))).toBe(
          "UnknownTopic",
        )
        expect((yield* Effect.flip(log.claim("other", [unknown])))._tag).toBe("UnknownTopic")
        expect((yield* Effect.flip(log.end(unknown)))._tag).toBe("UnknownTopic")
        expect((yield* Effect.flip(log.start(unknown)))._tag).toBe("UnknownTopic")
        const { offsets } = yield* writer.commit([record("observations", "a", "2")])
        expect((yield* readThrough(log, "observations", 0, endOf(offsets))).map(textOf)).toEqual(["2"])
      }),
    )

    it.live("appends usage and replies without a claim", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const usage = (text: string) => ({ ...record("usage", "instance", text), topic: "usage" as const })
        yield* Effect.forEach([..."abcdefgh"], (text) => log.append([usage(text)]), { concurrency: "unbounded" })
        yield* log.append([usage("i"), usage("j")])
        const end = yield* log.end("usage")
        const seen = (yield* readThrough(log, "usage", 0, Math.max(end, 10))).map(textOf)
        expect(new Set(seen)).toEqual(new Set("abcdefghij"))
        yield* log.append([{ ...record("replies", "a debit", "k"), topic: "replies" }])
        expect((yield* readThrough(log, "replies", 0, yield* log.end("replies"))).map(textOf)).toEqual(["k"])
        const large = { topic: "usage" as const, key: "large", value: new Uint8Array(RECORD_MAX_BYTES) }
        expect((yield* Effect.flip(log.append([large])))._tag).toBe("RecordTooLarge")
      }),
    )
  })

  describe("claim", () => {
    it.live("has every commit of earlier writers below its ends", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const first = yield* log.claim("ingest", TOPICS)
        yield* Effect.forEach(
          Array.from({ length: 50 }, (_, n) => n),
          (n) => first.commit([record("observations", "n", `${n}`), record("checkpoints", "state", `${n}`)]),
          { concurrency: "unbounded" },
        )
        const second = yield* log.claim("ingest", TOPICS)
        // Without waiting: the claim guarantees that it is visible.
        const seen = yield* readThrough(log, "observations", 0, second.ends.observations ?? 0)
        expect(seen.map(textOf)).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`))
        const state = yield* readThrough(log, "checkpoints", 0, second.ends.checkpoints ?? 0)
        expect(
          state
            .filter(({ key }) => key === "state")
            .map(textOf)
            .at(-1),
        ).toBe("49")
        expect(Object.keys(second.ends).sort()).toEqual([...TOPICS].sort())
      }),
    )

    it.live("fences the earlier claim of the name for good, and no other name", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const other = yield* log.claim("processor/other", TOPICS)
        const first = yield* log.claim("ingest", TOPICS)
        yield* first.commit([record("deltas", "a", "first")])
        const second = yield* log.claim("ingest", TOPICS)
        expect(yield* refusal(first, record("deltas", "a", "fenced"))).toBe("Fenced")
        yield* second.commit([record("deltas", "a", "second")])
        expect(yield* refusal(first, record("deltas", "a", "fenced"))).toBe("Fenced")
        yield* other.commit([record("deltas", "a", "other")])
        const { offsets } = yield* second.commit([record("deltas", "a", "last")])
        const seen = yield* readThrough(log, "deltas", 0, endOf(offsets))
        expect(seen.map(textOf)).toEqual(["first", "second", "other", "last"])
      }),
    )

    it.live("fences a writer on another open log, also during its commits", () =>
      Effect.gen(function* () {
        const { harness, log } = yield* opened
        const elsewhere = yield* openAdapter(harness.adapter)
        const first = yield* log.claim("ingest", TOPICS)
        const attempts = yield* Effect.forEach(
          Array.from({ length: CROWD }, (_, n) => n),
          (n) => Effect.exit(first.commit([record("deltas", "n", `${n}`)])),
          { concurrency: "unbounded" },
        ).pipe(Effect.forkChild)
        const second = yield* elsewhere.claim("ingest", TOPICS)
        const exits = yield* Fiber.join(attempts)
        const numbersOf = (accepts: (exit: (typeof exits)[number]) => boolean) =>
          exits.flatMap((exit, n) => (accepts(exit) ? [n] : []))
        const acknowledged = numbersOf(Exit.isSuccess)
        const unknown = numbersOf(
          (exit) => Option.getOrUndefined(Exit.findErrorOption(exit))?._tag === "OutcomeUnknown",
        )
        const { offsets } = yield* second.commit([record("deltas", "n", "second")])
        const seen = (yield* readThrough(elsewhere, "deltas", 0, endOf(offsets))).map(textOf)
        expect(seen.pop()).toBe("second")
        const numbers = seen.map(Number)
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
        expect(numbers.filter((n) => !unknown.includes(n))).toEqual(acknowledged)
        expect(yield* refusal(first, record("deltas", "n", "late"))).toBe("Fenced")
      }),
    )

    it.live("lets a writer be claimed again after its scope has closed", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        const scope = yield* Scope.make()
        const first = yield* log.claim("ingest", TOPICS).pipe(Scope.provide(scope))
        yield* first.commit([record("deltas", "a", "1")])
        yield* Scope.close(scope, Exit.void)
        const second = yield* log.claim("ingest", TOPICS)
        const { offsets } = yield* second.commit([record("deltas", "a", "2")])
        expect((yield* readThrough(log, "deltas", 0, endOf(offsets))).map(textOf)).toEqual(["1", "2"])
      }),
    )

    it.live("gives the turn to a single process at once", () =>
      Effect.gen(function* () {
        const { log } = yield* opened
        yield* log.awaitTurn("ingest")
        yield* log.claim("ingest", TOPICS)
      }),
    )

    it.live("refuses a process that was suspended and continues after another claim", () =>
      Effect.gen(function* () {
        const { harness, log } = yield* opened
        const child = yield* spawnWriter(harness.adapter)
        yield* claimIn(child, "ingest", TOPICS)
        child.send({ do: "commit", id: "before", records: [wire("deltas", "a", "before")] })
        expect((yield* child.outcome("before")).said).toBe("committed")
        child.signal("SIGSTOP")
        child.send({
          do: "commit",
          id: "late",
          records: [wire("deltas", "a", "late"), wire("checkpoints", "a", "late")],
        })
        const writer = yield* log.claim("ingest", TOPICS)
        yield* writer.commit([record("deltas", "a", "taken over")])
        child.signal("SIGCONT")
        expect(yield* child.outcome("late")).toMatchObject({ said: "failed", error: "Fenced" })
        child.send({ do: "commit", id: "again", records: [wire("deltas", "a", "again")] })
        expect(yield* child.outcome("again")).toMatchObject({ said: "failed", error: "Fenced" })
        const { offsets } = yield* writer.commit([record("deltas", "a", "still here")])
        const seen = yield* readThrough(log, "deltas", 0, endOf(offsets))
        expect(seen.map(textOf)).toEqual(["before", "taken over", "still here"])
      }),
    )
  })
}
