import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { Effect, type Scope } from "effect"
import { type Database, open, type RootDatabase } from "lmdb"
import { v7 as uuid } from "uuid"
import { type HeldStore, type RowChange, type RowKey, StateDamaged, type StateStore } from "./state-store.port.ts"

// How the state lies in LMDB: a database for each table. A row is its checksum, over table, key and value, and the value
// as JSON; so a row that changed, or that is found under another key, is known when it is read. The head says how many
// rows each table has, so that a tree which lost some is known when it is opened.

const FILE = "data.mdb"
/** The format of a file that cannot say of itself which it is. */
const META = "meta"
const OWNER_KEY = "owner"
const HEAD_KEY = "head"
const CHECKSUM_DIGITS = 7
const MAP_BYTES = 1024 * 1024 * 1024

/** Where LMDB's two meta pages say which pages the file must have, in bytes from the magic number. */
const MAGIC = 0xbeefc0de
const MAGIC_AT = [16, 24]
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536]
const LAST_PAGE_AT = 120
const TRANSACTION_AT = 128
const META_BYTES = 136

const damaged = (problem: string): StateDamaged => new StateDamaged({ problem })
const problemOf = (cause: unknown): StateDamaged => (cause instanceof StateDamaged ? cause : damaged(String(cause)))

/** Throws when the file is shorter than its own account of it: LMDB would look behind its end, and the process would die. */
const expectWhole = (file: string): void => {
  if (!existsSync(file)) return
  const sizeBytes = statSync(file).size
  const descriptor = openSync(file, "r")
  const pages = Buffer.alloc(META_BYTES + 24)
  const metaAt = (position: number) => {
    if (readSync(descriptor, pages, 0, pages.length, position) < pages.length) return undefined
    const at = MAGIC_AT.find((one) => pages.readUInt32LE(one) === MAGIC)
    return at === undefined
      ? undefined
      : {
          lastPage: pages.readBigUInt64LE(at + LAST_PAGE_AT),
          transaction: pages.readBigUInt64LE(at + TRANSACTION_AT),
        }
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

const checksum = (table: string, key: RowKey, text: string): string =>
  crc32(`${table}/${key}/${text}`).toString(36).padStart(CHECKSUM_DIGITS, "0")

const encode = (table: string, key: RowKey, value: unknown): string => {
  const text = JSON.stringify(value)
  return checksum(table, key, text) + text
}

/** Throws `StateDamaged` where the row is not as it was written. */
const decode = (table: string, key: RowKey, row: string): unknown => {
  const text = row.slice(CHECKSUM_DIGITS)
  if (row.slice(0, CHECKSUM_DIGITS) !== checksum(table, key, text)) throw damaged(`a row of ${table} has changed`)
  return JSON.parse(text)
}

interface Opened {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<string, string>
  readonly tables: Map<string, Database<string, RowKey>>
}

interface Head {
  readonly rows: Readonly<Record<string, number>>
  readonly head: unknown
}

const openFile = (path: string): Opened => {
  mkdirSync(path, { recursive: true })
  expectWhole(join(path, FILE))
  const root: RootDatabase<unknown, string> = open({
    path,
    noSubdir: false,
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: 64,
    mapSize: MAP_BYTES,
  })
  return { root, meta: root.openDB<string, string>(META, { encoding: "string" }), tables: new Map() }
}

const rowsOf = (table: Database<string, RowKey>): number => {
  // The library's type says nothing of what the object holds.
  const stats: { readonly entryCount?: number } = table.getStats()
  return stats.entryCount ?? 0
}

const tableOf = ({ root, tables }: Opened, name: string): Database<string, RowKey> => {
  const found = tables.get(name)
  if (found !== undefined) return found
  const table = root.openDB<string, RowKey>(`table/${name}`, { encoding: "string" })
  tables.set(name, table)
  return table
}

const readHead = (opened: Opened, names: ReadonlyArray<string>): Head | null => {
  const row = opened.meta.get(HEAD_KEY)
  if (row === undefined) return null
  // Written by `write`, as its checksum says.
  const head = decode(META, HEAD_KEY, row) as Head
  for (const name of names) {
    const rows = rowsOf(tableOf(opened, name))
    if (rows !== (head.rows[name] ?? 0)) throw damaged(`${name} has ${rows} rows, not ${head.rows[name] ?? 0}`)
  }
  return head
}

const apply = (opened: Opened, changes: ReadonlyArray<RowChange>): void => {
  for (const { table, key, value } of changes) {
    if (value === undefined) void tableOf(opened, table).remove(key)
    else void tableOf(opened, table).put(key, encode(table, key, value))
  }
}

/** Takes an opened store over, for one holder. */
const hold = async (opened: Opened, names: ReadonlyArray<string>): Promise<HeldStore> => {
  const { root, meta } = opened
  const owner = uuid()
  for (const name of names) tableOf(opened, name)
  await root.childTransaction(() => void meta.put(OWNER_KEY, owner))
  root.resetReadTxn()
  const found = readHead(opened, names)
  if (found === null) for (const name of names) if (rowsOf(tableOf(opened, name)) > 0) throw damaged("it has no head")

  const read = <A>(look: () => A): A => {
    try {
      return look()
    } catch (cause) {
      throw problemOf(cause)
    }
  }
  return {
    head: found?.head ?? null,
    get: (table, key) =>
      read(() => {
        const row = tableOf(opened, table).get(key)
        return row === undefined ? undefined : decode(table, key, row)
      }),
    rows: (table) =>
      read(() =>
        tableOf(opened, table)
          .getRange()
          .map(({ key, value }) => [key, decode(table, key, value)] as const),
      ),
    write: (changes, head) =>
      Effect.tryPromise({
        try: async () => {
          const held = await root.childTransaction(() => {
            if (meta.get(OWNER_KEY) !== owner) return false
            apply(opened, changes)
            const rows = Object.fromEntries(names.map((name) => [name, rowsOf(tableOf(opened, name))]))
            void meta.put(HEAD_KEY, encode(META, HEAD_KEY, { rows, head } satisfies Head))
            return true
          })
          // What is read from now on must see it.
          root.resetReadTxn()
          if (!held) throw damaged("somebody else has taken it over")
        },
        catch: problemOf,
      }),
  }
}

/**
 * Opens the store in a directory of its own, which is made where it is absent. It is opened at the first `hold`; what
 * cannot be opened then is damaged.
 */
export const openLmdbState = (options: { readonly path: string }): Effect.Effect<StateStore, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let opened: Opened | undefined
      const close = async () => {
        const closing = opened
        opened = undefined
        await closing?.root.close()
      }
      return {
        close,
        store: {
          hold: (tables) =>
            Effect.tryPromise({
              try: () => {
                opened ??= openFile(options.path)
                return hold(opened, tables)
              },
              catch: problemOf,
            }),
          discard: Effect.promise(async () => {
            // A file that is damaged may not even close; it goes all the same.
            await close().catch(() => undefined)
            rmSync(options.path, { recursive: true, force: true })
          }),
        } satisfies StateStore,
      }
    }),
    ({ close }) => Effect.promise(() => close().catch(() => undefined)),
  ).pipe(Effect.map(({ store }) => store))
