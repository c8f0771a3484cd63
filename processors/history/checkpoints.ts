import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type {
  CommitFailed,
  EventLog,
  FencedWriter,
  LogFull,
  LogUnavailable,
  ReadFailed,
} from "../../schemas/ports/event-log.ts"
import { decodeState, encodeState, initialState, parseStateKey, stateKey, type TableState } from "./state.ts"

/** The writer's name of the history's checkpoints. */
export const WRITER = "history"

/** A checkpoint was written by a newer release, or is damaged: the history stops without a change. */
export class CheckpointUnreadable extends Schema.TaggedError<CheckpointUnreadable>()("CheckpointUnreadable", {
  key: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `the checkpoint ${this.key} cannot be read: ${this.problem}`
  }
}

/** A run of the history ends: it was fenced, or the outcome of a commit is unknown. A new claim may continue. */
export type HistoryStopped = Exclude<CommitFailed, LogUnavailable | LogFull>

/** Reads every state in `checkpoints`, by the name of its target. */
export const readStates = (
  log: EventLog,
): Effect.Effect<ReadonlyMap<string, TableState>, ReadFailed | CheckpointUnreadable> =>
  Effect.gen(function* () {
    const bytes = new Map<string, Uint8Array>()
    yield* log.read("checkpoints", 0).pipe(
      Stream.runForEach((batch) =>
        Effect.sync(() => {
          for (const { key, value } of batch.records) {
            const target = parseStateKey(key)
            if (target === null) continue
            if (value === null) bytes.delete(target)
            else bytes.set(target, value)
          }
        }),
      ),
    )
    const states = new Map<string, TableState>()
    for (const [target, value] of bytes) {
      const state = decodeState(value)
      if (Result.isFailure(state))
        return yield* new CheckpointUnreadable({ key: stateKey(target), problem: state.failure.message })
      states.set(target, state.success)
    }
    return states
  })

const DELAY_MS = 1_000

/** The states of the history's targets, in memory and in the log. */
export interface States {
  readonly get: (target: string) => TableState
  /** Changes the state in memory only, for progress that is cheap to repeat. */
  readonly set: (target: string, state: TableState) => void
  /** Commits states atomically. Retries while the log is down or full. */
  readonly commit: (
    changes: ReadonlyArray<readonly [target: string, state: TableState]>,
  ) => Effect.Effect<void, HistoryStopped>
}

/** Makes the states over a claimed writer. */
export const makeStates = (writer: FencedWriter, initial: ReadonlyMap<string, TableState>): States => {
  const states = new Map(initial)
  const commit: States["commit"] = (changes) =>
    Effect.gen(function* () {
      if (changes.length === 0) return
      const records = changes.map(([target, state]) => ({
        topic: "checkpoints" as const,
        key: stateKey(target),
        value: encodeState(state),
      }))
      for (let failures = 0; ; failures++) {
        const result = yield* Effect.result(writer.commit(records))
        if (Result.isSuccess(result)) break
        const { failure } = result
        if (failure._tag !== "LogUnavailable" && failure._tag !== "LogFull") return yield* Effect.fail(failure)
        // Logged once for each checkpoint: a disk stays full for long.
        if (failures === 0)
          yield* Effect.logWarning("the history's checkpoint cannot be written; it is retried").pipe(
            Effect.annotateLogs({ problem: failure.problem }),
          )
        yield* Effect.sleep(DELAY_MS)
      }
      for (const [target, state] of changes) states.set(target, state)
    })
  return {
    get: (target) => states.get(target) ?? initialState,
    set: (target, state) => {
      states.set(target, state)
    },
    commit,
  }
}
