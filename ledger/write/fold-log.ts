import { Effect, Result, Stream } from "effect"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { entryHash, firstTail, readEntry, type Tail } from "../fold/entry.ts"
import { evolve } from "../fold/evolve.ts"
import { initialState, type State } from "../fold/state.ts"
import * as metrics from "../metrics.ts"
import { StateDamaged } from "../state-store.port.ts"
import type { LogCut } from "./log-cut.ts"
import type { EntryPosition } from "./state-keeper.ts"

/** Why the ledger's log cannot be folded. All but `ReadFailed` come again until an operator acts. */
export type FoldFailed = ReadFailed | NewerEvent | MalformedEvent | LogCut

/** The state at some offset of the log. */
export interface FoldedLedger {
  readonly state: State
  readonly tail: Tail
  readonly next: Offset
}

/** An entry by its place and the id that its writer gave it. */
export interface EntryId {
  readonly sequence: number
  readonly id: string
}

/** What has been folded so far, and whether the entry that is sought was among it. */
export interface Progress {
  last: { readonly offset: Offset; readonly sequence: number; readonly value: Uint8Array } | undefined
  found: boolean
}

/** Folds records below an offset; gives what stopped it. */
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
    // Reading a table of the state may show that what was kept is damaged.
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
 * Folds the ledger from its first entry, in memory. Hashes and forms are not checked here, but by `verify`: they were
 * right when they were written. `sought`: says whether the log holds this very entry.
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
      // A state in memory is never damaged.
      return stopped === undefined ? Effect.void : Effect.fail(stopped as NewerEvent | MalformedEvent)
    })
    metrics.folds.inc()
    const { last, found } = progress
    const tail = last === undefined ? firstTail : { sequence: last.sequence, hash: entryHash(last.value) }
    return { state, tail, next: (last?.offset ?? -1) + 1, found }
  })

/** Whether the log holds this very entry, from an offset on, as far as it shows now. */
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
