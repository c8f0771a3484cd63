import { Counter, Gauge, type Registry } from "prom-client"
import type { ChangeStreams } from "./streams.ts"
import type { ChangeWindow } from "./window.ts"

/** What is measured of the doors. */
interface MeasuredDoors {
  readonly window: ChangeWindow
  readonly streams: ChangeStreams
  readonly counts: {
    readonly pages: Readonly<Record<string, number>>
    readonly refused: Readonly<Record<string, number>>
  }
}

/** Registers a gauge that is read when it is asked for. */
const gauge = (registry: Registry, name: string, help: string, read: () => number): void => {
  registry.removeSingleMetric(name)
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}

/** Registers a counter that is read when it is asked for. */
const counter = (registry: Registry, name: string, help: string, read: () => number): void => {
  registry.removeSingleMetric(name)
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}

const registerPages = (registry: Registry, pages: Readonly<Record<string, number>>): void => {
  const name = "tidewire_changes_pages_total"
  registry.removeSingleMetric(name)
  new Counter({
    name,
    help: "Pages of changes by where these came from: the window of recent ones, or the log and its archive",
    labelNames: ["source"],
    registers: [registry],
    collect() {
      this.reset()
      for (const [source, count] of Object.entries(pages)) this.inc({ source }, count)
    },
  })
}

const registerRefused = (registry: Registry, refused: Readonly<Record<string, number>>): void => {
  const name = "tidewire_changes_streams_refused_total"
  registry.removeSingleMetric(name)
  new Counter({
    name,
    help: "Streams and waiting calls refused: by the limits of a client (client), or as all places are taken (full)",
    labelNames: ["by"],
    registers: [registry],
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(refused)) this.inc({ by }, count)
    },
  })
}

/** Registers the metrics, in place of those of an earlier API of the same process. They are made of counts when they are read. */
export const registerMetrics = (registry: Registry, { window, streams, counts }: MeasuredDoors): void => {
  const { counts: happened } = streams
  gauge(registry, "tidewire_changes_reached", "Number of the last change that was read", () => window.reached)
  gauge(registry, "tidewire_changes_streams_open", "Open streams of changes", () => streams.open)
  gauge(registry, "tidewire_changes_calls_waiting", "Calls that wait for a change", () => streams.calls.count)
  gauge(
    registry,
    "tidewire_changes_unsent_bytes",
    "Bytes that readers of streams have not taken",
    () => streams.unsentBytes,
  )
  counter(
    registry,
    "tidewire_changes_slow_readers_ended_total",
    "Streams ended as nothing was read",
    () => happened.slowEnded,
  )
  counter(registry, "tidewire_changes_resumes_total", "Streams that went on behind a cursor", () => happened.resumes)
  counter(
    registry,
    "tidewire_changes_gaps_total",
    "Streams that came back to changes which are gone",
    () => happened.gaps,
  )
  registerPages(registry, counts.pages)
  registerRefused(registry, counts.refused)
}
