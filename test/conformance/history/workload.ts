import { tables as every } from "../../../processors/registry.ts"
import { withSequence } from "../../../schemas/change.ts"
import { encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { feedProbed, itemAppeared } from "../../../schemas/events/deltas.ts"
import { clockTicked } from "../../../schemas/events/observations.ts"
import { DAILY } from "../../../schemas/feeds/earthquakes.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"

const NAMES: ReadonlyArray<string> = ["feed_probes", "earthquakes", "item_changes", "view_versions"]

/** The tables of this workload's events, and those of numbered changes and of the versions of views. */
export const tables = every.filter(({ name }) => NAMES.includes(name))

// Shortly before a month ends: a batch of these events belongs to two partitions.
const BEGIN = Date.parse("2026-01-31T23:50:00.000Z")
const STEP_MS = 1_000

/** The time of the event with a number. */
export const timeOf = (number: number): string => instant(BEGIN + number * STEP_MS)

const encoder = new TextEncoder()

/** An event of `deltas`: a probe, or, each fourth, an earthquake, which is numbered. Its content depends on the number only. */
const delta = (number: number): LogRecord => {
  const common = { id: `event-${number}`, source: "test", subject: `subject ${number % 7}`, time: timeOf(number) }
  const event =
    number % 4 === 3
      ? makeEvent(itemAppeared, {
          ...common,
          data: {
            feed: "earthquakes",
            parameters: DAILY,
            provider: "USGS.earthquakes",
            key: `quake${number}`,
            observedAt: timeOf(number),
            item: {
              id: `quake${number}`,
              magnitude: number % 3 === 0 ? null : 2.5 + (number % 30) / 10,
              magnitudeType: "mww",
              place: `${number} km of 日本 "O'Brien"\\n`,
              time: timeOf(number),
              revisedAt: timeOf(number),
              latitude: (number % 90) - 0.25,
              longitude: -(number % 180) + 0.125,
              depthKm: 10.5,
              tsunami: false,
              alert: null,
              significance: 300,
              status: "automatic",
              url: null,
            },
          },
        })
      : makeEvent(feedProbed, {
          ...common,
          data: {
            feed: `feed-${number % 5}`,
            parameters: number % 2 === 0 ? {} : { period: "day" },
            provider: "Provider.metric",
            verdict: (["ok", "stale", "dark"] as const)[number % 3] ?? "ok",
            probedAt: timeOf(number),
            ageMs: number % 3 === 2 ? null : number * 10,
          },
        })
  if (event.type !== itemAppeared.type) return { topic: "deltas", key: event.type, value: encodeEvent(event) }
  const numbered = withSequence(JSON.stringify(event), { log: "workload", ordinal: (number + 1) / 4 })
  return { topic: "deltas", key: event.type, value: encoder.encode(numbered) }
}

/** An event of `observations`. */
export const tick = (number: number): LogRecord => ({
  topic: "observations",
  key: "clock",
  value: encodeEvent(
    makeEvent(clockTicked, { id: `tick-${number}`, source: "test", subject: "clock", time: timeOf(number), data: {} }),
  ),
})

/** Events with the numbers in [from, to): a delta each, and a tick at every tenth. */
export const events = (from: number, to: number): ReadonlyArray<LogRecord> =>
  Array.from({ length: to - from }, (_, index) => from + index).flatMap((number) =>
    number % 10 === 0 ? [delta(number), tick(number)] : [delta(number)],
  )
