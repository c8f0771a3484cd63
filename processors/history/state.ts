import { type Result, Schema } from "effect"
import type { Offset } from "../../schemas/ports/event-log.ts"

const OffsetNumber = Schema.Natural

/** How many rows a table held of events below an offset, when a batch was done. */
const Mark = Schema.Struct({ to: OffsetNumber, rows: Schema.Natural })
export type Mark = typeof Mark.Type

/** A batch that was, or will be, written: the events of [from, to), under a token. */
const Plan = Schema.Struct({ from: OffsetNumber, to: OffsetNumber, token: Schema.String })
export type Plan = typeof Plan.Type

/**
 * How far a table has come, as the log's `checkpoints` keep it. Written before and after every batch: a batch that was
 * planned is repeated exactly, with the same events under the same token, whatever has come since.
 */
export const TableState = Schema.Struct({
  v: Schema.Literal(1),
  /** Counts rebuilds of the table. */
  generation: Schema.Natural,
  /** Counts repairs of the generation: rows that are written again need tokens that were never used. */
  repairs: Schema.Natural,
  /** Everything below has been written. */
  next: OffsetNumber,
  plan: Schema.NullOr(Plan),
  /** The last few batches, oldest first: what the table must hold, and where to go back to when it does not. */
  marks: Schema.Array(Mark),
  /** Rows of events from here on are being removed, to be written again. */
  repair: Schema.NullOr(OffsetNumber),
  /** A rebuild is about to put a new table in place: what holds once the table of this identity bears the name. */
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

/** The state of a table that nothing has been written to. */
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

/** How many batches back the table's content can be compared. */
export const MARKS_MAX = 32

const PREFIX = "history/"
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(TableState))

/** The key of a target's state in `checkpoints`. */
export const stateKey = (target: string): string => `${PREFIX}${target}`

/** The target whose state a key of `checkpoints` holds; null for keys of others. */
export const parseStateKey = (key: string): string | null => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null)

/** The bytes of a state, as the log keeps them. */
export const encodeState = (state: TableState): Uint8Array => encoder.encode(JSON.stringify(state))

/** Reads a state from the log's bytes; a failure where a newer release has written it. */
export const decodeState = (bytes: Uint8Array): Result.Result<TableState, Schema.SchemaError> =>
  decode(decoder.decode(bytes))

/** Plans the batch of the events of [state.next, to). The token says table, generation and range, and nothing else. */
export const planned = (target: string, state: TableState, to: Offset): TableState & { readonly plan: Plan } => {
  const generation = state.repairs === 0 ? `${state.generation}` : `${state.generation}.${state.repairs}`
  return { ...state, plan: { from: state.next, to, token: `${target}@${generation}/${state.next}-${to}` } }
}

/** How many rows the table holds, by what was written. */
export const rowsOf = (state: TableState): number => state.marks.at(-1)?.rows ?? 0

/** The batch up to `to` is done, and brought `rows` rows. */
export const done = (state: TableState, to: Offset, rows: number): TableState => ({
  ...state,
  plan: null,
  next: to,
  marks: rows === 0 ? state.marks : [...state.marks, { to, rows: rowsOf(state) + rows }].slice(-MARKS_MAX),
})

/**
 * Where to go back to, given the rows that the table holds below each mark (`counts`, in the order of the marks): null when
 * all is there; the last mark up to which all is there; 0 when not even the oldest holds.
 */
export const lostFrom = (marks: ReadonlyArray<Mark>, counts: ReadonlyArray<number>): Offset | null => {
  const whole = marks.findLastIndex((mark, index) => counts[index] === mark.rows)
  if (whole === marks.length - 1) return null
  return marks[whole]?.to ?? 0
}

/** Rows of events from `from` on will be removed and written again, under new tokens. */
export const repairing = (state: TableState, from: Offset): TableState => ({
  ...state,
  plan: null,
  repair: from,
  repairs: state.repairs + 1,
})

/** The rows have been removed; `rows` are left below. */
export const repaired = (state: TableState, rows: number): TableState => {
  const from = state.repair ?? state.next
  return { ...state, repair: null, next: from, marks: rows === 0 ? [] : [{ to: from, rows }] }
}

/** A rebuilt table, of the given identity, is about to take the name. */
export const exchanging = (state: TableState, uuid: string, built: TableState): TableState => ({
  ...state,
  exchange: { uuid, generation: built.generation, next: built.next, marks: built.marks },
})

/** What holds after an exchange that may or may not have happened, as the identity of the table tells. */
export const exchanged = (state: TableState, uuid: string | null): TableState => {
  const { exchange } = state
  if (exchange === null) return state
  if (exchange.uuid !== uuid) return { ...state, exchange: null }
  return {
    ...initialState,
    generation: exchange.generation,
    next: exchange.next,
    marks: exchange.marks,
  }
}
