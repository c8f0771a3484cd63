import { describe, expect, it } from "vitest"
import type { Envelope } from "../../schemas/event.ts"
import { feeds } from "../../schemas/registry.ts"
import published from "../../schemas/samples/delta.published.v1.json" with { type: "json" }
import purged from "../../schemas/samples/feed.purged.v1.json" with { type: "json" }
import appeared from "../../schemas/samples/item.appeared.v1.json" with { type: "json" }
import changed from "../../schemas/samples/item.changed.v1.json" with { type: "json" }
import { isPurgedBefore, isPurgedUntilGone, keyDigest, makeRedaction, purgeOf } from "./item-purge.ts"
import { pathsDrawingOn } from "./purge-list.ts"

const KEY = "ak026ajvbbqk"
const event = (sample: unknown) => sample as Envelope<never, never>

/** A purge of earthquakes around the time of the samples. */
const purge = (given: { readonly key?: string; readonly from?: string; readonly to?: string } = {}) => {
  const { key, from = "2026-08-17T20:00:00.000Z", to = "2026-08-17T21:00:00.000Z" } = given
  const { key: _, ...rest } = purged.data
  const data = {
    ...rest,
    feed: "earthquakes",
    ...(key === undefined ? {} : { key: keyDigest(purged.id, key) }),
    from,
    to,
    shown: [{ from, to }],
  }
  return purgeOf(event({ ...purged, data }), pathsDrawingOn)
}
const left = (one: ReturnType<typeof purge>, sample: unknown) => makeRedaction([one], feeds)(event(sample))

describe("a purge takes out of events", () => {
  it("changes of the item, with their subject, and keeps id, time and number", () => {
    expect(left(purge({ key: KEY }), changed)).toEqual({
      ...changed,
      type: "event.purged",
      subject: "earthquakes",
      data: { was: "item.changed", feed: "earthquakes" },
    })
    expect(JSON.stringify(left(purge({ key: KEY }), changed))).not.toMatch(new RegExp(`Kodiak|"${KEY}"|/${KEY}`))
  })

  it("nothing of another item, another feed, or another time: the end is not within", () => {
    expect(left(purge({ key: "other" }), changed)).toBe(changed)
    expect(left(purge({ key: KEY, to: appeared.data.observedAt }), appeared)).toBe(appeared)
    expect(left(purge({ key: KEY, to: changed.data.observedAt }), changed).type).toBe(changed.type)
    expect(left(purge({ key: KEY, from: changed.data.observedAt }), changed).type).toBe("event.purged")
    expect(left({ ...purge(), feed: "tech-news" }, changed)).toBe(changed)
  })

  it("all changes of a whole feed, and the news that were made of them", () => {
    const ofFeed = { ...purge(), feed: appeared.data.feed, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
    expect(left(ofFeed, appeared).type).toBe("event.purged")
    expect(left(purge({ key: KEY }), published).type).toBe("event.purged")
    expect(left(purge({ key: "other" }), published)).toBe(published)
  })

  it("bodies of the views that draw on the feed, and no others", () => {
    const version = (view: string, part: string) => ({ view, part, whole: "{}" })
    const versions = [
      version("/api/earthquake", "body"),
      version("/api/earthquake", "freshness"),
      version("/api/climate/earthquakes?period=day", "body"),
      version("/api/tech-news", "body"),
    ]
    const views = {
      ...changed,
      type: "views.changed",
      data: { processor: "latest", settles: true, versions },
    }
    expect(left(purge({ key: KEY }), views).data).toEqual({
      processor: "latest",
      settles: true,
      versions: [versions[1], versions[3]],
    })
    expect(left(purge({ key: KEY, to: changed.time }), views)).toBe(views)
  })

  it("polls that hold the item or may hold it", () => {
    const { magnitude, ...item } = changed.data.item
    const other = { ...item, magnitude, id: "other" }
    const poll = (type: string, data: object) => ({ ...changed, type, data: { feed: "earthquakes", ...data } })
    const whole = (...items: ReadonlyArray<object>) => poll("feed.observed", { payload: { items, facts: {} } })
    const patch = (...parts: ReadonlyArray<object>) => poll("feed.patched", { parts })
    const isTaken = (sample: object) => left(purge({ key: KEY }), sample).type === "event.purged"
    expect([whole(changed.data.item, other), whole(other), whole()].map(isTaken)).toEqual([true, false, false])
    expect(
      [
        patch({ items: [other] }, { from: 0, count: 3 }),
        patch({ items: [other, changed.data.item] }),
        patch({ changed: 2, set: { magnitude: 5 } }),
        // What cannot be read may hold it.
        patch({ items: [null] }),
      ].map(isTaken),
    ).toEqual([false, true, true, true])
  })
})

it("a purge says when each view could show an item: those with a memory until its end", () => {
  const [from, to] = ["2026-08-16T00:00:00.000Z", "2026-08-18T00:00:00.000Z"]
  const shown = [{ from: "2026-08-16T10:00:00.000Z", to: "2026-08-16T12:00:00.000Z" }]
  const data = { ...purged.data, feed: "tech-news", from, to, shown }
  const { shown: read } = purgeOf(event({ ...purged, data }), pathsDrawingOn)
  const spanOf = (path: string) =>
    read.flatMap(({ paths, fromMs, toMs }) =>
      paths.has(path) ? [[fromMs, toMs].map((ms) => new Date(ms).toISOString())] : [],
    )
  expect(spanOf("/api/tech-news")).toEqual([[shown[0]?.from, shown[0]?.to]])
  expect(spanOf("/api/pro/world-deltas")).toEqual([[shown[0]?.from, to]])
  expect(spanOf("/api/earthquake")).toEqual([])
})

describe("what was before a change behind a purge", () => {
  const DAY_MS = 86_400_000
  const END_MS = Date.parse("2026-08-17T21:00:00.000Z")
  const purges = (key?: string) => [purge(key === undefined ? {} : { key })]
  const isBefore = (key: string | undefined, knownMs: number, feed = "earthquakes") =>
    isPurgedBefore(purges(key), feed, KEY, knownMs)

  it("is taken out of the same item from the end of the purge on, and of every item of a whole feed for a day", () => {
    expect([isBefore(KEY, END_MS), isBefore(KEY, END_MS + 400 * DAY_MS)]).toEqual([true, true])
    expect([isBefore(undefined, END_MS), isBefore(undefined, END_MS + DAY_MS - 1)]).toEqual([true, true])
    expect([
      isBefore(KEY, END_MS - 1),
      isBefore("another", END_MS),
      isBefore(undefined, END_MS - 1),
      isBefore(undefined, END_MS + DAY_MS),
      isBefore(KEY, END_MS, "forex"),
      isBefore(undefined, END_MS, "forex"),
    ]).toEqual(Array(6).fill(false))
  })

  it("is the last item of the same one that is gone, and not of every item of a whole feed", () => {
    const isUntilGone = (key?: string) => isPurgedUntilGone(purges(key), "earthquakes", KEY, END_MS)
    expect([isUntilGone(KEY), isUntilGone("another"), isUntilGone()]).toEqual([true, false, false])
  })

  it("leaves a change with its item, its id and its number", () => {
    const later = { ...changed, data: { ...changed.data, added: ["alert"] } }
    const { before: _, ...data } = changed.data
    const to = changed.data.observedAt
    for (const one of [purge({ key: KEY, to }), purge({ to })]) {
      expect(left(one, later)).toEqual({ ...changed, data })
      // Again it is the same.
      const without = left(one, later)
      expect(left(one, without)).toBe(without)
      expect(left(one, appeared)).toBe(appeared)
    }
  })
})
