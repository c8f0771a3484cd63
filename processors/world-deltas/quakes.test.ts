import { describe, expect, it } from "vitest"
import type { Earthquake } from "../../schemas/feeds/earthquakes.ts"
import { quake } from "../testing/delta-feeds.ts"
import { learnQuakes } from "./quakes.ts"

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")
const HOUR_MS = 3_600_000

/** The ids that are news at each poll, an hour apart unless `everyMs` says otherwise. */
const newsOf = (everyMs: number, ...polls: ReadonlyArray<ReadonlyArray<Earthquake>>) => {
  let known: ReturnType<typeof learnQuakes>["known"] | undefined
  return polls.map((quakes, at) => {
    const learnt = learnQuakes(quakes, known, NOW_MS + at * everyMs)
    known = learnt.known
    return learnt.news.map(({ data }) => data.id)
  })
}

describe("earthquakes that are news", () => {
  it("are those that appear with magnitude 4.0 or above, the earliest origin first", () => {
    const strong = [quake("late", 4.2, NOW_MS - 1_000), quake("early", 4, NOW_MS - 60_000)]
    const others = [quake("weak", 3.99, NOW_MS), quake("unknown", null, NOW_MS)]
    expect(newsOf(0, [], [...strong, ...others])).toEqual([[], ["early", "late"]])
  })

  it("are never those of the first payload, however they are revised", () => {
    const first = [quake("a", 4.5, NOW_MS), quake("b", 3.9, NOW_MS)]
    const revised = [quake("a", 3.8, NOW_MS), quake("b", 4.1, NOW_MS)]
    // Only b was never above 4.0 before.
    expect(newsOf(60_000, first, revised, first)).toEqual([[], ["b"], []])
  })

  it("are stated once, also where they fall below 4.0, leave and return", () => {
    const [above, below] = [quake("a", 4.1, NOW_MS), quake("a", 3.9, NOW_MS)]
    expect(newsOf(60_000, [], [below], [above], [below], [above], [], [above])).toEqual([[], [], ["a"], [], [], [], []])
  })

  it("are stated once under all ids of one event, as its preferred network changes", () => {
    const [first, second, third] = [
      quake("at00", 6.1, NOW_MS),
      quake("us7000", 6.2, NOW_MS, { otherIds: ["at00"] }),
      quake("ak026", 6.2, NOW_MS, { otherIds: ["at00", "us7000"] }),
    ]
    expect(newsOf(60_000, [], [first], [second], [third], [first])).toEqual([[], ["at00"], [], [], []])
    expect(newsOf(60_000, [first], [second])).toEqual([[], []])
  })

  it("had their origin less than six hours ago, also where the origin is revised", () => {
    const aged = (id: string, ageMs: number) => quake(id, 5, NOW_MS - ageMs)
    expect(newsOf(0, [], [aged("in", 6 * HOUR_MS - 1), aged("out", 6 * HOUR_MS)])).toEqual([[], ["in"]])
    // Stated, seven hours old, and then revised to a later origin.
    const moved = quake("a", 5, NOW_MS + 5 * HOUR_MS)
    expect(newsOf(HOUR_MS * 7, [], [quake("a", 5, NOW_MS + 6.5 * HOUR_MS)], [moved])).toEqual([[], ["a"], []])
  })

  it("are earthquakes and events of volcanoes, no landslides, ice or avalanches", () => {
    const types = ["earthquake", "volcanic eruption", "volcanic explosion", "landslide", "ice quake", "rock avalanche"]
    const all = types.map((type, at) => quake(type, 5.2, NOW_MS + at, { type: type as Earthquake["type"] }))
    expect(newsOf(0, [], all)).toEqual([[], types.slice(0, 3)])
  })

  it("may have any id", () => {
    const odd = [quake("__proto__", 5, NOW_MS), quake("constructor", 5, NOW_MS + 1)]
    expect(newsOf(0, [], odd, odd)).toEqual([[], ["__proto__", "constructor"], []])
  })

  it("state what the agency states, null where it does not", () => {
    const bare = quake("a", 4.5, NOW_MS, { place: null, depthKm: null, magnitudeType: null, url: null })
    expect(learnQuakes([bare], [], NOW_MS).news).toEqual([
      {
        type: "earthquake",
        severity: "minor",
        data: {
          id: "a",
          type: "earthquake",
          magnitude: 4.5,
          place: null,
          depth_km: null,
          mag_type: null,
          time: "2026-11-20T12:00:00.000Z",
          url: null,
        },
      },
    ])
  })

  it("are forgotten two days after their origin", () => {
    const { known } = learnQuakes([quake("a", 5, NOW_MS)], [], NOW_MS)
    expect(known).toEqual([["a", NOW_MS]])
    expect(learnQuakes([], known, NOW_MS + 48 * HOUR_MS - 1).known).toEqual(known)
    expect(learnQuakes([], known, NOW_MS + 48 * HOUR_MS).known).toEqual([])
  })
})
