import { describe, expect, it } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { ListedHistory } from "../../api/testing/listed-history.ts"
import { endpoints } from "../../schemas/registry.ts"
import { mcpClient } from "./client.ts"

// The past of any feed, as one tool of both servers.

interface Result {
  readonly feed: string
  readonly changes: ReadonlyArray<{ readonly key: string; readonly at: string | null }>
  readonly next: string | null
}

const open = async (listed: ConstructorParameters<typeof ListedHistory>[0], options = {}) => {
  const { app } = await apiUnderTest({ endpoints, itemHistory: new ListedHistory(listed), ...options })
  const client = mcpClient(app)
  const read = async (given: Readonly<Record<string, unknown>>) => {
    const result = await client.call("feed_history", given)
    return { ...result, page: result.structuredContent as unknown as Result }
  }
  return { app, read }
}
const many = (count: number, rest = {}) => Array.from({ length: count }, () => rest)

describe("feed_history", () => {
  it("is one tool of both servers, free, with the schema of its result", async () => {
    const { app } = await open([])
    for (const path of ["/api/mcp", "/api/mcp/all"]) {
      const { tools } = await mcpClient(app, { path }).result("tools/list")
      const named = tools.filter(({ name }: { readonly name: string }) => name.includes("history"))
      const tool = named.find(({ name }: { readonly name: string }) => name === "feed_history")
      expect(tool).toMatchObject({ annotations: { readOnlyHint: true }, outputSchema: { type: "object" } })
      expect(Object.keys(tool.inputSchema.properties).sort()).toEqual(
        ["cursor", "from", "limit", "name", "order", "to"].sort(),
      )
      expect(named.filter(({ name }: { readonly name: string }) => name.endsWith("earthquakes_history"))).toEqual([])
    }
  })

  it("gives pages by the name of a dataset or of a feed, which follow each other by next", async () => {
    const { read } = await open(many(50))
    const seen: Array<string> = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { page } = await read({
        name: "earthquakes",
        limit: 15,
        order: "asc",
        ...(cursor === undefined ? {} : { cursor }),
      })
      seen.push(...page.changes.map(({ key }) => key))
      cursor = page.next
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, at) => `quake ${at + 1}`))
    const { page } = await read({ name: "climate_earthquakes" })
    expect(page).toMatchObject({ feed: "earthquakes", changes: many(20, { at: expect.stringContaining("?at=") }) })
  })

  it("finds each feed of an endpoint that states several", async () => {
    const { read } = await open([{ feed: "known-exploited" }, { feed: "malware-urls" }])
    expect((await read({ name: "known-exploited" })).page).toMatchObject({ feed: "known-exploited", changes: [{}] })
    expect((await read({ name: "cyber_threats" })).page).toMatchObject({ feed: "malware-urls", changes: [{}] })
  })

  it("gives fewer changes where a result cannot hold them, and goes on behind these", async () => {
    const { read } = await open(many(20, { item: { text: "x".repeat(60_000) } }))
    const { page, isError } = await read({ name: "earthquakes", limit: 20 })
    expect([isError, page.changes.map(({ key }) => key)]).toEqual([undefined, ["quake 20", "quake 19"]])
    expect((await read({ name: "earthquakes", limit: 2, cursor: page.next })).page.changes[0]).toMatchObject({
      key: "quake 18",
    })
  })

  it.each([
    [{}, "missing_parameter"],
    [{ name: "nothing" }, "unknown_dataset"],
    [{ name: "pro_macro" }, "unknown_dataset"],
    [{ name: "earthquakes", limit: 101 }, "invalid_parameter"],
    [{ name: "earthquakes", limit: "3" }, "invalid_parameter"],
    [{ name: "earthquakes", from: "2026-11-20" }, "invalid_parameter"],
    [{ name: "earthquakes", cursor: "abc" }, "invalid_cursor"],
    [{ name: "earthquakes", feed: "earthquakes" }, "unknown_parameter"],
    [{ name: "earthquakes", format: "csv" }, "unknown_parameter"],
  ])("refuses %j", async (given, error) => {
    const { read } = await open(many(3))
    const { isError, structuredContent } = await read(given)
    expect([isError, structuredContent]).toMatchObject([true, { error }])
  })

  it("gives no model what the terms of a source forbid it", async () => {
    const closed = new Map([["/api/climate/earthquakes", new Set(["USGS.earthquakes"])]])
    const { read } = await open(many(3), { modelsClosed: closed })
    const { isError, structuredContent } = await read({ name: "earthquakes" })
    expect([isError, structuredContent]).toMatchObject([
      true,
      { error: "not_licensed", path: "/api/climate/earthquakes/history" },
    ])
  })
})
