import { AI_STATS_MAX_ROWS, type AiStats, aiStatsEndpoint } from "../../schemas/endpoints/ai-stats.ts"
import { type DataOf, type Envelope, instant } from "../../schemas/event.ts"
import { type UsageCount, usageCounted } from "../../schemas/events/usage.ts"
import type { Json } from "../../schemas/json.ts"
import { VIEW_BODY_VERSION, VIEW_FRESHNESS_VERSION, type ViewFreshness } from "../../schemas/view-record.ts"
import { processor, type State, type StateChange, unchanged } from "../processor.ts"

/** The name of the counter in `_meta.sources`. */
const COUNTER = "Tidewire.usage"
const SLOT_MS = 5 * 60_000
const SLOTS_IN_WINDOW = (24 * 60 * 60_000) / SLOT_MS

/** Requests of five minutes, by endpoint and by AI agent. */
type Slot = {
  readonly endpoints: Readonly<Record<string, number>>
  readonly agents: Readonly<Record<string, number>>
}
/** Requests since the first report. */
type Totals = { readonly requests: number; readonly since: string }
type RecentCalls = AiStats["recent_calls"]

const NOTHING: Slot = { endpoints: {}, agents: {} }

// Padded, so that keys sort as texts in the order of the slots.
const slotKey = (slot: number): string => `slot/${String(slot).padStart(10, "0")}`

const added = (
  counts: Readonly<Record<string, number>>,
  more: ReadonlyArray<readonly [name: string, requests: number]>,
): Record<string, number> => {
  const sums: Record<string, number> = { ...counts }
  for (const [name, requests] of more) sums[name] = (sums[name] ?? 0) + requests
  return sums
}

const withCounts = ({ endpoints, agents }: Slot, counts: ReadonlyArray<UsageCount>): Slot => ({
  endpoints: added(
    endpoints,
    counts.map(({ endpoint, requests }) => [endpoint, requests]),
  ),
  agents: added(
    agents,
    counts.flatMap(({ agent, requests }) => (agent === null ? [] : [[agent, requests] as const])),
  ),
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** Names and their counts, the largest first; equal ones by name, so that equal counts give equal bytes. */
const ranked = (counts: Readonly<Record<string, number>>): ReadonlyArray<readonly [name: string, requests: number]> =>
  Object.entries(counts).sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1))

const newestFirst = (minute: string, counts: ReadonlyArray<UsageCount>, before: RecentCalls): RecentCalls =>
  [
    ...counts
      .map(({ endpoint, client, agent, requests }) => ({ minute, endpoint, client, agent, requests }))
      .sort((one, other) => other.requests - one.requests || (one.endpoint < other.endpoint ? -1 : 1)),
    ...before,
  ]
    .sort((one, other) => (one.minute < other.minute ? 1 : one.minute > other.minute ? -1 : 0))
    .slice(0, AI_STATS_MAX_ROWS)

const statsOf = (slots: ReadonlyArray<Slot>, totals: Totals, recent: RecentCalls): AiStats => {
  const endpoints = slots.reduce((all, one) => added(all, Object.entries(one.endpoints)), {})
  const agents = slots.reduce((all, one) => added(all, Object.entries(one.agents)), {})
  return {
    total_hits: totals.requests,
    hits_24h: sum(Object.values(endpoints)),
    ai_agent_hits_24h: sum(Object.values(agents)),
    unique_ai_agents_24h: Object.keys(agents).length,
    agents: ranked(agents).map(([agent, hits]) => ({ agent, hits_24h: hits })),
    recent_calls: recent,
    endpoints_24h: ranked(endpoints)
      .slice(0, AI_STATS_MAX_ROWS)
      .map(([endpoint, hits]) => ({ endpoint, hits_24h: hits })),
    counted_since: totals.since,
  }
}

/** Counts never go stale: they cover the reports up to `asOf`. */
const freshness = (asOf: string): ViewFreshness => ({
  v: VIEW_FRESHNESS_VERSION,
  asOf,
  staleAfter: null,
  sources: [{ name: COUNTER, status: "live", fetched_at: asOf, latency_ms: null, staleAfter: null }],
})

/** The keys of the slots in the window, and the changes of state that drop older ones. */
const windowOf = (state: State, newest: number) => {
  const first = slotKey(newest - SLOTS_IN_WINDOW + 1)
  const keys = state.keys("slot/")
  return {
    kept: keys.filter((key) => key >= first),
    dropped: keys.filter((key) => key < first).map((key): StateChange => [key, null]),
  }
}

/**
 * Counts the usage of the API out of its reports, each once. State by key: `slot/<five minutes>` (Slot) for 24 hours of
 * event time, `totals`, `recent`, and the keys of `newReport`. Event time is that of the reports alone.
 */
export default processor({
  name: "ai-stats",
  topic: "usage",
  step: (state, event, nowMs) => {
    const fresh = newReport(state, event, nowMs)
    if (fresh === null) return unchanged
    const { from, to, counts } = fresh.report
    const newest = Math.floor(nowMs / SLOT_MS)
    const { kept, dropped } = windowOf(state, newest)
    const key = slotKey(Math.floor(Date.parse(to) / SLOT_MS))
    const slot = withCounts((state.get(key) as Slot | undefined) ?? NOTHING, counts)
    // A report that comes later than its window counts in the totals alone.
    const isInWindow = key >= slotKey(newest - SLOTS_IN_WINDOW + 1)
    const before = state.get("totals") as Totals | undefined
    const totals: Totals = {
      requests: (before?.requests ?? 0) + sum(counts.map(({ requests }) => requests)),
      since: before === undefined || from < before.since ? from : before.since,
    }
    const minute = instant(Math.floor(Date.parse(to) / 60_000) * 60_000)
    const recent = newestFirst(minute, counts, (state.get("recent") as RecentCalls | undefined) ?? [])
    const slots = [
      ...kept.filter((one) => one !== key).map((one) => state.get(one) as Slot),
      ...(isInWindow ? [slot] : []),
    ]
    return {
      state: [
        ...fresh.state,
        ...dropped,
        ...(isInWindow ? [[key, slot] as StateChange] : []),
        ["totals", totals],
        // Plain JSON by its schema.
        ["recent", recent as unknown as Json],
      ],
      views: [
        {
          key: aiStatsEndpoint.path,
          body: {
            v: VIEW_BODY_VERSION,
            changedAt: instant(nowMs),
            data: statsOf(slots, totals, recent) as unknown as Json,
          },
          freshness: freshness(instant(nowMs)),
        },
      ],
    }
  },
})

const HOUR_MS = 3_600_000
/** How long the last report of an API process is kept; a process repeats a report for minutes at most. */
const REPORT_KEPT_MS = 24 * HOUR_MS

/** The last report of an API process. */
type LastReport = {
  /** The number of its last report. */
  readonly sequence: number
  readonly atMs: number
}

const reportedKey = (instance: string): string => `reported/${instance}`
const SWEPT = "swept"

/** A report of usage that was not folded before, and the changes of state that record it as folded. */
interface NewReport {
  readonly report: DataOf<typeof usageCounted>
  readonly state: ReadonlyArray<StateChange>
}

/** Once an hour of event time, drops the entries of API processes that have not reported for a day. */
const sweep = (state: State, nowMs: number): ReadonlyArray<StateChange> => {
  const hour = Math.floor(nowMs / HOUR_MS)
  if (state.get(SWEPT) === hour) return []
  const gone = state.keys(reportedKey("")).filter((key) => {
    const { atMs } = state.get(key) as LastReport
    return atMs <= nowMs - REPORT_KEPT_MS
  })
  return [[SWEPT, hour], ...gone.map((key): StateChange => [key, null])]
}

/**
 * The report of usage in an event of the topic `usage`; null for one that was folded before, and for any other event. A
 * report is appended at least once, and a process appends the next one only after the last one was acknowledged: a
 * sequence number that is not above the last of its process is a duplicate. State keys: `reported/<instance>` and `swept`.
 */
export const newReport = (state: State, event: Envelope<string, unknown>, nowMs: number): NewReport | null => {
  if (event.type !== usageCounted.type) return null
  const report = event.data as DataOf<typeof usageCounted>
  const key = reportedKey(report.instance)
  const before = state.get(key) as LastReport | undefined
  if (before !== undefined && report.sequence <= before.sequence) return null
  const reported: LastReport = { sequence: report.sequence, atMs: nowMs }
  return { report, state: [...sweep(state, nowMs).filter(([one]) => one !== key), [key, reported]] }
}
