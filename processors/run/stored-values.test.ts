import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Batch, EventLog, StoredRecord } from "../../schemas/ports/event-log.ts"
import { makePatchedValues, parsePatchKey, patchKey } from "../../schemas/value-patch.ts"
import { makeValueStore, readValues } from "./stored-values.ts"

const decoder = new TextDecoder()
const KEYS = ["/a", "/b"]

/** Values that differ in one byte, just before the closing brackets that every value has. */
const flipped = (value: Uint8Array | null): Uint8Array => {
  const bytes = Uint8Array.from(value ?? [])
  const at = bytes.length - 6
  return bytes.with(at, (bytes[at] ?? 0) ^ 1)
}

/** A log of one topic that compacts on request: it drops any record that a later one of the same key has replaced. */
const makeLog = () => {
  let records: Array<StoredRecord> = []
  let end = 0
  const store = makeValueStore({})
  const isReplaced = ({ key, offset }: StoredRecord) => records.some((one) => one.key === key && one.offset > offset)
  return {
    commit: (key: string, text: string | null) => {
      const made = store.recordsOf({ topic: "views", key, text })
      for (const { key: logKey, value } of made) records.push({ offset: end++, key: logKey, value })
      return made
    },
    compact: (chosen: (offset: number) => boolean) => {
      records = records.filter((record) => !(chosen(record.offset) && isReplaced(record)))
    },
    from: (offset: number) => records.filter((record) => record.offset >= offset),
    lose: (logKey: string) => {
      records = records.filter(({ key }) => key !== logKey)
    },
    spoil: (logKey: string) => {
      records = records.map((one) => (one.key === logKey ? { ...one, value: flipped(one.value) } : one))
    },
    end: () => end,
  }
}
type TestLog = ReturnType<typeof makeLog>

/** The log as a reader of the port sees it. `between` runs before each record is read. */
const portOf = (log: TestLog, between: () => void = () => {}): EventLog =>
  ({
    start: () => Effect.succeed(0),
    end: () => Effect.sync(log.end),
    read: (_: string, from: number) => {
      const end = log.end()
      return Stream.unfold(from, (next: number) =>
        Effect.sync(() => {
          between()
          const record = log.from(next).find(({ offset }) => offset < end)
          if (next >= end) return undefined
          const reached = record === undefined ? end : record.offset + 1
          const batch: Batch = { topic: "views", records: record === undefined ? [] : [record], next: reached }
          return [batch, reached] as const
        }),
      )
    },
  }) as unknown as EventLog

const item = (seed: number) => ({ id: seed, words: `words of ${seed} `.repeat(1 + (seed % 40)) })
const LONG = Array.from({ length: 200 }, (_, index) => index)
const edit = fc.oneof(
  { weight: 8, arbitrary: fc.record({ at: fc.nat(199), seed: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.constantFrom("long", "short", "removed") },
)
const change = fc.record({ key: fc.constantFrom(...KEYS), edit })

/** The text of each key's value after each edit in turn. */
const makeTexts = () => {
  const lists = new Map<string, ReadonlyArray<number>>(KEYS.map((key) => [key, LONG]))
  return ({ key, edit }: typeof change extends fc.Arbitrary<infer Change> ? Change : never): string | null => {
    const list = lists.get(key) ?? []
    if (typeof edit === "object") lists.set(key, list.with(edit.at % list.length, edit.seed))
    else lists.set(key, edit === "long" ? LONG : [1, 2, 3])
    return edit === "removed" ? null : JSON.stringify(lists.get(key)?.map(item))
  }
}
const step = fc.oneof(
  change.map((made) => ({ do: "commit" as const, ...made })),
  fc.record({ do: fc.constant("compact" as const), salt: fc.nat(1_000) }),
  fc.record({ do: fc.constant("read" as const), count: fc.nat(40) }),
)
const chosenBy = (salt: number) => (offset: number) => (offset * 7919 + salt) % 3 !== 0

const isPatch = (logKey: string) => parsePatchKey(logKey) !== null
const list = (seeds: ReadonlyArray<number>) => JSON.stringify(seeds.map(item))

describe("values of a compacted topic", () => {
  it("are read whole from the beginning, whatever was compacted, and leave no patch behind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.nat(1_000), async (changes, salt) => {
        const log = makeLog()
        const latest = new Map<string, string>()
        const textAfter = makeTexts()
        for (const one of changes) {
          const [key, value] = [one.key, textAfter(one)]
          log.commit(key, value)
          if (value === null) latest.delete(key)
          else latest.set(key, value)
          log.compact(chosenBy(salt))
        }
        const { values, damaged, logKeys } = await Effect.runPromise(readValues(portOf(log), "views"))
        expect([...damaged]).toEqual([])
        expect(new Map([...values].map(([key, value]) => [key, decoder.decode(value)]))).toEqual(latest)
        // A store opened on the log removes everything that the store before it would have removed.
        const after = makeValueStore({ views: logKeys })
        for (const key of KEYS) {
          const removals = after.recordsOf({ topic: "views", key, text: null }).map(({ key: logKey }) => logKey)
          expect(removals.toSorted()).toEqual(
            log
              .commit(key, null)
              .map(({ key: logKey }) => logKey)
              .toSorted(),
          )
        }
        const emptied = await Effect.runPromise(readValues(portOf(log), "views"))
        expect([...emptied.logKeys]).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it("are never a mixture for a reader that is overtaken by commits and compaction at any point", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const log = makeLog()
        const committed = new Map<string, Array<string | null>>(KEYS.map((key) => [key, [null]]))
        const seen = new Map<string, number>(KEYS.map((key) => [key, 0]))
        const reader = makePatchedValues()
        const textAfter = makeTexts()
        let next = 0
        const read = (count: number) => {
          for (const record of log.from(next).slice(0, count)) {
            next = record.offset + 1
            reader.apply(record)
            for (const { key, value } of reader.changed()) {
              // A committed value, never older than the one read before.
              const at = committed.get(key)?.indexOf(value === null ? null : decoder.decode(value), seen.get(key)) ?? -1
              expect(at).toBeGreaterThanOrEqual(0)
              seen.set(key, at)
            }
          }
        }
        for (const one of steps)
          if (one.do === "commit") {
            const value = textAfter(one)
            log.commit(one.key, value)
            committed.get(one.key)?.push(value)
          } else if (one.do === "compact") log.compact(chosenBy(one.salt))
          else read(one.count)
        read(Number.POSITIVE_INFINITY)
        expect([...reader.broken]).toEqual([])
        for (const key of KEYS) expect(committed.get(key)?.[seen.get(key) ?? 0]).toBe(committed.get(key)?.at(-1))
      }),
      { numRuns: 500 },
    )
  })

  it("take no patch over another value than its own, which compaction has taken", () => {
    const log = makeLog()
    const [first, second, third] = [0, 1_000, 2_000].map((from) => LONG.map((seed) => seed + from))
    if (first === undefined || second === undefined || third === undefined) throw new Error("a list is missing")
    for (const seeds of [first, second, second.with(3, 5), third]) log.commit("/a", list(seeds))
    log.compact((offset) => offset === 1)
    expect(log.from(0).map(({ key }) => key)).toEqual(["/a", patchKey("/a", 1), "/a", patchKey("/a", 1)])
    const reader = makePatchedValues()
    const given = log.from(0).flatMap((record) => {
      reader.apply(record)
      return reader.changed().map(({ value }) => decoder.decode(value ?? undefined))
    })
    expect(given).toEqual([list(first), list(third)])
  })

  it("are read to the end of what came meanwhile where compaction has overtaken the reader", async () => {
    const log = makeLog()
    log.commit("/a", list(LONG))
    log.commit("/a", list(LONG.with(3, 900)))
    log.commit("/a", list(LONG.with(3, 901)))
    let isOvertaken = false
    const port = portOf(log, () => {
      if (isOvertaken) return
      isOvertaken = true
      // Takes the first patch, and leaves the second: a broker cleans one segment after the other.
      log.commit("/a", list(LONG.map((seed) => seed + 1_000)))
      log.compact((offset) => offset === 1)
    })
    const { values, damaged } = await Effect.runPromise(readValues(port, "views"))
    expect([...damaged]).toEqual([])
    expect(decoder.decode(values.get("/a"))).toBe(list(LONG.map((seed) => seed + 1_000)))
  })

  it.each([
    { harm: "lose", logKey: "/a" },
    { harm: "lose", logKey: patchKey("/a", 1) },
    { harm: "spoil", logKey: "/a" },
    { harm: "spoil", logKey: patchKey("/a", 1) },
    { harm: "spoil", logKey: patchKey("/a", 2) },
  ] as const)("are damaged where the log did $harm $logKey, until they are written again", async ({ harm, logKey }) => {
    const log = makeLog()
    log.commit("/a", list(LONG))
    log.commit("/a", list(LONG.with(3, 900)))
    log.commit("/a", list(LONG.with(3, 900).with(9, 901)))
    expect(log.from(0).map(({ key }) => key)).toEqual(["/a", patchKey("/a", 1), patchKey("/a", 2)])
    log[harm](logKey)
    const { values, damaged, logKeys } = await Effect.runPromise(readValues(portOf(log), "views"))
    expect([[...values.keys()], [...damaged]]).toEqual([[], ["/a"]])
    const mended = makeValueStore({ views: logKeys }).recordsOf({ topic: "views", key: "/a", text: list(LONG) })
    expect(mended.map(({ key, value }) => [key, value === null])).toEqual([
      ["/a", false],
      ...[1, 2].map((number) => patchKey("/a", number)).flatMap((key) => (logKeys.has(key) ? [[key, true]] : [])),
    ])
  })

  it("write what differs, whole again from time to time, and the removals behind it", () => {
    const log = makeLog()
    const bytes = (records: ReturnType<typeof log.commit>) =>
      records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
    const thousand = Array.from({ length: 1_000 }, (_, index) => index)
    const whole = bytes(log.commit("/a", list(thousand)))
    let total = whole
    let items: ReadonlyArray<number> = thousand
    for (let n = 0; n < 1_000; n += 1) {
      // One goes, one comes, one changes.
      items = [2_000 + n, ...items.toSpliced((n * 7) % 999, 1)].with((n * 11) % 999, 5_000 + n)
      const records = log.commit("/a", list(items))
      total += bytes(records)
      const [first, ...others] = records
      expect(others.every(({ key, value }) => isPatch(key) && value === null)).toBe(true)
      if (others.length > 0) expect(first?.key).toBe("/a")
      else expect(bytes(records)).toBeLessThan(4_000)
    }
    // Writing all of them whole would cost a thousand times the value.
    expect(total).toBeLessThan(20 * whole)
  })

  it("are written whole where most of them differs, after a start, and where they are small", () => {
    const log = makeLog()
    const keysOf = (records: ReturnType<typeof log.commit>) => records.map(({ key }) => key)
    expect(keysOf(log.commit("/a", list(LONG)))).toEqual(["/a"])
    expect(keysOf(log.commit("/a", list(LONG.map((seed) => seed + 1_000))))).toEqual(["/a"])
    expect(keysOf(log.commit("/b", "small 1"))).toEqual(["/b"])
    expect(keysOf(log.commit("/b", "small 2"))).toEqual(["/b"])
    log.commit("/a", list(LONG.map((seed) => seed + 1_000).with(3, 1)))
    const begun = makeValueStore({ views: log.from(0).map(({ key }) => key) })
    expect(keysOf(begun.recordsOf({ topic: "views", key: "/a", text: list(LONG) }))).toEqual(["/a", patchKey("/a", 1)])
  })

  it("of checkpoints are patched over the value that the fold renders again, and only over that", () => {
    const store = makeValueStore({})
    const [first, second, third] = [LONG, LONG.with(3, 900), LONG.with(3, 900).with(9, 901)].map(list)
    if (first === undefined || second === undefined || third === undefined) throw new Error("a value is missing")
    const keysOf = (text: string, before?: string) =>
      store
        .recordsOf({ topic: "checkpoints", key: "/a", text, ...(before === undefined ? {} : { before: () => before }) })
        .map(({ key }) => key)
    expect(keysOf(first)).toEqual(["/a"])
    expect(keysOf(second, first)).toEqual([patchKey("/a", 1)])
    // Another value than the one that was committed, as if a step had changed an object of the state.
    expect(keysOf(third, first)).toEqual(["/a", patchKey("/a", 1)])
    expect(keysOf(first, third)).toEqual([patchKey("/a", 1)])
    expect(keysOf(second)).toEqual(["/a", patchKey("/a", 1)])
  })
})
