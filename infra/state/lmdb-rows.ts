import { crc32 } from "node:zlib"
import type { Database } from "lmdb"
import { type RowKey, type StateDamage, StateDamaged } from "../../ledger/state-store.port.ts"
import { type Digest, hashOfRow, type SealKey, toggle } from "./seal.ts"

// A row is a text. A table that is `inOrder` has a row for each key, and is read once, when it is opened. A table whose keys
// are looked up has a fixed number of places: the hash of a key is its place, and the row there holds all keys of that place,
// a line each. Its holder remembers 32 bits of each row's hash: a row that was changed, replaced by an older one, moved or
// hidden since is found when it is read. A key is then missing only if an intact row lacks it, or its place has no row.

/** Few keys to a place up to some millions of them. */
const PLACES = 2 ** 18

/** 32 bits of the hash of the row at each place; 0 without a row. */
type RowTags = Uint32Array

/** A table, as its holder knows it. */
export interface HeldTable {
  readonly name: string
  readonly table: Database<string, RowKey>
  readonly key: SealKey
  /** Undefined for a table that is `inOrder`. */
  readonly tags: RowTags | undefined
}

/** The tags of an empty table. The system allocates their memory only where they are written. */
export const noTags = (): RowTags => new Uint32Array(PLACES)

const tagOf = (hash: Buffer): number => hash.readUInt32LE(0) || 1

/** Remembers the row at a place. */
export const remember = (tags: RowTags | undefined, place: RowKey, hash: Buffer | undefined): void => {
  if (tags !== undefined) tags[Number(place)] = hash === undefined ? 0 : tagOf(hash)
}

/** Whether a key of a table on disk can be a place. */
export const isPlace = (key: RowKey): boolean => Number.isInteger(key) && Number(key) >= 0 && Number(key) < PLACES

const placeOf = (key: RowKey): number => crc32(`${key}`) % PLACES

/** The start of the line of a key. JSON contains no line breaks, and quotes text keys but not numbers. */
const beginOf = (key: RowKey): string => `${JSON.stringify(key)}:`

/** A row on disk, with its hash. */
interface Row {
  readonly text: string
  readonly hash: Buffer
}

const rowOf = ({ name, key }: HeldTable, place: RowKey, text: string | undefined): Row | undefined =>
  text === undefined ? undefined : { text, hash: hashOfRow(key, name, place, text) }

/** Makes the error for content that is not what was written. */
export const damaged = (problem: string, damage: StateDamage = "damage"): StateDamaged =>
  new StateDamaged({ problem, damage })

/** The row at a place; undefined without one. Throws `StateDamaged` unless it is the row that is remembered. */
const rowAt = (held: HeldTable, place: number): Row | undefined => {
  const row = rowOf(held, place, held.table.get(place))
  if ((row === undefined ? 0 : tagOf(row.hash)) === held.tags?.[place]) return row
  throw damaged(row === undefined ? `a row of ${held.name} is missing` : `a row of ${held.name} has changed`)
}

const linesOf = (text: string | undefined): ReadonlyArray<string> => text?.split("\n") ?? []

/** The value of a key; undefined without one. Throws `StateDamaged`. */
export const lookUp = (held: HeldTable, key: RowKey): unknown => {
  const begin = beginOf(key)
  const line = linesOf(rowAt(held, placeOf(key))?.text).find((one) => one.startsWith(begin))
  return line === undefined ? undefined : JSON.parse(line.slice(begin.length))
}

/** All keys and values of a text, in no order. */
function* linesIn(text: string): Generator<readonly [RowKey, unknown]> {
  for (const line of linesOf(text)) {
    // A key that is a text is quoted, and may hold a colon itself.
    const end = line.startsWith('"') ? /^"(?:[^"\\]|\\.)*"/u.exec(line)?.[0].length : line.indexOf(":")
    yield [JSON.parse(line.slice(0, end)), JSON.parse(line.slice((end ?? 0) + 1))]
  }
}

/** All keys and values of a table: in order if it is `inOrder`. Throws `StateDamaged`. */
export function* everyValue(held: HeldTable): Generator<readonly [RowKey, unknown]> {
  const { table, tags } = held
  if (tags === undefined) {
    for (const { key, value } of table.getRange()) yield [key, JSON.parse(value)]
    return
  }
  for (let place = 0; place < PLACES; place++) if (tags[place] !== 0) yield* linesIn(rowAt(held, place)?.text ?? "")
}

/** A new value of a key, or, if it is undefined, its removal. */
interface ValueChange {
  readonly key: RowKey
  readonly value: unknown
}

/** A row before a change, and its text after it; undefined without one. */
interface RowUpdate {
  readonly before: Row | undefined
  readonly after: string | undefined
}

const changesInOrder = (held: HeldTable, changes: ReadonlyArray<ValueChange>): ReadonlyMap<RowKey, RowUpdate> =>
  new Map(
    changes.map(({ key, value }) => [
      key,
      {
        before: rowOf(held, key, held.table.get(key)),
        after: value === undefined ? undefined : JSON.stringify(value),
      },
    ]),
  )

const changesByPlace = (held: HeldTable, changes: ReadonlyArray<ValueChange>): ReadonlyMap<RowKey, RowUpdate> => {
  const rows = new Map<number, RowUpdate>()
  for (const { key, value } of changes) {
    const place = placeOf(key)
    const begin = beginOf(key)
    const known = rows.get(place)
    const before = known === undefined ? rowAt(held, place) : known.before
    const others = linesOf(known === undefined ? before?.text : known.after).filter((one) => !one.startsWith(begin))
    const lines = value === undefined ? others : [...others, begin + JSON.stringify(value)]
    rows.set(place, { before, after: lines.length === 0 ? undefined : lines.join("\n") })
  }
  return rows
}

/**
 * Inside a transaction: stores values, and removes those that are undefined. Changes the digest. Returns a function that
 * remembers the new rows, to be called when the transaction is committed.
 */
export const change = (held: HeldTable, changes: ReadonlyArray<ValueChange>, digest: Digest): (() => void) => {
  const { table, tags } = held
  const rows = tags === undefined ? changesInOrder(held, changes) : changesByPlace(held, changes)
  const hashes = new Map<RowKey, Buffer | undefined>()
  for (const [place, { before, after }] of rows) {
    if (before?.text === after) continue
    if (before !== undefined) toggle(digest, before.hash)
    const hash = rowOf(held, place, after)?.hash
    hashes.set(place, hash)
    if (hash !== undefined) toggle(digest, hash)
    if (after === undefined) void table.remove(place)
    else void table.put(place, after)
  }
  return () => {
    for (const [place, hash] of hashes) remember(tags, place, hash)
  }
}
