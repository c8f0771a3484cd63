import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, itemWords, none } from "../contract/glance.ts"
import { ranking, states } from "../contract/plot.ts"
import { listFeed } from "../feed.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** The names of the places that are probed, in the order in which they are shown. */
export const pulseTargets = ["US East", "US West", "Europe", "Asia", "CDN", "Search"] as const

/** How long a probe may take before its target counts as unreachable, in milliseconds. */
export const PULSE_TIMEOUT_MS = 5_000

const LatencyMs = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))

/** One target and how long one round trip to it took. */
export const Pulse = Schema.Struct({
  name: Schema.Literals(pulseTargets),
  host: NonEmptyTextUpTo(253),
  /** From opening a connection to the first answer, in whole milliseconds; null when no answer came. */
  latencyMs: Schema.NullOr(LatencyMs),
})
export type Pulse = typeof Pulse.Type

export const internetPulse = listFeed({
  name: "internet-pulse",
  description: "How long a request from here takes to six places of the internet.",
  item: Pulse,
  itemsMax: pulseTargets.length,
  key: (item) => item.name,
  publishesGone: false,
  mayBeEmpty: false,
})

export const internetPulseEndpoint = endpoint({
  path: "/api/internet-pulse",
  name: "internet_pulse",
  kind: "prepared",
  tier: "free",
  subject: "infrastructure",
  ttl: "60 seconds",
  summary: "Latency from this service to six places of the internet",
  description:
    "Each target is asked once a minute on a fresh connection, so name look-up and handshakes are part of the time. -1 means that it did not answer.",
  parameters: {},
  data: Schema.Array(
    Schema.Struct({
      name: Schema.Literals(pulseTargets),
      latency_ms: volatile(
        Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 60_000 })).annotate({
          description: "Whole milliseconds; -1 when the target is unreachable",
        }),
      ),
    }),
  ).check(Schema.isMaxLength(pulseTargets.length)),
  changes: [{ feed: internetPulse, title: ({ name, latency_ms }) => itemWords(name, latency_ms) }],
  glance: {
    title: "Internet pulse",
    plots: (targets) => [
      ranking(
        "Time of an answer",
        "ms",
        targets
          .toSorted((one, other) => one.latency_ms - other.latency_ms)
          .map(({ name, latency_ms }) => ({ label: name, value: latency_ms < 0 ? null : latency_ms })),
      ),
      states(
        "Reached from here",
        targets.map(({ name, latency_ms }) =>
          latency_ms < 0
            ? { label: name, state: "bad", words: "no answer" }
            : { label: name, state: "good", words: "answers" },
        ),
      ),
    ],
    headline: (targets) => {
      const reached = targets.filter(({ latency_ms }) => latency_ms >= 0)
      const sorted = reached.toSorted((one, other) => one.latency_ms - other.latency_ms)
      const middle = sorted[Math.floor((sorted.length - 1) / 2)]
      const slowest = sorted.at(-1)
      if (middle === undefined || slowest === undefined) return none(`None of ${targets.length} places answers`)
      const silent = targets.filter(({ latency_ms }) => latency_ms < 0).map(({ name }) => name)
      return {
        value: middle.latency_ms,
        unit: "ms",
        note: clause(
          `median to ${counted(reached.length, "place")} from here`,
          `${slowest.name} ${slowest.latency_ms} ms`,
          silent.length === 0 ? null : `no answer from ${silent.join(" and ")}`,
        ),
      }
    },
  },
  example: [
    { name: "US East", latency_ms: 92 },
    { name: "Asia", latency_ms: -1 },
  ],
})
