import { describe, expect, it } from "vitest"
import { instant } from "../../schemas/event.ts"
import type { LearntDelta } from "../../schemas/payloads/world-delta.ts"
import { launch } from "../testing/delta-feeds.ts"
import { nearLaunches, WINDOW_EVENTS_MAX, WINDOW_MAX_UNITS, windowAt } from "./publish.ts"

const HOUR_MS = 3_600_000
const BEGIN_MS = Date.parse("2026-11-20T00:00:00.000Z")

const event = (ms: number, title = "t"): LearntDelta => ({
  type: "tech_news_story",
  timestamp: instant(BEGIN_MS + ms),
  severity: "minor",
  data: { id: ms, title, url: null, points: null, num_comments: null, author: null, time: instant(BEGIN_MS) },
})
const events = (count: number, title?: string) => Array.from({ length: count }, (_, at) => event(at, title))
const millis = (all: ReadonlyArray<LearntDelta>) => all.map(({ data }) => data.id)

describe("the window of world deltas", () => {
  it("holds what is later than an hour ago", () => {
    const at = windowAt([event(0), event(1), event(2)], BEGIN_MS + HOUR_MS + 1, null)
    expect([millis(at.kept), millis(at.dropped)]).toEqual([[2], [0, 1]])
    expect([at.completeSinceMs, at.droppedMs]).toEqual([BEGIN_MS + 1, null])
  })

  it("beyond its bound of events drops the oldest, and says from when on it is complete", () => {
    const all = events(WINDOW_EVENTS_MAX + 3)
    const first = windowAt(all, BEGIN_MS + 10_000, null)
    expect(millis(first.dropped)).toEqual([0, 1, 2])
    expect([first.completeSinceMs, first.droppedMs]).toEqual([BEGIN_MS + 2, BEGIN_MS + 2])
    // It stays so without a further one, until an hour has passed.
    const second = windowAt(first.kept, BEGIN_MS + HOUR_MS, first.droppedMs)
    expect([second.completeSinceMs, second.droppedMs]).toEqual([BEGIN_MS + 2, BEGIN_MS + 2])
    const third = windowAt(first.kept, BEGIN_MS + HOUR_MS + 2, first.droppedMs)
    expect([third.completeSinceMs, third.droppedMs]).toEqual([BEGIN_MS + 2, null])
  })

  it("has a bound of text as well, within which a view can be logged", () => {
    const { kept, droppedMs } = windowAt(events(1_500, "x".repeat(2_000)), BEGIN_MS + 10_000, null)
    const units = JSON.stringify(kept).length
    expect(units).toBeLessThanOrEqual(WINDOW_MAX_UNITS + 2)
    expect(units).toBeGreaterThan(WINDOW_MAX_UNITS - 3_000)
    expect(droppedMs).toBe(BEGIN_MS + 1_500 - kept.length - 1)
  })

  it("of nothing is empty and complete", () => {
    expect(windowAt([], BEGIN_MS, null)).toEqual({
      kept: [],
      dropped: [],
      completeSinceMs: BEGIN_MS - HOUR_MS,
      droppedMs: null,
    })
  })
})

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")

describe("launches that are near", () => {
  it("are those from an hour before to twelve hours after now, both included", () => {
    const all = [-HOUR_MS - 1, -HOUR_MS, 0, 12 * HOUR_MS, 12 * HOUR_MS + 1].map((ms) => launch(`${ms}`, NOW_MS + ms))
    expect(nearLaunches([...all, launch("no time", null)], NOW_MS).map(({ data }) => data.id)).toEqual([
      "-3600000",
      "0",
      "43200000",
    ])
  })

  it("have their scheduled time, how exact it is, and a window where one is known", () => {
    const coarse = { netPrecision: "day", windowEnd: "2026-11-20T18:00:00.000Z", mission: null } as const
    const [one, other] = nearLaunches([launch("a", NOW_MS), launch("b", NOW_MS + 1, coarse)], NOW_MS)
    expect(one).toMatchObject({ type: "space_launch", timestamp: "2026-11-20T12:00:00.000Z", severity: "moderate" })
    expect(one?.data.window).toBeNull()
    expect(other?.data).toMatchObject({
      mission: null,
      net: "2026-11-20T12:00:00.001Z",
      net_precision: "day",
      window: { start: null, end: "2026-11-20T18:00:00.000Z" },
    })
  })
})
