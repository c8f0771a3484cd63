import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Database, open, type RootDatabase } from "lmdb"
import type { RowChange, RowKey, StoreTable } from "../../ledger/state-store.port.ts"
import { beginTrial, damaged, expectWhole } from "./lmdb-file.ts"
import { change, noneTaken, sealed, type TakenPlaces, takenOf, takenText, unsealed } from "./lmdb-rows.ts"

// How the state lies in LMDB: a database for each table, and one for the facts about all of them: who holds the store, the
// head, how many rows each table has, and which of its places have one (`lmdb-rows.ts`).

const FILE = "data.mdb"
const META = "meta"
export const OWNER_KEY = "owner"
const HEAD_KEY = "head"
const takenKey = (table: string): string => `taken/${table}`
const MAP_BYTES = 1024 * 1024 * 1024
const TABLES_MAX = 64

export interface OpenStore {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<string, string>
  readonly tables: Map<string, Database<string, RowKey>>
  readonly endTrial: () => void
}

interface Head {
  readonly rows: Readonly<Record<string, number>>
  readonly head: unknown
}

export const openFile = (path: string): OpenStore => {
  mkdirSync(path, { recursive: true })
  expectWhole(join(path, FILE))
  const endTrial = beginTrial(path)
  const root: RootDatabase<unknown, string> = open({
    path,
    noSubdir: false,
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: TABLES_MAX,
    mapSize: MAP_BYTES,
  })
  const meta = root.openDB<string, string>(META, { encoding: "string" })
  return { root, meta, tables: new Map(), endTrial }
}

const rowsOf = (table: Database<string, RowKey>): number => {
  // The library does not type the members of this object.
  const stats: { readonly entryCount?: number } = table.getStats()
  return stats.entryCount ?? 0
}

export const tableOf = ({ root, tables }: OpenStore, name: string): Database<string, RowKey> => {
  const found = tables.get(name)
  if (found !== undefined) return found
  const table = root.openDB<string, RowKey>(`table/${name}`, { encoding: "string" })
  tables.set(name, table)
  return table
}

/** A table, its expected number of rows, and the bitmap of its places. */
export interface TableState {
  readonly table: Database<string, RowKey>
  readonly rows: number
  /** Undefined for a table that is `inOrder`. */
  readonly taken: TakenPlaces | undefined
}

const readMeta = (store: OpenStore, key: string): string | undefined => {
  const row = store.meta.get(key)
  return row === undefined ? undefined : unsealed(META, key, row)
}

/** Reads the head and the facts of each table. Throws `StateDamaged` if they contradict the tables. */
export const readTables = (store: OpenStore, tables: ReadonlyArray<StoreTable>) => {
  const text = readMeta(store, HEAD_KEY)
  // The checksum proves that `apply` wrote it.
  const found: Head = text === undefined ? { rows: {}, head: null } : JSON.parse(text)
  const known = tables.map(({ name, inOrder }): readonly [string, TableState] => {
    const table = tableOf(store, name)
    const rows = rowsOf(table)
    if (rows !== (found.rows[name] ?? 0)) throw damaged(`${name} has ${rows} rows, not ${found.rows[name] ?? 0}`)
    const taken = inOrder ? undefined : readMeta(store, takenKey(name))
    if (!inOrder && taken === undefined && rows > 0) throw damaged(`the bitmap of ${name} is missing`)
    return [name, { table, rows, taken: inOrder ? undefined : taken === undefined ? noneTaken() : takenOf(taken) }]
  })
  return { head: found.head, known: new Map(known) }
}

/** Inside a transaction: changes the rows of one table. Returns its facts after the change. */
const applyTo = (store: OpenStore, name: string, known: TableState, changes: ReadonlyArray<RowChange>): TableState => {
  const { table, taken } = known
  if (taken !== undefined) {
    const after = change(table, name, taken, changes)
    if (Buffer.compare(after, taken) !== 0)
      void store.meta.put(takenKey(name), sealed(META, takenKey(name), takenText(after)))
    return { table, rows: rowsOf(table), taken: after }
  }
  for (const { key, value } of changes) {
    if (value === undefined) void table.remove(key)
    else void table.put(key, sealed(name, key, JSON.stringify(value)))
  }
  return { table, rows: rowsOf(table), taken }
}

/** Inside a transaction: changes the rows of all tables, and the head. */
export const apply = (
  store: OpenStore,
  known: ReadonlyMap<string, TableState>,
  changes: ReadonlyArray<RowChange>,
  head: unknown,
): ReadonlyMap<string, TableState> => {
  const after = new Map(known)
  for (const [name, ofTable] of Map.groupBy(changes, ({ table }) => table)) {
    const before = known.get(name)
    if (before === undefined) throw damaged(`it has no table ${name}`)
    after.set(name, applyTo(store, name, before, ofTable))
  }
  const rows = Object.fromEntries([...after].map(([name, one]) => [name, one.rows]))
  void store.meta.put(HEAD_KEY, sealed(META, HEAD_KEY, JSON.stringify({ rows, head } satisfies Head)))
  return after
}

/** All rows of a table in order. Throws `StateDamaged` if their number is wrong. */
export function* inOrder(name: string, { table, rows }: TableState): Generator<readonly [RowKey, unknown]> {
  let count = 0
  for (const { key, value } of table.getRange()) {
    count += 1
    yield [key, JSON.parse(unsealed(name, key, value))]
  }
  if (count !== rows) throw damaged(`${count} rows of ${name} were found, not ${rows}`)
}
