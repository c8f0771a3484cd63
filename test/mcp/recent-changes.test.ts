import { describe, expect, it } from "vitest"
import { apiWithChanges, type Listed, ListedChanges } from "../../api/testing/listed-changes.ts"
import { climateEarthquakesEndpoint } from "../../schemas/feeds/earthquakes.ts"
import { endpoints } from "../../schemas/registry.ts"
import { mcpClient } from "./client.ts"

// What is new, as a tool of both servers.

interface Result {
  readonly changes: ReadonlyArray<{ readonly cursor: string; readonly feed: string }>
  readonly next: string | null
  readonly up_to_date: boolean
  readonly not_for_models: ReadonlyArray<string>
}

const open = async (listed: ReadonlyArray<Listed>, options: Parameters<typeof apiWithChanges>[1] = {}) => {
  const changes = new ListedChanges()
  changes.add(...listed)
  const { app } = await apiWithChanges(changes, { endpoints, ...options })
  const client = mcpClient(app)
  const read = async (given: Readonly<Record<string, unknown>> = {}) => {
    const result = await client.call("recent_changes", given)
    return { ...result, page: result.structuredContent as unknown as Result }
  }
  return { app, changes, read }
}
const many = (count: number): ReadonlyArray<Listed> => Array.from({ length: count }, () => ({}))

describe("recent_changes", () => {
  it("is a tool of both servers, free, with the schema of its result", async () => {
    const { app } = await open([])
    for (const path of ["/api/mcp", "/api/mcp/all"]) {
      const { tools } = await mcpClient(app, { path }).result("tools/list")
      const tool = tools.find(({ name }: { readonly name: string }) => name === "recent_changes")
      expect(tool).toMatchObject({ annotations: { readOnlyHint: true }, outputSchema: { type: "object" } })
      expect(Object.keys(tool.inputSchema.properties)).toEqual(
        expect.arrayContaining(["after", "feeds", "types", "limit", "min_magnitude", "bbox", "symbols"]),
      )
      // A model does not wait.
      expect(tool.inputSchema.properties).not.toHaveProperty("wait")
    }
  })

  it("gives the newest changes, then those behind next, each once, as the page of the door does", async () => {
    const { app, changes, read } = await open(many(50))
    const { page: newest, content } = await read()
    expect(newest.changes.map(({ cursor }) => cursor)).toEqual(
      Array.from({ length: 20 }, (_, at) => changes.cursor(31 + at)),
    )
    expect(newest).toMatchObject({ next: changes.cursor(50), up_to_date: true, not_for_models: [] })
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(newest)
    const seen: Array<string> = []
    for (let after: string | null = "start"; after !== null; ) {
      const { page } = await read({ after, limit: 15 })
      seen.push(...page.changes.map(({ cursor }) => cursor))
      after = page.up_to_date ? null : page.next
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, at) => changes.cursor(at + 1)))
    const { page } = await read({ after: "start", limit: 100 })
    expect((await app.inject("/api/changes?after=start&limit=100")).json().changes).toEqual(page.changes)
  })

  it("chooses by feeds, types and filters, given as lists", async () => {
    const { read } = await open([
      { feed: "fear-greed", endpoint: "fear-greed" },
      { type: "gone" },
      { item: { magnitude: 3 } },
      { item: { magnitude: 6 } },
    ])
    expect((await read({ feeds: ["fear-greed", "earthquakes"], types: ["gone"] })).page.changes).toMatchObject([
      { type: "gone" },
    ])
    expect((await read({ min_magnitude: 5.5, after: "start" })).page.changes).toMatchObject([
      { item: { magnitude: 6 } },
    ])
  })

  it("is cut before a change that a result cannot hold, with the cursor to go on from", async () => {
    const { changes, read } = await open(
      Array.from({ length: 6 }, () => ({ item: { magnitude: 5, text: "x".repeat(60_000) } })),
    )
    const { page: first } = await read({ after: "start" })
    expect(first.changes).toHaveLength(4)
    expect(first).toMatchObject({ next: changes.cursor(4), up_to_date: false })
    const { page: rest } = await read({ after: first.next })
    expect(rest.changes.map(({ cursor }) => cursor)).toEqual([changes.cursor(5), changes.cursor(6)])
    expect(rest.up_to_date).toBe(true)
  })

  it("leaves out what no model may be given, and says of which feeds, and goes on behind it", async () => {
    const modelsClosed = new Map([[climateEarthquakesEndpoint.path, new Set(["usgs"])]])
    const { changes, read } = await open([{}, { feed: "fear-greed", endpoint: "fear-greed" }, {}], {
      modelsClosed,
    })
    const { page } = await read({ after: "start" })
    expect(page.changes.map(({ feed }) => feed)).toEqual(["fear-greed"])
    expect(page).toMatchObject({ next: changes.cursor(3), up_to_date: true, not_for_models: ["earthquakes"] })
  })

  it.each<readonly [Readonly<Record<string, unknown>>, string]>([
    [{ limit: 101 }, "invalid_parameter"],
    [{ limit: "10" }, "invalid_parameter"],
    [{ after: "yesterday" }, "invalid_cursor"],
    [{ after: "aaaaaaaa.000000000001" }, "other_log"],
    [{ feeds: ["nothing"] }, "unknown_feed"],
    [{ feeds: { deep: 1 } }, "invalid_parameter"],
    [{ wait: 20 }, "unknown_parameter"],
  ])("refuses %o as a result", async (given, error) => {
    const { read } = await open(many(3))
    expect(await read(given)).toMatchObject({ isError: true, structuredContent: { error } })
  })
})
