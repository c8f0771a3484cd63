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

/** Registers the metrics, in place of those of an earlier API of the same process. They are read from counts when they are asked for. */
export const registerMetrics = (registry: Registry, { window, streams, counts }: MeasuredDoors): void => {
  const gauge = (name: string, help: string, read: () => number) => {
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
  const counter = (name: string, help: string, read: () => number) => {
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
  const labelled = (name: string, help: string, label: string, read: Readonly<Record<string, number>>) => {
    registry.removeSingleMetric(name)
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset()
        for (const [value, count] of Object.entries(read)) this.inc({ [label]: value }, count)
      },
    })
  }
  gauge("tidewire_changes_reached", "Number of the last change that this process has read", () => window.reached)
  gauge("tidewire_changes_streams_open", "Open streams of changes", () => streams.open)
  gauge("tidewire_changes_calls_waiting", "Calls that wait for a change", () => streams.waiting)
  gauge("tidewire_changes_unsent_bytes", "Bytes written to streams that the network has not taken", () => {
    return streams.unsentBytes
  })
  counter("tidewire_changes_slow_readers_ended_total", "Streams ended as their reader did not read", () => {
    return streams.counts.slowEnded
  })
  counter("tidewire_changes_resumes_total", "Streams that went on behind a cursor", () => streams.counts.resumes)
  counter("tidewire_changes_gaps_total", "Streams that went on behind changes which can no longer be read", () => {
    return streams.counts.gaps
  })
  labelled("tidewire_changes_pages_total", "Pages by where they came from: window or log", "source", counts.pages)
  labelled(
    "tidewire_changes_streams_refused_total",
    "Streams and waiting calls refused: by the limits of a client (client), or as all places are taken (full)",
    "by",
    counts.refused,
  )
}
