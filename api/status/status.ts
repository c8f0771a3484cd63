import {
  type FeedBreakdown,
  type ProFeedReliabilityData,
  proFeedReliabilityEndpoint,
} from "../../schemas/endpoints/pro-feed-reliability.ts"
import {
  dayStates,
  type FeedStatus,
  isWell,
  OUTAGES_MAX,
  type Outage,
  type PartStatus,
  partWords,
  STATUS_DAYS,
  type Status,
} from "../../schemas/endpoints/status.ts"
import { instant } from "../../schemas/event.ts"
import type { ApiOptions, ReportedPart } from "../routes/route.ts"
import { DAY_CHECKS, type RecordedOutage, type ReliabilityRecord } from "./reliability.ts"

const DAY_MS = 86_400_000
const CHECK_MINUTES = (24 * 60) / DAY_CHECKS
const CHECK_MS = CHECK_MINUTES * 60_000

/** The days of a feed that the history has no check of. */
const NO_RECORD = dayStates.unrecorded.repeat(STATUS_DAYS)

/** The first day of the bars where the history does not say it. */
const firstDayAt = (nowMs: number): string => instant(nowMs - (STATUS_DAYS - 1) * DAY_MS).slice(0, 10)

const severity = { dark: 0, stale: 1, ok: 2 } as const

const worstFirst = (one: FeedStatus, other: FeedStatus): number =>
  severity[one.status] - severity[other.status] || (one.feed < other.feed ? -1 : 1)

const feedStatus = (row: FeedBreakdown, record: ReliabilityRecord | null): FeedStatus => ({
  feed: row.feed,
  name: row.name,
  status: row.status,
  since: row.status_since,
  uptime_24_hours: row.last_24_hours?.uptime ?? null,
  uptime_7_days: row.subscores.uptime,
  checked_minutes: row.checks * CHECK_MINUTES,
  uptime_90_days: record?.feeds.get(row.feed)?.uptime ?? null,
  days: record === null ? null : (record.feeds.get(row.feed)?.days ?? NO_RECORD),
})

/** Whether a recorded outage goes on: its last check is not older than the slot before the one since which the feed is unwell. */
const goesOn = ({ lastMs }: RecordedOutage, { status, since }: FeedStatus): boolean =>
  !isWell(status) && Date.parse(since) - lastMs <= CHECK_MS

const listed = ({ feed, fromMs, lastMs, checks, isDark }: RecordedOutage, isOngoing: boolean): Outage => ({
  feed,
  from: instant(fromMs),
  until: isOngoing ? null : instant(lastMs + CHECK_MS),
  minutes: checks * CHECK_MINUTES,
  worst: isDark ? "dark" : "stale",
})

/** An outage that began after the record was read. */
const recent = ({ feed, status, since }: FeedStatus, capturedMs: number): Outage => ({
  feed,
  from: since,
  until: null,
  minutes: Math.max(0, Math.floor((capturedMs - Date.parse(since)) / 60_000)),
  worst: status === "dark" ? "dark" : "stale",
})

/** The latest outages of the feeds that are shown: recorded ones, and those that began since. */
const outagesOf = (
  recorded: ReadonlyArray<RecordedOutage>,
  feeds: ReadonlyArray<FeedStatus>,
  capturedMs: number,
): ReadonlyArray<Outage> => {
  const byFeed = new Map(feeds.map((one) => [one.feed, one]))
  const ongoing = new Set<string>()
  const known = recorded.flatMap((outage) => {
    const feed = byFeed.get(outage.feed)
    if (feed === undefined) return []
    const isOngoing = !ongoing.has(outage.feed) && goesOn(outage, feed)
    if (isOngoing) ongoing.add(outage.feed)
    return [listed(outage, isOngoing)]
  })
  const added = feeds.filter(({ feed, status }) => !isWell(status) && !ongoing.has(feed))
  return [...added.map((one) => recent(one, capturedMs)), ...known].slice(0, OUTAGES_MAX)
}

/** The content of the status page. `record`: read from the history; null where it cannot be read. */
export const statusOf = (options: ApiOptions, record: ReliabilityRecord | null): Status => {
  const { store, nowMs } = options
  const standing = store.standing(proFeedReliabilityEndpoint.path)
  // The processor made it by this schema.
  const data = (standing?.data?.value ?? null) as typeof ProFeedReliabilityData.Type | null
  const rows = [...(data?.feeds ?? []), ...(data?.low_coverage ?? [])]
  const feeds = rows.map((row) => feedStatus(row, record)).sort(worstFirst)
  const counts = data?.counts ?? null
  return {
    captured_at: data?.captured_at ?? null,
    checked_until: data === null ? null : (standing?.freshness?.staleAfter ?? null),
    counts:
      counts === null ? null : { monitored: counts.monitored, ok: counts.ok, stale: counts.stale, dark: counts.dark },
    parts: partStatuses(options.parts?.() ?? [], partWords),
    first_day: record?.firstDay ?? firstDayAt(nowMs()),
    history: options.keepsHistory === false ? "not_configured" : "kept",
    feeds,
    outages:
      record === null ? null : outagesOf(record.outages, feeds, Date.parse(data?.captured_at ?? instant(nowMs()))),
    not_polled: data?.not_configured ?? [],
  }
}

type PartWord = (typeof partWords)[number]

const stateOf = ({ state }: ReportedPart): PartStatus["state"] =>
  state === "active" || state === "standby" ? "works" : state === "starting" ? "starting" : "impaired"

/** The public word for a part; null for one that callers do not notice. */
const wordOf = ({ role, part }: ReportedPart): PartWord | null => {
  if (role === "ingest") return "polling"
  if (role === "process") return part === "history" ? "history" : "folding"
  if (role === "ledger") return part === "chain" ? "chain" : "credits"
  if (role !== "api") return null
  return part === "billing" ? "credits" : "replies"
}

const severityOfState = { works: 0, starting: 1, impaired: 2 } as const

const worse = (one: PartStatus, other: PartStatus): PartStatus =>
  severityOfState[other.state] > severityOfState[one.state] ||
  (severityOfState[other.state] === severityOfState[one.state] && other.since > one.since)
    ? other
    : one

/** The parts by their public words. Several parts with one word have the state of the worst. */
const partStatuses = (
  reported: ReadonlyArray<ReportedPart>,
  order: ReadonlyArray<PartWord>,
): ReadonlyArray<PartStatus> => {
  const worst = new Map<PartWord, PartStatus>()
  for (const one of reported) {
    const part = wordOf(one)
    if (part === null) continue
    const status: PartStatus = { part, state: stateOf(one), since: one.since }
    const before = worst.get(part)
    worst.set(part, before === undefined ? status : worse(before, status))
  }
  return order.flatMap((word) => worst.get(word) ?? [])
}
