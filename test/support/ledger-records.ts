import { evolve } from "../../ledger/model/decider.ts"
import { firstTail, type LedgerEvent, makeEntry } from "../../ledger/model/entry.ts"
import { initialState } from "../../ledger/model/state.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"

/** The records that the ledger's writer would have appended for events and their times: a whole chain. */
export const ledgerRecords = (
  history: ReadonlyArray<readonly [LedgerEvent, number]>,
): ReadonlyArray<LogRecord & { readonly value: Uint8Array }> => {
  const state = initialState()
  let tail = firstTail
  return history.map(([event, atMs], index) => {
    evolve(state, event, atMs)
    const entry = makeEntry(event, tail, state, `entry/${index + 1}`, atMs)
    tail = entry.tail
    return entry.record
  })
}
