import { firstTail, seal } from "../../ledger/fold/entry.ts"
import type { LedgerEvent } from "../../ledger/fold/event.ts"
import { evolve } from "../../ledger/fold/evolve.ts"
import { initialState } from "../../ledger/fold/state.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"

/** The records that the ledger's writer would have appended for events and their times: a whole chain. */
export const ledgerRecords = (
  history: ReadonlyArray<readonly [LedgerEvent, number]>,
): ReadonlyArray<LogRecord & { readonly value: Uint8Array }> => {
  const state = initialState()
  let tail = firstTail
  return history.map(([event, atMs], index) => {
    evolve(state, event, atMs)
    const sealed = seal(event, tail, state, `entry/${index + 1}`, atMs)
    tail = sealed.tail
    return sealed.record
  })
}
