import { createHash } from "node:crypto"
import type { InstanceCheckpoint } from "../../../ingestors/poll/ingest-log.ts"
import { type Instance, makePlan } from "../../../ingestors/poll/plan.ts"
import type { PollReport } from "../../../ingestors/poll/poll.ts"
import { type PatchBase, recordPoll } from "../../../ingestors/poll/record.ts"
import { sources } from "../../../ingestors/registry.ts"
import { encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../../schemas/events/observations.ts"
import type { Parameters as FeedParameters } from "../../../schemas/feed.ts"
import { type Earthquake, earthquakes } from "../../../schemas/feeds/earthquakes.ts"
import { canonicalJson, type Json } from "../../../schemas/json.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { worldKeys } from "../../world/keys.ts"
import { pollWorld } from "../../world/past.ts"
import { isModelled, makeModelledList, modelledSources, modelOf } from "./feeds.ts"

const BEGIN_MS = Date.parse("2026-11-20T00:00:00.000Z")
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TICK_MS = 10_000

/** What the ingest role commits at one moment of the simulated day. */
export interface DayCommit {
  readonly records: ReadonlyArray<LogRecord>
  /** The first poll of an instance, or what is said at the start of the day: it comes once. */
  readonly isFirst: boolean
}

/** Numbers in [0, 1), the same in every run. */
const makeRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Earthquakes a day, of all magnitudes, as the catalogue holds them; each magnitude more has a tenth of the events. */
const QUAKES_A_DAY = 300
const PERIOD_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
/** An event is revised once, this long after it was first seen. */
const REVISED_AFTER_MS = 20 * 60_000

/** The catalogue of a month before the end of the day, newest first, with the revision that stands at an instant. */
const makeCatalogue = (random: () => number) => {
  const quakes = Array.from({ length: 31 * QUAKES_A_DAY }, (_, index) => {
    const timeMs = BEGIN_MS + DAY_MS - (index * DAY_MS) / QUAKES_A_DAY
    const magnitude = Math.round((0.2 - Math.log10(random())) * 100) / 100
    const first: Earthquake = {
      id: `us${(7_000_000 + index).toString(36)}`,
      type: "earthquake",
      magnitude,
      magnitudeType: "ml",
      place: `${Math.floor(random() * 90)} km NNW of Somewhere, Alaska`,
      time: instant(timeMs),
      revisedAt: instant(timeMs),
      latitude: Math.round(random() * 9e5) / 1e4,
      longitude: -Math.round(random() * 17e5) / 1e4,
      depthKm: Math.round(random() * 1e4) / 1e2,
      tsunami: false,
      alert: null,
      significance: Math.round(magnitude * 60),
      status: "automatic",
      url: `https://earthquake.usgs.gov/earthquakes/eventpage/us${(7_000_000 + index).toString(36)}`,
    }
    const revised: Earthquake = { ...first, status: "reviewed", revisedAt: instant(timeMs + REVISED_AFTER_MS) }
    return { timeMs, magnitude, first, revised }
  })
  return ({ magnitude = "", period = "" }: FeedParameters, nowMs: number): ReadonlyArray<Earthquake> => {
    const least = magnitude === "all" ? -9 : magnitude === "significant" ? 5 : Number(magnitude)
    const fromMs = nowMs - PERIOD_MS[period as keyof typeof PERIOD_MS]
    return quakes
      .filter((quake) => quake.timeMs <= nowMs && quake.timeMs >= fromMs && quake.magnitude >= least)
      .map(({ timeMs, first, revised }) => (timeMs + REVISED_AFTER_MS <= nowMs ? revised : first))
  }
}

/** What a poll of an instance brings at an instant. */
type Collect = (nowMs: number) => Promise<PollReport["outcome"]>

const success = (instance: Instance, payload: Json, contentAtMs: number | null): PollReport["outcome"] => {
  const text = canonicalJson(payload)
  const [candidate] = instance.candidates
  return {
    _tag: "Success",
    candidate,
    payload,
    hash: createHash("sha256").update(text).digest("hex"),
    payloadBytes: Buffer.byteLength(text),
    contentAtMs,
    validators: null,
  }
}

/** The same outcome again where the items are the same objects, as an upstream's unchanged document is. */
const ofItems = (instance: Instance, itemsAt: (nowMs: number) => ReadonlyArray<unknown>): Collect => {
  let before: { readonly items: ReadonlyArray<unknown>; readonly outcome: PollReport["outcome"] } | null = null
  return async (nowMs) => {
    const items = itemsAt(nowMs)
    const isSame = before?.items.length === items.length && items.every((item, index) => item === before?.items[index])
    if (before === null || !isSame) {
      // Copies, as a poll parses its document anew.
      const payload: Json = JSON.parse(JSON.stringify({ items, facts: {} }))
      before = { items, outcome: success(instance, payload, nowMs) }
    }
    return before.outcome
  }
}

/**
 * The commits of the ingest role over the first `hours` of a day, in order: every scheduled instance of the built feeds
 * (against the simulated world, the earthquakes against a catalogue of the real size) and of the modelled ones at its
 * interval, and the ticks. `whole`: no list is logged as a patch.
 */
export async function* dayCommits(hours: number, whole: boolean): AsyncGenerator<DayCommit> {
  const random = makeRandom(7)
  const catalogue = makeCatalogue(random)
  const polled = [...sources.filter(({ fills }) => !isModelled(fills)), ...modelledSources]
  const keys = worldKeys(false)
  const plan = makePlan(polled, (setting) => keys[setting] ?? null, null)
  const polls = plan.scheduled.map((instance, index) => {
    const { feed, parameters, everyMs } = instance
    const model = modelOf(feed)
    const list = model === undefined ? null : makeModelledList(model, random)
    const collect =
      list !== null
        ? ofItems(instance, (nowMs) => list.next(instant(nowMs)))
        : feed.name === earthquakes.name
          ? ofItems(instance, (nowMs) => catalogue(parameters, nowMs))
          : (nowMs: number) => pollWorld(instance, "day", nowMs)
    // Spread over the interval, as first polls are.
    const dueMs = BEGIN_MS + ((index * 1_009) % Math.min(everyMs, 60_000))
    return { instance, collect, dueMs, before: null as InstanceCheckpoint | null, base: null as PatchBase | null }
  })
  let ids = 0
  const newId = () => `day-${ids++}`
  const own = (type: Parameters<typeof makeEvent>[0], data: unknown, atMs: number): LogRecord => ({
    topic: "observations",
    key: "ingest",
    value: encodeEvent(
      makeEvent(type, { id: newId(), source: "ingest", subject: "ingest", time: instant(atMs), data }),
    ),
  })
  yield { records: [own(feedsDeclared as never, { feeds: plan.declared }, BEGIN_MS)], isFirst: true }
  let tickMs = BEGIN_MS + TICK_MS
  for (;;) {
    const [next] = polls.toSorted((one, other) => one.dueMs - other.dueMs)
    const atMs = Math.min(next?.dueMs ?? tickMs, tickMs)
    if (atMs >= BEGIN_MS + hours * HOUR_MS) return
    if (next === undefined || atMs === tickMs) {
      tickMs += TICK_MS
      yield { records: [own(clockTicked as never, {}, atMs)], isFirst: false }
      continue
    }
    const outcome = await next.collect(atMs)
    const report: PollReport = {
      outcome,
      isAsked: true,
      latencyMs: 120,
      undecoded: [],
      unreadableRows: 0,
      announced: [],
    }
    const isFirst = next.before === null
    const recorded = recordPoll(next.instance, next.before, report, {
      timeMs: atMs,
      beganMs: atMs,
      random: 0.5,
      newId,
      scheduled: true,
      quarantine: () => false,
      base: whole ? null : next.base,
    })
    next.before = recorded.checkpoint
    next.base = recorded.base
    next.dueMs = atMs + next.instance.everyMs
    yield { records: recorded.records, isFirst }
  }
}
