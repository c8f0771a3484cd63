import { timingSafeEqual } from "node:crypto"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { type Database, open, type RootDatabase } from "lmdb"
import type { RowChange, RowKey, StoreTable } from "../../ledger/state-store.port.ts"
import { makeWriteGate, openAlone, type WriteGate } from "../log/lmdb/gate.ts"
import { change, damaged, type HeldTable, isPlace, noTags, remember } from "./lmdb-rows.ts"
import { type Digest, emptyDigest, hashOfRow, type SealKey, sealOf, toggle } from "./seal.ts"

// How the state lies in LMDB: a database for each table, and one for the facts about all of them: who holds the store, and
// the head behind its seal (`seal.ts`).

/** The file of a state in its folder. */
export const FILE = "data.mdb"
const META = "meta"
export const OWNER_KEY = "owner"
const HEAD_KEY = "head"
const MAP_BYTES = 1024 * 1024 * 1024
const TABLES_MAX = 64
/** The rows that are read before other work of the process may run. */
const ROWS_AT_A_TIME = 4_096
/** The name of the key, the seal and the head. */
const SEALED_HEAD = /^([0-9a-f]{16})([0-9a-f]{64})(.*)$/u

/** Layout of LMDB's two meta pages, which name the last page of the file. Offsets in bytes; the last two from the magic number. */
const MAGIC = 0xbeefc0de
const MAGIC_AT = [16, 24]
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536]
const LAST_PAGE_AT = 120
const TRANSACTION_AT = 128
const META_BYTES = 160

/** Counts the openings that have not ended well. */
const TRIES_FILE = "tries"
/** The file is discarded after so many consecutive openings that ended in a crash. */
const TRIES_MAX = 3
/** An opening that survives this long did not crash. */
const TRIAL_MS = 60_000

/** An open file. */
export interface OpenStore {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<string, string>
  readonly tables: Map<string, Database<string, RowKey>>
  /** Every write passes through it, as a verification opens the file beside its holder. */
  readonly gate: WriteGate
  readonly close: () => Promise<void>
}

/**
 * Opens the file of a directory, while no process writes to it. `readOnly`: opens it beside the process that holds it, and
 * writes nothing. Throws `StillInUse` or `StateDamaged`.
 */
export const openFile = (path: string, { readOnly = false } = {}): OpenStore => {
  if (!readOnly) mkdirSync(path, { recursive: true })
  return openAlone(path, () => openEnvironment(path, readOnly))
}

const openEnvironment = (path: string, readOnly: boolean): OpenStore => {
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
  const gate = makeWriteGate(path)
  const close = async () => {
    endTrial()
    try {
      await root.close()
    } finally {
      gate.close()
    }
  }
  return { root, meta, tables: new Map(), gate, close }
}

/** Throws if the file is shorter than its meta pages state: LMDB would read beyond its end and crash the process. */
const expectWhole = (file: string): void => {
  if (!existsSync(file)) return
  const sizeBytes = statSync(file).size
  const descriptor = openSync(file, "r")
  const page = Buffer.alloc(META_BYTES)
  const metaAt = (position: number) => {
    if (readSync(descriptor, page, 0, META_BYTES, position) < META_BYTES) return undefined
    const at = MAGIC_AT.find((one) => page.readUInt32LE(one) === MAGIC)
    if (at === undefined) return undefined
    return { lastPage: page.readBigUInt64LE(at + LAST_PAGE_AT), transaction: page.readBigUInt64LE(at + TRANSACTION_AT) }
  }
  try {
    const first = metaAt(0)
    const pageBytes = PAGE_SIZES.find((bytes) => metaAt(bytes) !== undefined)
    const second = pageBytes === undefined ? undefined : metaAt(pageBytes)
    if (first === undefined || second === undefined || pageBytes === undefined) throw damaged("it is no file of LMDB")
    const { lastPage } = first.transaction > second.transaction ? first : second
    if ((lastPage + 1n) * BigInt(pageBytes) > BigInt(sizeBytes)) throw damaged("its file was cut off")
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Counts openings of a directory that crashed: a damaged tree may crash the process that reads it, at every start. Throws
 * `StateDamaged` after `TRIES_MAX` of them. Returns the function that ends this trial successfully.
 */
const beginTrial = (directory: string): (() => void) => {
  const file = join(directory, TRIES_FILE)
  const tries = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0
  if (!(tries < TRIES_MAX)) throw damaged(`${TRIES_MAX} processes died with it`)
  writeFileSync(file, `${tries + 1}`)
  const end = () => {
    clearTimeout(timer)
    rmSync(file, { force: true })
  }
  const timer = setTimeout(end, TRIAL_MS)
  timer.unref()
  return end
}

/** The database of a table. */
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
 * together, with one of the keys. The digest that is returned is by the first key. `reseal` writes the seal again by that key; it
 * is undefined where the seal is by it already.
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
