import { feedReliabilityEndpoint } from "../../schemas/endpoints/feed-reliability.ts"
import { proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { type DataOf, type Envelope, type EventType, instant } from "../../schemas/event.ts"
import { feedProbed, type Verdict } from "../../schemas/events/deltas.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { polled } from "../feed-state.ts"
import { type DerivedEvent, type Processor, processor, type State, type Step, unchanged } from "../processor.ts"
import { type JudgedRow, type LastSuccess, reliabilityBreakdown } from "../reliability-breakdown.ts"
import { CHECK_EVERY_MS, type Checks, inWindow, withCheck } from "../reliability-score.ts"
import { reliabilityTable } from "../reliability-table.ts"

const DAY_MS = 24 * 60 * 60_000

/** The name of the monitor in `_meta.sources`. */
const MONITOR = "Tidewire.reliability"
/** Checks that may be missed before the table itself counts as stale. */
const MISSED_MAX = 2

/** An instance that is polled on schedule, and the row of the table in which it is judged. */
type Declared = {
  /** `instanceKey(feed, parameters)`. */
  readonly key: string
  readonly row: string
  readonly feed: string
  readonly parameters: Parameters
  readonly provider: string
  readonly configured: boolean
  /** When it was first declared, in milliseconds since the epoch. */
  readonly sinceMs: number
}

/** Every declared instance by its key, in the order of their declaration. */
type Declaration = Readonly<Record<string, Declared>>

/** What the monitor knows of an instance. Its existence says that the instance has been tried. */
type Tried = {
  readonly observedAtMs: number | null
  readonly freshUntilMs: number
  readonly contentAtMs: number | null
}

/** When the monitor last judged. */
type Judged = { readonly slot: number; readonly atMs: number }

const NEVER: Tried = { observedAtMs: null, freshUntilMs: 0, contentAtMs: null }

/** The tables that the monitor shows. */
const viewKeys = [feedReliabilityEndpoint.path, proFeedReliabilityEndpoint.path]

const slotOf = (ms: number): number => Math.floor(ms / CHECK_EVERY_MS)

/**
 * Names the row of each instance. A feed whose instances overlap (some of them do not tell their changes) is one row
 * under its own name, as good as the weakest of them: twenty windows on one catalogue must not fill the table. Every
 * other instance is a row of its own.
 */
const rowNames = (
  declared: ReadonlyArray<{ readonly feed: string; readonly parameters: Parameters }>,
  feeds: ReadonlyMap<string, Feed>,
): ReadonlyArray<string> => {
  const overlapping = new Set(
    declared
      .filter(({ feed, parameters }) => feeds.get(feed)?.tellsChanges(parameters) === false)
      .map(({ feed }) => feed),
  )
  return declared.map(({ feed, parameters }) => (overlapping.has(feed) ? feed : instanceKey(feed, parameters)))
}

const order: ReadonlyArray<Verdict> = ["ok", "stale", "dark"]
const worst = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  order[Math.max(...verdicts.map((one) => order.indexOf(one)))] ?? "dark"

/** The verdict on one instance at an instant; `contentAgeMaxMs` is its feed's promise about its content. */
export const verdictOf = (tried: Tried | undefined, contentAgeMaxMs: number | null, nowMs: number): Verdict => {
  if (tried === undefined || tried.observedAtMs === null || nowMs - tried.observedAtMs > DAY_MS) return "dark"
  const contentTooOld =
    contentAgeMaxMs !== null && tried.contentAtMs !== null && nowMs - tried.contentAtMs > contentAgeMaxMs
  // `freshUntil` is the poll's own promise: twice its interval after it, or less where its content was old already.
  return nowMs <= tried.freshUntilMs && !contentTooOld ? "ok" : "stale"
}

/** The oldest of the last successes of a row's instances; null where one of them has never had any. */
const oldestSuccess = (known: ReadonlyArray<Tried | undefined>): LastSuccess | null => {
  let oldest: LastSuccess | null = null
  for (const tried of known) {
    if (tried === undefined || tried.observedAtMs === null) return null
    const { observedAtMs, freshUntilMs, contentAtMs } = tried
    if (oldest === null || observedAtMs < oldest.observedAtMs) oldest = { observedAtMs, freshUntilMs, contentAtMs }
  }
  return oldest
}

const freshness = (judgedAtMs: number | null): ViewFreshness => {
  const asOf = judgedAtMs === null ? null : instant(judgedAtMs)
  const staleAfter = judgedAtMs === null ? null : instant(judgedAtMs + MISSED_MAX * CHECK_EVERY_MS)
  return {
    v: 1,
    asOf,
    staleAfter,
    sources: [
      {
        name: MONITOR,
        status: judgedAtMs === null ? null : "live",
        fetched_at: asOf,
        latency_ms: null,
        ...(judgedAtMs === null ? { reason: "the first check waits until every feed has been tried" } : {}),
        staleAfter,
      },
    ],
  }
}

/**
 * The monitor. State by key: `declared` (a Declaration), `tried/<instance>`, `checks/<row>`, `judged`. It judges once as soon as
 * every declared and configured feed has been tried (or five minutes after the first declaration), and then at the first
 * tick past each five-minute boundary of event time: after our own downtime that is one verdict, and none in retrospect.
 */
export const makeReliability = (feeds: ReadonlyMap<string, Feed>): Processor => {
  const judge = (
    state: State,
    declared: ReadonlyArray<Declared>,
    pending: Tried | null,
    key: string,
    nowMs: number,
  ) => {
    const slot = slotOf(nowMs)
    const triedOf = (one: string): Tried | undefined =>
      one === key && pending !== null ? pending : (state.get(`tried/${one}`) as Tried | undefined)
    const rows = new Map<string, ReadonlyArray<Declared>>()
    for (const one of declared) if (one.configured) rows.set(one.row, [...(rows.get(one.row) ?? []), one])

    const changes: Array<readonly [string, Json | null]> = []
    const events: Array<DerivedEvent> = []
    const table: Array<{ feed: string; name: string; checks: Checks; status: Verdict }> = []
    const details = new Map<string, JudgedRow>()
    for (const [row, members] of rows) {
      // A feed that was declared a moment ago and not yet tried is not judged: nothing is known of it.
      const judged = members.filter((one) => triedOf(one.key) !== undefined || nowMs - one.sinceMs >= CHECK_EVERY_MS)
      const [first] = judged
      if (first === undefined) continue
      const known = judged.map((one) => triedOf(one.key))
      const contentAgeMaxMs = feeds.get(first.feed)?.contentAgeMaxMs ?? null
      const status = worst(known.map((tried) => verdictOf(tried, contentAgeMaxMs, nowMs)))
      const checks = withCheck(state.get(`checks/${row}`) as Checks | undefined, slot, status)
      const ages = known.map((tried) =>
        tried === undefined || tried.observedAtMs === null ? null : nowMs - tried.observedAtMs,
      )
      changes.push([`checks/${row}`, checks])
      table.push({ feed: row, name: first.provider, checks, status })
      details.set(row, { checks, lastSuccess: oldestSuccess(known), contentAgeMaxMs })
      events.push({
        // A list of event types in general.
        type: feedProbed as unknown as EventType,
        subject: row,
        data: {
          feed: first.feed,
          parameters: row === first.key ? first.parameters : {},
          provider: first.provider,
          verdict: status,
          probedAt: instant(nowMs),
          ageMs: ages.includes(null) ? null : Math.max(0, ...ages.map((age) => age ?? 0)),
        },
      })
    }
    // A row that nobody declares any more is kept until its window has run empty.
    for (const kept of state.keys("checks/")) {
      const row = kept.slice("checks/".length)
      const checks = state.get(kept) as Checks
      if (!rows.has(row) && inWindow(checks, slot).letters === "") changes.push([kept, null])
    }
    const unconfigured = new Map(declared.filter((one) => !one.configured).map((one) => [one.row, one.provider]))
    const free = reliabilityTable(nowMs, table, unconfigured)
    return {
      state: [...changes, ["judged", { slot, atMs: nowMs } satisfies Judged] as const],
      events,
      views: [
        { key: feedReliabilityEndpoint.path, data: free },
        { key: proFeedReliabilityEndpoint.path, data: reliabilityBreakdown(free, details) },
      ].map(({ key, data }) => ({
        key,
        // Plain JSON by its schema.
        body: { v: 1 as const, updatedAt: instant(nowMs), data: data as unknown as Json },
        freshness: freshness(nowMs),
      })),
    } satisfies Step
  }

  const declaredIn = (state: State): Declaration => (state.get("declared") as Declaration | undefined) ?? {}

  const firstIsDue = (state: State, declared: ReadonlyArray<Declared>, trying: string | null): boolean =>
    declared.length > 0 &&
    declared.every(({ key, configured }) => !configured || key === trying || state.get(`tried/${key}`) !== undefined)

  const onPoll = (state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
    const data = polled(event)
    if (data === null) return unchanged
    const key = instanceKey(data.feed, data.parameters)
    const declared = declaredIn(state)
    // Instances on request come and go; only those on schedule are judged.
    if (declared[key] === undefined) return unchanged
    const before = state.get(`tried/${key}`) as Tried | undefined
    const tried: Tried =
      "reason" in data
        ? (before ?? NEVER)
        : {
            observedAtMs: Date.parse(event.time),
            freshUntilMs: Date.parse(data.freshUntil),
            contentAtMs: data.contentAt === null ? null : Date.parse(data.contentAt),
          }
    const changes: ReadonlyArray<readonly [string, Json]> = tried === before ? [] : [[`tried/${key}`, tried]]
    const all = state.get("judged") === undefined ? Object.values(declared) : []
    if (!firstIsDue(state, all, key)) return { state: changes }
    const judged = judge(state, all, tried, key, nowMs)
    return { ...judged, state: [...changes, ...judged.state] }
  }

  const onDeclared = (state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
    const said = (event.data as DataOf<typeof feedsDeclared>).feeds
    const rows = rowNames(said, feeds)
    const before = declaredIn(state)
    const declared: Declaration = Object.fromEntries(
      said.map((one, index) => {
        const key = instanceKey(one.feed, one.parameters)
        const known = before[key]
        // From the moment it can be polled, a feed has as much time for its first try as a new one.
        const sinceMs = known !== undefined && known.configured === one.configured ? known.sinceMs : nowMs
        return [key, { key, row: rows[index] ?? one.feed, ...one, sinceMs }]
      }),
    )
    const withdrawn = Object.keys(before).filter((key) => declared[key] === undefined)
    return {
      state: [["declared", declared], ...withdrawn.map((key) => [`tried/${key}`, null] as const)],
      ...(state.get("judged") === undefined
        ? { views: viewKeys.map((key) => ({ key, freshness: freshness(null) })) }
        : {}),
    }
  }

  const onTick = (state: State, nowMs: number): Step => {
    const declared = Object.values(declaredIn(state))
    if (declared.length === 0) return unchanged
    const judged = state.get("judged") as Judged | undefined
    const due =
      judged === undefined
        ? firstIsDue(state, declared, null) ||
          nowMs - Math.min(...declared.map(({ sinceMs }) => sinceMs)) >= CHECK_EVERY_MS
        : slotOf(nowMs) > judged.slot
    return due ? judge(state, declared, null, "", nowMs) : unchanged
  }

  return processor({
    name: "reliability",
    step: (state, event, nowMs) => {
      if (event.type === clockTicked.type) return onTick(state, nowMs)
      if (event.type === feedsDeclared.type) return onDeclared(state, event, nowMs)
      return onPoll(state, event, nowMs)
    },
  })
}

export default makeReliability(everyFeed)
