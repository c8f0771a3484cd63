import { feedReliabilityEndpoint } from "../../schemas/endpoints/feed-reliability.ts"
import { proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { type DataOf, type Envelope, type EventType, instant } from "../../schemas/event.ts"
import { feedProbed, type Verdict } from "../../schemas/events/deltas.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { polled } from "../feed-state.ts"
import { type DerivedEvent, type Processor, processor, type State, type Step, unchanged } from "../processor.ts"
import { type JudgedRow, type LastSuccess, reliabilityBreakdown } from "../reliability-breakdown.ts"
import { type Declaration, type Declared, isOverdue, rowNames } from "../reliability-rows.ts"
import { CHECK_EVERY_MS, type Checks, inWindow, lastVerdict, withCheck, withoutCheck } from "../reliability-score.ts"
import { reliabilityTable } from "../reliability-table.ts"
import { afterStart, isMissed, NEVER, type Presence, type Tried, verdictOf, worst } from "../reliability-verdict.ts"

/** The name of the monitor in `_meta.sources`. */
const MONITOR = "Tidewire.reliability"
/** Slots that may pass without a check before the table itself counts as stale. */
const SLOTS_MISSED_MAX = 2

/** When the monitor last judged. */
type Judged = { readonly slot: number; readonly atMs: number }

/** The tables that the monitor shows. */
const viewKeys = [feedReliabilityEndpoint.path, proFeedReliabilityEndpoint.path]

const slotOf = (ms: number): number => Math.floor(ms / CHECK_EVERY_MS)

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
  const staleAfter = judgedAtMs === null ? null : instant(judgedAtMs + SLOTS_MISSED_MAX * CHECK_EVERY_MS)
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
 * The monitor. State by key: `declared` (a Declaration), `presence`, `tried/<instance>`, `checks/<row>`, `judged`. It judges
 * once as soon as every declared and configured feed has been tried (or five minutes after the first declaration), and then
 * at the first tick past each five-minute boundary of event time, never in retrospect. A declaration marks a start of the
 * ingest role: a row that became worse while the role was away gets no verdict until it is tried, for at most five minutes.
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
    const presence = presenceIn(state)
    const triedOf = (one: string): Tried | undefined =>
      one === key && pending !== null ? pending : (state.get(`tried/${one}`) as Tried | undefined)
    const rows = new Map<string, ReadonlyArray<Declared>>()
    for (const one of declared) if (one.rests === null) rows.set(one.row, [...(rows.get(one.row) ?? []), one])

    const changes: Array<readonly [string, Json | null]> = []
    const events: Array<DerivedEvent> = []
    const table: Array<{ feed: string; name: string; checks: Checks; status: Verdict }> = []
    const details = new Map<string, JudgedRow>()
    for (const [row, members] of rows) {
      // A feed that was declared a moment ago and not yet tried is not judged: nothing is known of it.
      const judged = members.filter((one) => triedOf(one.key) !== undefined || isOverdue(one, presence, nowMs))
      const [first] = judged
      if (first === undefined) continue
      const known = judged.map((one) => triedOf(one.key))
      const contentAgeMaxMs = feeds.get(first.feed)?.contentAgeMaxMs ?? null
      const certain = known.filter((tried) => !isMissed(tried, contentAgeMaxMs, presence, nowMs))
      const found = worst(["ok", ...certain.map((tried) => verdictOf(tried, contentAgeMaxMs, nowMs))])
      const verdict = found === "ok" && certain.length < known.length ? null : found
      const before = state.get(`checks/${row}`) as Checks | undefined
      const checks = verdict === null ? withoutCheck(before, slot) : withCheck(before, slot, verdict)
      const status = checks === null ? null : lastVerdict(checks)
      if (checks === null || status === null) continue
      table.push({ feed: row, name: first.provider, checks, status })
      details.set(row, { checks, lastSuccess: oldestSuccess(known), contentAgeMaxMs })
      if (verdict === null) continue
      changes.push([`checks/${row}`, checks])
      const ages = known.map((tried) =>
        tried === undefined || tried.observedAtMs === null ? null : nowMs - tried.observedAtMs,
      )
      events.push({
        // A list of event types in general.
        type: feedProbed as unknown as EventType,
        subject: row,
        data: {
          feed: first.feed,
          parameters: row === first.key ? first.parameters : {},
          provider: first.provider,
          verdict,
          probedAt: instant(nowMs),
          ageMs: ages.includes(null) ? null : Math.max(0, ...ages.map((age) => age ?? 0)),
        },
      })
    }
    // A row that is no longer declared is kept until its window has run empty.
    for (const kept of state.keys("checks/")) {
      const row = kept.slice("checks/".length)
      const checks = state.get(kept) as Checks
      if (!rows.has(row) && inWindow(checks, slot).letters === "") changes.push([kept, null])
    }
    const unconfigured = new Map(declared.filter((one) => one.rests !== null).map((one) => [one.row, one.provider]))
    const free = reliabilityTable(nowMs, table, unconfigured)
    return {
      state: [...changes, ["judged", { slot, atMs: nowMs } satisfies Judged] as const],
      events,
      views: [
        { key: feedReliabilityEndpoint.path, data: free },
        { key: proFeedReliabilityEndpoint.path, data: reliabilityBreakdown(free, details, nowMs) },
      ].map(({ key, data }) => ({
        key,
        // Plain JSON by its schema.
        body: { v: 2 as const, changedAt: instant(nowMs), data: data as unknown as Json },
        freshness: freshness(nowMs),
      })),
    } satisfies Step
  }

  const declaredIn = (state: State): Declaration => (state.get("declared") as Declaration | undefined) ?? {}

  const presenceIn = (state: State): Presence | undefined => state.get("presence") as Presence | undefined

  const firstIsDue = (state: State, declared: ReadonlyArray<Declared>, trying: string | null): boolean =>
    declared.length > 0 &&
    declared.every(({ key, rests }) => rests !== null || key === trying || state.get(`tried/${key}`) !== undefined)

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
        ? before?.awayFromMs === null
          ? before
          : { ...(before ?? NEVER), awayFromMs: null }
        : {
            observedAtMs: Date.parse(event.time),
            freshUntilMs: Date.parse(data.freshUntil),
            contentAtMs: data.contentAt === null ? null : Date.parse(data.contentAt),
            awayFromMs: null,
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
        const sinceMs = known !== undefined && known.rests === one.rests ? known.sinceMs : nowMs
        return [key, { key, row: rows[index] ?? one.feed, ...one, sinceMs }]
      }),
    )
    const withdrawn = Object.keys(before).filter((key) => declared[key] === undefined)
    const known = Object.keys(declared).flatMap((key): ReadonlyArray<readonly [string, Tried]> => {
      const tried = state.get(`tried/${key}`) as Tried | undefined
      return tried === undefined ? [] : [[`tried/${key}`, tried]]
    })
    const { presence, tried } = afterStart(presenceIn(state), known, nowMs)
    return {
      state: [
        ["declared", declared],
        ["presence", presence],
        ...tried,
        ...withdrawn.map((key) => [`tried/${key}`, null] as const),
      ],
      ...(state.get("judged") === undefined
        ? { views: viewKeys.map((key) => ({ key, freshness: freshness(null) })) }
        : {}),
    }
  }

  const onTick = (state: State, nowMs: number): Step => {
    const declared = Object.values(declaredIn(state))
    if (declared.length === 0) return unchanged
    const presence = presenceIn(state)
    const seen: Presence = { seenMs: nowMs, backMs: presence?.backMs ?? null }
    const judged = state.get("judged") as Judged | undefined
    const due =
      judged === undefined
        ? firstIsDue(state, declared, null) || declared.some((one) => isOverdue(one, presence, nowMs))
        : slotOf(nowMs) > judged.slot
    if (!due) return { state: [["presence", seen]] }
    const step = judge(state, declared, null, "", nowMs)
    return { ...step, state: [["presence", seen], ...step.state] }
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
