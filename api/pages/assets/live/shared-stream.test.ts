import * as Schema from "effect/Schema"
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { changesParameters } from "../../../../schemas/contract/changes.ts"
import { FEEDS_MAX, sharedStream } from "./shared-stream.js"

// Locks and channels are those of Node, which has the same as browsers; of the connection alone it has none.

/** A connection that the test accepts, fills and breaks. */
class Connection extends EventTarget {
  isClosed = false
  readonly url: string

  constructor(url: string) {
    super()
    this.url = url
  }
  close() {
    this.isClosed = true
  }
  accept() {
    this.dispatchEvent(new Event("open"))
  }
  fail() {
    this.dispatchEvent(new Event("error"))
  }
  beat() {
    this.dispatchEvent(new MessageEvent("heartbeat", { data: "" }))
  }
  change(feed: string) {
    this.dispatchEvent(new MessageEvent("change", { data: JSON.stringify({ feed, key: "1" }) }))
  }
}

let connections: Array<Connection>
const last = () => connections.at(-1)
const open = () => connections.filter(({ isClosed }) => !isClosed)

/** Passes time with heartbeats. */
const live = (ms: number) => {
  for (let left = ms; left > 0; left -= 15_000) {
    last()?.beat()
    vi.advanceTimersByTime(Math.min(left, 15_000))
  }
}

/** A tab that shows some feeds, and what its stream has said so far. */
const openTab = (...feeds: ReadonlyArray<string>) => openTabBy(navigator.locks, feeds)

type Locks = Parameters<typeof sharedStream>[0]["browser"]["locks"]

const openTabBy = (locks: Locks, feeds: ReadonlyArray<string>) => {
  const said: Array<string> = []
  const tab = sharedStream({
    address: "/api/stream",
    feeds,
    browser: {
      locks,
      openChannel: (name) => new BroadcastChannel(name),
      openSource: (url) => {
        const connection = new Connection(url)
        connections.push(connection)
        return connection
      },
      random: () => 1,
    },
    onState: (isOpen) => said.push(isOpen ? "open" : "broken"),
    onBegun: () => said.push("begun"),
    onChanged: (feed) => said.push(feed),
  })
  onTestFinished(() => tab.stop())
  return { ...tab, said, last: () => said.at(-1) }
}

/** Waits for what locks and channels bring, which no clock drives. */
const soon = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 })

beforeEach(() => {
  connections = []
  // What `vi.waitFor` itself needs is driven by it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

it("opens one connection for all tabs that are seen, of the feeds of all, and each hears of its own", async () => {
  const [one, other, third] = [openTab("a", "b"), openTab("b", "c"), openTab("b")]
  one.start()
  one.start()
  await soon(() => expect(open()).toHaveLength(1))
  expect(last()?.url).toBe("/api/stream?feeds=a,b")
  other.start()
  await soon(() => expect(last()?.url).toBe("/api/stream?feeds=a,b,c"))
  last()?.accept()
  await soon(() => expect(other.last()).toBe("begun"))
  third.start()
  await soon(() => expect(third.last()).toBe("open"))
  for (const feed of ["a", "c", "b", "d"]) last()?.change(feed)
  await soon(() => expect(third.said).toEqual(["open", "b"]))
  await soon(() => expect(other.said.slice(-2)).toEqual(["c", "b"]))
  expect(one.said.slice(-2)).toEqual(["a", "b"])
  expect(open()).toHaveLength(1)
})

it("passes the connection on when its tab is hidden, and has none while no tab is seen", async () => {
  const [one, other] = [openTab("a"), openTab("b")]
  one.start()
  await soon(() => expect(open()).toHaveLength(1))
  other.start()
  await soon(() => expect(last()?.url).toBe("/api/stream?feeds=a,b"))
  last()?.accept()
  one.stop()
  await soon(() => expect(last()?.url).toBe("/api/stream?feeds=b"))
  expect(open()).toHaveLength(1)
  last()?.accept()
  // What changed between the two connections is read by whoever is told that one has begun.
  expect(other.last()).toBe("begun")
  const before = one.said.length
  last()?.change("a")
  other.stop()
  expect(open()).toEqual([])
  expect(one.said).toHaveLength(before)
  one.start()
  await soon(() => expect(open()).toHaveLength(1))
})

it("opens it anew, later after each failure in a row, and begins anew each time", async () => {
  const tab = openTab("a")
  tab.start()
  await soon(() => expect(open()).toHaveLength(1))
  const waits: Array<number> = []
  for (let failures = 0; failures < 8; failures += 1) {
    last()?.fail()
    expect([tab.last(), open()]).toEqual(["broken", []])
    const from = performance.now()
    while (open().length === 0) vi.advanceTimersToNextTimer()
    waits.push(performance.now() - from)
  }
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  last()?.accept()
  expect(tab.last()).toBe("begun")
  // A connection that ends at once is a failure; one that lived is not, as the service renews connections.
  live(59_999)
  last()?.fail()
  vi.advanceTimersByTime(59_999)
  expect(open()).toEqual([])
  vi.advanceTimersByTime(1)
  last()?.accept()
  live(60_000)
  last()?.fail()
  vi.advanceTimersByTime(2_000)
  expect(open()).toHaveLength(1)
})

it("gives up a connection that is never accepted, and one from which nothing comes any more", async () => {
  const tab = openTab("a")
  tab.start()
  await soon(() => expect(open()).toHaveLength(1))
  const [first] = connections
  vi.advanceTimersByTime(32_000)
  expect([first?.isClosed, connections.length]).toEqual([true, 2])
  last()?.accept()
  for (let minutes = 0; minutes < 10; minutes += 1) {
    live(60_000)
    last()?.change("b")
  }
  vi.advanceTimersByTime(44_999)
  expect([tab.last(), open()]).toEqual(["begun", [connections[1]]])
  vi.advanceTimersByTime(2_001)
  expect(open()).toEqual([connections[2]])
  expect(tab.last()).toBe("broken")
})

it("asks the other tabs what they want when the connection is passed on", async () => {
  const [one, other, third] = [openTab("a"), openTab("b"), openTab("c")]
  for (const tab of [one, other, third]) tab.start()
  await soon(() => expect(last()?.url).toBe("/api/stream?feeds=a,b,c"))
  one.stop()
  await soon(() => expect(last()?.url).toBe("/api/stream?feeds=b,c"))
  expect(open()).toHaveLength(1)
})

it("opens none where the lock comes after its tab was hidden", async () => {
  let grant: () => unknown = () => {}
  const request = (_: string, __: unknown, callback: (lock: null) => unknown) =>
    new Promise((resolve) => {
      grant = () => resolve(callback(null))
    })
  const tab = openTabBy({ request } as Locks, ["a"])
  tab.start()
  tab.stop()
  grant()
  expect(connections).toEqual([])
})

it("opens none where its tab was hidden before it got the lock", async () => {
  const [one, other] = [openTab("a"), openTab("b")]
  one.start()
  await soon(() => expect(open()).toHaveLength(1))
  other.start()
  other.stop()
  one.stop()
  const third = openTab("c")
  third.start()
  await soon(() => expect(last()?.url).toBe("/api/stream?feeds=c"))
  expect(connections.filter(({ url }) => url.endsWith("=b"))).toEqual([])
})

it("names as many feeds as the contract allows, and none where more are wanted", async () => {
  const many = Array.from({ length: FEEDS_MAX }, (_, at) => `feed-${at}`)
  const isAllowed = (feeds: ReadonlyArray<string>) =>
    Schema.is(Schema.toEncoded(changesParameters.feeds.schema))(feeds.join(","))
  expect([isAllowed(many), isAllowed([...many, "more"])]).toEqual([true, false])
  const [one, other] = [openTab(...many), openTab("more")]
  one.start()
  await soon(() => expect(last()?.url.split(",")).toHaveLength(FEEDS_MAX))
  other.start()
  await soon(() => expect(last()?.url).toBe("/api/stream"))
})
