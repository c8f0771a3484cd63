import { Counter, Gauge, Histogram } from "prom-client"
import type { Announcement } from "../../schemas/events/observations.ts"
import type { Feed } from "../../schemas/feed.ts"
import type { InstanceCheckpoint } from "./ingest-log.ts"
import { bytesOn, logBudgetBytes } from "./schedule.ts"

/** Polls by provider and outcome: observed, unchanged, or the reason of the failure. */
export const polls = new Counter({
  name: "tidewire_ingest_polls_total",
  help: "Polls by provider and outcome",
  labelNames: ["provider", "outcome"],
})

export const pollDurations = new Histogram({
  name: "tidewire_ingest_poll_duration_seconds",
  help: "Time from the first request of a poll to its outcome, fallbacks included",
  labelNames: ["provider"],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
})

export const payloadBytes = new Histogram({
  name: "tidewire_ingest_payload_bytes",
  help: "Size of normalised payloads, as canonical JSON",
  labelNames: ["provider"],
  buckets: [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 8_388_608],
})

export const quarantined = new Counter({
  name: "tidewire_ingest_documents_quarantined_total",
  help: "Upstream documents that did not decode and were quarantined",
  labelNames: ["provider"],
})

export const unreadableRows = new Counter({
  name: "tidewire_ingest_rows_unreadable_total",
  help: "Rows of upstream lists that could not be read and were left out",
  labelNames: ["provider"],
})

export const demands = new Counter({
  name: "tidewire_ingest_demands_total",
  help: "Requests for fresh instances by feed and outcome",
  labelNames: ["feed", "outcome"],
})

export const lostPolls = new Counter({
  name: "tidewire_ingest_polls_lost_total",
  help: "Polls whose outcome could not be written to the log",
  labelNames: ["provider"],
})

/** An instance that is polled on schedule, with its checkpoint; without one it was never polled. */
interface ScheduledInstance {
  readonly feed: Feed
  readonly everyMs: number
  readonly checkpoint: InstanceCheckpoint | undefined
}

/** What a role polls, and since when. */
interface Schedule {
  readonly instances: () => ReadonlyArray<ScheduledInstance>
  readonly beganMs: number
}

const NOTHING: Schedule = { instances: () => [], beganMs: 0 }
let schedule = NOTHING

/** Polls that may fail in a row, and the least time, before an operator should look. */
const MISSED_POLLS_MAX = 4
const UNCONFIRMED_MIN_MS = 60 * 60 * 1000

interface FeedAge {
  readonly ageMs: number
  readonly maxMs: number
}

/** The age of each feed: that of the instance which is latest for its interval. One never confirmed is as old as the schedule. */
const feedAges = (nowMs: number): ReadonlyMap<string, FeedAge> => {
  const ages = new Map<string, FeedAge>()
  for (const { feed, everyMs, checkpoint } of schedule.instances()) {
    const confirmedAt = checkpoint?.last?.confirmedAt
    const confirmedMs = confirmedAt === undefined ? schedule.beganMs : Date.parse(confirmedAt)
    const ageMs = Math.max(0, nowMs - confirmedMs)
    const maxMs = Math.max(UNCONFIRMED_MIN_MS, MISSED_POLLS_MAX * everyMs)
    const latest = ages.get(feed.name)
    if (latest === undefined || ageMs / maxMs > latest.ageMs / latest.maxMs) ages.set(feed.name, { ageMs, maxMs })
  }
  return ages
}

new Gauge({
  name: "tidewire_ingest_feed_age_seconds",
  help: "Time since a feed was last confirmed by its upstream, or since polling began, of the instance that is latest for its interval",
  labelNames: ["feed"],
  collect() {
    this.reset()
    for (const [feed, { ageMs }] of feedAges(Date.now())) this.set({ feed }, ageMs / 1000)
  },
})

new Gauge({
  name: "tidewire_ingest_feed_age_max_seconds",
  help: "The age of that instance beyond which an operator should look: four intervals, at least an hour",
  labelNames: ["feed"],
  collect() {
    this.reset()
    for (const [feed, { maxMs }] of feedAges(Date.now())) this.set({ feed }, maxMs / 1000)
  },
})

new Gauge({
  name: "tidewire_ingest_log_budget_used_ratio",
  help: "Log bytes of the day (UTC) as a share of the budget, of the instance of the feed that has used most of it",
  labelNames: ["feed"],
  collect() {
    this.reset()
    const now = new Date().toISOString()
    const most = new Map<string, number>()
    for (const { feed, checkpoint } of schedule.instances()) {
      const share = bytesOn(now, checkpoint?.logged) / logBudgetBytes(feed)
      most.set(feed.name, Math.max(most.get(feed.name) ?? 0, share))
    }
    for (const [feed, share] of most) this.set({ feed }, share)
  },
})

new Gauge({
  name: "tidewire_ingest_throttled_instances",
  help: "Instances of a feed that are polled less often, as their budget of log bytes of the day runs low",
  labelNames: ["feed"],
  collect() {
    this.reset()
    const nowMs = Date.now()
    for (const { feed, checkpoint } of schedule.instances())
      if (Date.parse(checkpoint?.throttledUntil ?? "") > nowMs) this.inc({ feed: feed.name })
  },
})

/** What the sources of scheduled instances announce, each once. */
const announcements = (): ReadonlyArray<Announcement> => {
  const all = schedule.instances().flatMap(({ checkpoint }) => checkpoint?.announced ?? [])
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

new Gauge({
  name: "tidewire_ingest_announcements",
  help: "What upstreams announce by the headers Sunset, Deprecation and Warning, by provider and header",
  labelNames: ["provider", "header"],
  collect() {
    this.reset()
    for (const { provider, header } of announcements()) this.inc({ provider, header })
  },
})

new Gauge({
  name: "tidewire_ingest_sunset_timestamp_seconds",
  help: "The earliest instant at which a provider announces the end of a document, in seconds since the epoch",
  labelNames: ["provider"],
  collect() {
    this.reset()
    const earliest = new Map<string, number>()
    for (const { provider, header, at } of announcements())
      if (header === "Sunset" && at !== null)
        earliest.set(provider, Math.min(earliest.get(provider) ?? Number.POSITIVE_INFINITY, Date.parse(at)))
    for (const [provider, atMs] of earliest) this.set({ provider }, atMs / 1000)
  },
})

/** Exports metrics of the scheduled instances while a role polls them; the result ends the export. */
export const exportInstances = (polled: Schedule): (() => void) => {
  schedule = polled
  return () => {
    if (schedule === polled) schedule = NOTHING
  }
}
