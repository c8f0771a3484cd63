import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { type Cursor, cursorText, logNameOf, sequenceOf } from "../../schemas/change.ts"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"
import { lastInTopic } from "./last-in-topic.ts"

const decoder = new TextDecoder()

/** The last numbered change of the log, up to its current end; null where the log holds none. */
export const lastLoggedChange = (log: EventLog): Effect.Effect<Cursor | null, ReadFailed> =>
  lastInTopic(log, "deltas", ({ value }) => (value === null ? null : sequenceOf(decoder.decode(value))))

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
