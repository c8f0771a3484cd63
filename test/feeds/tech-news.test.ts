import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import type { Source } from "../../ingestors/source.ts"
import hackerNews from "../../ingestors/sources/hacker-news.ts"
import storiesTable from "../../processors/tables/stories/table.ts"
import techNewsView from "../../processors/views/tech-news.ts"
import { type StoryRow, techNews } from "../../schemas/feeds/tech-news.ts"
import simulated, { frontPage } from "../world/upstreams/hacker-news.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const untyped = hackerNews as Source<never, unknown>
const rows = (payload: unknown) => shown(techNewsView, [reading(payload)], { nowMs: NOW_MS }) as ReadonlyArray<StoryRow>
const FIREBASE = "hacker-news.firebaseio.com"
const ALGOLIA = "hn.algolia.com"

type Items = Extract<Parameters<typeof hackerNews.read>[0], { readonly order: "rank" }>["items"]
type Hits = Extract<Parameters<typeof hackerNews.read>[0], { readonly order: "score" }>["hits"]

feedTest({
  feed: techNews,
  glances: {
    tech_news: [
      "Structure and Interpretation of Computer Programs (1996) [pdf]",
      null,
      "first on Hacker News, 661 points, 142 comments",
    ],
  },
  polls: [
    polled({
      source: hackerNews,
      world: simulated,
      freeText: true,
      breakRow: (answer) =>
        answer.order === "rank"
          ? { ...answer, items: answer.items.with(0, { id: 1, type: "story", title: " " }) }
          : answer,
      refused: [["an empty front page", { order: "rank", items: [null], failed: [] }, /has no items/]],
    }),
  ],
  views: [techNewsView],
  table: storiesTable,
  rows: [
    {
      kind: "gone",
      item: {
        id: 1,
        kind: "story",
        title: "A",
        url: null,
        discussionUrl: "https://news.ycombinator.com/item?id=1",
        author: null,
        score: 5,
        comments: null,
        postedAt: "2026-11-20T10:00:00.000Z",
      },
      makes: {
        id: 1,
        kind: "story",
        title: "A",
        url: "",
        author: "",
        score: 5,
        comments: null,
        posted_at: "2026-11-20T10:00:00.000Z",
        on_front_page: false,
        observed_at: OBSERVED_AT,
      },
    },
  ],
})

describe.skipIf(capturesAbsent)("captured items", () => {
  const item = (file: string) => decodedCapture<Items[number]>(untyped, "item", `firebase-item-${file}.json`)

  it("keep the order of the site; comments, deleted and missing ones are no stories", () => {
    const items = [
      "21301382-ask-with-text",
      "21501055-deleted",
      "3000-missing-null",
      "21500829-comment",
      "21299546-story",
    ]
    const { payload, contentAtMs } = normalised(hackerNews, { order: "rank", items: items.map(item), failed: [] })
    expect(rows(payload)).toEqual([
      {
        id: 21301382,
        title: "Ask HN: How to deal with seasonal affective disorder?",
        url: null,
        discussion_url: "https://news.ycombinator.com/item?id=21301382",
        score: 27,
        comment_count: 42,
        author: "Jefro118",
        posted_at: "2019-10-19T23:38:39.000Z",
      },
      {
        id: 21299546,
        title: "Structure and Interpretation of Computer Programs (1996) [pdf]",
        url: "https://opendocs.github.io/sicp/sicp.pdf",
        discussion_url: "https://news.ycombinator.com/item?id=21299546",
        score: 661,
        comment_count: 142,
        author: "susam",
        posted_at: "2019-10-19T17:21:08.000Z",
      },
    ])
    expect(contentAtMs).toBe(1571528319000)
  })
  it("of the search index stand by their votes, under the same ids", () => {
    const { hits } = decodedCapture<{ hits: Hits }>(untyped, "frontPage", "algolia-front-page-2025-07-21.json")
    const { payload } = normalised(hackerNews, { order: "score", hits })
    const shownRows = rows(payload)
    expect(shownRows).toHaveLength(8)
    expect(shownRows[0]).toMatchObject({ id: 44591305, score: 251, comment_count: 17, author: "camillovisini" })
    expect(shownRows.map(({ score }) => score)).toEqual(
      shownRows.map(({ score }) => score).toSorted((a, b) => (b ?? 0) - (a ?? 0)),
    )
  })
  it("of the list are ids", () => {
    expect(decodedCapture<ReadonlyArray<number>>(untyped, "topStories", "firebase-topstories-2019-10.json")[0]).toBe(
      21299546,
    )
  })
})

describe("tech-news", () => {
  const shownItem = { id: 1, type: "story", title: "A", time: 1_700_000_000 }

  it("leave out jobs, dead ones, and those without a title or a time", () => {
    const items: Items = [
      { ...shownItem, id: 2, type: "job", score: 1 },
      { ...shownItem, id: 3, dead: true },
      { ...shownItem, id: 4, title: " \u200b" },
      { id: 5, type: "story", title: "No time" },
      { ...shownItem, id: 6, type: "poll", descendants: -1 },
      shownItem,
      shownItem,
    ]
    const { payload } = normalised(hackerNews, { order: "rank", items, failed: [] })
    expect(payload.items.map(({ id, kind, comments }) => [id, kind, comments])).toEqual([
      [6, "poll", null],
      [1, "story", null],
    ])
  })
  it("never link to a script, and hold no invisible text", () => {
    const item = { ...shownItem, title: `a\u202e&amp;${"x".repeat(400)}`, url: "javascript:alert(1)", by: "\u0007eve" }
    const [row] = rows(normalised(hackerNews, { order: "rank", items: [item], failed: [] }).payload)
    expect(row?.url).toBeNull()
    expect(row?.author).toBe("eve")
    expect(row?.title).toBe(`a&${"x".repeat(298)}`)
  })
  it("of the world are those shown, in its order", async () => {
    const { payload } = await observed(hackerNews, simulated, NOW_MS)
    const expected = frontPage(worldAt("test", NOW_MS))
      .slice(0, 30)
      .filter(({ kind, state }) => kind !== "job" && state === "shown")
    expect(expected.length).toBeGreaterThan(20)
    expect(rows(payload).map(({ id, score, comment_count, url }) => [id, score, comment_count, url])).toEqual(
      expected.map(({ id, score, comments, url }) => [id, score, comments, url]),
    )
    expect(payload.facts.order).toBe("rank")
  })
  it("come from the search index where the data store does not answer", async () => {
    const world = worldAt("test", NOW_MS)
    const collected = await Effect.runPromise(
      hackerNews.collect(upstreamOf(simulated, world, { unreachable: [FIREBASE] }), {
        parameters: {},
        observedAtMs: NOW_MS,
        key: null,
      }),
    )
    const { payload } = normalised(hackerNews, collected)
    expect(payload.facts.order).toBe("score")
    const ids = frontPage(world).map(({ id }) => id)
    expect(payload.items.length).toBeGreaterThan(20)
    expect(payload.items.every(({ id }) => ids.includes(id))).toBe(true)
  })
  it("fail as the data store does where neither answers", async () => {
    const neither = upstreamOf(simulated, worldAt("test", NOW_MS), { unreachable: [FIREBASE, ALGOLIA] })
    expect(await pollFailure(hackerNews, neither)).toMatchObject({ value: { host: FIREBASE, reason: "unreachable" } })
  })
  it.each([
    [3, "rank"],
    [4, "score"],
  ])("with %i broken items come by %s", async (broken, order) => {
    const whole = upstreamOf(simulated, worldAt("test", NOW_MS))
    const failed = new HttpFailed({ reason: "status", host: FIREBASE, status: 500, retryAfterMs: null, message: "" })
    let left = broken
    const upstream: Upstream = {
      ...whole,
      fetch: (document, input) =>
        document.url(input).includes("/item/") && left-- > 0 ? Effect.fail(failed) : whole.fetch(document, input),
    }
    const collected = await Effect.runPromise(
      hackerNews.collect(upstream, { parameters: {}, observedAtMs: NOW_MS, key: null }),
    )
    expect(normalised(hackerNews, collected).payload.facts.order).toBe(order)
    // A story that is left out is counted.
    expect(readBy(hackerNews, collected).unreadable).toHaveLength(order === "rank" ? broken : 0)
  })
})
