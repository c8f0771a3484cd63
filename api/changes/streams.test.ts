import { describe, expect, it, vi } from "vitest"
import { type Listed, ListedChanges } from "../testing/listed-changes.ts"
import type { Connection } from "./connection.ts"
import { type ChangeFilter, filterOf, makeReady } from "./filter.ts"
import { PacedReads } from "./reads.ts"
import { ChangeStreams, TICK_MS } from "./streams.ts"
import { ChangeWindow } from "./window.ts"

const EVERYTHING = filterOf({}, new Map()) as ChangeFilter

/** A reader that takes what it gets, or nothing. */
class Reader implements Connection {
  readonly written: Array<string> = []
  isReading = true
  ended: "no" | "ended" | "destroyed" = "no"
  unsentBytes = 0

  write(bytes: Buffer): void {
    this.written.push(bytes.toString())
    if (!this.isReading) this.unsentBytes += bytes.length
  }

  end(): void {
    this.ended = "ended"
  }

  destroy(): void {
    this.ended = "destroyed"
  }

  get ids(): ReadonlyArray<string> {
    return [...this.written.join("").matchAll(/^id: (.*)$/gm)].map(([, id = ""]) => id)
  }
}

/** Streams over a list, driven by hand: nothing happens but by `run` and `tick`. */
const scene = (count: number, random = 0.5) => {
  const changes = new ListedChanges()
  let nowMs = 0
  const due: Array<() => void> = []
  const ready = makeReady(new Map())
  const window = new ChangeWindow(ready, { changesMax: 1_000, bytesMax: 100_000_000 })
  const reads = new PacedReads(changes.log, { ready, nowMs: () => nowMs, pause: () => Promise.resolve() })
  const streams = new ChangeStreams({
    ...{ window, reads },
    nowMs: () => nowMs,
    random: () => random,
    soon: (run) => void due.push(run),
  })
  const run = () => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) next()
  }
  const add = (...listed: ReadonlyArray<Listed>) => {
    const after = changes.last
    changes.add(...listed)
    window.append({
      reached: changes.last,
      changes: listed.flatMap((one, at) => {
        const change = changes.at(after + at + 1)
        return one === null || change === null ? [] : [{ ordinal: after + at + 1, change }]
      }),
    })
  }
  window.begin(changes.name, 0)
  add(...Array.from({ length: count }, () => ({})))
  run()
  return {
    ...{ changes, window, streams, run, add },
    open: (after = window.reached, filter = EVERYTHING) => {
      const reader = new Reader()
      return { reader, stream: streams.add(reader, filter, after) }
    },
    tick: (seconds: number) => {
      for (const untilMs = nowMs + seconds * 1_000; nowMs < untilMs; ) {
        nowMs += TICK_MS
        streams.tick()
      }
    },
    nowMs: () => nowMs,
  }
}

const ofFeed = (feed: string): ChangeFilter => ({ ...EVERYTHING, key: feed, feeds: new Set([feed]) })

describe("streams", () => {
  it("say where they are every 15 seconds, each by itself", () => {
    const { open, tick, add, run, changes } = scene(3)
    const readers = Array.from({ length: 150 }, () => open(3, ofFeed("coins")).reader)
    add({}, {})
    run()
    tick(15)
    for (const { written } of readers)
      expect(written.slice(1)).toEqual([`event: heartbeat\nid: ${changes.cursor(5)}\ndata:\n\n`])
    tick(15)
    for (const { written } of readers) expect(written).toHaveLength(3)
  })

  it("never say that they are further than what they were given", () => {
    const { open, tick, add, changes } = scene(3)
    const { reader } = open()
    add({}, {})
    // The pass that gives it the two has not run.
    tick(15)
    expect(reader.ids).toEqual([changes.cursor(3), changes.cursor(3)])
  })

  it("write all that came at once in one piece, which equal readers share", () => {
    const { open, add, run } = scene(3)
    const readers = [open().reader, open().reader, open(3, ofFeed("earthquakes")).reader]
    add({}, {})
    add({})
    run()
    for (const { written } of readers) expect(written).toHaveLength(2)
    expect(new Set(readers.map(({ written }) => written[1])).size).toBe(1)
  })

  it("get a change first where the last one was for them too", () => {
    const { open, add, run } = scene(3)
    const order: Array<string> = []
    const openAs = (name: string, filter?: ChangeFilter) => {
      const { reader } = open(3, filter)
      vi.spyOn(reader, "write").mockImplementation(() => void order.push(name))
    }
    openAs("rare", ofFeed("coins"))
    openAs("all")
    add({})
    run()
    add({ feed: "coins" })
    run()
    // Now the last one was for both.
    add({ feed: "coins" })
    run()
    expect(order).toEqual(["all", "all", "rare", "rare", "all"])
  })

  it("are all served, however many there are", () => {
    const { open, add, run, changes } = scene(3)
    const readers = Array.from({ length: 2_000 }, () => open().reader)
    add({})
    run()
    add({})
    run()
    for (const { ids } of readers) expect(ids).toEqual([changes.cursor(3), changes.cursor(4), changes.cursor(5)])
  })

  it.each([
    [0, 480],
    [0.5, 600],
    [0.999_999, 720],
  ])("end with a chance of %s after %s seconds", (random, seconds) => {
    const { open, tick, streams } = scene(3, random)
    const { reader, stream } = open()
    tick(seconds - 1)
    expect(reader.ended).toBe("no")
    let endedAfter = seconds - 1
    for (; reader.ended === "no"; endedAfter++) tick(1)
    expect(endedAfter).toBeGreaterThanOrEqual(seconds)
    expect(endedAfter).toBeLessThanOrEqual(seconds + 15)
    const { length } = reader.written
    tick(4)
    expect([reader.ended, streams.open]).toEqual(["ended", 1])
    // Where the rest is not taken.
    tick(2)
    expect([reader.ended, reader.written.length]).toEqual(["destroyed", length])
    streams.remove(stream)
    expect(streams.open).toBe(0)
  })

  it("stop at 256 KiB unsent, go on when these are read, and end where they are not", () => {
    const { open, tick, add, run, changes, streams } = scene(3)
    const { reader } = open()
    reader.isReading = false
    const large = { item: { text: "x".repeat(10_000) } }
    for (let n = 0; n < 100; n++) {
      add(large)
      run()
    }
    expect(reader.unsentBytes).toBeLessThanOrEqual(256 * 1024)
    expect(reader.unsentBytes).toBeGreaterThan(240 * 1024)
    tick(29)
    expect(reader.ended).toBe("no")
    reader.isReading = true
    reader.unsentBytes = 0
    tick(1)
    expect(reader.ids.filter((id, at, all) => all.indexOf(id) === at)).toEqual(
      Array.from({ length: 101 }, (_, at) => changes.cursor(3 + at)),
    )
    reader.isReading = false
    for (let n = 0; n < 100; n++) {
      add(large)
      run()
    }
    tick(31)
    expect([reader.ended, streams.counts.slowEnded]).toEqual(["destroyed", 1])
  })

  it("give a change that is larger than the bound to a reader with nothing unsent", () => {
    const { open, add, run, changes } = scene(3)
    const { reader } = open()
    add({ item: { text: "x".repeat(400_000) } }, {})
    run()
    expect(reader.ids).toEqual([changes.cursor(3), changes.cursor(4), changes.cursor(5)])
  })

  it("wake a waiting call for what came before it began to wait", () => {
    const { streams, add, run } = scene(3)
    const wake = vi.fn()
    add({ feed: "coins" })
    streams.calls.wait({ filter: ofFeed("coins"), untilMs: 25_000, after: 3, wake })
    expect(wake).toHaveBeenCalledTimes(1)
    run()
    expect(wake).toHaveBeenCalledTimes(1)
    expect(streams.calls.count).toBe(0)
  })

  it("end, and take no waiting call, once the service drains", () => {
    const { streams, open } = scene(3)
    const { reader } = open()
    const wake = vi.fn()
    const waiter = () => ({ filter: EVERYTHING, untilMs: 25_000, after: 3, wake })
    streams.calls.wait(waiter())
    streams.drain()
    streams.calls.wait(waiter())
    expect(wake).toHaveBeenCalledTimes(2)
    expect([reader.ended, streams.calls.count]).toEqual(["ended", 0])
  })
})
