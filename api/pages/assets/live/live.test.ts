import { afterEach, beforeEach, expect, it, vi } from "vitest"

// Locks, channels and events are those of Node; of the rest a page needs little.

const TTL_MS = 3_000

/** A connection that the test accepts. */
class Connection extends EventTarget {
  close() {}
}

let connections: Array<Connection>
let reads: number
let page: EventTarget & { visibilityState: string }
let browser: EventTarget

/** Shows a page whose reply changes by changes of items alone, in a tab that is seen. */
const openPage = async () => {
  // Its modules look at the document as they are loaded.
  const { keepCurrent } = await import("./live.js")
  keepCurrent({
    url: "/api/things",
    stream: "/api/stream",
    feeds: ["things"],
    ttlMs: TTL_MS,
    refreshMs: null,
    renderedAtMs: Date.now() - 30_000,
    said: { textContent: "" } as never,
    promises: () => [],
    write: () => {},
    show: () => {},
  })
}

/** Waits for what locks and channels bring, which no clock drives. */
const soon = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 })

/** Waits until the stream is open, and what follows its beginning was read. */
const begin = async () => {
  await soon(() => expect(connections).toHaveLength(1))
  await vi.advanceTimersByTimeAsync(TTL_MS)
  const before = reads
  connections[0]?.dispatchEvent(new Event("open"))
  await soon(() => expect(reads).toBeGreaterThan(before))
}

beforeEach(() => {
  connections = []
  reads = 0
  // What `vi.waitFor` itself needs is driven by it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"] })
  page = Object.assign(new EventTarget(), { visibilityState: "visible", querySelectorAll: () => [] })
  browser = Object.assign(new EventTarget(), { EventSource: Connection, BroadcastChannel })
  vi.stubGlobal("document", page)
  vi.stubGlobal("window", browser)
  vi.stubGlobal(
    "EventSource",
    class extends Connection {
      constructor() {
        super()
        connections.push(this)
      }
    },
  )
  vi.stubGlobal("fetch", async () => {
    reads += 1
    return new Response("{}", { headers: { Date: new Date().toUTCString() } })
  })
})
afterEach(() => {
  page.visibilityState = "hidden"
  page.dispatchEvent(new Event("visibilitychange"))
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it("is read once when it joins the stream of another tab: it may have been rendered a while ago", async () => {
  await openPage()
  await begin()
  await vi.advanceTimersByTimeAsync(3 * TTL_MS)
  const before = reads
  await openPage()
  await soon(() => expect(reads).toBe(before + 1))
  await vi.advanceTimersByTimeAsync(3 * TTL_MS)
  expect([reads, connections.length]).toEqual([before + 1, 1])
})

it("is read by the clock where the browser says that it is offline and the service answers", async () => {
  await openPage()
  await begin()
  browser.dispatchEvent(new Event("offline"))
  const before = reads
  await vi.advanceTimersByTimeAsync(5 * TTL_MS)
  expect(reads).toBeGreaterThan(before + 2)
  browser.dispatchEvent(new Event("online"))
  await soon(() => expect(connections).toHaveLength(2))
})
