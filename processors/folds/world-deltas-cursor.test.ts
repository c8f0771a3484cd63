import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  DELTAS_SERVED_MAX,
  DELTAS_WINDOW_MS,
  proWorldDeltasEndpoint,
  selectWorldDeltas,
  type WorldDeltasFull,
} from "../../schemas/endpoints/pro-world-deltas.ts"
import { instant } from "../../schemas/event.ts"
import type { LearntDelta } from "../../schemas/payloads/world-delta.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { ViewBody } from "../../schemas/view-record.ts"
import { launch, learntOf, market, polls, quake, story } from "../testing/delta-feeds.ts"
import { type FoldingBench, failed, foldedInPieces, foldingBench, type GivenEvent, tick } from "../testing/folding.ts"
import { WINDOW_EVENTS_MAX } from "../world-deltas/publish.ts"
import worldDeltas from "./world-deltas.ts"

const BEGIN_MS = Date.parse("2028-02-29T22:30:00.000Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PATH = proWorldDeltasEndpoint.path

const bodyOf = (bench: FoldingBench): WorldDeltasFull | null =>
  ((bench.view(PATH) as ViewBody | undefined)?.data as unknown as WorldDeltasFull | undefined) ?? null
const idOf = ({ type, timestamp, data }: LearntDelta): string => `${type} ${data.id} ${timestamp}`

/** A caller who asks for what is later than `next_since`, and goes on while there is more. */
const makeCaller = () => {
  let since: string | undefined
  const seen: Array<LearntDelta> = []
  let isClamped = false
  return {
    seen,
    isClamped: () => isClamped,
    call: (full: WorldDeltasFull, isPatient: boolean) => {
      for (let page = 0; page < 100; page++) {
        const { data } = selectWorldDeltas(full, { since }, new Set())
        expect(data.next_since).not.toBeNull()
        if (since !== undefined && data.next_since !== null) expect(data.next_since >= since).toBe(true)
        const learnt = data.events.flatMap((event) => (event.type === "space_launch" ? [] : [event]))
        expect(learnt.length).toBeLessThanOrEqual(DELTAS_SERVED_MAX)
        expect(proWorldDeltasEndpoint.empty(data)).toBe(learnt.length === 0)
        seen.push(...learnt.toReversed())
        isClamped ||= data.since_clamped
        since = data.next_since ?? undefined
        if (!data.has_more || isPatient) return
      }
    },
  }
}

// Few ids and values, so that items leave, return and are revised; steps of event time from 0 ms to 20 minutes.
const ids = fc.integer({ min: 0, max: 7 })
const step = fc.record({
  afterMs: fc.oneof(
    fc.constantFrom(0, 1, 999, 10_000, MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS),
    fc.integer({ min: 0, max: 3 * MINUTE_MS }),
  ),
  /** Polls end out of order: their events are older than event time. */
  lateMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ max: 5_000, min: 0 }) },
  ),
  poll: fc.oneof(
    fc.record({
      kind: fc.constant("quakes" as const),
      items: fc.uniqueArray(
        fc.tuple(ids, fc.constantFrom(null, 3.9, 4, 4.1, 5, 6.2), fc.integer({ min: 0, max: 7 * 60 })),
        { maxLength: 6, selector: ([id]) => id },
      ),
    }),
    fc.record({ kind: fc.constant("frontPage" as const), items: fc.uniqueArray(ids, { minLength: 1, maxLength: 6 }) }),
    fc.record({
      kind: fc.constant("markets" as const),
      items: fc.uniqueArray(
        fc.tuple(
          ids,
          fc.option(fc.integer({ min: 40, max: 60 }), { freq: 8, nil: null }),
          fc.constantFrom(null, 9_999, 10_000, 200_000),
        ),
        { minLength: 1, maxLength: 6, selector: ([id]) => id },
      ),
    }),
    fc.record({ kind: fc.constant("catalogue" as const), items: fc.uniqueArray(ids, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant("tick" as const), items: fc.constant([]) }),
    fc.record({ kind: fc.constant("failed" as const), items: fc.constant([]) }),
  ),
  isRestart: fc.boolean(),
  /** Which callers call after the step, each of a replica that lags by so many publications. */
  calls: fc.array(fc.record({ caller: fc.nat(2), lag: fc.nat(2), isPatient: fc.boolean() }), { maxLength: 2 }),
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const eventOf = ({ poll, lateMs }: Step, nowMs: number): GivenEvent => {
  const atMs = nowMs - lateMs
  switch (poll.kind) {
    case "quakes":
      return polls.quakes(
        atMs,
        poll.items.map(([id, magnitude, ageMinutes]) => quake(`q${id}`, magnitude, BEGIN_MS - ageMinutes * MINUTE_MS)),
      )
    case "frontPage":
      return polls.frontPage(
        atMs,
        poll.items.map((id) => story(id)),
      )
    case "markets":
      return polls.markets(
        atMs,
        poll.items.map(([id, yes, volume24hUsd]) =>
          market(`m${id}`, yes === null ? null : yes / 100, { volume24hUsd }),
        ),
      )
    case "catalogue":
      return polls.catalogue(
        atMs,
        poll.items.map((id) => launch(`l${id}`, BEGIN_MS + id * HOUR_MS)),
      )
    case "tick":
      return tick(atMs)
    case "failed":
      return failed(atMs, "tech-news", "timeout", "nothing")
  }
}

/** What is news by a naive reading of the whole history of polls, without the state of the fold. */
const naiveNews = (history: ReadonlyArray<{ readonly step: Step; readonly nowMs: number }>) => {
  const news: Array<string> = []
  const quakePolls = history.flatMap(({ step: { poll }, nowMs }) =>
    poll.kind === "quakes" ? [{ ...poll, nowMs }] : [],
  )
  const news4 = quakePolls.map(({ items, nowMs }) =>
    items.flatMap(([id, magnitude, age]) =>
      magnitude !== null && magnitude >= 4 && BEGIN_MS - age * MINUTE_MS > nowMs - 6 * HOUR_MS ? [`q${id}`] : [],
    ),
  )
  news4.forEach((found, at) => {
    if (at > 0) news.push(...found.filter((id) => !news4.slice(0, at).flat().includes(id)))
  })
  const pages = history.flatMap(({ step: { poll }, nowMs }) => (poll.kind === "frontPage" ? [{ ...poll, nowMs }] : []))
  pages.forEach(({ items, nowMs }, at) => {
    // A story stood on the page from each poll that shows it to the next one.
    const stood = (id: number) =>
      pages
        .slice(0, at)
        .some((page, from) => page.items.includes(id) && (pages[from + 1]?.nowMs ?? nowMs) > nowMs - DAY_MS)
    if (at > 0) news.push(...items.filter((id) => !stood(id)).map(String))
  })
  return news.sort()
}

describe("the cursor of world deltas", () => {
  it("gives every caller each event once, in order, whatever the rhythm, restarts, lagging replicas and late polls", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        let bench = foldingBench(worldDeltas, eventReader)
        const callers = [makeCaller(), makeCaller(), makeCaller()]
        const starts = callers.map((): number | null => null)
        const lastCalls: Array<number | null> = callers.map(() => null)
        const isLate = callers.map(() => false)
        const bodies: Array<WorldDeltasFull> = []
        const history: Array<{ readonly step: Step; readonly nowMs: number }> = []
        let nowMs = BEGIN_MS
        let eventMs = 0
        for (const one of steps) {
          nowMs += one.afterMs
          eventMs = Math.max(eventMs, nowMs - one.lateMs)
          bench.fold(eventOf(one, nowMs))
          history.push({ step: one, nowMs: eventMs })
          if (one.isRestart) bench = foldingBench(worldDeltas, eventReader, bench.checkpoint())
          const body = bodyOf(bench)
          if (body !== null && body.as_of !== bodies.at(-1)?.as_of) bodies.push(body)
          for (const { caller, lag, isPatient } of one.calls) {
            const read = bodies.at(-1 - Math.min(lag, bodies.length - 1))
            const who = callers[caller]
            if (read === undefined || who === undefined) continue
            const asOfMs = Date.parse(read.as_of ?? "")
            starts[caller] ??= asOfMs - DELTAS_WINDOW_MS
            isLate[caller] ||= Math.max(asOfMs, eventMs) - (lastCalls[caller] ?? asOfMs) >= DELTAS_WINDOW_MS
            lastCalls[caller] = Math.max(asOfMs, lastCalls[caller] ?? asOfMs)
            who.call(read, isPatient)
          }
        }
        const all = learntOf(bench.derived())
        // Timestamps increase strictly, so an id with its timestamp names one event.
        for (const [at, { timestamp }] of all.entries())
          if (at > 0) expect(timestamp > (all[at - 1]?.timestamp ?? "")).toBe(true)
        const last = bodies.at(-1)
        callers.forEach((who, at) => {
          if (last !== undefined && starts[at] !== null && !isLate[at] && eventMs - (lastCalls[at] ?? 0) < HOUR_MS)
            who.call(last, false)
          const seen = who.seen.map(idOf)
          expect(new Set(seen).size).toBe(seen.length)
          expect(seen).toEqual([...seen].sort((one, other) => (one.slice(-24) < other.slice(-24) ? -1 : 1)))
          const from = instant(starts[at] ?? 0)
          const due = all.filter(({ timestamp }) => timestamp > from).map(idOf)
          if (starts[at] !== null && !isLate[at] && eventMs - (lastCalls[at] ?? 0) < HOUR_MS) {
            expect(seen).toEqual(due)
            expect(who.isClamped()).toBe(false)
          } else expect(due).toEqual(expect.arrayContaining(seen))
        })
        const learnt = all.filter(({ type }) => type !== "prediction_market_update").map(({ data }) => String(data.id))
        expect(learnt.sort()).toEqual(naiveNews(history))
      }),
      { numRuns: 2_000 },
    )
  })

  it("is the same, byte for byte, in a rebuild and after restarts anywhere", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        let nowMs = BEGIN_MS
        const events = steps.map((one) => {
          nowMs += one.afterMs
          return eventOf(one, nowMs)
        })
        const cut = foldedInPieces(
          worldDeltas,
          eventReader,
          events,
          steps.map(({ isRestart }) => isRestart),
        )
        expect(cut).toEqual(foldedInPieces(worldDeltas, eventReader, events, []))
      }),
      { numRuns: 300 },
    )
  })

  it("says to a caller who lags that he has missed something, where an hour brings more than the window holds", () => {
    const bench = foldingBench(worldDeltas, eventReader)
    bench.fold(polls.frontPage(BEGIN_MS, [story(0)]))
    const caller = makeCaller()
    caller.call(bodyOf(bench) ?? expect.fail("nothing was published"), false)
    const pageOf = (page: number) => Array.from({ length: 30 }, (_, at) => story(1 + 30 * page + at))
    for (let page = 0; page < 70; page++) bench.fold(polls.frontPage(BEGIN_MS + page * 1_000, pageOf(page)))
    const all = learntOf(bench.derived())
    // Also in the publications after the one that dropped events.
    bench.fold(tick(BEGIN_MS + 30 * MINUTE_MS))
    const full = bodyOf(bench) ?? expect.fail("nothing was published")
    expect(full.events).toHaveLength(WINDOW_EVENTS_MAX)
    expect(full.complete_since).toBe(all[all.length - WINDOW_EVENTS_MAX - 1]?.timestamp)
    caller.call(full, false)
    expect(caller.isClamped()).toBe(true)
    expect(caller.seen).toEqual(all.slice(-WINDOW_EVENTS_MAX))
  })
})
