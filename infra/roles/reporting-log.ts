import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Counter } from "prom-client"
import type { CommitFailed, EventLog, FencedWriter } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import type { PartStatus, Status } from "./status.ts"

/** A part whose commit takes longer is reported as waiting for the log, in milliseconds. */
const COMMIT_MS_MAX = 3_000
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
      const late = pending > 0 && performance.now() - progressMs > COMMIT_MS_MAX
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

const WATCH_EVERY = "1 second"
const ANSWER_MAX = "3 seconds"

/** Reads the end of a topic periodically, and hinders every part of the process while that fails. */
export const watchLog = (log: EventLog, topic: Topic, status: Status): Effect.Effect<never> =>
  log.end(topic).pipe(
    Effect.timeout(ANSWER_MAX),
    Effect.result,
    Effect.map((answer) => status.hinderAll("log", Result.isSuccess(answer) ? null : "the log, which does not answer")),
    Effect.andThen(Effect.sleep(WATCH_EVERY)),
    Effect.forever,
  )

const RISKS_EVERY = "30 seconds"

/** Reads periodically which topics may lose acknowledged records, warns of them in the readiness, and logs each once. */
export const watchRisks = (log: EventLog, status: Status): Effect.Effect<never> =>
  Effect.suspend(() => {
    let logged = new Set<string>()
    return log.risks.pipe(
      Effect.flatMap((risks) => {
        const warnings = [...risks.values()]
        status.warn("replicas", warnings)
        const fresh = warnings.filter((warning) => !logged.has(warning))
        logged = new Set(warnings)
        return Effect.forEach(fresh, (warning) => Effect.logWarning(warning), { discard: true })
      }),
      // The brokers are away: that is shown elsewhere.
      Effect.ignore,
      Effect.andThen(Effect.sleep(RISKS_EVERY)),
      Effect.forever,
    )
  })
