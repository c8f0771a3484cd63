import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Result from "effect/Result"
import { TABLES } from "../../processors/ddl.ts"
import type { DerivedView } from "../../processors/derived-view.ts"
import { MigrationRefused } from "../../schemas/ports/history.ts"

/** One numbered SQL file of a table. */
export interface Migration {
  readonly table: string
  readonly number: number
  /** `<table>/<NNN>.sql`, for messages. */
  readonly file: string
  readonly sql: string
  /** SHA-256 of the file, in hex. */
  readonly hash: string
}

/** A migration that the database has recorded. */
export interface AppliedMigration {
  readonly table: string
  readonly number: number
  readonly hash: string
}

/** The table that records the applied files. */
export const MIGRATIONS_TABLE = "migrations"

const FILE = /^(\d{3})\.sql$/
const TABLE_NAME = /^[a-z][a-z0-9_]*$/

/**
 * Settings of every table, in addition to those of its file. The deduplication window keeps the tokens of the last blocks, so
 * that a repeated insert does nothing. With fsync an insert is acknowledged when its part is on disk: trimming of the log
 * relies on it.
 */
const TABLE_SETTINGS: Readonly<Record<string, number>> = {
  non_replicated_deduplication_window: 1_000,
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  min_compressed_bytes_to_fsync_after_merge: 1,
}

/** The migrations of a folder of tables, by table and number. */
export const readMigrations = (folder: URL = TABLES): ReadonlyArray<Migration> =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && TABLE_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .flatMap((table) =>
      readdirSync(new URL(`${table}/`, folder))
        .sort()
        .flatMap((name) => {
          const number = FILE.exec(name)?.[1]
          if (number === undefined) return []
          const sql = readFileSync(fileURLToPath(new URL(`${table}/${name}`, folder)), "utf8")
          const hash = createHash("sha256").update(sql).digest("hex")
          return [{ table, number: Number(number), file: `${table}/${name}`, sql, hash }]
        }),
    )

const refuse = (problem: string) => Result.fail(new MigrationRefused({ problem }))

/** Gives the migrations that are not applied yet, in order; or the file that prevents it. */
export const pendingMigrations = (
  files: ReadonlyArray<Migration>,
  applied: ReadonlyArray<AppliedMigration>,
): Result.Result<ReadonlyArray<Migration>, MigrationRefused> => {
  const hashes = new Map(applied.map((one) => [`${one.table}/${one.number}`, one.hash]))
  const highest = new Map<string, number>()
  for (const { table, number } of applied) highest.set(table, Math.max(number, highest.get(table) ?? 0))
  const pending: Array<Migration> = []
  const next = new Map<string, number>()
  for (const file of files) {
    const expected = next.get(file.table) ?? 1
    if (file.number !== expected)
      return refuse(`${file.file} is out of turn: the table's next migration must have the number ${expected}`)
    next.set(file.table, expected + 1)
    const hash = hashes.get(`${file.table}/${file.number}`)
    if (hash === undefined) pending.push(file)
    else if (hash !== file.hash)
      return refuse(`${file.file} was changed after it had been applied: restore it, and add a new file for the change`)
  }
  for (const [table, number] of highest)
    if ((next.get(table) ?? 1) <= number)
      return refuse(`the database has migration ${number} of table ${table}, which this release does not have`)
  return Result.succeed(pending)
}

/**
 * The views that are new, or are made of another statement than the recorded one: each with the number under which the
 * statement is to be recorded. The last number of a view counts.
 */
export const pendingViews = (
  views: ReadonlyArray<DerivedView>,
  applied: ReadonlyArray<AppliedMigration>,
): ReadonlyArray<AppliedMigration & { readonly sql: string }> =>
  views.flatMap(({ name, sql }) => {
    const hash = createHash("sha256").update(sql).digest("hex")
    const last = applied
      .filter(({ table }) => table === name)
      .reduce<AppliedMigration | null>((one, other) => ((one?.number ?? 0) > other.number ? one : other), null)
    return last?.hash === hash ? [] : [{ table: name, number: (last?.number ?? 0) + 1, hash, sql }]
  })

const CREATE = /^CREATE TABLE (?:IF NOT EXISTS )?([a-z][a-z0-9_]*)\b/i
const ALTER = /^ALTER TABLE ([a-z][a-z0-9_]*)\b/i
const VIEW = /^CREATE OR REPLACE VIEW ([a-z][a-z0-9_]*)\b/i
const NOT_REPEATABLE =
  /\b(?:ADD (?:COLUMN|INDEX|CONSTRAINT|PROJECTION)(?! IF NOT EXISTS)|(?:DROP|RENAME|CLEAR) (?:COLUMN|INDEX|CONSTRAINT|PROJECTION)(?! IF EXISTS))\b/i

/** Whether a migration defines a view over other tables. */
export const definesView = ({ sql }: Migration): boolean => /^CREATE OR REPLACE VIEW /im.test(sql)

/**
 * The statements of a migration, for a table of the given name. Each may be repeated after a crash: a file changes its own
 * table only, with IF [NOT] EXISTS. A view is replaced as a whole.
 */
export const migrationStatements = (
  migration: Migration,
  name: string = migration.table,
): Result.Result<ReadonlyArray<string>, MigrationRefused> => {
  const statements: Array<string> = []
  const text = migration.sql
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("--"))
    .join("\n")
  for (const statement of text.split(/;\s*(?:\n|$)/).map((part) => part.trim())) {
    if (statement === "") continue
    const [head, table] = CREATE.exec(statement) ?? ALTER.exec(statement) ?? VIEW.exec(statement) ?? []
    if (head === undefined || table !== migration.table)
      return refuse(
        `${migration.file} may hold CREATE TABLE, ALTER TABLE and CREATE OR REPLACE VIEW of ${migration.table} only`,
      )
    if (ALTER.test(statement) && NOT_REPEATABLE.test(statement))
      return refuse(`${migration.file} must use IF NOT EXISTS or IF EXISTS, so that it can be run again after a crash`)
    const keyword = CREATE.test(statement)
      ? "CREATE TABLE IF NOT EXISTS"
      : ALTER.test(statement)
        ? "ALTER TABLE"
        : "CREATE OR REPLACE VIEW"
    statements.push(`${keyword} ${name}${statement.slice(head.length)}`)
  }
  return Result.succeed(statements)
}

/** The statement that gives a table the settings of every table. */
export const settingsStatement = (name: string): string =>
  `ALTER TABLE ${name} MODIFY SETTING ${Object.entries(TABLE_SETTINGS)
    .map(([setting, value]) => `${setting} = ${value}`)
    .join(", ")}`
