import { describe, expect, it } from "vitest"
import type { Earthquake } from "../../schemas/feeds/earthquakes.ts"
import { quake, story } from "../testing/delta-feeds.ts"
import { learnQuakes, learnStories, marketSeverity, quakeSeverity, storySeverity } from "./news.ts"

describe("severities", () => {
  it.each([
    [4, "minor"],
    [4.99, "minor"],
    [5, "moderate"],
    [5.9, "moderate"],
    [6, "major"],
    [9.5, "major"],
  ])("of an earthquake of magnitude %d: %s", (magnitude, severity) => {
    expect(quakeSeverity(magnitude)).toBe(severity)
  })
  it.each([
    [null, "minor"],
    [-3, "minor"],
    [24, "minor"],
    [25, "moderate"],
    [99, "moderate"],
    [100, "major"],
  ])("of a story with %j points: %s", (points, severity) => {
    expect(storySeverity(points)).toBe(severity)
  })
  it.each([
    [10_000, "moderate"],
    [100_000, "moderate"],
    [100_000.01, "major"],
  ])("of a market with a turnover of %d US dollars: %s", (volume, severity) => {
    expect(marketSeverity(volume)).toBe(severity)
  })
})

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z")
const HOUR_MS = 3_600_000

/** The ids that are news at each poll, an hour apart unless `everyMs` says otherwise. */
const quakesIn = (everyMs: number, ...polls: ReadonlyArray<ReadonlyArray<Earthquake>>) => {
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
    expect(quakesIn(0, [], [...strong, ...others])).toEqual([[], ["early", "late"]])
  })

  it("are never those of the first payload, however they are revised", () => {
    const first = [quake("a", 4.5, NOW_MS), quake("b", 3.9, NOW_MS)]
    const revised = [quake("a", 3.8, NOW_MS), quake("b", 4.1, NOW_MS)]
    // Only b was never above 4.0 before.
    expect(quakesIn(60_000, first, revised, first)).toEqual([[], ["b"], []])
  })

  it("are stated once, also where they fall below 4.0, leave and return", () => {
    const [above, below] = [quake("a", 4.1, NOW_MS), quake("a", 3.9, NOW_MS)]
    expect(quakesIn(60_000, [], [below], [above], [below], [above], [], [above])).toEqual([
      [],
      [],
      ["a"],
      [],
      [],
      [],
      [],
    ])
  })

  it("are stated once under all ids of one event, as its preferred network changes", () => {
    const [first, second, third] = [
      quake("at00", 6.1, NOW_MS),
      quake("us7000", 6.2, NOW_MS, { otherIds: ["at00"] }),
      quake("ak026", 6.2, NOW_MS, { otherIds: ["at00", "us7000"] }),
    ]
    expect(quakesIn(60_000, [], [first], [second], [third], [first])).toEqual([[], ["at00"], [], [], []])
    expect(quakesIn(60_000, [first], [second])).toEqual([[], []])
  })

  it("had their origin less than six hours ago, also where the origin is revised", () => {
    const aged = (id: string, ageMs: number) => quake(id, 5, NOW_MS - ageMs)
    expect(quakesIn(0, [], [aged("in", 6 * HOUR_MS - 1), aged("out", 6 * HOUR_MS)])).toEqual([[], ["in"]])
    // Stated, seven hours old, and then revised to a later origin.
    const moved = quake("a", 5, NOW_MS + 5 * HOUR_MS)
    expect(quakesIn(HOUR_MS * 7, [], [quake("a", 5, NOW_MS + 6.5 * HOUR_MS)], [moved])).toEqual([[], ["a"], []])
  })

  it("are earthquakes and events of volcanoes, no landslides, ice or avalanches", () => {
    const types = ["earthquake", "volcanic eruption", "volcanic explosion", "landslide", "ice quake", "rock avalanche"]
    const all = types.map((type, at) => quake(type, 5.2, NOW_MS + at, { type: type as Earthquake["type"] }))
    expect(quakesIn(0, [], all)).toEqual([[], types.slice(0, 3)])
  })

  it("may have any id", () => {
    const odd = [quake("__proto__", 5, NOW_MS), quake("constructor", 5, NOW_MS + 1)]
    expect(quakesIn(0, [], odd, odd)).toEqual([[], ["__proto__", "constructor"], []])
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

/** The ids that are news at each poll: `[hours, ids on the page]`. */
const storiesIn = (...polls: ReadonlyArray<readonly [hours: number, ids: ReadonlyArray<number>]>) => {
  let known: ReturnType<typeof learnStories>["known"] | undefined
  return polls.map(([hours, ids]) => {
    const learnt = learnStories(
      ids.map((id) => story(id)),
      known,
      hours * HOUR_MS,
    )
    known = learnt.known
    return learnt.news.map(({ data }) => data.id)
  })
}

describe("stories that are news", () => {
  it("are new on the front page, in its order; those of the first payload are a backlog", () => {
    expect(storiesIn([0, [1, 2]], [1, [9, 2, 3]])).toEqual([[], [9, 3]])
  })
  it("are not those that return within 24 hours of leaving, the first payload's among them", () => {
    expect(storiesIn([0, [1]], [1, [2]], [24.99, [1]], [30, [2]])).toEqual([[], [2], [], []])
  })
  it("are those that return after 24 hours", () => {
    expect(storiesIn([0, [1]], [1, [2]], [25, [1]])).toEqual([[], [2], [1]])
  })
  it("are not those that stay for days", () => {
    expect(storiesIn([0, [5]], [1, [1, 5]], [30, [1, 5]], [60, [1]])).toEqual([[], [1], [], []])
  })
  it("are counted from when they leave, not from when they come", () => {
    expect(storiesIn([0, [5]], [1, [1]], [40, [5]], [41, [1]])).toEqual([[], [1], [5], []])
  })
  it("state votes and comments as they are, null where they are not given", () => {
    const odd = story(7, { score: null, comments: null, author: null, url: null })
    expect(learnStories([odd], [], 0).news).toEqual([
      {
        type: "tech_news_story",
        severity: "minor",
        data: {
          id: 7,
          title: "Story 7",
          url: null,
          points: null,
          num_comments: null,
          author: null,
          time: "2026-11-20T00:00:00.000Z",
        },
      },
    ])
  })
  it("are remembered within a bound, the latest to leave", () => {
    let known: ReturnType<typeof learnStories>["known"] = []
    for (let poll = 0; poll < 200; poll++)
      known = learnStories(
        Array.from({ length: 30 }, (_, at) => story(poll * 30 + at)),
        known,
        poll,
      ).known
    expect(known).toHaveLength(5_030)
    expect(known.some(([id]) => id === "0")).toBe(false)
  })
})
