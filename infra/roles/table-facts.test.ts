import { describe, expect, it } from "vitest"
import { tables, tableViews } from "../../processors/registry.ts"
import { readMigrations } from "../history/migrations.ts"
import { currentTables } from "../history/promised-tables.ts"
import { readyQueries, tableDictionary, tableFactsOf } from "./provenance.ts"

const names = [...tables, ...tableViews].map(({ name }) => name)

describe("the facts of tables", () => {
  it("have a comment on every table and column, without the escapes of SQL", () => {
    const facts = tableFactsOf(names)
    expect(facts.map(({ name }) => name)).toEqual(names)
    for (const { name, comment, columns } of facts) {
      expect(comment, name).toMatch(/^[A-Z].+[^.\\]$/)
      for (const column of columns) expect(column.comment, `${name}.${column.name}`).toMatch(/^\S[^\\]*$/)
    }
    const ofTsunami = tableFactsOf(["tsunami_messages"])[0]?.columns ?? []
    expect(ofTsunami.find(({ name }) => name === "note")?.comment).toBe("The message's note, empty where none is given")
    // Every line of the DDL that is a column is one of the facts.
    const replaced = new Map(readMigrations().map((one) => [one.table, one.number]))
    const whole = readMigrations().filter(
      ({ table, number, sql }) => /CREATE TABLE/.test(sql) || (/ VIEW /.test(sql) && replaced.get(table) === number),
    )
    for (const { table, sql } of whole)
      for (const [, column] of names.includes(table) ? sql.matchAll(/^ {4}(\w+) [A-Z]\w+/gm) : [])
        expect(facts.find(({ name }) => name === table)?.columns.map(({ name }) => name)).toContain(column)
    expect(tableFactsOf(["chess_games"])[0]?.comment).toContain("its player's rating changes")
    expect(tableFactsOf(["earthquakes"])[0]?.columns[1]).toEqual({
      name: "revised_at",
      type: "DateTime64(3, 'UTC')",
      comment: "When the agency last revised the event",
    })
  })

  it("have the first ready query that reads the table, else one of its latest rows", () => {
    for (const { name, columns, query } of tableFactsOf(names)) {
      expect(query.sql, name).toMatch(new RegExp(String.raw`\bFROM ${name}\b`))
      const [, time] = /ORDER BY (\w+) DESC/.exec(query.sql) ?? []
      if (query.title === "The latest rows") expect(columns.map((column) => column.name)).toContain(time)
    }
    expect(tableFactsOf(["earthquakes"])[0]?.query.title).toMatch(/^Which earthquakes were revised/)
    expect(tableFactsOf(["fires"])[0]?.query).toEqual({
      title: "The latest rows",
      sql: "SELECT * EXCEPT (event_id, log_offset)\nFROM fires\nORDER BY observed_at DESC\nLIMIT 20",
    })
  })

  it("are of tables that the ready queries cover, each itself or by its view", () => {
    const read = readyQueries().map(({ sql }) => sql)
    const isRead = (name: string) => read.some((sql) => new RegExp(String.raw`\b(?:FROM|JOIN) ${name}\b`).test(sql))
    expect(names.filter((name) => !isRead(name) && !isRead(`${name}_now`))).toEqual([])
  })

  it("are those of every table and view that is promised, in the dictionary", () => {
    const dictionary = tableDictionary()
    const columns = dictionary.map(({ name, columns: own }) => [name, own.map((column) => column.name)])
    const promised = Object.entries(currentTables()).map(([name, own]) => [name, Object.keys(own)])
    expect(columns).toEqual(promised)
    for (const { name, comment, query, columns: own } of dictionary) {
      expect(comment, name).toMatch(/^[A-Z].+[^.\\]$/)
      expect(query.sql, name).toMatch(new RegExp(String.raw`\bFROM ${name}\b`))
      for (const column of own) expect(column.comment, `${name}.${column.name}`).not.toBe("")
    }
  })

  it("refuse a table that is not there", () => {
    expect(() => tableFactsOf(["nothing"])).toThrow("the DDL of nothing cannot be read")
  })
})
