import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { Counter, Histogram } from "prom-client"
import {
  type CommitFailed,
  Fenced,
  type FencedWriter,
  type LogRecord,
  OutcomeUnknown,
  RECORD_BYTES_MAX,
  RecordTooLarge,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { type Frame, frameOf } from "./frame.ts"
import {
  logFull,
  type OpenLog,
  type TransactionFailure,
  transactFrames,
  transactWithSpace,
  unavailable,
} from "./transact.ts"
import { claimName, isLatestClaim, write } from "./transactions.ts"

/** The largest commit, keys and values together, in bytes: it is one transaction, held in memory. */
const COMMIT_BYTES_MAX = 64 * 1024 * 1024

const commits = new Counter({
  name: "tidewire_log_lmdb_commits_total",
  help: "Commits of the embedded log, by writer and outcome (done, or the name of the error)",
  labelNames: ["writer", "outcome"],
})
const commitSeconds = new Histogram({
  name: "tidewire_log_lmdb_commit_seconds",
  help: "Time from the call of a commit until it is on disk, including the time in the queue",
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})

const known: ReadonlySet<string> = new Set(topicNames)
/** Fails if a topic does not exist. */
export const requireTopics = (topics: ReadonlyArray<Topic>): Effect.Effect<void, UnknownTopic> => {
  const unknown = topics.find((topic) => !known.has(topic))
  return unknown === undefined ? Effect.void : Effect.fail(new UnknownTopic({ topic: unknown }))
}

/** Encodes records; fails if one of them, or all together, are too large. */
export const encodeRecords = (
  records: ReadonlyArray<LogRecord>,
): Effect.Effect<ReadonlyArray<Frame>, RecordTooLarge | UnknownTopic> => {
  let commitBytes = 0
  for (const { topic, key, value } of records) {
    if (!known.has(topic)) return Effect.fail(new UnknownTopic({ topic }))
    const sizeBytes = Buffer.byteLength(key) + (value?.length ?? 0)
    commitBytes += sizeBytes
    if (sizeBytes > RECORD_BYTES_MAX)
      return Effect.fail(new RecordTooLarge({ topic, key, sizeBytes, maxBytes: RECORD_BYTES_MAX }))
    if (commitBytes > COMMIT_BYTES_MAX)
      return Effect.fail(new RecordTooLarge({ topic, key, sizeBytes: commitBytes, maxBytes: COMMIT_BYTES_MAX }))
  }
  return Effect.succeed(records.map(frameOf))
}

/** Claims a writer's name, and fences the claims before. */
export const claimWriter = (opened: OpenLog, writer: string, topics: ReadonlyArray<Topic>) =>
  Effect.gen(function* () {
    const { store, signal, bytesMax, removalsKept } = opened
    yield* requireTopics(topics)
    const { epoch, ends } = yield* transactWithSpace(opened, () => claimName(store, writer, topics)).pipe(
      Effect.mapError(({ kind, cause }) => (kind === "full" ? logFull(cause) : unavailable("claim")(cause))),
    )
    let stopped: Fenced | OutcomeUnknown | undefined
    const stop = <E extends Fenced | OutcomeUnknown>(error: E): E => {
      stopped ??= error
      return error
    }
    const toCommitFailure = ({ kind, cause }: TransactionFailure): CommitFailed => {
      if (kind === "full") return logFull(cause)
      if (kind === "aborted") return unavailable("the commit was refused")(cause)
      return stop(new OutcomeUnknown({ writer, cause }))
    }
    const commitOnce: FencedWriter["commit"] = Effect.fnUntraced(function* (records) {
      if (stopped !== undefined) return yield* Effect.fail(stopped)
      const frames = yield* encodeRecords(records)
      const offsets = yield* transactFrames(opened, frames, () =>
        // Tested inside the transaction again: an earlier commit may have failed since this one was started.
        stopped === undefined && isLatestClaim(store, writer, epoch)
          ? write(store, frames, bytesMax, removalsKept)
          : undefined,
      ).pipe(Effect.mapError(toCommitFailure))
      if (offsets === undefined) return yield* Effect.fail(stopped ?? stop(new Fenced({ writer })))
      signal.committed()
      return { offsets }
    })
    const commit: FencedWriter["commit"] = (records) =>
      Effect.suspend(() => {
        const end = commitSeconds.startTimer()
        return commitOnce(records).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              end()
              const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
              commits.inc({ writer, outcome: Exit.isSuccess(exit) ? "done" : (failure?._tag ?? "defect") })
            }),
          ),
        )
      })
    return { writer, ends, commit } satisfies FencedWriter
  })
