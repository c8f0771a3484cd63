import { feedReliabilityEndpoint } from "../../schemas/endpoints/feed-reliability.ts"
import { proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { type DataOf, type Envelope, instant } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { type PollData, pollDataOf } from "../feed-state.ts"
import { type Processor, processor, type State, type StateChange, type Step, unchanged } from "../processor.ts"
import {
  type AnnouncedSince,
  afterStart,
  announcedAfter,
  type Evidence,
  isOverdue,
  judgeRow,
  NEVER_SUCCEEDED,
  type Presence,
  type TriedInstance,
} from "../reliability/judgement.ts"
import { type DeclaredInstance, type DeclaredInstances, rowOf, rowsByState } from "../reliability/rows.ts"
import { CHECK_EVERY_MS, type Checks, inWindow } from "../reliability/score.ts"
import { reliabilityBreakdown, reliabilityTable } from "../reliability/table.ts"

/** The name of the monitor in `_meta.sources`. */
const MONITOR = "Tidewire.reliability"
/** Slots that may pass without a check before the table itself counts as stale. */
const SLOTS_MISSED_MAX = 2

/** The time of the monitor's last judgement. */
type LastJudgement = { readonly slot: number; readonly atMs: number }

/** The views that the monitor publishes. */
const viewKeys = [feedReliabilityEndpoint.path, proFeedReliabilityEndpoint.path]

const slotOf = (ms: number): number => Math.floor(ms / CHECK_EVERY_MS)

const freshness = (judgedAtMs: number | null, isSimulated: boolean): ViewFreshness => {
  const asOf = judgedAtMs === null ? null : instant(judgedAtMs)
  const staleAfter = judgedAtMs === null ? null : instant(judgedAtMs + SLOTS_MISSED_MAX * CHECK_EVERY_MS)
  return {
    v: 1,
    asOf,
    staleAfter,
    ...(isSimulated ? { simulated: true } : {}),
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

const declaredIn = (state: State): DeclaredInstances => (state.get("declared") as DeclaredInstances | undefined) ?? {}

const presenceIn = (state: State): Presence | undefined => state.get("presence") as Presence | undefined

/** Rows that are no longer declared are kept until their window has run empty. */
const emptiedRows = (state: State, isDeclared: (row: string) => boolean, slot: number): ReadonlyArray<StateChange> =>
  state.keys("checks/").flatMap((key): ReadonlyArray<StateChange> => {
    const isEmpty = inWindow(state.get(key) as Checks, slot).letters === ""
    return isEmpty && !isDeclared(key.slice("checks/".length)) ? [[key, null]] : []
  })

/** The instance of a poll after it. */
interface Tried {
  readonly key: string
  readonly tried: TriedInstance
  readonly announced: AnnouncedSince
}

const announcedIn = (state: State, key: string): AnnouncedSince =>
  (state.get(`announced/${key}`) as AnnouncedSince | undefined) ?? []

/** Judges every row at an instant. `trying` is the instance of the current event, which the state does not hold yet. */
const judge = (
  feeds: ReadonlyMap<string, Feed>,
  state: State,
  declared: ReadonlyArray<DeclaredInstance>,
  trying: Tried | null,
  nowMs: number,
): Step => {
  const slot = slotOf(nowMs)
  const { polled: rows, resting } = rowsByState(declared)
  const evidence: Evidence = {
    feeds,
    triedOf: (key) => (key === trying?.key ? trying.tried : (state.get(`tried/${key}`) as TriedInstance | undefined)),
    announcedOf: (key) => (key === trying?.key ? trying.announced : announcedIn(state, key)),
    checksOf: (row) => state.get(`checks/${row}`) as Checks | undefined,
    presence: presenceIn(state),
    nowMs,
    slot,
  }
  const judgements = [...rows].flatMap(([row, members]) => judgeRow(row, members, evidence) ?? [])
  const checked = judgements.flatMap(({ scored, checked: one }) => (one === null ? [] : [{ row: scored.feed, ...one }]))
  const free = reliabilityTable(
    nowMs,
    judgements.map(({ scored }) => scored),
    resting,
  )
  const isSimulated = declared.some(({ key }) => evidence.triedOf(key)?.simulated === true)
  const details = new Map(judgements.map(({ scored, details: one }) => [scored.feed, one]))
  return {
    state: [
      ...checked.map(({ row, checks }): StateChange => [`checks/${row}`, checks]),
      ...emptiedRows(state, (row) => rows.has(row), slot),
      ["judged", { slot, atMs: nowMs } satisfies LastJudgement],
    ],
    events: checked.map(({ event }) => event),
    views: [
      { key: feedReliabilityEndpoint.path, data: free },
      { key: proFeedReliabilityEndpoint.path, data: reliabilityBreakdown(free, details, nowMs) },
    ].map(({ key, data }) => ({
      key,
      // Plain JSON by its schema.
      body: { v: 2 as const, changedAt: instant(nowMs), data: data as unknown as Json },
      freshness: freshness(nowMs, isSimulated),
    })),
  }
}

const firstIsDue = (state: State, declared: ReadonlyArray<DeclaredInstance>, trying: string | null): boolean =>
  declared.length > 0 &&
  declared.every(({ key, rests }) => rests !== null || key === trying || state.get(`tried/${key}`) !== undefined)

/** The instance after a poll: a failure leaves the last success as it was. */
const triedBy = (before: TriedInstance | undefined, data: PollData, atMs: number): TriedInstance => {
  const throttled = data.throttledUntil === undefined ? {} : { throttledUntil: data.throttledUntil }
  if ("reason" in data) {
    if (before?.awayFromMs === null && before.throttledUntil === data.throttledUntil) return before
    const { throttledUntil: _, ...last } = before ?? NEVER_SUCCEEDED
    return { ...last, awayFromMs: null, ...throttled }
  }
  return {
    observedAtMs: atMs,
    freshUntilMs: Date.parse(data.freshUntil),
    contentAtMs: data.contentAt === null ? null : Date.parse(data.contentAt),
    awayFromMs: null,
    ...throttled,
    ...(data.simulated === undefined ? {} : { simulated: data.simulated }),
  }
}

const onPoll = (
  feeds: ReadonlyMap<string, Feed>,
  state: State,
  event: Envelope<string, unknown>,
  nowMs: number,
): Step => {
  const data = pollDataOf(event)
  if (data === null) return unchanged
  const key = instanceKey(data.feed, data.parameters)
  const declared = declaredIn(state)
  // Only instances that are polled on schedule are judged.
  if (declared[key] === undefined) return unchanged
  const before = state.get(`tried/${key}`) as TriedInstance | undefined
  const tried = triedBy(before, data, Date.parse(event.time))
  const announcedBefore = announcedIn(state, key)
  const announced =
    data.announced === undefined ? announcedBefore : announcedAfter(announcedBefore, data.announced, event.time)
  const changes: ReadonlyArray<StateChange> = [
    ...(tried === before ? [] : [[`tried/${key}`, tried] as const]),
    ...(announced === announcedBefore
      ? []
      : [[`announced/${key}`, announced.length === 0 ? null : announced] as const]),
  ]
  const all = state.get("judged") === undefined ? Object.values(declared) : []
  if (!firstIsDue(state, all, key)) return { state: changes }
  const judged = judge(feeds, state, all, { key, tried, announced }, nowMs)
  return { ...judged, state: [...changes, ...(judged.state ?? [])] }
}

const onDeclared = (
  feeds: ReadonlyMap<string, Feed>,
  state: State,
  event: Envelope<string, unknown>,
  nowMs: number,
): Step => {
  const before = declaredIn(state)
  const declared: DeclaredInstances = Object.fromEntries(
    (event.data as DataOf<typeof feedsDeclared>).feeds.map((one) => {
      const key = instanceKey(one.feed, one.parameters)
      const known = before[key]
      // From the moment it can be polled, a feed has as much time for its first try as a new one.
      const sinceMs = known !== undefined && known.rests === one.rests ? known.sinceMs : nowMs
      return [key, { key, row: rowOf(feeds, one.feed, one.parameters), ...one, sinceMs }]
    }),
  )
  const withdrawn = Object.keys(before).filter((key) => declared[key] === undefined)
  const known = Object.keys(declared).flatMap((key): ReadonlyArray<readonly [string, TriedInstance]> => {
    const tried = state.get(`tried/${key}`) as TriedInstance | undefined
    return tried === undefined ? [] : [[`tried/${key}`, tried]]
  })
  const { presence, tried } = afterStart(presenceIn(state), known, nowMs)
  return {
    state: [
      ["declared", declared],
      ["presence", presence],
      ...tried,
      ...withdrawn.flatMap((key) =>
        ["tried", "announced"].flatMap((kind): ReadonlyArray<StateChange> => {
          const stateKey = `${kind}/${key}`
          return state.get(stateKey) === undefined ? [] : [[stateKey, null]]
        }),
      ),
    ],
    ...(state.get("judged") === undefined
      ? { views: viewKeys.map((key) => ({ key, freshness: freshness(null, false) })) }
      : {}),
  }
}

const onTick = (feeds: ReadonlyMap<string, Feed>, state: State, nowMs: number): Step => {
  const declared = Object.values(declaredIn(state))
  if (declared.length === 0) return unchanged
  const presence = presenceIn(state)
  const seen: Presence = { seenMs: nowMs, backMs: presence?.backMs ?? null }
  const judged = state.get("judged") as LastJudgement | undefined
  const due =
    judged === undefined
      ? firstIsDue(state, declared, null) || declared.some((one) => isOverdue(one, presence, nowMs))
      : slotOf(nowMs) > judged.slot
  if (!due) return { state: [["presence", seen]] }
  const step = judge(feeds, state, declared, null, nowMs)
  return { ...step, state: [["presence", seen], ...(step.state ?? [])] }
}

/**
 * The monitor. State by key: `declared` (a DeclaredInstances), `presence`, `tried/<instance>`, `announced/<instance>` (where
 * its upstreams announce anything), `checks/<row>`, `judged`. It judges
 * once as soon as every declared and configured feed has been tried (or five minutes after the first declaration), and then
 * at the first tick past each five-minute boundary of event time, never in retrospect. A declaration marks a start of the
 * ingest role: a row that became worse while the role was away gets no verdict until it is tried, for at most five minutes.
 */
export const makeReliability = (feeds: ReadonlyMap<string, Feed>): Processor =>
  processor({
    name: "reliability",
    publishes: viewKeys,
    step: (state, event, nowMs) => {
      if (event.type === clockTicked.type) return onTick(feeds, state, nowMs)
      if (event.type === feedsDeclared.type) return onDeclared(feeds, state, event, nowMs)
      return onPoll(feeds, state, event, nowMs)
    },
  })

export default makeReliability(everyFeed)
