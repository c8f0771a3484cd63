import * as Schema from "effect/Schema"
import { Instant } from "./event.ts"

/**
 * A place in the changes of a log: behind the change of this number. Numbers are dense and begin at 1; 0 is before the first.
 * A number never names two changes of one log: a log that could give a number again has another name.
 */
export interface Cursor {
  /** The name of the log, made with it and kept by backup, restore, migration and trimming. */
  readonly log: string
  readonly ordinal: number
}

const ORDINAL_DIGITS = 12
// Only a pattern of Unicode is published with the schema.
export const CURSOR = /^([a-z2-7]{8})\.(\d{12})$/u

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

/** The name of a new log, from at least 8 random bytes. */
export const logNameOf = (random: Uint8Array): string =>
  Array.from(random.subarray(0, 8), (byte) => LETTERS[byte % LETTERS.length]).join("")

/**
 * A cursor as callers hold it, as `k7f2qdxa.000000001042`. Cursors of one log are ordered as texts as their changes are. The
 * event of a change carries its own cursor as `sequence` (an extension of CloudEvents), so that log and archive keep it.
 */
export const cursorText = ({ log, ordinal }: Cursor): string =>
  `${log}.${String(ordinal).padStart(ORDINAL_DIGITS, "0")}`

/** The inverse of `cursorText`; null for any other text. */
export const parseCursor = (text: string): Cursor | null => {
  const [, log, digits] = CURSOR.exec(text) ?? []
  return log === undefined || digits === undefined ? null : { log, ordinal: Number(digits) }
}

const DATA = ',"data":'
const SEQUENCE = /,"sequence":"([^"]*)"$/

/** The text of an event before its data, in which quotes of values are escaped. */
const headOf = (event: string): string => event.slice(0, event.indexOf(DATA))

/** The text of an event with the number of its change, before the data. */
export const withSequence = (event: string, cursor: Cursor): string => {
  const head = headOf(event)
  return `${head},"sequence":"${cursorText(cursor)}"${event.slice(head.length)}`
}

/** The text of an event without the number of its change: what a fold derives, whatever the log held before. */
export const withoutSequence = (event: string): string => {
  const head = headOf(event)
  return head.replace(SEQUENCE, "") + event.slice(head.length)
}

/** The number of the change in the text of its event; null for an event without one. */
export const sequenceOf = (event: string): Cursor | null => parseCursor(SEQUENCE.exec(headOf(event))?.[1] ?? "")

/** A cursor in a reply. */
export const CursorText = Schema.String.check(Schema.isPattern(CURSOR)).annotate({
  identifier: "Cursor",
  description:
    "A place in the changes of this log, to be kept and given back as it is. Cursors of one log sort as texts in the order of their changes",
})

/** How an item may have changed. */
export const changeTypes = ["appeared", "changed", "gone"] as const
export type ChangeType = (typeof changeTypes)[number]

/** A change of an item, as callers read it. */
export const Change = Schema.Struct({
  cursor: CursorText.annotate({ description: "The place behind this change: `after` it, the next one follows" }),
  type: Schema.Literals(changeTypes).annotate({
    description:
      "`appeared`: the observation before did not hold it. `gone`: this one does not; of feeds that are windows, items leave by themselves, and that is no change",
  }),
  feed: Schema.NonEmptyString,
  endpoint: Schema.NonEmptyString.annotate({
    description: "The endpoint whose form `item` has: its path below /api/, as replies name it",
  }),
  parameters: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Which instance of the feed it was observed in; empty for most",
  }),
  key: Schema.NonEmptyString.annotate({ description: "The item's identity within its feed" }),
  item: Schema.Json.annotate({
    description: "The item as the endpoint states it; the last one known where it is gone",
  }),
  before: Schema.optionalKey(
    Schema.Json.annotate({ description: "The item as it was before; of `changed` alone, in the same form" }),
  ),
  happened_at: Schema.NullOr(Instant).annotate({
    description: "When what the item reports happened, as its source says; null where it says no time",
  }),
  known_at: Instant.annotate({ description: "When this service observed the change" }),
  source: Schema.NonEmptyString.annotate({ description: "Who published the item" }),
  simulated: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "Present where a simulated world gave it, and no real source" }),
  ),
}).annotate({ identifier: "Change" })
export type Change = typeof Change.Type

/** Filters of changes by a member of the row, beside feed and type. An endpoint names the members that they read of its rows. */
export const filterNames = ["magnitude", "latitude", "longitude", "symbol"] as const
export type FilterName = (typeof filterNames)[number]
