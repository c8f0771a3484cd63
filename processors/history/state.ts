import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type {
  CommitFailed,
  EventLog,
  FencedWriter,
  LogFull,
  LogRecord,
  LogUnavailable,
  Offset,
  ReadFailed,
} from "../../schemas/ports/event-log.ts"

const OffsetNumber = Schema.Natural

/** The rows that a table held of events below an offset, at the end of a batch. */
const Mark = Schema.Struct({ to: OffsetNumber, rows: Schema.Natural })
export type Mark = typeof Mark.Type

/** A planned batch: the events of [from, to), and its token. */
const Plan = Schema.Struct({ from: OffsetNumber, to: OffsetNumber, token: Schema.String })
export type Plan = typeof Plan.Type

/**
 * The progress of a table, in the log's `checkpoints`. Committed before and after every batch: a planned batch is repeated
 * exactly, with the same events under the same token, whatever was appended since.
 */
export const TableState = Schema.Struct({
  v: Schema.Literal(1),
  /** Counts rebuilds of the table. */
  generation: Schema.Natural,
  /** Counts repairs of the generation: rows that are written again need unused tokens. */
  repairs: Schema.Natural,
  /** All events below this offset are written. */
  next: OffsetNumber,
  plan: Schema.NullOr(Plan),
  /** The last batches, oldest first: the rows that the table must hold, and the offsets to return to if it does not. */
  marks: Schema.Array(Mark),
  /** The rows of events from this offset on are being removed, to be written again. */
  repair: Schema.NullOr(OffsetNumber),
  /** Rows of partitions before this one are dropped: they are neither written nor counted. Absent while the table is whole. */
  cut: Schema.optionalKey(Schema.String),
  /** How many purges of feeds were taken out of it, the first ones of the log: none of them is written again. Absent for none. */
  purges: Schema.optionalKey(Schema.Natural),
  /** A rebuild is exchanging the table: this state applies once the live table has this identity. */
  exchange: Schema.NullOr(
    Schema.Struct({
      uuid: Schema.String,
      generation: Schema.Natural,
      next: OffsetNumber,
      marks: Schema.Array(Mark),
    }),
  ),
})
export type TableState = typeof TableState.Type

/** The state of an empty table. */
export const initialState: TableState = {
  v: 1,
  generation: 0,
  repairs: 0,
  next: 0,
  plan: null,
  marks: [],
  repair: null,
  exchange: null,
}

/** The number of marks. */
export const MARKS_MAX = 32

const PREFIX = "history/"
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(TableState))

/** The key of a target's state in `checkpoints`. */
export const stateKey = (target: string): string => `${PREFIX}${target}`

/** The target of a key of `checkpoints`; null if the key is not the history's. */
export const parseStateKey = (key: string): string | null => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null)

/** Encodes a state. */
export const encodeState = (state: TableState): Uint8Array => encoder.encode(JSON.stringify(state))

/** Decodes a state; fails if a newer release has written it. */
export const decodeState = (bytes: Uint8Array): Result.Result<TableState, Schema.SchemaError> =>
  decode(decoder.decode(bytes))

/** Plans the batch of the events in [state.next, to). The token depends on table, generation and range only. */
export const planned = (target: string, state: TableState, to: Offset): TableState & { readonly plan: Plan } => {
  const generation = state.repairs === 0 ? `${state.generation}` : `${state.generation}.${state.repairs}`
  return { ...state, plan: { from: state.next, to, token: `${target}@${generation}/${state.next}-${to}` } }
}

/** The rows that the table must hold. */
export const rowCountOf = (state: TableState): number => state.marks.at(-1)?.rows ?? 0

/** Notes that the batch up to `to` is written, with `rows` rows. */
export const done = (state: TableState, to: Offset, rows: number): TableState => ({
  ...state,
  plan: null,
  next: to,
  marks: rows === 0 ? state.marks : [...state.marks, { to, rows: rowCountOf(state) + rows }].slice(-MARKS_MAX),
})

/**
 * Finds the offset from which rows were lost, given the rows that the table holds below each mark (`counts`, in the order of
 * the marks): null if none were lost; else the last mark up to which no row is missing, or 0 if there is none.
 */
export const lostFrom = (marks: ReadonlyArray<Mark>, counts: ReadonlyArray<number>): Offset | null => {
  const whole = marks.findLastIndex((mark, index) => counts[index] === mark.rows)
  if (whole === marks.length - 1) return null
  return marks[whole]?.to ?? 0
}

/** Starts a repair: rows of events from `from` on are removed and written again, under new tokens. */
export const repairing = (state: TableState, from: Offset): TableState => ({
  ...state,
  plan: null,
  repair: from,
  repairs: state.repairs + 1,
})

/** Ends the removal; `rows` are left below. */
export const repaired = (state: TableState, rows: number): TableState => {
  const from = state.repair ?? state.next
  return { ...state, repair: null, next: from, marks: rows === 0 ? [] : [{ to: from, rows }] }
}

/** Cuts a table: rows of partitions before `cut` go. `below`: how many of them it holds below each mark, in the order of the marks. */
export const cutTo = (state: TableState, cut: string, below: ReadonlyArray<number>): TableState => ({
  ...state,
  cut,
  marks: state.marks.map(({ to, rows }, index) => ({ to, rows: Math.max(0, rows - (below[index] ?? 0)) })),
})

/** Notes that the first `purges` of the log were taken out; `counts`: the rows that it holds below each mark, in their order. */
export const purgedOf = (state: TableState, purges: number, counts: ReadonlyArray<number>): TableState => ({
  ...state,
  purges,
  marks: state.marks.map(({ to, rows }, index) => ({ to, rows: counts[index] ?? rows })),
})

/** Announces the exchange with a rebuilt table of the given identity. */
export const exchanging = (state: TableState, uuid: string, built: TableState): TableState => ({
  ...state,
  exchange: { uuid, generation: built.generation, next: built.next, marks: built.marks },
})

/** The state after an exchange that may or may not have happened, decided by the identity of the live table. */
export const exchanged = (state: TableState, uuid: string | null): TableState => {
  const { exchange } = state
  if (exchange === null) return state
  if (exchange.uuid !== uuid) return { ...state, exchange: null }
  return {
    ...initialState,
    ...(state.cut === undefined ? {} : { cut: state.cut }),
    ...(state.purges === undefined ? {} : { purges: state.purges }),
    generation: exchange.generation,
    next: exchange.next,
    marks: exchange.marks,
  }
}

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
  /** Commits states atomically, with further records of the log. Retries while the log is down or full. */
  readonly commit: (
    changes: ReadonlyArray<readonly [target: string, state: TableState]>,
    others?: ReadonlyArray<LogRecord>,
  ) => Effect.Effect<void, HistoryStopped>
}

/** Makes the states over a claimed writer. */
export const makeStates = (writer: FencedWriter, initial: ReadonlyMap<string, TableState>): States => {
  const states = new Map(initial)
  const commit: States["commit"] = (changes, others = []) =>
    Effect.gen(function* () {
      if (changes.length + others.length === 0) return
      const own = changes.map(([target, state]) => ({
        topic: "checkpoints" as const,
        key: stateKey(target),
        value: encodeState(state),
      }))
      const records = [...others, ...own]
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
