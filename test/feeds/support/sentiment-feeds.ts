import * as Schema from "effect/Schema"
import { expect } from "vitest"
import { makeSelect } from "../../../api/http/parameters.ts"
import latest from "../../../processors/folds/latest.ts"
import { type FoldingBench, foldingBench, type GivenEvent, observed } from "../../../processors/testing/folding.ts"
import { proSentimentEndpoint } from "../../../schemas/endpoints/pro-sentiment.ts"
import { instant } from "../../../schemas/event.ts"
import type { Json } from "../../../schemas/json.ts"
import { ProSentiment, ProSentimentFull } from "../../../schemas/payloads/pro-sentiment.ts"
import { eventReader } from "../../../schemas/registry.ts"
import { nullsWithoutNote } from "../../support/notes.ts"

export const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
const strict = { onExcessProperty: "error" } as const
const PATH = "/api/pro/sentiment"

export const story = (id: number, title: string, atMs: number, url: string | null = `https://blog.example/${id}`) => ({
  id,
  kind: "story",
  title,
  url,
  discussionUrl: `https://news.ycombinator.com/item?id=${id}`,
  author: null,
  score: 1,
  comments: 0,
  postedAt: instant(atMs),
})
export const stories = (atMs: number, ...items: ReadonlyArray<ReturnType<typeof story>>): GivenEvent =>
  observed(atMs, "tech-news", { items, facts: { order: "rank" } } as Json)
export const headline = (
  title: string,
  atMs: number,
  link = `https://www.coindesk.com/${encodeURIComponent(title)}`,
) => ({
  title,
  link,
  publishedAt: instant(atMs),
  publisher: null,
})
export const news = (atMs: number, ...items: ReadonlyArray<ReturnType<typeof headline>>): GivenEvent =>
  observed(atMs, "headlines", { items, facts: {} }, { parameters: { outlet: "coindesk" } })
export const press = (atMs: number, ...items: ReadonlyArray<ReturnType<typeof headline>>): GivenEvent =>
  observed(atMs, "press-releases", { items, facts: {} }, { parameters: { office: "sec" } })
export const index = (atMs: number, value: number): GivenEvent =>
  observed(atMs, "fear-greed", {
    items: [{ day: instant(Math.floor(atMs / DAY_MS) * DAY_MS), value, label: "Fear" }],
    facts: {},
  })
export const market = (
  id: string,
  volume24hUsd: number | null,
  outcomes: ReadonlyArray<readonly [string, number | null]>,
) => ({
  id,
  question: `Question ${id}?`,
  outcomes: outcomes.map(([name, probability]) => ({ name, probability })),
  volume24hUsd,
  volumeUsd: 1,
  endsAt: null,
  url: id === "none" ? null : `https://polymarket.com/event/${id}`,
})
export const markets = (atMs: number, ...items: ReadonlyArray<ReturnType<typeof market>>): GivenEvent =>
  observed(atMs, "predictions", { items, facts: {} } as Json)

export const bench = (...events: ReadonlyArray<GivenEvent>): FoldingBench => {
  const made = foldingBench(latest, eventReader)
  made.fold(...events)
  return made
}
export const fullOf = (made: FoldingBench): ProSentimentFull => {
  const body = made.view(PATH) as { readonly data: unknown } | undefined
  return Schema.decodeUnknownSync(ProSentimentFull, strict)(body?.data)
}
export const replyTo = (full: ProSentimentFull, withheld: ReadonlyArray<string> = []) => {
  const { data, inputs } = makeSelect(proSentimentEndpoint, new Set(withheld))(full, {})
  return { reply: Schema.decodeUnknownSync(ProSentiment, strict)(data), inputs }
}
export const replyOf = (...events: ReadonlyArray<GivenEvent>): ProSentiment => replyTo(fullOf(bench(...events))).reply

/** Expects a note for each null of a reply. */
export const expectExplained = (reply: ProSentiment): void => expect(nullsWithoutNote(reply)).toEqual([])
