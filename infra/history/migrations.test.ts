import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type Migration, migrationStatements, pendingMigrations, pendingViews, readMigrations } from "./migrations.ts"

const file = (table: string, number: number, sql: string, hash = `${table}${number}`): Migration => ({
  table,
  number,
  file: `${table}/00${number}.sql`,
  sql,
  hash,
})
const create = (table: string) =>
  file(table, 1, `-- why\nCREATE TABLE ${table}\n(a UInt8)\nENGINE = MergeTree ORDER BY a\n`)
const applied = ({ table, number, hash }: Migration) => ({ table, number, hash })

describe("pendingMigrations", () => {
  const files = [create("a"), file("a", 2, "ALTER TABLE a ADD COLUMN IF NOT EXISTS b UInt8"), create("b")]

  it("gives the migrations that are not applied yet, in order", () => {
    expect(Result.getOrThrow(pendingMigrations(files, files.slice(0, 1).map(applied)))).toEqual(files.slice(1))
    expect(Result.getOrThrow(pendingMigrations(files, files.map(applied)))).toEqual([])
  })

  it("refuses a file that was edited after it had been applied, by its name", () => {
    const edited = [files[0], { ...file("a", 2, "ALTER TABLE a ..."), hash: "other" }, files[2]].filter(
      (one) => one !== undefined,
    )
    expect(Result.getFailure(pendingMigrations(edited, files.map(applied)))).toMatchObject({
      value: { problem: expect.stringContaining("a/002.sql was changed after it had been applied") },
    })
  })

  it("refuses gaps, and a database that is ahead", () => {
    expect(Result.isFailure(pendingMigrations([create("a"), file("a", 3, "")], []))).toBe(true)
    expect(Result.getFailure(pendingMigrations(files.slice(0, 1), files.map(applied)))).toMatchObject({
      value: { problem: expect.stringContaining("migration 2 of table a") },
    })
  })
})

describe("pendingViews", () => {
  const view = (name: string, sql: string) => ({ name, sql, comment: "", columns: [] })
  const recorded = (...statements: ReadonlyArray<string>) =>
    statements.flatMap((sql, at) =>
      pendingViews([view("a_now", sql)], []).map(({ table, hash }) => ({ table, hash, number: at + 1 })),
    )

  it("gives the views that are new or made of another statement, with their next numbers", () => {
    const views = [view("a_now", "two"), view("b_now", "one")]
    expect(pendingViews(views, recorded("one"))).toMatchObject([
      { table: "a_now", number: 2, sql: "two" },
      { table: "b_now", number: 1, sql: "one" },
    ])
    expect(pendingViews([view("a_now", "two")], recorded("one", "two"))).toEqual([])
  })

  it("gives a view that a release before has changed back", () => {
    const applied = recorded("one", "two", "one")
    for (const order of [applied, applied.toReversed()]) {
      expect(pendingViews([view("a_now", "one")], order)).toEqual([])
      expect(pendingViews([view("a_now", "two")], order)).toMatchObject([{ number: 4 }])
    }
  })
})

describe("migrationStatements", () => {
  it("drops comments, adds IF NOT EXISTS, and can name another table", () => {
    expect(Result.getOrThrow(migrationStatements(create("a")))).toEqual([
      "CREATE TABLE IF NOT EXISTS a\n(a UInt8)\nENGINE = MergeTree ORDER BY a",
    ])
    const two = file("a", 2, "ALTER TABLE a ADD COLUMN IF NOT EXISTS b UInt8;\nALTER TABLE a MODIFY COLUMN b UInt16;\n")
    expect(Result.getOrThrow(migrationStatements(two, "a__3"))).toEqual([
      "ALTER TABLE a__3 ADD COLUMN IF NOT EXISTS b UInt8",
      "ALTER TABLE a__3 MODIFY COLUMN b UInt16",
    ])
  })

  it("replaces a view as a whole", () => {
    const view = file("a", 1, "-- why\nCREATE OR REPLACE VIEW a\n(b UInt8)\nAS SELECT b FROM c\n")
    expect(Result.getOrThrow(migrationStatements(view))).toEqual([
      "CREATE OR REPLACE VIEW a\n(b UInt8)\nAS SELECT b FROM c",
    ])
  })

  it.for([
    "CREATE VIEW a AS SELECT 1",
    "CREATE OR REPLACE VIEW other AS SELECT 1",
    "CREATE OR REPLACE TABLE a (a UInt8) ENGINE = MergeTree ORDER BY a",
    "CREATE TABLE other (a UInt8) ENGINE = MergeTree ORDER BY a",
    "DROP TABLE a",
    "INSERT INTO a VALUES (1)",
    "ALTER TABLE a ADD COLUMN b UInt8",
    "ALTER TABLE a DROP COLUMN b",
    "ALTER TABLE a RENAME COLUMN b TO c",
  ])("refuses %s", (sql) => {
    expect(Result.isFailure(migrationStatements(file("a", 2, sql)))).toBe(true)
  })
})

describe("the product's own migrations", () => {
  it("are numbered without gaps, and each can be repeated", () => {
    const files = readMigrations()
    expect(files.length).toBeGreaterThan(2)
    expect(Result.getOrThrow(pendingMigrations(files, []))).toEqual(files)
    for (const one of files) expect(Result.isSuccess(migrationStatements(one)), one.file).toBe(true)
  })
})
