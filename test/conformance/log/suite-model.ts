import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe } from "vitest"
import type { FencedWriter, LogRecord, Offset } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { type MakeHarness, openAdapter, readThrough, record, textOf } from "./harness.ts"

const TOPICS: ReadonlyArray<Topic> = ["observations", "deltas", "views", "checkpoints"]
const WRITERS = ["ingest", "processor/a"] as const
const compacted = (topic: Topic): boolean => topicPolicy(topic).kept === "compacted"

interface ModelRecord {
  readonly offset: Offset
  readonly key: string
  readonly text: string | null
}

/** A naive model of the log: in memory, in one process, without limits. */
class Model {
  readonly #topics = new Map<Topic, Array<ModelRecord>>(topicNames.map((topic) => [topic, []]))
  readonly end = new Map<Topic, Offset>()

  commit(records: ReadonlyArray<LogRecord>, offsets: ReadonlyArray<Offset>): void {
    for (const [index, one] of records.entries()) {
      const offset = offsets[index] ?? -1
      expect(offset).toBeGreaterThanOrEqual(this.end.get(one.topic) ?? 0)
      this.end.set(one.topic, offset + 1)
      const kept = (this.#topics.get(one.topic) ?? []).filter(({ key }) => !(compacted(one.topic) && key === one.key))
      this.#topics.set(one.topic, [...kept, { offset, key: one.key, text: textOf({ ...one, offset }) }])
    }
  }

  trim(topic: Topic, before: Offset): void {
    this.#topics.set(topic, this.read(topic, before))
  }

  read(topic: Topic, from: Offset): Array<ModelRecord> {
    return (this.#topics.get(topic) ?? []).filter(({ offset }) => offset >= from)
  }
}

type Step =
  | { readonly do: "claim"; readonly writer: number }
  | {
      readonly do: "commit"
      readonly writer: number
      readonly stale: boolean
      readonly records: ReadonlyArray<LogRecord>
    }
  | { readonly do: "read"; readonly topic: Topic; readonly part: number }
  | { readonly do: "trim"; readonly topic: Topic; readonly part: number }

const part = fc.integer({ min: 0, max: 100 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("claim" as const), writer: fc.nat(WRITERS.length - 1) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      writer: fc.nat(WRITERS.length - 1),
      stale: fc.boolean(),
      records: fc.array(
        fc
          .tuple(fc.constantFrom(...TOPICS), fc.constantFrom("a", "b", "c"), fc.option(fc.string({ maxLength: 12 })))
          .map(([topic, key, text]) => record(topic, key, compacted(topic) ? text : (text ?? ""))),
        { maxLength: 6 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read" as const), topic: fc.constantFrom(...TOPICS), part }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("trim" as const),
      topic: fc.constantFrom<Topic>("observations", "deltas"),
      part,
    }),
  },
)

/** Runs the steps on a log and on the model, and compares the results. */
const agree = (makeHarness: MakeHarness, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const harness = yield* makeHarness
    const log = yield* openAdapter(harness.adapter)
    const model = new Model()
    const holders = new Map<number, FencedWriter>()
    const fenced = new Map<number, FencedWriter>()

    const claim = (writer: number) =>
      Effect.gen(function* () {
        const held = holders.get(writer)
        if (held !== undefined) fenced.set(writer, held)
        const claimed = yield* log.claim(WRITERS[writer] ?? "ingest", TOPICS)
        for (const topic of TOPICS) expect(claimed.ends[topic]).toBeGreaterThanOrEqual(model.end.get(topic) ?? 0)
        holders.set(writer, claimed)
        return claimed
      })
    const compare = (topic: Topic, from: Offset) =>
      Effect.gen(function* () {
        const upTo = Math.max(from, model.end.get(topic) ?? 0)
        const seen = yield* readThrough(log, topic, from, upTo)
        const known = seen.map((stored) => ({ offset: stored.offset, key: stored.key, text: textOf(stored) }))
        // Engines remove overwritten records at different times: only the latest of each key is guaranteed.
        const latest = (records: ReadonlyArray<ModelRecord>) =>
          compacted(topic) ? [...new Map(records.map((one) => [one.key, one])).values()] : records
        expect(new Set(latest(known))).toEqual(new Set(model.read(topic, from)))
        if (!compacted(topic)) expect(known).toEqual(model.read(topic, from))
      })
    const place = (topic: Topic, percent: number) => Math.floor(((model.end.get(topic) ?? 0) * percent) / 100)

    for (const one of steps) {
      if (one.do === "claim") yield* claim(one.writer)
      else if (one.do === "commit") {
        const stale = one.stale ? fenced.get(one.writer) : undefined
        if (stale !== undefined) expect((yield* Effect.flip(stale.commit(one.records)))._tag).toBe("Fenced")
        else {
          const writer = holders.get(one.writer) ?? (yield* claim(one.writer))
          model.commit(one.records, (yield* writer.commit(one.records)).offsets)
        }
      } else if (one.do === "read") yield* compare(one.topic, place(one.topic, one.part))
      else {
        const before = place(one.topic, one.part)
        yield* readThrough(log, one.topic, before, model.end.get(one.topic) ?? 0)
        yield* log.trim(one.topic, before)
        model.trim(one.topic, before)
      }
    }
    for (const topic of TOPICS) yield* compare(topic, 0)
  })

/** The comparison with the model. */
export const modelTests = (makeHarness: MakeHarness, runs: number): void => {
  describe("any sequence of claims, commits, reads and trims", () => {
    it(
      "gives the same results as a naive model in memory",
      () =>
        fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) =>
            Effect.runPromise(Effect.scoped(agree(makeHarness, steps))),
          ),
          { numRuns: runs },
        ),
      300_000 + runs * 5_000,
    )
  })
}
