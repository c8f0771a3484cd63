import { Counter, Gauge, Histogram } from "prom-client"

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

/** An instance that is polled on schedule. */
interface ScheduledConfirmation {
  readonly feed: string
  readonly everyMs: number
  /** The instant of its last success, in milliseconds since the epoch; null before the first. */
  readonly confirmedMs: number | null
}

/** Polls that may fail in a row, and the least time, before an operator should look. */
const MISSED_POLLS_MAX = 4
const UNCONFIRMED_MIN_MS = 60 * 60 * 1000

interface FeedAge {
  readonly ageMs: number
  readonly maxMs: number
}

let agesOf: () => ReadonlyMap<string, FeedAge> = () => new Map()

new Gauge({
  name: "tidewire_ingest_feed_age_seconds",
  help: "Time since a feed was last confirmed by its upstream, or since polling began, of the instance that is latest for its interval",
  labelNames: ["feed"],
  collect() {
    this.reset()
    for (const [feed, { ageMs }] of agesOf()) this.set({ feed }, ageMs / 1000)
  },
})

new Gauge({
  name: "tidewire_ingest_feed_age_max_seconds",
  help: "The age of that instance beyond which an operator should look: four intervals, at least an hour",
  labelNames: ["feed"],
  collect() {
    this.reset()
    for (const [feed, { maxMs }] of agesOf()) this.set({ feed }, maxMs / 1000)
  },
})

/** The age of each feed: that of the instance which is latest for its interval. */
const feedAges = (
  instances: Iterable<ScheduledConfirmation>,
  beganMs: number,
  nowMs: number,
): ReadonlyMap<string, FeedAge> => {
  const ages = new Map<string, FeedAge>()
  for (const { feed, everyMs, confirmedMs } of instances) {
    const ageMs = Math.max(0, nowMs - (confirmedMs ?? beganMs))
    const maxMs = Math.max(UNCONFIRMED_MIN_MS, MISSED_POLLS_MAX * everyMs)
    const latest = ages.get(feed)
    if (latest === undefined || ageMs / maxMs > latest.ageMs / latest.maxMs) ages.set(feed, { ageMs, maxMs })
  }
  return ages
}

/** Exports the ages of feeds while a role polls, which it has done since `beganMs`; the result ends the export. */
export const exportFeedAges = (instances: () => Iterable<ScheduledConfirmation>, beganMs: number): (() => void) => {
  const source = () => feedAges(instances(), beganMs, Date.now())
  agesOf = source
  return () => {
    if (agesOf === source) agesOf = () => new Map()
  }
}
