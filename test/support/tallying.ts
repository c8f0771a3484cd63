import * as Effect from "effect/Effect"
import { newReport } from "../../processors/folds/ai-stats.ts"
import { type Processor, processor } from "../../processors/processor.ts"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { usageCounted } from "../../schemas/events/usage.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { FoldableTopic } from "../../schemas/topics.ts"

/** Counts requests by endpoint, from reports of usage; shows the counts and the event time. */
export const tallying = (name = "tallying", topic: FoldableTopic = "usage"): Processor =>
  processor({
    name,
    topic,
    step: (state, event, nowMs) => {
      const fresh = newReport(state, event, nowMs)
      if (fresh === null) return {}
      const before = (state.get("tally") ?? {}) as Readonly<Record<string, number>>
      const after = { ...before }
      for (const { endpoint, requests } of fresh.report.counts) after[endpoint] = (after[endpoint] ?? 0) + requests
      return {
        state: [...fresh.state, ["tally", after]],
        views: [{ key: "/tally", body: { v: 2, changedAt: instant(nowMs), data: after } }],
      }
    },
  })

/** A report of usage: one request to `quakes`. */
export const usageReport = (instance: string, sequence: number, atMs: number) =>
  makeEvent(usageCounted, {
    id: `${instance}/${sequence}`,
    source: "tidewire/api",
    subject: instance,
    time: instant(atMs),
    data: {
      instance,
      sequence,
      from: instant(Math.max(0, atMs - 60_000)),
      to: instant(atMs),
      counts: [{ endpoint: "quakes", client: "other", agent: null, requests: 1, refused: 0, bytes: 10 }],
    },
  })

/** Appends reports as API processes do: without a claim. */
export const appendUsage = (log: EventLog, reports: ReadonlyArray<ReturnType<typeof usageReport>>) =>
  log
    .append(reports.map((report) => ({ topic: "usage" as const, key: report.subject, value: encodeEvent(report) })))
    .pipe(Effect.asVoid)
