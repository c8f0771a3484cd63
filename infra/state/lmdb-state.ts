import { existsSync, readdirSync, rmSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { v7 as uuid } from "uuid"
import {
  type HeldStore,
  StateDamaged,
  type StateStore,
  StateUnwritable,
  type StoreTable,
} from "../../ledger/state-store.port.ts"
import { OPENING_FILE, openAlone, StillInUse } from "../log/lmdb/gate.ts"
import { isDiskFull, lmdbFailure } from "../log/lmdb/transaction.ts"
import { makeRoom, type Room } from "../system/disk.ts"
import { damaged, everyValue, type HeldTable, lookUp } from "./lmdb-rows.ts"
import {
  apply,
  FILE,
  type HeldTables,
  type OpenStore,
  OWNER_KEY,
  openFile,
  readTables,
  tableOf,
} from "./lmdb-tables.ts"
import { type SealKey, sealKeysOf } from "./seal.ts"

// Each write is one transaction that is flushed before it is committed. None happens while another process opens the file
// (`infra/log/lmdb/gate.ts`).

/** The folder of the state below DATA_DIR. */
export const STATE_FOLDER = "ledger-state"

type SealKeys = readonly [SealKey, ...ReadonlyArray<SealKey>]

const problemOf = (cause: unknown): StateDamaged => (cause instanceof StateDamaged ? cause : damaged(String(cause)))

/** Runs a write of the store, unless its disk is known to be full. Throws `StateDamaged` or `StateUnwritable`. */
const writing = async <A>(path: string, room: Room, write: () => Promise<A> | A): Promise<A> => {
  const refusal = room.refusal()
  if (refusal !== null) throw new StateUnwritable({ problem: refusal })
  try {
    return await write()
  } catch (error) {
    const { cause } = await lmdbFailure(error)
    if (cause instanceof StillInUse) throw new StateUnwritable({ problem: cause.message })
    if (!isDiskFull(path, cause)) throw problemOf(cause)
    room.failed()
    throw new StateUnwritable({ problem: `the disk of ${path} is full` })
  }
}

/** Writes to an open file, once no process opens it. */
const passing = async <A>({ gate }: OpenStore, write: () => Promise<A> | A): Promise<A> => {
  const entering = gate.enter()
  if (entering !== undefined) await entering
  try {
    return await write()
  } finally {
    gate.leave()
  }
}

/** Types the exceptions of `writing`, which throws no others. */
const writingFailure = (cause: unknown): StateDamaged | StateUnwritable =>
  cause instanceof StateUnwritable ? cause : problemOf(cause)

/** Turns any exception of an iteration into `StateDamaged`. */
function* damageTyped<A>(all: Iterable<A>): Generator<A> {
  try {
    yield* all
  } catch (cause) {
    throw problemOf(cause)
  }
}

/** Reads of the tables that `held` gives. */
const readsOf = (held: () => HeldTables): Pick<HeldStore, "get" | "rows"> => {
  const reading = <A>(name: string, look: (table: HeldTable) => A): A => {
    const table = held().tables.get(name)
    if (table === undefined) throw damaged(`it has no table ${name}`)
    try {
      return look(table)
    } catch (cause) {
      throw problemOf(cause)
    }
  }
  return {
    get: (name, key) => reading(name, (table) => (table.tags === undefined ? undefined : lookUp(table, key))),
    rows: (name) => reading(name, (table) => damageTyped(everyValue(table))),
  }
}

/** Takes over an open store for a new holder. */
const hold = async (
  opened: OpenStore,
  tables: ReadonlyArray<StoreTable>,
  keys: SealKeys,
  inRoom: <A>(write: () => Promise<A>) => Promise<A>,
): Promise<HeldStore> => {
  const { root, meta } = opened
  const owner = uuid()
  await passing(opened, () => {
    // Each writes its name, if it is new.
    for (const { name } of tables) tableOf(opened, name)
    return root.childTransaction(() => void meta.put(OWNER_KEY, owner))
  })
  root.resetReadTxn()
  const { head, held: found, reseal } = await readTables(opened, tables, keys)
  let held: HeldTables = found
  const asOwner = <A>(act: () => A): Promise<A> =>
    inRoom(async () => {
      const done = await passing(opened, () =>
        root.childTransaction(() => (meta.get(OWNER_KEY) === owner ? { value: act() } : undefined)),
      )
      // Later reads must see this write.
      root.resetReadTxn()
      if (done === undefined) throw damaged("another holder has taken it over")
      return done.value
    })
  // Sealed again at once: the next start may no longer have the earlier key.
  if (reseal !== undefined) await asOwner(reseal)
  return {
    head,
    ...readsOf(() => held),
    write: (changes, next) =>
      Effect.tryPromise({
        try: async () => {
          const committed = await asOwner(() => apply(opened, held, changes, next))
          held = committed()
        },
        catch: writingFailure,
      }),
  }
}

/** Where a state lies, and the secrets that seal it. */
interface LmdbStateOptions {
  readonly path: string
  /** The newest first: it seals what is written; the others are accepted. Without any, only damage is found. */
  readonly secrets?: ReadonlyArray<string> | undefined
}

/**
 * Removes a state, but the lock file of its openers: a process that is opening it must find the next one behind the same lock.
 * One that does not finish its opening stops nothing: it finds no file, or the old one.
 */
const discardFiles = (path: string): void => {
  const remove = () => {
    for (const name of readdirSync(path))
      if (name !== OPENING_FILE) rmSync(join(path, name), { recursive: true, force: true })
  }
  try {
    openAlone(path, remove)
  } catch (cause) {
    if (cause instanceof StillInUse) remove()
    else rmSync(path, { recursive: true, force: true })
  }
}

/**
 * A store in a directory of its own, which is created if it is absent. The file is opened at the first `hold`, which fails
 * with `StateDamaged` if that is impossible.
 */
export const openLmdbState = (options: LmdbStateOptions): Effect.Effect<StateStore, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let opened: OpenStore | undefined
      const room = makeRoom(options.path)
      const keys = sealKeysOf(options.secrets ?? [])
      const inRoom = <A>(write: () => Promise<A>): Promise<A> => writing(options.path, room, write)
      const close = async () => {
        const closing = opened
        opened = undefined
        await closing?.close()
      }
      return {
        close,
        store: {
          hold: (tables) =>
            Effect.tryPromise({
              try: () =>
                inRoom(() => {
                  opened ??= openFile(options.path)
                  return hold(opened, tables, keys, inRoom)
                }),
              catch: writingFailure,
            }),
          discard: Effect.promise(async () => {
            // Closing a damaged file may fail; it is removed anyway.
            await close().catch(() => undefined)
            discardFiles(options.path)
          }),
        } satisfies StateStore,
      }
    }),
    ({ close }) => Effect.promise(() => close().catch(() => undefined)),
  ).pipe(Effect.map(({ store }) => store))

/**
 * Copies a state that another process may be writing, as it was at one moment, into a directory of its own, which is removed
 * at the end of the scope. Null if there is none.
 */
export const copyLmdbState = (
  path: string,
): Effect.Effect<string | null, StateDamaged | StateUnwritable, Scope.Scope> =>
  Effect.gen(function* () {
    if (!existsSync(join(path, FILE))) return null
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tidewire-state-"))),
      (made) => Effect.promise(() => rm(made, { recursive: true, force: true })),
    )
    yield* Effect.tryPromise({
      try: async () => {
        const { root, close } = openFile(path, { readOnly: true })
        try {
          await root.backup(directory, true)
        } finally {
          await close()
        }
      },
      catch: (cause) =>
        cause instanceof StillInUse ? new StateUnwritable({ problem: cause.message }) : problemOf(cause),
    })
    return directory
  })
