import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type Database, open, type RootDatabase } from "lmdb"
import { v7 as uuid } from "uuid"
import {
  type HeldStore,
  type RowChange,
  type RowKey,
  StateDamaged,
  type StateStore,
  StateUnwritable,
  type StoreTable,
} from "../../ledger/state-store.port.ts"
import { makeRoom, type Room } from "../config/disk.ts"
import { lmdbFailure, saysFull } from "../log/lmdb/failure.ts"
import { beginTrial, damaged, expectWhole } from "./lmdb-file.ts"
import { change, everyLine, lookUp, noneTaken, sealed, type Taken, takenOf, takenText, unsealed } from "./lmdb-rows.ts"

// How the state lies in LMDB: a database for each table, and one for what is known of all: who holds the store, the head,
// how many rows each table has, and which of its places have one (`lmdb-rows.ts`). All of a write is one transaction that
// is flushed before it is committed.

/** Where the state lies below DATA_DIR. */
export const STATE_FOLDER = "ledger-state"

const FILE = "data.mdb"
const META = "meta"
const OWNER_KEY = "owner"
const HEAD_KEY = "head"
const takenKey = (table: string): string => `taken/${table}`
const MAP_BYTES = 1024 * 1024 * 1024
const TABLES_MAX = 64

const problemOf = (cause: unknown): StateDamaged => (cause instanceof StateDamaged ? cause : damaged(String(cause)))

/** Runs what writes the store, unless its disk is known to be full. Throws `StateDamaged` or `StateUnwritable`. */
const writing = async <A>(path: string, room: Room, write: () => Promise<A> | A): Promise<A> => {
  const refusal = room.refusal()
  if (refusal !== null) throw new StateUnwritable({ problem: refusal })
  try {
    return await write()
  } catch (error) {
    const { cause } = await lmdbFailure(error)
    if (!saysFull(path, cause)) throw problemOf(cause)
    room.failed()
    throw new StateUnwritable({ problem: `the disk of ${path} is full` })
  }
}

/** `writing` throws these alone. */
const writingFailure = (cause: unknown): StateDamaged | StateUnwritable =>
  cause instanceof StateUnwritable ? cause : problemOf(cause)

interface Opened {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<string, string>
  readonly tables: Map<string, Database<string, RowKey>>
  readonly endTrial: () => void
}

interface Head {
  readonly rows: Readonly<Record<string, number>>
  readonly head: unknown
}

const openFile = (path: string): Opened => {
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

/** What is known of a table beside its rows. */
interface Known {
  readonly table: Database<string, RowKey>
  readonly rows: number
  /** Undefined where it is in order. */
  readonly taken: Taken | undefined
}

const readMeta = (opened: Opened, key: string): string | undefined => {
  const row = opened.meta.get(key)
  return row === undefined ? undefined : unsealed(META, key, row)
}

/** What the last write has left: the head, and what is known of each table. Throws `StateDamaged`. */
const readKnown = (opened: Opened, tables: ReadonlyArray<StoreTable>) => {
  const text = readMeta(opened, HEAD_KEY)
  // Written by `write`, as its checksum says.
  const found: Head = text === undefined ? { rows: {}, head: null } : JSON.parse(text)
  const known = tables.map(({ name, inOrder }): readonly [string, Known] => {
    const table = tableOf(opened, name)
    const rows = rowsOf(table)
    if (rows !== (found.rows[name] ?? 0)) throw damaged(`${name} has ${rows} rows, not ${found.rows[name] ?? 0}`)
    const taken = inOrder ? undefined : readMeta(opened, takenKey(name))
    if (!inOrder && taken === undefined && rows > 0) throw damaged(`it is not known which rows ${name} has`)
    return [name, { table, rows, taken: inOrder ? undefined : taken === undefined ? noneTaken() : takenOf(taken) }]
  })
  return { head: found.head, known: new Map(known) }
}

/** Inside a transaction: changes the rows of one table. Gives what is known of it then. */
const applyTo = (opened: Opened, name: string, known: Known, changes: ReadonlyArray<RowChange>): Known => {
  const { table, taken } = known
  if (taken !== undefined) {
    const after = change(table, name, taken, changes)
    if (Buffer.compare(after, taken) !== 0)
      void opened.meta.put(takenKey(name), sealed(META, takenKey(name), takenText(after)))
    return { table, rows: rowsOf(table), taken: after }
  }
  for (const { key, value } of changes) {
    if (value === undefined) void table.remove(key)
    else void table.put(key, sealed(name, key, JSON.stringify(value)))
  }
  return { table, rows: rowsOf(table), taken }
}

/** Inside a transaction: changes the rows of all tables, and the head. */
const apply = (
  opened: Opened,
  known: ReadonlyMap<string, Known>,
  changes: ReadonlyArray<RowChange>,
  head: unknown,
): ReadonlyMap<string, Known> => {
  const after = new Map(known)
  for (const [name, ofTable] of Map.groupBy(changes, ({ table }) => table)) {
    const before = known.get(name)
    if (before === undefined) throw damaged(`it has no table ${name}`)
    after.set(name, applyTo(opened, name, before, ofTable))
  }
  const rows = Object.fromEntries([...after].map(([name, one]) => [name, one.rows]))
  void opened.meta.put(HEAD_KEY, sealed(META, HEAD_KEY, JSON.stringify({ rows, head } satisfies Head)))
  return after
}

/** All rows of a table in order. Throws `StateDamaged` where there are not as many as there should be. */
function* inOrder(name: string, { table, rows }: Known): Generator<readonly [RowKey, unknown]> {
  let count = 0
  for (const { key, value } of table.getRange()) {
    count += 1
    yield [key, JSON.parse(unsealed(name, key, value))]
  }
  if (count !== rows) throw damaged(`${count} rows of ${name} were found, not ${rows}`)
}

/** What goes wrong on the way through is damage. */
function* walked<A>(all: Iterable<A>): Generator<A> {
  try {
    yield* all
  } catch (cause) {
    throw problemOf(cause)
  }
}

/** Takes an opened store over, for one holder. */
const hold = async (
  opened: Opened,
  tables: ReadonlyArray<StoreTable>,
  inRoom: <A>(write: () => Promise<A>) => Promise<A>,
): Promise<HeldStore> => {
  const { root, meta } = opened
  const owner = uuid()
  for (const { name } of tables) tableOf(opened, name)
  await root.childTransaction(() => void meta.put(OWNER_KEY, owner))
  root.resetReadTxn()
  const found = readKnown(opened, tables)
  let known: ReadonlyMap<string, Known> = found.known

  const reading = <A>(name: string, look: (one: Known) => A): A => {
    const one = known.get(name)
    if (one === undefined) throw damaged(`it has no table ${name}`)
    try {
      return look(one)
    } catch (cause) {
      throw problemOf(cause)
    }
  }
  return {
    head: found.head,
    get: (name, key) =>
      reading(name, ({ table, taken }) => (taken === undefined ? undefined : lookUp(table, name, taken, key))),
    rows: (name) =>
      reading(name, (one) =>
        walked(one.taken === undefined ? inOrder(name, one) : everyLine(one.table, name, one.taken)),
      ),
    write: (changes, head) =>
      Effect.tryPromise({
        try: async () => {
          const after = await inRoom(() =>
            root.childTransaction(() =>
              meta.get(OWNER_KEY) === owner ? apply(opened, known, changes, head) : undefined,
            ),
          )
          // What is read from now on must see it.
          root.resetReadTxn()
          if (after === undefined) throw damaged("somebody else has taken it over")
          known = after
        },
        catch: writingFailure,
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
      const room = makeRoom(options.path)
      const inRoom = <A>(write: () => Promise<A>): Promise<A> => writing(options.path, room, write)
      const close = async () => {
        const closing = opened
        opened = undefined
        closing?.endTrial()
        await closing?.root.close()
      }
      return {
        close,
        store: {
          hold: (tables) =>
            Effect.tryPromise({
              try: () =>
                inRoom(() => {
                  opened ??= openFile(options.path)
                  return hold(opened, tables, inRoom)
                }),
              catch: writingFailure,
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
