import { Counter, Gauge, Histogram, register } from "prom-client"

const labelNames = ["processor"] as const

/** Events that a processor has folded and committed. */
export const folded = new Counter({
  name: "tidewire_processors_events_total",
  help: "Events folded and committed",
  labelNames,
})

/** Problems that steps report, such as a view's function that threw. Each is also logged. */
export const problems = new Counter({
  name: "tidewire_processors_problems_total",
  help: "Things that a step could not do: a view's function that threw, for instance",
  labelNames,
})

/** Ends of a processor, by the tag of the error. */
export const stopped = new Counter({
  name: "tidewire_processors_stops_total",
  help: "Times a processor ended, by reason",
  labelNames: [...labelNames, "reason"],
})

/** The offset of the next event that a processor folds. */
export const position = new Gauge({
  name: "tidewire_processors_position_offset",
  help: "Offset in its topic at which the processor goes on",
  labelNames,
})

/** Event time of a processor. Its distance from now is the lag, whatever the scrape interval. */
export const eventTime = new Gauge({
  name: "tidewire_processors_event_time_seconds",
  help: "Event time of the processor, in seconds since the epoch; time() minus this is its lag",
  labelNames,
})

/** How long a commit took, waiting for a full or unreachable log included. */
export const commitSeconds = new Histogram({
  name: "tidewire_processors_commit_seconds",
  help: "Duration of commits",
  labelNames,
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
  registers: [register],
})
