import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { entryHash, firstTail, readEntry, type Tail } from "../fold/entry.ts"
import { evolve } from "../fold/evolve.ts"
import { initialState, type State } from "../fold/state.ts"
import * as metrics from "../metrics.ts"
import { StateDamaged } from "../state-store.port.ts"
import type { LogCut } from "./log-cut.ts"
import type { EntryPosition } from "./state-keeper.ts"

/** Why the ledger's log cannot be folded. All but `ReadFailed` recur until an operator acts. */
export type FoldFailed = ReadFailed | NewerEvent | MalformedEvent | LogCut

/** The state at some offset of the log. */
export interface FoldedLedger {
  readonly state: State
  readonly tail: Tail
  readonly next: Offset
}

/** An entry by its sequence and the id that its writer gave it. */
export interface EntryId {
  readonly sequence: number
  readonly id: string
}

/** How far a fold has come, and whether it met the entry that is sought. */
export interface Progress {
  last: { readonly offset: Offset; readonly sequence: number; readonly value: Uint8Array } | undefined
  found: boolean
}

/** Folds records below an offset; returns the error that stopped it, if any. */
export const foldRecords = (
  state: State,
  records: ReadonlyArray<StoredRecord>,
  upTo: Offset,
  sought: EntryId | undefined,
  progress: Progress,
): NewerEvent | MalformedEvent | StateDamaged | undefined => {
  try {
    for (const { offset, value } of records) {
      if (offset >= upTo) return undefined
      const entry = readEntry(value)
      if (Result.isFailure(entry)) return entry.failure
      evolve(state, entry.success, Date.parse(entry.success.time))
      const { sequence } = entry.success.data
      if (sought !== undefined && sequence === sought.sequence) progress.found = entry.success.id === sought.id
      if (value !== null) progress.last = { offset, sequence, value }
    }
    return undefined
  } catch (error) {
    // Tables are read lazily, so damage of the cache may show here.
    if (error instanceof StateDamaged) return error
    throw error
  }
}

export const positionOf = ({ offset, sequence, value }: NonNullable<Progress["last"]>): EntryPosition => ({
  offset,
  sequence,
  hash: entryHash(value),
})

/**
 * Folds the ledger from its first entry, in memory. Hashes and schemas were checked when the entries were written; only
 * `verify` checks them again. `found` says whether the log holds the entry `sought`, by sequence and id.
 */
export const foldLedger = (
  log: EventLog,
  upTo: Offset,
  sought?: EntryId,
): Effect.Effect<FoldedLedger & { readonly found: boolean }, FoldFailed> =>
  Effect.gen(function* () {
    const state = initialState()
    const progress: Progress = { last: undefined, found: false }
    yield* Stream.runForEach(log.read("ledger", 0), ({ records }) => {
      const stopped = foldRecords(state, records, upTo, sought, progress)
      // A state in memory has no cache, so it cannot be `StateDamaged`.
      return stopped === undefined ? Effect.void : Effect.fail(stopped as NewerEvent | MalformedEvent)
    })
    metrics.folds.inc()
    const { last, found } = progress
    const tail = last === undefined ? firstTail : { sequence: last.sequence, hash: entryHash(last.value) }
    return { state, tail, next: (last?.offset ?? -1) + 1, found }
  })

/** Whether the log, from an offset to its present end, holds the entry with this id. */
export const holdsEntry = (log: EventLog, from: Offset, sought: EntryId): Effect.Effect<boolean, FoldFailed> =>
  log.read("ledger", from).pipe(
    Stream.runFold(
      () => false,
      (found, batch) =>
        found ||
        batch.records.some(({ value }) => {
          const entry = readEntry(value)
          return Result.isSuccess(entry) && entry.success.id === sought.id
        }),
    ),
  )
