import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Cursor } from "../../schemas/change.ts"
import { type ChangeLog, type ChangePortion, ChangesGone, type NumberedChange } from "../../schemas/ports/changes.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import { lastLoggedChange } from "../run/last-change.ts"
import type { ArchivedChanges } from "./archived-changes.ts"
import { type NumberedRecord, numberedIn } from "./numbered.ts"
import { makeOffsetIndex } from "./offset-index.ts"
import { makeStating, type StatingRules } from "./stated.ts"

/** The bytes of the events of one portion, at most; a single event may exceed it. */
const PORTION_MAX_BYTES = 4 * 1024 * 1024

/** How many records follow a number, and each other, without a missing one: an archive has holes where it was off for too long. */
const joinedBehind = (after: number, records: ReadonlyArray<NumberedRecord>): number => {
  const missing = records.findIndex(({ cursor }, at) => cursor.ordinal !== after + at + 1)
  return missing === -1 ? records.length : missing
}

/**
 * Makes the reader of the numbered changes of a log, and of those that were trimmed to the archive. The log is asked first:
 * what it still holds does not depend on ClickHouse. Numbers are dense, so that a change which is missing is noticed.
 */
export const makeChangeLog = ({
  log,
  archive,
  ...rules
}: StatingRules & { readonly log: EventLog; readonly archive: ArchivedChanges | null }): ChangeLog => {
  const state = makeStating(rules)
  const index = makeOffsetIndex(log)
  const last = Effect.gen(function* () {
    return (yield* lastLoggedChange(log)) ?? (archive === null ? null : yield* archive.last)
  })

  /** The changes of consecutive records behind a number, and what they reach. */
  const portionOf = (name: string | null, after: number, records: ReadonlyArray<NumberedRecord>): ChangePortion => {
    const changes: Array<NumberedChange> = []
    let reached = after
    for (const { cursor, value } of records) {
      if (cursor.log !== name || cursor.ordinal <= reached) continue
      reached = cursor.ordinal
      const event = eventReader.readEvent(value)
      const change = Result.isFailure(event) ? null : state(event.success, cursor)
      if (change !== null) changes.push({ ordinal: cursor.ordinal, change })
    }
    return { log: name, after, reached, changes }
  }

  /** The records of the log behind a number; null where it no longer holds the next one. */
  const fromLog = Effect.fnUntraced(function* (name: string, after: number, max: number) {
    const offset = yield* index.seek(name, after + 1)
    if (offset === null) return null
    const found: Array<NumberedRecord> = []
    let bytes = 0
    let isCut = false
    yield* Stream.runForEachWhile(log.read("deltas", offset), ({ records }) =>
      Effect.sync(() => {
        for (const record of numberedIn(records)) {
          if (record.cursor.log !== name || record.cursor.ordinal <= after) continue
          // The log may be trimmed while it is read: what follows a missing number is read from the archive.
          isCut = record.cursor.ordinal !== after + found.length + 1
          bytes += record.value.byteLength
          if (isCut || found.length === max || (found.length > 0 && bytes > PORTION_MAX_BYTES)) return false
          found.push(record)
        }
        return true
      }),
    )
    if (isCut && found.length === 0) return null
    const reached = found.at(-1)
    if (reached !== undefined) index.note(reached)
    return found
  })

  const oldestOf = Effect.fnUntraced(function* (name: string) {
    const first = (yield* index.firstFrom(name, yield* log.start("deltas")))?.cursor
    const archived = archive === null || first?.ordinal === 1 ? null : yield* archive.first(name)
    return archived === null || (first !== undefined && first.ordinal < archived.ordinal)
      ? first?.ordinal
      : archived.ordinal
  })

  return {
    last,
    bounds: Effect.gen(function* () {
      const end: Cursor | null = yield* last
      if (end === null) return null
      return { log: end.log, oldest: (yield* oldestOf(end.log)) ?? end.ordinal, last: end.ordinal }
    }),
    read: Effect.fnUntraced(function* (place, max) {
      const { log: name, ordinal: after } = place
      const logged = yield* fromLog(name, after, max)
      if (logged !== null) return portionOf(name, after, logged)
      const archived = archive === null ? [] : yield* archive.behind(place, max)
      const joined = archived.slice(0, joinedBehind(after, archived))
      if (joined.length > 0) return portionOf(name, after, joined)
      const end: Cursor | null = yield* last
      if (end === null || end.log !== name || after >= end.ordinal) return portionOf(name, after, [])
      const first = yield* index.firstFrom(name, yield* log.start("deltas"))
      // Only changes behind the place count: a reader that went back to an older one would meet the same missing changes again.
      const readable = [archived[0], first].flatMap((record) => {
        const ordinal = record?.cursor.ordinal ?? 0
        return ordinal > after + 1 ? [ordinal] : []
      })
      // The log has got further since it was asked for the next one, and is asked again.
      if (readable.length === 0) return portionOf(name, after, [])
      return yield* new ChangesGone({ after, oldest: Math.min(...readable) })
    }),
    follow: (place) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const start = yield* log.start("deltas")
          const offset = place === null ? start : ((yield* index.seek(place.log, place.ordinal + 1)) ?? start)
          let { log: name, ordinal: reached }: { log: string | null; ordinal: number } = place ?? {
            log: null,
            ordinal: 0,
          }
          return log.follow("deltas", offset).pipe(
            Stream.map(({ records }) => {
              const numbered = numberedIn(records)
              const newest = numbered.at(-1)
              if (newest !== undefined) {
                // Under another name numbers begin again.
                if (newest.cursor.log !== name) reached = 0
                name = newest.cursor.log
                index.note(newest)
              }
              // Where the log was trimmed past the place, the portion begins behind what is missing, and says so.
              const first = numbered.find(({ cursor }) => cursor.log === name && cursor.ordinal > reached)
              const portion = portionOf(name, Math.max(reached, (first?.cursor.ordinal ?? 0) - 1), numbered)
              reached = portion.reached
              return portion
            }),
            Stream.filter((portion) => portion.reached > portion.after),
          )
        }),
      ),
  }
}
