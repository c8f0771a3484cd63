import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Batch, EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import { describeStage } from "../telemetry/progress.ts"
import type { PartStatus } from "./status.ts"

/** How often the progress updates the state of the part, and how often it is logged. */
const SHOWN_EVERY_MS = 1_000
const LOGGED_EVERY_MS = 10_000

/** A log that reports how far a part has folded a topic, until the part is ready. */
export interface FoldingLog {
  readonly log: EventLog
  /** Ends the reports, then runs the effect. */
  readonly readyThen: (ready: Effect.Effect<void>) => Effect.Effect<void>
}

/** Wraps the log at each start of the part. */
export const foldingLog = (
  log: EventLog,
  part: PartStatus,
  topic: Topic,
  shownEveryMs = SHOWN_EVERY_MS,
): FoldingLog => {
  let folding = true
  const shown = (from: Offset, batches: Stream.Stream<Batch, ReadFailed>): Stream.Stream<Batch, ReadFailed> =>
    Stream.unwrap(
      Effect.map(log.end(topic), (end) => {
        const begunMs = performance.now()
        let shownMs = begunMs
        let loggedMs = begunMs
        return batches.pipe(
          Stream.tap(({ next }) =>
            Effect.suspend(() => {
              const nowMs = performance.now()
              if (!folding || nowMs - shownMs < shownEveryMs) return Effect.void
              shownMs = nowMs
              const facts = { done: next - from, total: end - from, unit: "entries", elapsedMs: nowMs - begunMs }
              const line = describeStage({ stage: `the log is being folded, ${topic}`, ...facts })
              part.set({ state: "starting", reason: line })
              if (nowMs - loggedMs < LOGGED_EVERY_MS) return Effect.void
              loggedMs = nowMs
              return Effect.logInfo(line)
            }),
          ),
        )
      }),
    )
  return {
    log: {
      ...log,
      read: (name, from) => (name === topic ? shown(from, log.read(name, from)) : log.read(name, from)),
      follow: (name, from) => (name === topic ? shown(from, log.follow(name, from)) : log.follow(name, from)),
    },
    readyThen: (ready) =>
      Effect.suspend(() => {
        folding = false
        return ready
      }),
  }
}
