import { describe, expect, it } from "vitest"
import { story } from "../testing/delta-feeds.ts"
import { learnStories } from "./stories.ts"

const HOUR_MS = 3_600_000

/** The ids that are news at each poll: `[hours, ids on the page]`. */
const newsOf = (...polls: ReadonlyArray<readonly [hours: number, ids: ReadonlyArray<number>]>) => {
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
    expect(newsOf([0, [1, 2]], [1, [9, 2, 3]])).toEqual([[], [9, 3]])
  })
  it("are not those that return within 24 hours of leaving, the first payload's among them", () => {
    expect(newsOf([0, [1]], [1, [2]], [24.99, [1]], [30, [2]])).toEqual([[], [2], [], []])
  })
  it("are those that return after 24 hours", () => {
    expect(newsOf([0, [1]], [1, [2]], [25, [1]])).toEqual([[], [2], [1]])
  })
  it("are not those that stay for days", () => {
    expect(newsOf([0, [5]], [1, [1, 5]], [30, [1, 5]], [60, [1]])).toEqual([[], [1], [], []])
  })
  it("are counted from when they leave, not from when they come", () => {
    expect(newsOf([0, [5]], [1, [1]], [40, [5]], [41, [1]])).toEqual([[], [1], [5], []])
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
