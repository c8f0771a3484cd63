import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Database, open } from "lmdb"
import type { RowKey } from "../../../ledger/state-store.port.ts"

// Changes the file of a cached state, as a program does that knows its form and has no secret.

/** The databases of a cache. */
interface RawStore {
  readonly meta: Database<string, string>
  readonly table: (name: string) => Database<string, RowKey>
}

/** Opens the databases of a cache, and closes them. */
export const raw = <A>(path: string, use: (store: RawStore) => A | Promise<A>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const root = open({ path, noSubdir: false, maxDbs: 64, overlappingSync: false })
    try {
      return await use({
        meta: root.openDB<string, string>("meta", { encoding: "string" }),
        table: (name) => root.openDB<string, RowKey>(`table/${name}`, { encoding: "string" }),
      })
    } finally {
      await root.close()
    }
  })

/** The rows of a table. */
export const entriesOf = (table: Database<string, RowKey>): ReadonlyArray<readonly [RowKey, string]> =>
  Array.from(table.getRange(), ({ key, value }) => [key, value])

/** The row of an account. */
export const rowOf = (table: Database<string, RowKey>, account: string): readonly [RowKey, string] => {
  const found = entriesOf(table).find(([, text]) => text.includes(`${JSON.stringify(account)}:`))
  if (found === undefined) throw new Error(`there is no account ${account}`)
  return found
}

/** Changes the text of the row of an account. */
export const editRow = (path: string, account: string, edit: (text: string) => string) =>
  raw(path, async ({ table }) => {
    const accounts = table("accounts")
    const [place, text] = rowOf(accounts, account)
    const edited = edit(text)
    expect(edited).not.toBe(text)
    await accounts.put(place, edited)
  })

/** Raises a member of every account in a row. */
export const raise = (text: string, ...members: ReadonlyArray<string>): string =>
  members.reduce(
    (raised, member) =>
      raised.replace(new RegExp(`"${member}":(\\d+)`, "gu"), (_, value) => `"${member}":${Number(value) + 5_000}`),
    text,
  )
