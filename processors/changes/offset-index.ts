import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import { lastLoggedChange } from "../run/last-change.ts"
import { type NumberedRecord, numberedIn } from "./numbered.ts"

/** A change whose offset is known. */
interface Anchor {
  readonly ordinal: number
  readonly offset: Offset
}

/** Anchors that are kept; beyond them every second one is dropped. */
const ANCHORS_MAX = 2_048
/** The least distance of two anchors, in numbers. */
const ANCHOR_EVERY = 256
/** How far before a change reading may begin, in numbers or in offsets: less than one read gives. */
const NEAR = 512

/**
 * Finds the offset of a numbered change. Offsets are of one engine and not dense, numbers are: between two known changes the
 * offset is estimated, and read, until it is near. What was found is remembered, so that pages that follow each other are
 * found at once.
 */
export interface OffsetIndex {
  /** Remembers the offset of a change. */
  readonly note: (record: NumberedRecord) => void
  /** The first change of a log at or behind an offset; null where there is none. */
  readonly firstFrom: (name: string, offset: Offset) => Effect.Effect<NumberedRecord | null, ReadFailed>
  /** An offset from which the change of this number is soon read; null where the log no longer holds it. */
  readonly seek: (name: string, ordinal: number) => Effect.Effect<Offset | null, ReadFailed>
}

const anchorOf = ({ cursor: { ordinal }, offset }: NumberedRecord): Anchor => ({ ordinal, offset })

/** Makes an empty index of a log. */
export const makeOffsetIndex = (log: EventLog): OffsetIndex => {
  /** In the order of their numbers. */
  let anchors: Array<Anchor> = []
  /** The name of the log that they are of. */
  let named: string | null = null
  /** The first change of the log, where the topic began when it was found. */
  let first: (Anchor & { readonly start: Offset }) | null = null

  /** The place of the first anchor above a number. */
  const above = (ordinal: number): number => {
    let low = 0
    let high = anchors.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((anchors[middle]?.ordinal ?? 0) <= ordinal) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Forgets the anchors of a log of another name. */
  const setName = (name: string): void => {
    if (named === name) return
    named = name
    anchors = []
    first = null
  }

  const note: OffsetIndex["note"] = (record) => {
    setName(record.cursor.log)
    const anchor = anchorOf(record)
    const at = above(anchor.ordinal)
    const before = anchors[at - 1]
    const after = anchors[at]
    if (before !== undefined && anchor.ordinal - before.ordinal < ANCHOR_EVERY) return
    // The newest one moves with the end of the log.
    if (after !== undefined && after.ordinal - anchor.ordinal < ANCHOR_EVERY) return
    anchors.splice(at, 0, anchor)
    if (anchors.length > ANCHORS_MAX) anchors = anchors.filter((_, index) => index % 2 === 0)
  }

  const firstFrom: OffsetIndex["firstFrom"] = (name, offset) =>
    log.read("deltas", offset).pipe(
      Stream.flatMap(({ records }) =>
        Stream.fromIterable(numberedIn(records).filter(({ cursor }) => cursor.log === name)),
      ),
      Stream.runHead,
      Effect.map(Option.getOrNull),
    )

  const seek: OffsetIndex["seek"] = (name, ordinal) =>
    Effect.gen(function* () {
      const start = yield* log.start("deltas")
      setName(name)
      if (first?.start !== start) {
        anchors = anchors.filter(({ offset }) => offset >= start)
        const found = yield* firstFrom(name, start)
        first = found === null ? null : { ...anchorOf(found), start }
      }
      if (first === null || first.ordinal > ordinal) return null
      let low: Anchor = anchors[above(ordinal) - 1] ?? first
      let high = anchors[above(ordinal)]
      if (high === undefined) {
        const last = yield* lastLoggedChange(log)
        high = { ordinal: (last?.ordinal ?? ordinal) + 1, offset: yield* log.end("deltas") }
      }
      for (let isEstimated = true; ordinal - low.ordinal > NEAR && high.offset - low.offset > NEAR; ) {
        const share = (ordinal - NEAR / 2 - low.ordinal) / (high.ordinal - low.ordinal)
        // Where changes are not evenly spread, estimates alone may come nearer by a little each time.
        const offset: Offset =
          low.offset + Math.ceil((high.offset - low.offset) * (isEstimated ? Math.min(share, 1) : 0.5))
        isEstimated = !isEstimated
        const found: NumberedRecord | null = yield* firstFrom(name, offset)
        if (found === null || found.cursor.ordinal > ordinal) {
          if (offset >= high.offset) return low.offset
          high = { ordinal: found?.cursor.ordinal ?? high.ordinal, offset }
        } else {
          low = anchorOf(found)
          note(found)
        }
      }
      return low.offset
    })

  return { note, firstFrom, seek }
}
