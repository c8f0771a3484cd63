import { crc32 } from "node:zlib"
import type { Database } from "lmdb"
import type { RowKey } from "../../ledger/state-store.port.ts"
import { damaged } from "./lmdb-file.ts"

// A row on disk is a text behind a checksum over the table's name, the row's place and the text. That detects a row that has
// changed or stands at another place, but not a row that a flipped bit in its key has hidden. So a table whose keys are
// looked up has a fixed number of places: the hash of a key is its place, the row there holds all keys of that place, and a
// bitmap records which places have a row. A key is then missing only if an intact row lacks it, or its place has no row and
// the bitmap agrees.

const CHECKSUM_DIGITS = 7
/** Few keys to a place up to some millions of them. */
const PLACES = 2 ** 18

const checksum = (table: string, place: RowKey, text: string): string =>
  crc32(`${table}/${place}/${text}`).toString(36).padStart(CHECKSUM_DIGITS, "0")

/** A text with its checksum. */
export const sealed = (table: string, place: RowKey, text: string): string => checksum(table, place, text) + text

/** The text of a row. Throws `StateDamaged` if its checksum is wrong. */
export const unsealed = (table: string, place: RowKey, row: string): string => {
  const text = row.slice(CHECKSUM_DIGITS)
  if (row.slice(0, CHECKSUM_DIGITS) !== checksum(table, place, text)) throw damaged(`a row of ${table} has changed`)
  return text
}

/** A bitmap of the places that have a row. */
export type TakenPlaces = Uint8Array

/** The bitmap of an empty table. */
export const noneTaken = (): TakenPlaces => new Uint8Array(PLACES / 8)

/** A bitmap as text, and back. */
export const takenText = (taken: TakenPlaces): string => Buffer.from(taken).toString("base64")
export const takenOf = (text: string): TakenPlaces => {
  const taken = new Uint8Array(Buffer.from(text, "base64"))
  if (taken.length !== PLACES / 8) throw damaged("another number of places was used")
  return taken
}

const isTaken = (taken: TakenPlaces, place: number): boolean => ((taken[place >> 3] ?? 0) & (1 << (place & 7))) !== 0

const placeOf = (key: RowKey): number => crc32(`${key}`) % PLACES

/** The start of the line of a key. JSON contains no line breaks, and quotes text keys but not numbers. */
const beginOf = (key: RowKey): string => `${JSON.stringify(key)}:`

/** The lines at a place. Throws `StateDamaged` if row and bitmap disagree. */
const linesAt = (
  table: Database<string, RowKey>,
  name: string,
  taken: TakenPlaces,
  place: number,
): ReadonlyArray<string> => {
  const row = table.get(place)
  if ((row !== undefined) !== isTaken(taken, place)) throw damaged(`a row of ${name} is missing`)
  return row === undefined ? [] : unsealed(name, place, row).split("\n")
}

/** The value of a key; undefined without one. */
export const lookUp = (table: Database<string, RowKey>, name: string, taken: TakenPlaces, key: RowKey): unknown => {
  const begin = beginOf(key)
  const line = linesAt(table, name, taken, placeOf(key)).find((one) => one.startsWith(begin))
  return line === undefined ? undefined : JSON.parse(line.slice(begin.length))
}

/** All keys and values, in no order. */
export function* everyLine(
  table: Database<string, RowKey>,
  name: string,
  taken: TakenPlaces,
): Generator<readonly [RowKey, unknown]> {
  for (let place = 0; place < PLACES; place++) {
    if (!isTaken(taken, place)) continue
    for (const line of linesAt(table, name, taken, place)) {
      // A key that is a text is quoted, and may hold a colon itself.
      const end = line.startsWith('"') ? /^"(?:[^"\\]|\\.)*"/u.exec(line)?.[0].length : line.indexOf(":")
      yield [JSON.parse(line.slice(0, end)), JSON.parse(line.slice((end ?? 0) + 1))]
    }
  }
}

/** Inside a transaction: stores values, and removes those that are undefined. Returns the new bitmap. */
export const change = (
  table: Database<string, RowKey>,
  name: string,
  taken: TakenPlaces,
  changes: ReadonlyArray<{ readonly key: RowKey; readonly value: unknown }>,
): TakenPlaces => {
  const after = Uint8Array.from(taken)
  const changed = new Map<number, ReadonlyArray<string>>()
  for (const { key, value } of changes) {
    const place = placeOf(key)
    const begin = beginOf(key)
    const others = (changed.get(place) ?? linesAt(table, name, taken, place)).filter((one) => !one.startsWith(begin))
    changed.set(place, value === undefined ? others : [...others, begin + JSON.stringify(value)])
  }
  for (const [place, lines] of changed) {
    const bit = 1 << (place & 7)
    if (lines.length > 0) void table.put(place, sealed(name, place, lines.join("\n")))
    else if (isTaken(taken, place)) void table.remove(place)
    after[place >> 3] = lines.length > 0 ? (after[place >> 3] ?? 0) | bit : (after[place >> 3] ?? 0) & ~bit
  }
  return after
}
