import { statSync } from "node:fs"
import { Effect } from "effect"
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  register,
} from "prom-client"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { topicNames } from "../../schemas/topics.ts"
import { freeBytes } from "../config/disk.ts"
import { VERSION } from "../config/version.ts"

/** Metrics as the library gives them, so that those of several threads can be put together. */
export type Metrics = ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>

/**
 * What a thread or process does, as far as it has metrics of its own. `main`: what there is one of in all threads;
 * `engine`: the embedded ClickHouse; `ledgerClient`: asking a ledger in another process.
 */
export type MetricsOwner = "main" | "ingest" | "process" | "engine" | "ledger" | "ledgerClient" | "api"

/** How the names of an owner's metrics begin; the longest that fits decides. Without an owner: of every part. */
const PREFIXES: ReadonlyArray<readonly [prefix: string, owners: ReadonlyArray<MetricsOwner> | null]> = [
  ["process_", ["main"]],
  ["tidewire_build_", ["main"]],
  ["tidewire_disk_", ["main"]],
  ["tidewire_ingest_", ["ingest"]],
  ["tidewire_http_", ["ingest"]],
  ["tidewire_internal_", ["ingest", "ledger"]],
  ["tidewire_processors_", ["process"]],
  ["tidewire_history_", ["process"]],
  ["tidewire_history_engine_", ["engine"]],
  ["tidewire_ledger_", ["ledger"]],
  ["tidewire_ledger_client_", ["ledgerClient"]],
  ["tidewire_chain_", ["ledger"]],
  ["tidewire_api_", ["api"]],
  ["tidewire_premium_", ["api"]],
  ["tidewire_payment_", ["api"]],
  ["tidewire_log_end_", ["process"]],
  ["tidewire_log_bytes", ["process"]],
  ["tidewire_log_", null],
  ["tidewire_role_", null],
  ["nodejs_", null],
]
const BY_LENGTH = PREFIXES.toSorted(([a], [b]) => b.length - a.length)

/** Whose a metric is: null where it is of every part, undefined where its name is in no list. */
export const ownersOf = (name: string): ReadonlyArray<MetricsOwner> | null | undefined =>
  BY_LENGTH.find(([prefix]) => name.startsWith(prefix))?.[1]

/**
 * The metrics of this thread that belong to what it does: all code is loaded in every process, and its metrics with it, and
 * a zero of something that is done elsewhere looks like a fault.
 */
export const ownMetrics = async (owners: ReadonlyArray<MetricsOwner>): Promise<Metrics> => {
  const all: Metrics = await register.getMetricsAsJSON()
  return all.filter(({ name }) => {
    const wanted = ownersOf(name)
    // A name without an owner is shown: better a zero too many than a number too few.
    return wanted === null || wanted === undefined || owners.some((owner) => wanted.includes(owner))
  })
}

/** Metrics of one or more threads as text. */
export const metricsText = (ofThreads: ReadonlyArray<Metrics>): Promise<string> =>
  AggregatorRegistry.aggregate(ofThreads.map((metrics) => [...metrics])).metrics()

/** Begins to collect what Node knows of itself. Its totals of handles are gauges under the name of a counter: not shown. */
export const collectNodeMetrics = (labels: Readonly<Record<string, string>>): void => {
  collectDefaultMetrics()
  for (const what of ["handles", "requests", "resources"]) register.removeSingleMetric(`nodejs_active_${what}_total`)
  register.setDefaultLabels(labels)
}

/** Shows what runs, and how much room the data folder has. */
export const showProcess = (dataDirectory: string | null): void => {
  new Gauge({
    name: "tidewire_build_info",
    help: "1; which Tidewire and which Node run",
    labelNames: ["version", "node"],
  }).set({ version: VERSION, node: process.version }, 1)
  if (dataDirectory === null) return
  new Gauge({
    name: "tidewire_disk_free_bytes",
    help: "Space that is free for the service on the disk of the data folder",
    collect() {
      // A role that keeps nothing there may have no such folder.
      if (statSync(dataDirectory, { throwIfNoEntry: false }) !== undefined) this.set(freeBytes(dataDirectory))
    },
  })
}

const SIZES_EVERY = "10 seconds"

const logEnd = new Gauge({
  name: "tidewire_log_end_offset",
  help: "Offset after the last record of a topic, as it was asked some seconds ago",
  labelNames: ["topic"],
})
const logBytes = new Gauge({
  name: "tidewire_log_bytes",
  help: "Bytes of the records that a topic keeps, where the log knows them; on Kafka only the brokers do",
  labelNames: ["topic"],
})

/** Asks the log now and then how large its topics are. What cannot be asked keeps its last value. */
export const watchLogSizes = (log: EventLog): Effect.Effect<never> =>
  Effect.forEach(topicNames, (topic) =>
    Effect.gen(function* () {
      logEnd.set({ topic }, yield* log.end(topic))
      const bytes = yield* log.bytes(topic)
      if (bytes !== null) logBytes.set({ topic }, bytes)
    }).pipe(Effect.ignore),
  ).pipe(Effect.andThen(Effect.sleep(SIZES_EVERY)), Effect.forever)
