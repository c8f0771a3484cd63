import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { proWorldDeltasEndpoint, selectWorldDeltas, WorldDeltasFull } from "../../schemas/endpoints/pro-world-deltas.ts"
import { instant, makeEvent } from "../../schemas/event.ts"
import { feedPatched } from "../../schemas/events/observations.ts"
import { deltaPublished } from "../../schemas/events/world-deltas.ts"
import { DAILY, type Earthquake } from "../../schemas/feeds/earthquakes.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey, type ViewBody, ViewFreshness } from "../../schemas/view-record.ts"
import { launch, learntOf, market, polls, quake, story } from "../testing/delta-feeds.ts"
import {
  declared,
  type FoldingBench,
  failed,
  foldingBench,
  type GivenEvent,
  observed,
  tick,
  unchangedPoll,
} from "../testing/folding.ts"
import worldDeltas from "./world-deltas.ts"

const BEGIN_MS = Date.parse("2026-11-20T12:00:00.500Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const PATH = proWorldDeltasEndpoint.path

const folded = (...events: ReadonlyArray<GivenEvent>): FoldingBench => {
  const bench = foldingBench(worldDeltas, eventReader)
  bench.fold(...events)
  return bench
}
const bodyOf = (bench: FoldingBench): WorldDeltasFull => {
  const body = bench.view(PATH) as ViewBody | undefined
  return Schema.decodeUnknownSync(WorldDeltasFull, { onExcessProperty: "error" })(body?.data)
}
const learntIds = (bench: FoldingBench) => learntOf(bench.derived()).map(({ data }) => data.id)
const at = (ms: number): string => instant(BEGIN_MS + ms)

/** A poll that patches the list before: its first `kept` items stay, and `added` follow. */
const patched = (ms: number, base: string, kept: number, added: ReadonlyArray<Earthquake>): GivenEvent => {
  const parts = [...(kept > 0 ? [{ from: 0, count: kept }] : []), { items: added as ReadonlyArray<Json> }]
  const data = {
    ...{ feed: "earthquakes", parameters: DAILY, provider: "USGS.earthquakes", latencyMs: 7, standsInFor: null },
    ...{ base, hash: "f".repeat(64), parts, facts: null, contentAt: null, freshUntil: at(ms + HOUR_MS) },
  }
  const type = feedPatched as unknown as Parameters<typeof makeEvent>[0]
  return (id) => makeEvent(type, { id, source: "test", subject: "test", time: at(ms), data })
}
const hashOf = (bench: FoldingBench, event: GivenEvent) => (bench.encoded(event).data as { readonly hash: string }).hash

describe("the fold of world deltas", () => {
  it("publishes no data before a feed was read, and says what it waits for", () => {
    const bench = folded(
      declared(BEGIN_MS, [
        { feed: "earthquakes", parameters: DAILY, provider: "USGS.earthquakes" },
        { feed: "tech-news", provider: "HackerNews.stories" },
      ]),
      tick(BEGIN_MS + MINUTE_MS),
      failed(BEGIN_MS + MINUTE_MS, "tech-news", "timeout", "nothing came"),
    )
    expect(bench.view(PATH)).toBeUndefined()
    expect(bench.view(freshnessKey(PATH))).toMatchObject({
      asOf: null,
      sources: [
        { name: "USGS.earthquakes", status: null, inputs: ["quakes"] },
        { status: null, inputs: ["frontPage"] },
      ],
    })
  })

  it("publishes an empty list once the first feed was read, and which feeds were", () => {
    expect(bodyOf(folded(polls.quakes(BEGIN_MS, [quake("a", 5, BEGIN_MS)])))).toEqual({
      as_of: at(0),
      complete_since: at(-HOUR_MS),
      read: { earthquake: true, tech_news_story: false, prediction_market_update: false, space_launch: false },
      events: [],
      launches: [],
    })
  })

  it("states news of one poll a millisecond apart, each later than what was published before", () => {
    const bench = folded(
      polls.frontPage(BEGIN_MS, [story(1)]),
      polls.markets(BEGIN_MS, []),
      polls.frontPage(BEGIN_MS, [story(2), story(3)]),
      polls.markets(BEGIN_MS - 1_000, [market("m", 0.6)]),
    )
    const { events, as_of } = bodyOf(bench)
    expect(events.map(({ type, timestamp, data }) => [type, timestamp, data.id])).toEqual([
      ["tech_news_story", at(1), 2],
      ["tech_news_story", at(2), 3],
      // Its poll ended before, and its event came later.
      ["prediction_market_update", at(3), "m"],
    ])
    expect(as_of).toBe(at(3))
    bench.fold(tick(BEGIN_MS + MINUTE_MS), polls.quakes(BEGIN_MS + MINUTE_MS, []))
    bench.fold(polls.quakes(BEGIN_MS + MINUTE_MS, [quake("q", 4, BEGIN_MS)]))
    expect(bodyOf(bench).events.at(-1)).toMatchObject({ type: "earthquake", timestamp: at(MINUTE_MS + 1) })
  })

  it("logs each event as it serves it, by the schema of its type", () => {
    const bench = folded(polls.frontPage(BEGIN_MS, []), polls.frontPage(BEGIN_MS + 1, [story(7)]))
    const [event, ...others] = bench.derived()
    expect(others).toEqual([])
    expect(event).toMatchObject({ id: "e1/world-deltas/0", type: "delta.published", subject: "tech_news_story/7" })
    expect(Schema.decodeUnknownSync(deltaPublished.data)(event?.data)).toEqual(bodyOf(bench).events[0])
  })

  it("reads patched lists", () => {
    const first = polls.quakes(BEGIN_MS, [quake("old", 5, BEGIN_MS)])
    const bench = folded(first)
    bench.fold(patched(1_000, hashOf(bench, first), 1, [quake("new", 4.4, BEGIN_MS)]))
    expect(learntIds(bench)).toEqual(["new"])
  })

  it("learns nothing of a patch whose base is missing, and knows what it knew when a whole list comes", () => {
    const bench = folded(polls.quakes(BEGIN_MS, [quake("old", 5, BEGIN_MS)]))
    bench.fold(patched(1_000, "0".repeat(64), 0, [quake("lost", 4.4, BEGIN_MS)]))
    expect(learntIds(bench)).toEqual([])
    expect(bench.view(freshnessKey(PATH))).toMatchObject({
      sources: [{ status: "error", reason: expect.stringMatching(/^log_gap/) }],
    })
    bench.fold(polls.quakes(BEGIN_MS + MINUTE_MS, [quake("old", 5, BEGIN_MS), quake("lost", 4.4, BEGIN_MS)]))
    expect(learntIds(bench)).toEqual(["lost"])
  })

  it("takes a whole list as a backlog where the log begins with a confirmation or a patch", () => {
    const bench = folded(unchangedPoll(BEGIN_MS, "tech-news"), patched(1, "0".repeat(64), 0, [quake("a", 5, BEGIN_MS)]))
    expect(bench.view(PATH)).toBeUndefined()
    bench.fold(polls.frontPage(BEGIN_MS + 2, [story(1)]), polls.quakes(BEGIN_MS + 2, [quake("a", 5, BEGIN_MS)]))
    expect(learntIds(bench)).toEqual([])
  })

  it("reads the magnitudes from 2.5 of a day, and no other list of earthquakes", () => {
    const others = [
      { magnitude: "all", period: "day" },
      { magnitude: "4.5", period: "day" },
      { magnitude: "2.5", period: "hour" },
    ]
    const bench = folded(polls.quakes(BEGIN_MS, []))
    for (const parameters of others)
      bench.fold(observed(BEGIN_MS + 1, "earthquakes", { items: [quake("a", 5, BEGIN_MS)], facts: {} }, { parameters }))
    expect(learntIds(bench)).toEqual([])
  })

  it("states a move that was held back when five minutes are over, though the list is unchanged", () => {
    const bench = folded(
      polls.markets(BEGIN_MS, [market("m", 0.5)]),
      polls.markets(BEGIN_MS + MINUTE_MS, [market("m", 0.6)]),
      polls.markets(BEGIN_MS + 2 * MINUTE_MS, [market("m", 0.7)]),
      ...[3, 4, 5, 6, 7].map((minute) => unchangedPoll(BEGIN_MS + minute * MINUTE_MS, "predictions")),
    )
    expect(bodyOf(bench).events.map(({ timestamp }) => timestamp)).toEqual([at(MINUTE_MS), at(6 * MINUTE_MS)])
  })

  it("learns what is new after days without polls", () => {
    const DAYS_MS = 72 * HOUR_MS
    const bench = folded(polls.frontPage(BEGIN_MS, [story(1)]), polls.frontPage(BEGIN_MS + DAYS_MS, [story(2)]))
    expect(learntIds(bench)).toEqual([2])
  })
})

describe("the window", () => {
  it("rolls each minute of event time, and not between", () => {
    const bench = folded(polls.frontPage(BEGIN_MS, []), polls.frontPage(BEGIN_MS + 1, [story(1)]))
    bench.forgetWrites()
    bench.fold(tick(BEGIN_MS + 10_000), tick(BEGIN_MS + 59_000))
    expect(bench.written()).toEqual([])
    bench.fold(tick(BEGIN_MS + MINUTE_MS))
    expect(bench.written()).toEqual([PATH])
    expect(bodyOf(bench)).toMatchObject({ as_of: at(MINUTE_MS), complete_since: at(MINUTE_MS - HOUR_MS) })
    bench.fold(tick(BEGIN_MS + HOUR_MS))
    expect(bodyOf(bench).events).toHaveLength(1)
    bench.fold(tick(BEGIN_MS + HOUR_MS + MINUTE_MS))
    expect(bodyOf(bench).events).toEqual([])
    expect(bench.stateKeys().filter((key) => key.startsWith("event/"))).toEqual([])
  })

  it("goes through more than 200 events of one hour by has_more, and counts each once", () => {
    const bench = foldingBench(worldDeltas, eventReader)
    bench.fold(polls.frontPage(BEGIN_MS, [story(0)]))
    for (let page = 0; page < 17; page++)
      bench.fold(
        polls.frontPage(
          BEGIN_MS + page * MINUTE_MS,
          Array.from({ length: 30 }, (_, at) => story(1 + 30 * page + at)),
        ),
      )
    const full = bodyOf(bench)
    const first = selectWorldDeltas(full, { since: undefined }, new Set()).data
    expect(first).toMatchObject({
      has_more: true,
      sample_size: { events_in_rolling_hour: 510, events_after_since_filter: 510 },
      counts: { earthquake: 0, tech_news_story: 200, prediction_market_update: 0, space_launch: 0 },
    })
    // The oldest 200, newest first.
    expect(first.events[0]?.data.id).toBe(200)
    expect(first.events.at(-1)?.data.id).toBe(1)
    expect(first.next_since).toBe(first.events[0]?.timestamp)
    const second = selectWorldDeltas(full, { since: first.next_since ?? undefined }, new Set()).data
    const third = selectWorldDeltas(full, { since: second.next_since ?? undefined }, new Set()).data
    expect([second.has_more, third.has_more, third.next_since]).toEqual([true, false, full.as_of])
    const pages = [first, second, third].flatMap(({ events }) => events.map(({ data }) => data.id).toReversed())
    expect(pages).toEqual(Array.from({ length: 510 }, (_, at) => at + 1))
  })

  it("does not go back where the clock of a poll does", () => {
    const bench = folded(polls.frontPage(BEGIN_MS, []), tick(BEGIN_MS + HOUR_MS), tick(BEGIN_MS))
    expect(bodyOf(bench).as_of).toBe(at(HOUR_MS))
  })
})

describe("launches", () => {
  it("come and go with the time, and are logged once while they are near, and again when time or status change", () => {
    const near = launch("near", BEGIN_MS + 12 * HOUR_MS + MINUTE_MS)
    const bench = folded(polls.catalogue(BEGIN_MS, [near]))
    expect(bodyOf(bench).launches).toEqual([])
    bench.fold(tick(BEGIN_MS + MINUTE_MS), tick(BEGIN_MS + 2 * MINUTE_MS))
    expect(bodyOf(bench).launches).toMatchObject([{ timestamp: near.net, data: { id: "near" } }])
    expect(bench.derived()).toHaveLength(1)
    bench.fold(polls.catalogue(BEGIN_MS + 3 * MINUTE_MS, [{ ...near, status: "On Hold" }]))
    bench.fold(polls.catalogue(BEGIN_MS + 4 * MINUTE_MS, [{ ...near, status: "On Hold", webcastLive: true }]))
    expect(bench.derived().map(({ data }) => (data as { data: { status: string } }).data.status)).toEqual([
      "Go for Launch",
      "On Hold",
    ])
    bench.fold(tick(BEGIN_MS + 13 * HOUR_MS + 2 * MINUTE_MS))
    expect(bodyOf(bench)).toMatchObject({ launches: [], events: [] })
  })
})

describe("the freshness", () => {
  it("has a period for each input, follows each poll of its feeds, and no other", () => {
    const bench = folded(
      polls.quakes(BEGIN_MS, []),
      polls.frontPage(BEGIN_MS + 1_000, [story(1)]),
      unchangedPoll(BEGIN_MS + 2_000, "tech-news"),
    )
    const freshness = Schema.decodeUnknownSync(ViewFreshness)(bench.view(freshnessKey(PATH)))
    expect(freshness).toMatchObject({
      asOf: at(0),
      inputs: { quakes: { asOf: at(0) }, frontPage: { asOf: at(2_000) }, markets: { asOf: null } },
    })
    bench.forgetWrites()
    bench.fold(observed(BEGIN_MS + 3_000, "chess-tv", { items: [], facts: {} }))
    expect(bench.written()).toEqual([])
  })
})
