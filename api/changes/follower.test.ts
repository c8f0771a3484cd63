import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { describe, expect, it, onTestFinished } from "vitest"
import { cursorText } from "../../schemas/change.ts"
import { climateEarthquakesEndpoint } from "../../schemas/feeds/earthquakes.ts"
import type { ChangeLog } from "../../schemas/ports/changes.ts"
import { LogUnavailable } from "../../schemas/ports/event-log.ts"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import { type Listed, ListedChanges } from "../testing/listed-changes.ts"
import { waitFor } from "../testing/wait-for.ts"
import { type ChangeFilter, changingFeeds, filterOf, makeReady, matches } from "./filter.ts"
import { followChanges } from "./follower.ts"
import { ChangeWindow } from "./window.ts"

const quakes = (count: number): ReadonlyArray<Listed> => Array.from({ length: count }, () => ({}))

const windowOf = (changesMax = 10_000) => new ChangeWindow(makeReady(new Map()), { changesMax, bytesMax: 10_000_000 })

const follow = (log: ChangeLog, window: ChangeWindow) => {
  const fiber = Effect.runFork(followChanges(log, window))
  onTestFinished(() => Effect.runPromise(Fiber.interrupt(fiber)).then(() => undefined))
  return fiber
}

const held = (window: ChangeWindow, after = 0) => [...window.behind(after)].map(({ ordinal }) => ordinal)

describe("the follower", () => {
  it("fills a window with the recent changes, and then with each as it comes", async () => {
    const changes = new ListedChanges()
    changes.add(...quakes(6_000))
    const window = windowOf()
    follow(changes.log, window)
    await window.filled
    expect([window.log, window.after, window.reached]).toEqual([changes.name, 6_000 - 4_096, 6_000])
    expect(held(window)).toEqual(Array.from({ length: 4_096 }, (_, at) => 6_000 - 4_096 + at + 1))
    changes.add({}, null, {})
    await waitFor(() => expect(window.reached).toBe(6_003))
    expect(held(window, 6_000)).toEqual([6_001, 6_003])
  })

  it("holds nothing that an operator has taken out, before and after that is known, and numbers go on", async () => {
    const changes = new ListedChanges()
    changes.add(...quakes(10))
    const purged = new Set<string>()
    const isPurged = ({ cursor }: { readonly cursor: string }) => purged.has(cursor)
    const window = new ChangeWindow(makeReady(new Map()), { changesMax: 100, bytesMax: 10_000_000, isPurged })
    const heard: Array<string> = []
    window.listen((change) => heard.push(change))
    follow(changes.log, window)
    await window.filled
    for (const ordinal of [3, 12]) purged.add(cursorText({ log: changes.name, ordinal }))
    heard.length = 0
    window.dropPurged()
    expect([window.after, window.reached, held(window)]).toEqual([0, 10, [1, 2, 4, 5, 6, 7, 8, 9, 10]])
    // Listeners drop the batches that they made of the window, and make them again.
    expect(heard).toEqual(["further"])
    changes.add({}, {}, {})
    await waitFor(() => expect(window.reached).toBe(13))
    expect(held(window, 10)).toEqual([11, 13])
  })

  it("holds nothing of what an item was before that was taken out, nor do filters read it", async () => {
    const changes = new ListedChanges()
    const { name } = changes
    const [item, before] = [{ magnitude: 3 }, { magnitude: 6 }]
    const further: ReadonlyArray<Listed> = [{ type: "changed", item, before }, { type: "gone" }, { type: "appeared" }]
    changes.add(...further)
    let isKnown = false
    const feeds = changingFeeds([climateEarthquakesEndpoint])
    const isPurgedBefore = ({ cursor }: { readonly cursor: string }) =>
      isKnown && cursor !== cursorText({ log: name, ordinal: 4 })
    const window = new ChangeWindow(makeReady(feeds), {
      changesMax: 100,
      bytesMax: 10_000_000,
      isPurgedBefore,
      isPurgedUntilGone: isPurgedBefore,
    })
    follow(changes.log, window)
    await window.filled
    expect(held(window)).toEqual([1, 2, 3])
    isKnown = true
    window.dropPurged()
    expect(held(window)).toEqual([1, 3])
    changes.add({ type: "changed", item, before }, ...further)
    await waitFor(() => expect(window.reached).toBe(7))
    const strong = filterOf({ min_magnitude: "5" }, feeds) as ChangeFilter
    const shown = [...window.behind(0)].map((ready) => [
      ready.ordinal,
      "before" in JSON.parse(ready.json.toString()),
      matches(strong, ready),
    ])
    expect(shown).toEqual([
      [1, false, false],
      [3, false, true],
      [4, true, true],
      [5, false, false],
      [7, false, true],
    ])
  })

  it("holds one that is gone where only what items were before was taken out", async () => {
    const changes = new ListedChanges()
    changes.add({ type: "changed", item: { magnitude: 3 }, before: { magnitude: 6 } }, { type: "gone" })
    const window = new ChangeWindow(makeReady(new Map()), {
      changesMax: 100,
      bytesMax: 10_000_000,
      isPurgedBefore: () => true,
    })
    follow(changes.log, window)
    await window.filled
    const shown = [...window.behind(0)].map(({ json }) => JSON.parse(json.toString()))
    expect(shown.map(({ type, before }) => [type, before])).toEqual([
      ["changed", undefined],
      ["gone", undefined],
    ])
  })

  it("holds what the log holds, and says where that begins", async () => {
    const changes = new ListedChanges()
    changes.add(null, null, ...quakes(100))
    changes.oldest = 51
    const window = windowOf()
    follow(changes.log, window)
    await window.filled
    expect([window.after, window.holds(50), window.holds(49)]).toEqual([50, true, false])
    expect(held(window)[0]).toBe(51)
  })

  it("drops the oldest beyond its bounds, and then no longer claims to hold what follows them", async () => {
    const changes = new ListedChanges()
    changes.add(...quakes(20))
    const window = windowOf(5)
    follow(changes.log, window)
    await window.filled
    expect([window.after, held(window)]).toEqual([15, [16, 17, 18, 19, 20]])
    for (let n = 0; n < 3_000; n++) changes.add({})
    await waitFor(() => expect(window.reached).toBe(3_020))
    expect([window.after, held(window)]).toEqual([3_015, [3_016, 3_017, 3_018, 3_019, 3_020]])
    expect([...window.newest()].map(({ ordinal }) => ordinal)).toEqual([3_020, 3_019, 3_018, 3_017, 3_016])
  })

  it("begins at the end where the archive is away that has the recent ones", async () => {
    const changes = new ListedChanges()
    changes.add(...quakes(100))
    const away = Effect.fail(new HistoryUnavailable({ problem: "made so by a test" }))
    const window = windowOf()
    follow({ ...changes.log, read: () => away }, window)
    await window.filled
    expect([window.log, window.after, window.reached]).toEqual([changes.name, 100, 100])
    changes.add({})
    await waitFor(() => expect(held(window)).toEqual([101]))
  })

  it("begins anew where changes were passed over, so that a page is never without them", async () => {
    const changes = new ListedChanges()
    changes.add(...quakes(10))
    const window = windowOf()
    const portion = (after: number, ordinal: number) => ({
      log: changes.name,
      after,
      reached: ordinal,
      changes: [{ ordinal, change: changes.at(1) as NonNullable<ReturnType<typeof changes.at>> }],
    })
    follow({ ...changes.log, follow: () => Stream.make(portion(10, 11), portion(50, 51)) }, window)
    await waitFor(() => expect(window.reached).toBe(51))
    expect([window.after, held(window)]).toEqual([50, [51]])
  })

  it("fails where the log does, and can be run again on the same window", async () => {
    const changes = new ListedChanges()
    changes.add(...quakes(10))
    const window = windowOf()
    changes.isFailing = true
    await expect(Effect.runPromise(followChanges(changes.log, window))).rejects.toBeInstanceOf(LogUnavailable)
    expect(window.isFilled).toBe(false)
    changes.isFailing = false
    follow(changes.log, window)
    await window.filled
    changes.add({})
    await waitFor(() => expect(held(window)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]))
  })
})
