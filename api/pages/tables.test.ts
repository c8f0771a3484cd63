import { describe, expect, it } from "vitest"
import type { TableFacts } from "../../schemas/contract/provenance.ts"
import { endpoints } from "../../schemas/registry.ts"
import { apiUnderTest } from "../testing/api-under-test.ts"

const tables: ReadonlyArray<TableFacts> = ["quakes", "quakes_now"].map((name) => ({
  name,
  comment: "Every revision, one row <each>",
  columns: [{ name: "depth_km", type: "Nullable(Float64)", comment: "Depth below sea level, kilometres" }],
  query: { title: "The deepest", sql: `SELECT depth_km\nFROM ${name}\nWHERE depth_km > 1 | 2` },
}))

describe("the page of tables", () => {
  it("has every table with its columns, their units and a query, as HTML and as Markdown", async () => {
    const { app } = await apiUnderTest({ endpoints, tables: () => tables })
    const page = (await app.inject({ url: "/docs/tables", headers: { accept: "text/html" } })).body
    const twin = (await app.inject({ url: "/docs/tables.md" })).body
    for (const { name } of tables) {
      expect(page).toContain(`<section id="${name}">`)
      expect(page).toContain(`<a href="#${name}">`)
      expect(twin).toContain(`## ${name}\n\nEvery revision, one row <each>.\n`)
      expect(twin).toContain(`\`\`\`sql\nSELECT depth_km\nFROM ${name}\n`)
    }
    expect(page).toContain("one row &lt;each&gt;")
    expect(page).toContain("<td>Depth below sea level, kilometres</td>")
    expect(twin).toContain("| depth_km | Nullable(Float64) | Depth below sea level, kilometres |")
  })

  it("says so where no history is kept, and reads no tables", async () => {
    const read = () => {
      throw new Error("read")
    }
    const { app } = await apiUnderTest({ endpoints, tables: read, keepsHistory: false })
    for (const url of ["/docs/tables", "/docs/tables.md"])
      expect((await app.inject({ url, headers: { accept: "text/html" } })).body).toContain("keeps no history")
  })
})
