import { describe, expect, it } from "vitest"
import { changelog, FIRST_RELEASE_DAY } from "../../schemas/changelog.ts"
import { removalEntry } from "../../schemas/testing/removal-entry.ts"
import { committedTables, currentTables, tableFaults, tablesText } from "./promised-tables.ts"

const RELEASE = "2027-01-01"
const before = { quakes: { id: "String", magnitude: "Float64" }, old: { a: "UInt8" } }
const SAYS = "gone, and no entry of the changelog says so"

describe("tables, views and columns", () => {
  it("are committed as they are, and none is gone in silence (else run npm run snapshots)", () => {
    const now = currentTables()
    expect(tableFaults(committedTables(), now, changelog, FIRST_RELEASE_DAY)).toEqual([])
    expect(tablesText(committedTables())).toBe(tablesText(now))
    expect(now.earthquakes_now).toMatchObject({ id: "String", magnitude: "Nullable(Float64)" })
    expect(now).toHaveProperty("feed_endpoints.feed")
    // A key that joins, under one name and with one meaning: addresses are `url`, endpoints `endpoint`.
    for (const [table, columns] of Object.entries(now))
      if (table.endsWith("_now"))
        for (const other of ["link", "purpose", "path"]) expect(columns, table).not.toHaveProperty(other)
  })

  it("that are gone, or have another type, need an entry of the changelog", () => {
    const { magnitude: _, ...without } = before.quakes
    const faults = [`tables/quakes magnitude: ${SAYS}`, `tables/quakes magnitude.Float64: ${SAYS}`]
    const gone = { ...before, quakes: without }
    expect(tableFaults(before, gone, [], RELEASE)).toEqual(faults)
    expect(tableFaults(before, gone, [removalEntry({ path: "tables/quakes", field: "magnitude" })], RELEASE)).toEqual(
      [],
    )
    const retyped = { ...before, quakes: { ...before.quakes, magnitude: "String" } }
    expect(tableFaults(before, retyped, [], RELEASE)).toEqual(faults.slice(1))
    expect(tableFaults(before, { quakes: before.quakes }, [], RELEASE)).toEqual([`tables/old: ${SAYS}`])
    expect(tableFaults(before, gone, [], null)).toEqual([])
    expect(tableFaults({}, before, [], RELEASE)).toEqual([])
  })
})
