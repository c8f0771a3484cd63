import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Cursor, cursorText, logNameOf, sequenceOf } from "../../schemas/change.ts"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"

/** How many offsets are read from the end of the topic, until a numbered change is found among them. */
const TAIL_OFFSETS = [1_000, 50_000, Number.POSITIVE_INFINITY] as const

const decoder = new TextDecoder()

/** The last numbered change of the log, up to its current end; null where the log holds none. */
export const lastLoggedChange = (log: EventLog): Effect.Effect<Cursor | null, ReadFailed> =>
  Effect.gen(function* () {
    const start = yield* log.start("deltas")
    const end = yield* log.end("deltas")
    for (const offsets of TAIL_OFFSETS) {
      const from = Math.max(start, end - offsets)
      const last = yield* log.read("deltas", from).pipe(
        Stream.runFold(
          (): Cursor | null => null,
          (before, { records }) =>
            records.reduce(
              (found, { value }) => (value === null ? null : sequenceOf(decoder.decode(value))) ?? found,
              before,
            ),
        ),
      )
      if (last !== null || from === start) return last
    }
    return null
  })

/**
 * The change after which the next one is numbered: the last one of the log, which a commit holds with the position that names
 * it. A log without either is new, and gets a name. Where the log ends before the position, it has lost changes that callers
 * may have read: it gets another name, under which numbers begin again, so that no cursor is ever taken for another change. A
 * log without any change is taken for one that was trimmed behind the archive.
 */
export const lastChangeOf = (log: EventLog, position: Cursor | null): Effect.Effect<Cursor, ReadFailed> =>
  Effect.gen(function* () {
    const logged = yield* lastLoggedChange(log)
    const known = position ?? logged
    if (known === null) return { log: logNameOf(randomBytes(8)), ordinal: 0 }
    if (logged === null || known.ordinal === 0) return known
    if (logged.log === known.log && logged.ordinal >= known.ordinal) return logged
    const name = logNameOf(randomBytes(8))
    yield* Effect.logError(
      `the log ends at change ${cursorText(logged)} and has lost those up to ${cursorText(known)}: it is named ${name} from ` +
        "now on, and cursors of before are refused",
    )
    return { log: name, ordinal: 0 }
  })
