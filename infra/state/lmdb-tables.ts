import { timingSafeEqual } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { type Database, open, type RootDatabase } from "lmdb"
import type { RowChange, RowKey, StoreTable } from "../../ledger/state-store.port.ts"
import { beginTrial, damaged, expectWhole } from "./lmdb-file.ts"
import { change, type HeldTable, isPlace, noTags, remember } from "./lmdb-rows.ts"
import { type Digest, emptyDigest, hashOfRow, type SealKey, sealOf, toggle } from "./seal.ts"

// How the state lies in LMDB: a database for each table, and one for the facts about all of them: who holds the store, and
// the head behind its seal (`seal.ts`).

const FILE = "data.mdb"
const META = "meta"
export const OWNER_KEY = "owner"
const HEAD_KEY = "head"
const MAP_BYTES = 1024 * 1024 * 1024
const TABLES_MAX = 64
/** The rows that are read before other work of the process may run. */
const ROWS_AT_A_TIME = 4_096
/** The name of the key, the seal and the head. */
const SEALED_HEAD = /^([0-9a-f]{16})([0-9a-f]{64})(.*)$/u

export interface OpenStore {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<string, string>
  readonly tables: Map<string, Database<string, RowKey>>
  readonly endTrial: () => void
}

/** Opens the file of a directory. `readOnly`: beside the process that holds it, without a trace. */
export const openFile = (path: string, { readOnly = false } = {}): OpenStore => {
  if (!readOnly) mkdirSync(path, { recursive: true })
  expectWhole(join(path, FILE))
  const endTrial = readOnly ? () => undefined : beginTrial(path)
  const root: RootDatabase<unknown, string> = open({
    path,
    noSubdir: false,
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: TABLES_MAX,
    mapSize: MAP_BYTES,
    readOnly,
  })
  const meta = root.openDB<string, string>(META, { encoding: "string" })
  return { root, meta, tables: new Map(), endTrial }
}

export const tableOf = ({ root, tables }: OpenStore, name: string): Database<string, RowKey> => {
  const found = tables.get(name)
  if (found !== undefined) return found
  const table = root.openDB<string, RowKey>(`table/${name}`, { encoding: "string" })
  tables.set(name, table)
  return table
}

/** The content of a store, as its holder knows it. */
export interface HeldTables {
  readonly tables: ReadonlyMap<string, HeldTable>
  readonly digest: Digest
  readonly key: SealKey
}

/** The head as text; null before the first one. */
interface SealedHead {
  readonly key: SealKey
  readonly seal: string
  readonly text: string
}

const readHead = ({ meta }: OpenStore, keys: ReadonlyArray<SealKey>): SealedHead | null => {
  const row = meta.get(HEAD_KEY)
  if (row === undefined) return null
  const [, name, seal = "", text = ""] = SEALED_HEAD.exec(row) ?? []
  if (name === undefined) throw damaged("its head has another form, or has changed", "format")
  const key = keys.find((one) => one.name === name)
  if (key === undefined) throw damaged("it was sealed with another key", "key")
  return { key, seal, text }
}

const putHead = ({ meta }: OpenStore, key: SealKey, digest: Digest, text: string): void =>
  void meta.put(HEAD_KEY, key.name + sealOf(key, digest, text) + text)

/**
 * Reads every row, and compares their digest with the seal of the head. Throws `StateDamaged` unless they were written
 * together, with one of the keys. What is returned is by the first key; `resealed` says that the seal is not.
 */
export const readTables = async (
  store: OpenStore,
  tables: ReadonlyArray<StoreTable>,
  keys: readonly [SealKey, ...ReadonlyArray<SealKey>],
) => {
  const [key] = keys
  const sealed = readHead(store, keys)
  const sealedWith = sealed?.key ?? key
  const isOld = sealedWith !== key
  const [digest, found] = [emptyDigest(), emptyDigest()]
  const held = new Map<string, HeldTable>()
  let rows = 0
  for (const { name, inOrder } of tables) {
    const table = tableOf(store, name)
    const tags = inOrder ? undefined : noTags()
    for (const { key: place, value } of table.getRange()) {
      if (!inOrder && !isPlace(place)) throw damaged(`a row of ${name} has changed its place`)
      const hash = hashOfRow(key, name, place, value)
      toggle(digest, hash)
      if (isOld) toggle(found, hashOfRow(sealedWith, name, place, value))
      remember(tags, place, hash)
      rows += 1
      if (rows % ROWS_AT_A_TIME === 0) await setImmediate()
    }
    held.set(name, { name, table, key, tags })
  }
  if (sealed === null && rows > 0) throw damaged("its head is missing")
  if (sealed !== null) {
    const seal = sealOf(sealedWith, isOld ? found : digest, sealed.text)
    if (!timingSafeEqual(Buffer.from(seal), Buffer.from(sealed.seal)))
      throw damaged("its content has changed since it was written")
  }
  return {
    head: sealed === null ? null : (JSON.parse(sealed.text) as unknown),
    held: { tables: held, digest, key } satisfies HeldTables,
    reseal: isOld && sealed !== null ? () => putHead(store, key, digest, sealed.text) : undefined,
  }
}

/** Inside a transaction: changes the rows of all tables, and the head. Returns what to remember once it is committed. */
export const apply = (
  store: OpenStore,
  { tables, digest: before, key }: HeldTables,
  changes: ReadonlyArray<RowChange>,
  head: unknown,
): (() => HeldTables) => {
  const digest = before.slice()
  const committed: Array<() => void> = []
  for (const [name, ofTable] of Map.groupBy(changes, ({ table }) => table)) {
    const table = tables.get(name)
    if (table === undefined) throw damaged(`it has no table ${name}`)
    committed.push(change(table, ofTable, digest))
  }
  putHead(store, key, digest, JSON.stringify(head))
  return () => {
    for (const remembered of committed) remembered()
    return { tables, digest, key }
  }
}
