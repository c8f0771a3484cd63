import { Counter, Gauge, Histogram } from "prom-client"
import type { Announcement } from "../schemas/events/observations.ts"
import type { Feed } from "../schemas/feed.ts"
import type { InstanceCheckpoint } from "./checkpoint.ts"
import { bytesOn, logBudgetBytes } from "./log-budget.ts"

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

/** The instances that are polled on schedule: their feeds, with their checkpoints. */
type ScheduledInstances = () => Iterable<readonly [feed: Feed, checkpoint: InstanceCheckpoint | undefined]>

let scheduled: ScheduledInstances = () => []

new Gauge({
  name: "tidewire_ingest_feed_age_seconds",
  help: "Time since a feed was last confirmed by its upstream, of its oldest instance; absent before the first time",
  labelNames: ["feed"],
  collect() {
    this.reset()
    const oldest = new Map<string, number | null>()
    for (const [{ name: feed }, checkpoint] of scheduled()) {
      const confirmedAt = checkpoint?.last?.confirmedAt
      const confirmedMs = confirmedAt === undefined ? null : Date.parse(confirmedAt)
      const before = oldest.get(feed)
      oldest.set(
        feed,
        before === undefined
          ? confirmedMs
          : before === null || confirmedMs === null
            ? null
            : Math.min(before, confirmedMs),
      )
    }
    for (const [feed, confirmedMs] of oldest)
      if (confirmedMs !== null) this.set({ feed }, Math.max(0, (Date.now() - confirmedMs) / 1000))
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
    for (const [feed, checkpoint] of scheduled()) {
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
    for (const [{ name: feed }, checkpoint] of scheduled())
      if (Date.parse(checkpoint?.throttledUntil ?? "") > nowMs) this.inc({ feed })
  },
})

/** What the sources of scheduled instances announce, each once. */
const announcements = (): ReadonlyArray<Announcement> => {
  const all = [...scheduled()].flatMap(([, checkpoint]) => checkpoint?.announced ?? [])
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
export const exportInstances = (source: ScheduledInstances): (() => void) => {
  scheduled = source
  return () => {
    if (scheduled === source) scheduled = () => []
  }
}
