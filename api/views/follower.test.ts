import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { type Batch, type EventLog, LogUnavailable, type StoredRecord } from "../../schemas/ports/event-log.ts"
import { encodePatch, patchKey, valueHash } from "../../schemas/value-patch.ts"
import { contract, START_MS } from "../testing/api-under-test.ts"
import { waitFor } from "../testing/wait-for.ts"
import { followViews } from "./follower.ts"
import { ViewStore } from "./store.ts"

const at = new Date(START_MS).toISOString()
const body = (offset: number, data: unknown, v = 2): StoredRecord => ({
  offset,
  key: "/api/things",
  value: new TextEncoder().encode(JSON.stringify({ v, changedAt: at, data })),
})
const batch = (records: ReadonlyArray<StoredRecord>): Batch => ({
  topic: "views",
  records,
  next: (records.at(-1)?.offset ?? -1) + 1,
})

/** A log that holds some records and gets more; it notes from where it was read. */
const makeLog = (held: ReadonlyArray<StoredRecord>) => {
  const live = Effect.runSync(Queue.unbounded<Batch>())
  const followedFrom: Array<number> = []
  const log = {
    start: () => Effect.succeed(0),
    read: (_: string, from: number) =>
      Stream.fromIterable(held.filter(({ offset }) => offset >= from).map((record) => batch([record]))),
    follow: (_: string, from: number) => {
      followedFrom.push(from)
      return Stream.fromQueue(live)
    },
  } as unknown as EventLog
  return {
    log,
    followedFrom,
    push: (...records: ReadonlyArray<StoredRecord>) => Queue.offerUnsafe(live, batch(records)),
  }
}

const makeStore = () => new ViewStore({ endpoints: contract, nowMs: () => START_MS })
const items = (store: ViewStore) => {
  const bytes = store.get("/api/things")?.representations.identity.bytes
  return bytes === undefined ? undefined : JSON.parse(bytes.toString()).data.items
}
const start = (log: EventLog, store: ViewStore) =>
  Effect.runFork(Effect.scoped(followViews(log, store, () => START_MS)))

describe("following views", () => {
  it("is caught up when everything that the log held is prepared, and then follows", async () => {
    const { log, followedFrom, push } = makeLog([body(3, { items: ["a"] }), body(7, { items: ["b"] })])
    const store = makeStore()
    expect(store.caughtUp).toBe(false)
    const fiber = start(log, store)
    await waitFor(() => expect(store.caughtUp).toBe(true))
    expect(items(store)).toEqual(["b"])
    await waitFor(() => expect(followedFrom).toEqual([8]))
    push(body(8, { items: ["c"] }))
    await waitFor(() => expect(items(store)).toEqual(["c"]))
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it("is caught up at once on an empty log", async () => {
    const store = makeStore()
    const fiber = start(makeLog([]).log, store)
    await waitFor(() => expect(store.caughtUp).toBe(true))
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it("goes on from where it stood when it is run again", async () => {
    const store = makeStore()
    const first = makeLog([body(0, { items: ["a"] }), body(1, { items: ["b"] })])
    const broken = {
      ...first.log,
      follow: () => Stream.fail(new LogUnavailable({ problem: "gone", cause: null })),
    } as unknown as EventLog
    await expect(Effect.runPromise(Effect.scoped(followViews(broken, store)))).rejects.toThrow("unavailable")
    const second = makeLog([body(2, { items: ["c"] })])
    const fiber = start(second.log, store)
    await waitFor(() => expect(second.followedFrom).toEqual([3]))
    expect(items(store)).toEqual(["c"])
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it("halts at a newer record, is never caught up, and serves what it has", async () => {
    const store = makeStore()
    const { log, followedFrom } = makeLog([
      body(0, { items: ["a"] }),
      body(1, { items: [] }, 3),
      body(2, { items: ["c"] }),
    ])
    const fiber = start(log, store)
    await waitFor(() => expect(store.halted).toMatch(/newer/))
    await waitFor(() => expect(items(store)).toEqual(["a"]))
    expect(store.caughtUp).toBe(false)
    expect(followedFrom).toEqual([])
    await Effect.runPromise(Fiber.interrupt(fiber))
  })
})

describe("a view that changes by patches", () => {
  const words = "words that stay ".repeat(100)
  const bytesOf = (one: string) => body(0, { items: [words, one] }).value ?? new Uint8Array()
  const whole = (offset: number, one: string): StoredRecord => ({ offset, key: "/api/things", value: bytesOf(one) })
  const END = '"]}}'.length
  /** The patch that makes one body of another, whose text goes on where that of the first ends. */
  const patch = (offset: number, number: number, [before, after]: readonly [string, string]): StoredRecord => {
    const [old, now] = [bytesOf(before), bytesOf(after)]
    const parts = [{ from: 0, count: old.length - END }, now.subarray(old.length - END)]
    return {
      offset,
      key: patchKey("/api/things", number),
      value: encodePatch({ before: valueHash(old), after: valueHash(now), parts }),
    }
  }
  const gone = (offset: number, number: number): StoredRecord => ({
    offset,
    key: patchKey("/api/things", number),
    value: null,
  })
  const last = (store: ViewStore) => items(store)?.[1]
  const other = (offset: number, summary: string): StoredRecord => ({
    ...body(offset, { summary, sections: { count: 1 } }),
    key: "/api/digest",
  })
  const others = (store: ViewStore) => {
    const text = store.dataOf("/api/digest")?.data?.bytes.toString()
    return text === undefined ? undefined : JSON.parse(text).summary
  }
  /** What is read now, and what the log holds besides: `end` is behind all of it. */
  const growing = (held: ReadonlyArray<StoredRecord>, later: ReadonlyArray<StoredRecord>) => {
    const made = makeLog(held)
    let reads = 0
    const log = {
      ...made.log,
      end: () => Effect.succeed(([...held, ...later].at(-1)?.offset ?? -1) + 1),
      read: (_: string, from: number) => {
        reads += 1
        const there = reads === 1 ? held : [...held, ...later]
        return Stream.fromIterable(there.filter(({ offset }) => offset >= from).map((record) => batch([record])))
      },
    } as unknown as EventLog
    return { ...made, log }
  }

  it("is served as each of them makes it, from the log and live", async () => {
    const { log, push } = makeLog([whole(0, "a"), patch(1, 1, ["a", "ab"]), patch(2, 2, ["ab", "abc"])])
    const store = makeStore()
    const fiber = start(log, store)
    await waitFor(() => expect(store.caughtUp).toBe(true))
    expect(last(store)).toBe("abc")
    push(patch(3, 3, ["abc", "abcd"]))
    await waitFor(() => expect(last(store)).toBe("abcd"))
    push(whole(4, "e"), gone(5, 1), gone(6, 2), gone(7, 3), patch(8, 1, ["e", "ef"]))
    await waitFor(() => expect(last(store)).toBe("ef"))
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it("is caught up at the whole value that follows where compaction has taken what a patch is over", async () => {
    const { log } = growing([patch(2, 2, ["ab", "abc"])], [whole(3, "d"), gone(4, 1), gone(5, 2)])
    const store = makeStore()
    const fiber = start(log, store)
    await waitFor(() => expect(store.caughtUp).toBe(true))
    expect([last(store), store.halted]).toEqual(["d", null])
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it.each([
    { what: "what a patch is over", held: [patch(1, 1, ["a", "ab"])] },
    {
      what: "a patch between two others",
      held: [whole(0, "a"), patch(1, 1, ["a", "ab"]), patch(3, 3, ["abc", "abcd"])],
    },
    { what: "the value that the first patch is over", held: [whole(0, "x"), patch(1, 1, ["a", "ab"])] },
  ])("stops alone where the log lacks $what: the others follow, and it goes on once it is whole", async ({ held }) => {
    const { log, push } = growing([...held, other(4, "z")], [])
    const store = makeStore()
    const reported: Array<ReadonlyArray<string>> = []
    const stopped = (views: ReadonlyMap<string, string>) => Effect.sync(() => reported.push([...views.keys()]))
    const reports = { caughtUp: Effect.void, halted: () => Effect.void, stopped }
    const fiber = Effect.runFork(Effect.scoped(followViews(log, store, () => START_MS, reports)))
    await waitFor(() => expect(store.caughtUp).toBe(true))
    expect([store.halted, [...store.stopped]]).toEqual([
      null,
      [["/api/things", "the log lacks the base of its patches"]],
    ])
    expect(others(store)).toBe("z")
    push(other(5, "y"))
    await waitFor(() => expect(others(store)).toBe("y"))
    push(whole(6, "b"), patch(7, 1, ["b", "bc"]))
    await waitFor(() => expect(last(store)).toBe("bc"))
    expect(store.stopped.size).toBe(0)
    await waitFor(() => expect(reported).toEqual([["/api/things"], []]))
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it("goes on being served as it was while a live reader waits for the whole value, or finds none at the end", async () => {
    const { log, push } = growing([whole(0, "a")], [])
    let end = 9
    const moving = { ...log, end: () => Effect.sync(() => end) } as unknown as EventLog
    const store = makeStore()
    const fiber = start(moving, store)
    await waitFor(() => expect(store.caughtUp).toBe(true))
    push(patch(5, 3, ["abc", "abcd"]))
    push(whole(8, "e"))
    await waitFor(() => expect(last(store)).toBe("e"))
    expect(store.halted).toBeNull()
    end = 10
    push(patch(9, 3, ["g", "gh"]))
    await waitFor(() => expect([...store.stopped.keys()]).toEqual(["/api/things"]))
    expect([last(store), store.halted]).toEqual(["e", null])
    await Effect.runPromise(Fiber.interrupt(fiber))
  })
})
