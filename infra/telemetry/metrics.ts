import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  register,
} from "prom-client"
import packageJson from "../../package.json" with { type: "json" }
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { topicNames } from "../../schemas/topics.ts"
import { freeBytes } from "../system/disk.ts"

/** The version of this Tidewire. */
export const VERSION: string = packageJson.version

/** Metrics in the library's form, so that those of several threads can be merged. */
export type Metrics = ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>

/**
 * The parts of a process that have their own metrics. `main`: the parts that exist once in all threads; `engine`: the
 * embedded ClickHouse; `ledgerClient`: the client of a ledger in another process.
 */
type MetricsOwner = "main" | "ingest" | "process" | "engine" | "ledger" | "ledgerClient" | "api"

/** Prefixes of the metrics' names, by owner; the longest match decides. Without an owner: metrics of every part. */
const PREFIXES: ReadonlyArray<readonly [prefix: string, owners: ReadonlyArray<MetricsOwner> | null]> = [
  ["process_", ["main"]],
  ["tidewire_build_", ["main"]],
  ["tidewire_disk_", ["main"]],
  ["tidewire_ingest_", ["ingest"]],
  ["tidewire_http_", ["ingest"]],
  ["tidewire_internal_", ["ingest", "ledger", "api"]],
  ["tidewire_processors_", ["process"]],
  ["tidewire_history_", ["process"]],
  ["tidewire_history_engine_", ["engine"]],
  ["tidewire_ledger_", ["ledger"]],
  ["tidewire_ledger_client_", ["ledgerClient"]],
  ["tidewire_chain_", ["ledger"]],
  ["tidewire_api_", ["api"]],
  ["tidewire_changes_", ["api"]],
  ["tidewire_premium_", ["api"]],
  ["tidewire_payment_", ["api"]],
  ["tidewire_sister_", ["api"]],
  ["tidewire_views_", ["api"]],
  ["tidewire_log_end_", ["process"]],
  ["tidewire_log_bytes", ["process"]],
  ["tidewire_log_", null],
  ["tidewire_role_", null],
  ["nodejs_", null],
]
const BY_LENGTH = PREFIXES.toSorted(([a], [b]) => b.length - a.length)

/** The owner of a metric: null for one of every part, undefined for an unknown name. */
export const ownersOf = (name: string): ReadonlyArray<MetricsOwner> | null | undefined =>
  BY_LENGTH.find(([prefix]) => name.startsWith(prefix))?.[1]

/**
 * Gives the metrics of this thread that belong to its parts. Every process loads all code and registers all metrics; a zero
 * for a part that runs in another process would look like a fault.
 */
export const ownMetrics = async (owners: ReadonlyArray<MetricsOwner>): Promise<Metrics> => {
  const all: Metrics = await register.getMetricsAsJSON()
  return all.filter(({ name }) => {
    const wanted = ownersOf(name)
    // A name without an owner is included: a surplus zero does less harm than a missing metric.
    return wanted === null || wanted === undefined || owners.some((owner) => wanted.includes(owner))
  })
}

/** Metrics of one or more threads as text. */
export const metricsText = (ofThreads: ReadonlyArray<Metrics>): Promise<string> =>
  AggregatorRegistry.aggregate(ofThreads.map((metrics) => [...metrics])).metrics()

/** Starts the collection of Node's default metrics. Its totals of handles are left out: gauges with a counter's name. */
export const collectNodeMetrics = (labels: Readonly<Record<string, string>>): void => {
  collectDefaultMetrics()
  for (const what of ["handles", "requests", "resources"]) register.removeSingleMetric(`nodejs_active_${what}_total`)
  register.setDefaultLabels(labels)
}

/** Registers the versions, and the free space of the data folder. */
export const exportProcess = (dataDirectory: string | null): void => {
  new Gauge({
    name: "tidewire_build_info",
    help: "Always 1; the labels are the versions of Tidewire and Node",
    labelNames: ["version", "node"],
  }).set({ version: VERSION, node: process.version }, 1)
  if (dataDirectory === null) return
  new Gauge({
    name: "tidewire_disk_free_bytes",
    help: "Free space for the service on the disk of the data folder",
    collect() {
      // A role that stores nothing may have no data folder.
      if (statSync(dataDirectory, { throwIfNoEntry: false }) !== undefined) this.set(freeBytes(dataDirectory))
    },
  })
}

const SIZES_EVERY = "10 seconds"

const logEnd = new Gauge({
  name: "tidewire_log_end_offset",
  help: "Offset after the last record of a topic, some seconds ago",
  labelNames: ["topic"],
})
const logBytes = new Gauge({
  name: "tidewire_log_bytes",
  help: "Bytes of the records that a topic keeps; embedded log only",
  labelNames: ["topic"],
})

/** Reads the sizes of the topics periodically. After a failed read the last value is kept. */
export const watchLogSizes = (log: EventLog): Effect.Effect<never> =>
  Effect.forEach(topicNames, (topic) =>
    Effect.gen(function* () {
      logEnd.set({ topic }, yield* log.end(topic))
      const bytes = yield* log.bytes(topic)
      if (bytes !== null) logBytes.set({ topic }, bytes)
    }).pipe(Effect.ignore),
  ).pipe(Effect.andThen(Effect.sleep(SIZES_EVERY)), Effect.forever)
