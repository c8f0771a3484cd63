import { describe, expect, it } from "vitest"
import { launch } from "../testing/delta-feeds.ts"
import { nearLaunches } from "./launches.ts"

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")
const HOUR_MS = 3_600_000

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
