import type { Offset, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { Position } from "./checkpoint.ts"
import { digestOf, keptDigits, unpackDigests } from "./digest.ts"
import type { DigestChunk } from "./digest-chunks.ts"
import type { Folded } from "./folding.ts"

/** The first event after which two builds differ. */
export interface Parting {
  readonly id: string
  readonly offset: Offset
  readonly type: string
  /** What differs first: the result of the step, or only its derived events in the log. */
  readonly what: "step" | "derived"
}

/** A derived event in the log: the digest of its text, and how often it occurs. */
export interface LoggedEvent {
  readonly digest: string
  readonly times: number
}

/** Compares event by event, and keeps the first at which the builds differ. */
export const compareEvents = (
  position: Position,
  chunks: ReadonlyArray<DigestChunk>,
  derived: ReadonlyMap<string, LoggedEvent>,
  derivedIsWhole: boolean,
) => {
  const digests = new Map<number, string>()
  for (const { ordinal, digests: packed } of [
    ...chunks,
    // The tail is the digests of the last events.
    { ordinal: position.count - unpackDigests(position.tail).length, digests: position.tail },
  ])
    for (const [at, digest] of unpackDigests(packed).entries()) digests.set(ordinal + at, digest)

  let ordinal = 0
  let parting: Parting | null = null
  // Where the topic was trimmed, derived events are compared from the first one that it still holds.
  let reachedDerived = derivedIsWhole
  const unmatched = new Set(derived.keys())
  const differences: Array<string> = []
  const note = (what: Parting["what"], record: StoredRecord, { event }: Folded) => {
    parting ??= { id: event.id, offset: record.offset, type: event.type, what }
  }
  return {
    event: (record: StoredRecord, folded: Folded): void => {
      const digest = digests.get(ordinal)
      ordinal += 1
      if (digest !== undefined && digest !== keptDigits(folded.digest)) note("step", record, folded)
      for (const value of folded.derived) {
        const { id } = JSON.parse(value) as { readonly id: string }
        const logged = derived.get(id)
        unmatched.delete(id)
        if (logged !== undefined) reachedDerived = true
        if (record.offset < position.derivedFrom || !reachedDerived) continue
        if (logged?.digest === digestOf(value) && logged.times === 1) continue
        note("derived", record, folded)
        differences.push(
          `derived ${id}: ${logged === undefined ? "missing" : logged.times > 1 ? "logged twice" : "differs"}`,
        )
      }
    },
    /** The differences, derived events that only the log holds included. */
    done: (): Array<string> => {
      // Earlier generations may have logged derived events that this one does not make.
      if (position.derivedFrom === 0) for (const id of unmatched) differences.push(`derived ${id}: only in the log`)
      if (parting !== null) differences.unshift(`event ${parting.id} at ${parting.offset}`)
      return differences
    },
    parting: () => parting,
  }
}
