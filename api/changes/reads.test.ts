import { describe, expect, it } from "vitest"
import { ListedChanges } from "../testing/listed-changes.ts"
import { type ChangeFilter, filterOf, makeReady } from "./filter.ts"
import { pageBehind } from "./page.ts"
import { PacedReads } from "./reads.ts"
import { ChangeWindow } from "./window.ts"

const EVERYTHING = filterOf({}, new Map()) as ChangeFilter
const always = () => true

/** Reads of a list, by a clock that a test moves; `pause` is the rest after a read. */
const scene = (count: number, options: { readonly readMs?: number; readonly pause?: () => Promise<void> } = {}) => {
  const changes = new ListedChanges()
  changes.add(...Array.from({ length: count }, () => ({})))
  const ready = makeReady(new Map())
  let nowMs = 0
  const reads = new PacedReads(changes.log, {
    ready,
    nowMs: () => nowMs,
    pause: () => {
      nowMs += options.readMs ?? 0
      return options.pause?.() ?? Promise.resolve()
    },
  })
  // The window begins behind everything: whatever is asked for is read.
  const window = new ChangeWindow(ready, { changesMax: 10, bytesMax: 1_000_000 })
  const last = { log: changes.cursor(count).split(".")[0] ?? "", ordinal: count }
  window.begin(last.log, count)
  return { changes, reads, window, log: last.log }
}

describe("a read whose asker has gone", () => {
  it("is not made when its turn comes, and those behind it follow at once", async () => {
    const rest = Promise.withResolvers<void>()
    const { changes, reads, log } = scene(10, { pause: () => rest.promise })
    let isHere = true
    const first = reads.read({ log, ordinal: 0 }, always)
    const gone = reads.read({ log, ordinal: 0 }, () => isHere)
    const behind = reads.read({ log, ordinal: 5 }, always)
    expect((await first)._tag).toBe("Portion")
    const made = changes.reads
    isHere = false
    rest.resolve()
    expect(await gone).toEqual({ _tag: "Unavailable" })
    expect(await behind).toMatchObject({ _tag: "Portion", reached: 10 })
    expect(changes.reads - made).toBe(1)
  })

  it("tells nothing of the end and of the bounds, either", async () => {
    const { changes, reads } = scene(10)
    expect([await reads.last(() => false), await reads.bounds(() => false)]).toEqual([undefined, undefined])
    expect(changes.reads).toBe(0)
    expect(await reads.last(always)).toMatchObject({ ordinal: 10 })
  })
})

describe("a page that takes long to read", () => {
  it("is given as far as it is, and the next one goes on there", async () => {
    const { reads, window, log } = scene(5_000, { readMs: 200 })
    let after = 0
    const lengths: Array<number> = []
    while (after < 5_000) {
      const page = await pageBehind(window, reads, EVERYTHING, { log, after, limit: 2_000, isWanted: always })
      if (page._tag !== "Page") throw new Error(page._tag)
      expect(page.changes[0]?.ordinal).toBe(after + 1)
      expect(page.isUpToDate).toBe(page.next === 5_000)
      lengths.push(page.changes.length)
      after = page.next
    }
    // Each has some reads of 256, and none is whole.
    expect(Math.max(...lengths)).toBeLessThan(1_500)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(5_000)
  })
})
