import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cleanText } from "../../ingestors/readers/text.ts"
import latest from "../../processors/folds/latest.ts"
import { type FoldingBench, foldingBench, tick } from "../../processors/testing/folding.ts"
import { HEADLINES_SCANNED_MAX, SAMPLE_HEADLINES_MAX, TRENDING_MAX } from "../../schemas/payloads/pro-sentiment.ts"
import { eventReader } from "../../schemas/registry.ts"
import { HOSTILE_TEXT } from "../world/faults.ts"
import {
  bench,
  DAY_MS,
  expectExplained,
  fullOf,
  HOUR_MS,
  headline,
  NOW_MS,
  news,
  replyOf,
  stories,
  story,
} from "./support/sentiment-feeds.ts"

describe("the window of a day", () => {
  const scanned = (made: FoldingBench) => fullOf(made).headlines.map(({ title }) => title)

  it("is of the time of publication: a backlog counts while it is young, however late it was observed", () => {
    const made = bench(
      news(
        NOW_MS,
        headline("young", NOW_MS - 23 * HOUR_MS),
        headline("at the edge", NOW_MS - DAY_MS),
        headline("old", NOW_MS - 25 * HOUR_MS),
      ),
    )
    expect(scanned(made)).toEqual(["young"])
  })
  it("ends for each headline at its own time, by the clock alone", () => {
    const made = bench(news(NOW_MS, headline("b", NOW_MS - 22 * HOUR_MS), headline("a", NOW_MS - 23 * HOUR_MS)))
    made.fold(tick(NOW_MS + HOUR_MS - 1))
    expect(scanned(made)).toEqual(["b", "a"])
    made.fold(tick(NOW_MS + HOUR_MS))
    expect(scanned(made)).toEqual(["b"])
    made.fold(tick(NOW_MS + 2 * HOUR_MS))
    expect(scanned(made)).toEqual([])
  })
  it("keeps a headline that its outlet no longer lists, and shows it as it was last worded", () => {
    const [first, other] = [headline("Bitcoin soars", NOW_MS), headline("Ether falls", NOW_MS)]
    const reworded = { ...first, title: "Bitcoin pauses" }
    const made = bench(news(NOW_MS, first), news(NOW_MS + 1, reworded), news(NOW_MS + 2, other))
    expect(scanned(made).sort()).toEqual(["Bitcoin pauses", "Ether falls"])
  })
  it("counts a story once that left the front page and came back", () => {
    const one = story(1, "Apple opens a store", NOW_MS)
    const made = bench(stories(NOW_MS, one), stories(NOW_MS + 1), stories(NOW_MS + 2, one))
    expect(scanned(made)).toEqual(["Apple opens a store"])
  })
  it("holds the newest of each source, so that none crowds out another", () => {
    const many = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, at) => headline(`${prefix} ${at}`, NOW_MS - at * 1_000))
    const events = Array.from({ length: 8 }, (_, at) => news(NOW_MS + at, ...many(`n${at}`, 100)))
    const { headlines } = fullOf(bench(stories(NOW_MS, story(1, "Apple", NOW_MS - HOUR_MS)), ...events))
    expect(headlines.filter(({ input }) => input === "news")).toHaveLength(HEADLINES_SCANNED_MAX.news)
    expect(headlines.filter(({ input }) => input === "stories")).toHaveLength(1)
  })
  it("survives a restart, and gives the same bytes", () => {
    const events = [news(NOW_MS, headline("Bitcoin soars", NOW_MS)), stories(NOW_MS, story(1, "Apple", NOW_MS))]
    const whole = bench(...events, tick(NOW_MS + HOUR_MS), news(NOW_MS + HOUR_MS, headline("Ether falls", NOW_MS)))
    const before = bench(...events, tick(NOW_MS + HOUR_MS))
    const after = foldingBench(latest, eventReader, before.checkpoint())
    after.fold(news(NOW_MS + HOUR_MS, headline("Ether falls", NOW_MS)))
    expect(JSON.stringify(fullOf(after))).toBe(JSON.stringify(fullOf(whole)))
  })
})

describe("any headlines", () => {
  const title = fc
    .oneof(
      fc.lorem(),
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom(
        "Bitcoin soars",
        "bitcoin SOARS",
        "Apple falls",
        "$META",
        HOSTILE_TEXT,
        "__proto__",
        "constructor",
      ),
    )
    .map((text) => cleanText(text, 200))
    .filter((text) => text !== "")
  const items = fc.array(fc.record({ title, ageMs: fc.integer({ min: 0, max: 2 * DAY_MS }) }), { maxLength: 20 })

  it("make a reply within its bounds, which does not depend on their order", () => {
    fc.assert(
      fc.property(
        items.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const made = (list: typeof all) =>
            replyOf(
              news(
                NOW_MS,
                ...list.map((one, at) =>
                  headline(
                    one.title,
                    NOW_MS - one.ageMs,
                    `https://a.example/${one.title.length}-${one.ageMs}-${list === all ? at : all.indexOf(one)}`,
                  ),
                ),
              ),
            )
          const reply = made(all)
          expect(made(shuffled)).toEqual(reply)
          expect(reply.trending.length).toBeLessThanOrEqual(TRENDING_MAX)
          for (const { sentiment_score: score, sample_headlines: samples } of reply.trending) {
            expect(Math.abs(score)).toBeLessThanOrEqual(1)
            expect(samples.length).toBeLessThanOrEqual(SAMPLE_HEADLINES_MAX)
          }
          const young = all.filter(({ ageMs }) => ageMs < DAY_MS)
          expect(reply.sample_size.headlines_scanned).toBeLessThanOrEqual(young.length)
          expectExplained(reply)
        },
      ),
      { numRuns: 40 },
    )
  })
})
