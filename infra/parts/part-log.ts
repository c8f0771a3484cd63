import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Counter } from "prom-client"
import type { Batch, CommitFailed, EventLog, FencedWriter, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import { describeStage } from "../telemetry/progress.ts"
import type { PartStatus } from "./part.ts"

/** A part whose commit takes longer is reported as waiting for the log, in milliseconds. */
const COMMIT_MAX_MS = 3_000
const CHECK_EVERY_MS = 500

const COMMITS = "commits"
const STALLED = "stalled"

const failedCommits = new Counter({
  name: "tidewire_log_commits_failed_total",
  help: "Commits that failed, by writer and reason",
  labelNames: ["writer", "reason"],
})

/** The reasons for which the commit of a writer may fail. */
const REASONS: ReadonlyArray<CommitFailed["_tag"]> = [
  "Fenced",
  "OutcomeUnknown",
  "LogUnavailable",
  "LogFull",
  "RecordTooLarge",
  "UnknownTopic",
]

/** The reason of a failed commit if the log is at fault; null if the commit or the claim is. */
const hindranceOf = (error: CommitFailed): string | null =>
  error._tag === "LogFull" || error._tag === "LogUnavailable" || error._tag === "OutcomeUnknown" ? error.message : null

/** A writer that reports failing and stalled commits as the state of the part. */
const reportingWriter = (writer: FencedWriter, part: PartStatus): Effect.Effect<FencedWriter, never, Scope.Scope> =>
  Effect.gen(function* () {
    // At 0 from the start: a counter that appears with its first failure shows no increase to an alert rule.
    for (const reason of REASONS) failedCommits.inc({ writer: writer.writer, reason }, 0)
    let pending = 0
    let progressMs = 0
    const look = () => {
      const late = pending > 0 && performance.now() - progressMs > COMMIT_MAX_MS
      part.hinder(STALLED, late ? "the log, which has not answered a commit for seconds" : null)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(look, CHECK_EVERY_MS).unref()),
      (timer) =>
        Effect.sync(() => {
          clearInterval(timer)
          part.hinder(STALLED, null)
        }),
    )
    const begin = () => {
      if (pending === 0) progressMs = performance.now()
      pending += 1
    }
    const end = () => {
      pending -= 1
      progressMs = performance.now()
    }
    return {
      ...writer,
      commit: (records) =>
        Effect.suspend(() => {
          begin()
          return writer.commit(records)
        }).pipe(
          Effect.tap(() => Effect.sync(() => part.hinder(COMMITS, null))),
          Effect.tapError((error) =>
            Effect.sync(() => {
              failedCommits.inc({ writer: writer.writer, reason: error._tag })
              const hindrance = hindranceOf(error)
              if (hindrance !== null) part.hinder(COMMITS, hindrance)
            }),
          ),
          Effect.ensuring(Effect.sync(end)),
        ),
    }
  })

/** The log of one part: its turns and the outcomes of its commits become states of the part. */
export const reportingLog = (log: EventLog, part: PartStatus): EventLog => ({
  ...log,
  awaitTurn: (writer) =>
    Effect.suspend(() => {
      let stoodBy = false
      part.hinder(COMMITS, null)
      return log
        .awaitTurn(writer, () => {
          stoodBy = true
          part.set({ state: "standby" })
        })
        .pipe(Effect.tap(() => Effect.sync(() => (stoodBy ? part.set({ state: "starting" }) : undefined))))
    }),
  claim: (writer, topics) => Effect.flatMap(log.claim(writer, topics), (held) => reportingWriter(held, part)),
})

/** How often the progress updates the state of the part, and how often it is logged. */
const SHOWN_EVERY_MS = 1_000
const LOGGED_EVERY_MS = 10_000

/** A log that reports how far a part has folded a topic, until the part is ready. */
interface FoldingLog {
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
