import { Effect, Fiber, Queue, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { type Batch, type EventLog, LogUnavailable, type StoredRecord } from "../schemas/ports/event-log.ts"
import { followViews } from "./follow-views.ts"
import { contract, START_MS } from "./testing/api-under-test.ts"
import { waitFor } from "./testing/wait-for.ts"
import { ViewStore } from "./view-store.ts"

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

  it("stops for good at a newer record, is never caught up, and serves what it has", async () => {
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
