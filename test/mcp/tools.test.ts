import { describe, expect, it } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { FIELDS, fieldsParameter } from "../../schemas/contract/fields.ts"
import { allowedWords } from "../../schemas/contract/parameters.ts"
import { pastParameters } from "../../schemas/contract/past.ts"
import { proMacroEndpoint } from "../../schemas/endpoints/pro-macro.ts"
import { earthquakeEndpoint } from "../../schemas/feeds/earthquakes.ts"
import { exampleBody } from "../../schemas/printers/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"
import { mcpClient } from "./client.ts"

const SMALL_LIST_MAX_BYTES = 23 * 1024
/** The large server is for clients that choose among its tools by themselves. */
const LARGE_LIST_MAX_BYTES = 160 * 1024
const ofEach = ["recent_changes", "feed_history", "balance", "top_up", "verify_receipt"]
const data = endpoints.filter(({ tier }) => tier === "free" || tier === "premium")

interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: {
    readonly type: string
    readonly properties: Readonly<Record<string, { readonly enum?: unknown; readonly default?: unknown }>>
    readonly required?: ReadonlyArray<string>
    readonly additionalProperties: boolean
  }
  readonly outputSchema?: Outline
  readonly annotations: Readonly<Record<string, boolean>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

const listed = async (path: string): Promise<ReadonlyArray<ListedTool>> => {
  const { app } = await apiUnderTest({ endpoints })
  return (await mcpClient(app, { path }).result("tools/list")).tools
}

interface Outline {
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Outline>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Outline
  readonly anyOf?: ReadonlyArray<Outline>
}
const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

/** Where a value differs from an outline; null where it fits. */
const misfit = (outline: Outline, value: unknown, at = "$"): string | null => {
  if (outline.anyOf !== undefined)
    return outline.anyOf.some((one) => misfit(one, value, at) === null) ? null : `${at} is none of its choices`
  const types = [outline.type ?? []].flat()
  const type = typeOf(value)
  if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number")))
    return `${at} is ${type}, and not ${types.join(" or ")}`
  if (Array.isArray(value)) {
    const { items } = outline
    return items === undefined
      ? null
      : (value.map((one) => misfit(items, one, `${at}[]`)).find((one) => one !== null) ?? null)
  }
  if (type !== "object") return null
  const members = value as Readonly<Record<string, unknown>>
  const missing = outline.required?.find((name) => !Object.hasOwn(members, name))
  if (missing !== undefined) return `${at}.${missing} is missing`
  const found = Object.entries(outline.properties ?? {}).map(([name, one]) =>
    Object.hasOwn(members, name) ? misfit(one, members[name], `${at}.${name}`) : null,
  )
  return found.find((one) => one !== null) ?? null
}

describe("the outline of a result", () => {
  it("is that of every tool, and fits the example of each dataset", async () => {
    const tools = await listed("/api/mcp/all")
    expect(tools.filter(({ outputSchema }) => outputSchema?.type !== "object")).toEqual([])
    for (const endpoint of data) {
      const tool = tools.find(({ name }) => name === endpoint.name)
      expect(misfit(tool?.outputSchema ?? {}, exampleBody(endpoint)), endpoint.path).toBeNull()
      // It says what stands in the data, and not only that there is some.
      expect(JSON.stringify(tool?.outputSchema).length, endpoint.path).toBeGreaterThan(120)
    }
    expect(misfit({ type: "object", properties: { a: { type: "number" } } }, { a: "1" })).toBe(
      "$.a is string, and not number",
    )
  })

  it("fits what the tools of the small server give", async () => {
    const { app, fill, store } = await apiUnderTest({ endpoints })
    fill(earthquakeEndpoint.path, earthquakeEndpoint.example)
    await store.settled()
    const client = mcpClient(app)
    const outlines = new Map((await listed("/api/mcp")).map(({ name, outputSchema }) => [name, outputSchema]))
    const calls: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
      ["earthquake", {}],
      ["search_datasets", { query: "quakes" }],
      ["describe_dataset", { name: "earthquake" }],
      ["get_dataset", { name: "earthquake" }],
      ["earthquake", { fields: ["magnitude", "location"] }],
      ["get_dataset", { name: "earthquake", parameters: { fields: ["magnitude"] } }],
    ]
    for (const [name, given] of calls) {
      const { structuredContent, isError } = await client.call(name, given)
      expect([name, isError ?? false, misfit(outlines.get(name) ?? {}, structuredContent)]).toEqual([name, false, null])
    }
    const { structuredContent } = await client.call("earthquake", { fields: ["magnitude", "location"] })
    const { earthquakes } = structuredContent.data as { readonly earthquakes: ReadonlyArray<object> }
    expect(Object.keys(earthquakes[0] ?? {})).toEqual(["magnitude", "location"])
    expect(await client.call("earthquake", { fields: ["size"] })).toMatchObject({
      isError: true,
      structuredContent: {
        error: "invalid_parameter",
        parameter: "fields",
        allowed: expect.arrayContaining(["depth_km"]),
      },
    })
  })

  it("keeps the lists of both servers small", async () => {
    for (const [path, maxBytes] of [
      ["/api/mcp", SMALL_LIST_MAX_BYTES],
      ["/api/mcp/all", LARGE_LIST_MAX_BYTES],
    ] as const)
      expect(JSON.stringify(await listed(path)).length, path).toBeLessThan(maxBytes)
  })
})

describe("the small server", () => {
  it("has a dozen tools, in a list that a model's context holds", async () => {
    const { app } = await apiUnderTest({ endpoints })
    const client = mcpClient(app)
    const { tools } = await client.result("tools/list")
    expect(tools.map(({ name }: ListedTool) => name)).toEqual([
      "briefing",
      "agent_context",
      "world_deltas",
      "earthquake",
      "weather",
      "btc_price",
      "search_datasets",
      "describe_dataset",
      "get_dataset",
      ...ofEach,
    ])
    expect((await client.send("tools/list")).rawPayload.length).toBeLessThan(SMALL_LIST_MAX_BYTES)
  })

  it("finds, describes and reads a dataset", async () => {
    const { app, fill, store } = await apiUnderTest({ endpoints })
    fill(earthquakeEndpoint.path, earthquakeEndpoint.example)
    await store.settled()
    const client = mcpClient(app)
    const { structuredContent: found } = await client.call("search_datasets", { query: "Earthquakes by magnitude" })
    expect(found.datasets).toContainEqual({
      name: "climate_earthquakes",
      summary: "Earthquakes by magnitude threshold and period",
      credits: 0,
      required: [],
    })
    const { structuredContent: described } = await client.call("describe_dataset", { name: "earthquake" })
    expect(described).toMatchObject({
      path: "/api/earthquake",
      credits: 0,
      example: { data: earthquakeEndpoint.example },
    })
    const { structuredContent: read, content } = await client.call("get_dataset", { name: "earthquake" })
    expect(read).toMatchObject({ data: earthquakeEndpoint.example, _meta: { stale: false } })
    // The text is the reply of HTTP, byte for byte.
    expect(content).toEqual([{ type: "text", text: (await app.inject({ url: earthquakeEndpoint.path })).body }])
    expect((await client.call("earthquake")).structuredContent).toEqual(read)
    const resource = await client.result("resources/read", { uri: "tidewire:/api/earthquake" })
    expect(resource.contents).toEqual([
      { uri: "tidewire:/api/earthquake", mimeType: "application/json", text: content[0]?.text },
    ])
  })

  it("gives nothing of a source whose terms forbid it to language models, by no tool and no resource", async () => {
    const { path } = earthquakeEndpoint
    const open = async (name: string) => {
      const { app, fill } = await apiUnderTest({ endpoints, modelsClosed: new Map([[path, new Set([name])]]) })
      fill(path, earthquakeEndpoint.example)
      return { app, client: mcpClient(app) }
    }
    const { app, client } = await open("Provider.things")
    for (const [tool, given] of [["earthquake"], ["get_dataset", { name: "earthquake" }]] as const) {
      const result = await client.call(tool, { ...given })
      expect(result).toMatchObject({ isError: true, structuredContent: { error: "not_licensed", path } })
      expect(JSON.stringify(result)).not.toContain("Kodiak")
    }
    expect((await client.send("resources/read", { uri: `tidewire:${path}` })).payload).not.toContain("Kodiak")
    // Over HTTP it is served, and so is another source's data.
    expect((await app.inject({ url: path })).body).toContain("Kodiak")
    const { client: other } = await open("Another.things")
    expect((await other.call("earthquake")).structuredContent).toMatchObject({ data: earthquakeEndpoint.example })
  })

  it("refuses a premium call for such data before it is charged", async () => {
    const modelsClosed = new Map([[proMacroEndpoint.path, new Set(["FRED.dgs10"])]])
    const { app } = await apiUnderTest({ endpoints, modelsClosed })
    expect(await mcpClient(app, { path: "/api/mcp/all" }).call("pro_macro")).toMatchObject({
      isError: true,
      structuredContent: { error: "not_licensed" },
    })
  })

  it("bounds what is searched, and says when nothing is found", async () => {
    const { app } = await apiUnderTest({ endpoints })
    const client = mcpClient(app)
    const search = (given: object) => client.call("search_datasets", { ...given })
    expect((await search({ query: "zzzzzz" })).structuredContent).toEqual({ count: 0, datasets: [] })
    expect((await search({ query: "", limit: 3 })).structuredContent.datasets).toHaveLength(3)
    for (const wrong of [
      {},
      { query: 1 },
      { query: "x".repeat(201) },
      { query: "x", limit: 0 },
      { query: "x", limit: 1.5 },
      { query: "x", other: 1 },
    ])
      expect((await search(wrong)).isError, JSON.stringify(wrong)).toBe(true)
  })

  it("gives the refusals of HTTP as results", async () => {
    const { app } = await apiUnderTest({ endpoints })
    const client = mcpClient(app)
    const error = async (name: string, given: object) => {
      const { isError, structuredContent } = await client.call(name, { ...given })
      return isError === true ? structuredContent.error : null
    }
    expect(await error("weather", {})).toBe("missing_parameter")
    expect(await error("weather", { lat: 91, lon: 0 })).toBe("invalid_parameter")
    expect(await error("weather", { lat: 1, lon: { deep: 1 } })).toBe("invalid_parameter")
    expect(await error("weather", { lat: 1, lon: 1, raw: true })).toBe("unknown_parameter")
    expect(await error("get_dataset", { name: "nothing" })).toBe("unknown_dataset")
    expect(await error("get_dataset", { name: "__proto__" })).toBe("unknown_dataset")
    expect(await error("get_dataset", { name: "earthquake", parameters: [] })).toBe("invalid_parameter")
    expect(await error("describe_dataset", { name: 1 })).toBe("unknown_dataset")
    expect(await error("get_dataset", {})).toBe("missing_parameter")
    const unknown = await client.send("tools/call", { name: "nothing", arguments: {} })
    expect(unknown.json()).toMatchObject({ error: { code: -32_602 } })
  })

  it("does not offer raw indicators of threats, which a program might fetch", async () => {
    const { app } = await apiUnderTest({ endpoints })
    for (const [path, name, given] of [
      ["/api/mcp", "get_dataset", { name: "cyber_threats", parameters: { raw: "true" } }],
      ["/api/mcp/all", "cyber_threats", { raw: "true" }],
    ] as const)
      expect((await mcpClient(app, { path }).call(name, given)).structuredContent).toMatchObject({
        error: "unknown_parameter",
      })
    const { structuredContent } = await mcpClient(app).call("describe_dataset", { name: "cyber_threats" })
    expect(structuredContent.parameters).toEqual({
      type: "object",
      properties: {
        at: { type: "string", pattern: expect.any(String), description: expect.any(String) },
        fields: { type: "array", items: { type: "string" }, description: expect.any(String) },
      },
      required: [],
      additionalProperties: false,
    })
  })
})

describe("the large server", () => {
  it("has one tool for each endpoint of data, as the contract has it", async () => {
    const tools = await listed("/api/mcp/all")
    expect(tools.map(({ name }) => name)).toEqual([...data.map(({ name }) => name), ...ofEach])
    for (const endpoint of data) {
      const tool = tools.find(({ name }) => name === endpoint.name)
      if (tool === undefined) throw new Error(endpoint.name)
      const { properties, required, additionalProperties } = tool.inputSchema
      const { idempotency_key, ...own } = properties
      const fields = "fields" in endpoint ? fieldsParameter(endpoint) : {}
      const declared = { ...endpoint.parameters, ...pastParameters(endpoint), ...fields }
      const offered = Object.entries(declared).filter(([, { forAgents }]) => forAgents !== false)
      expect(Object.keys(own), endpoint.name).toEqual(offered.map(([name]) => name))
      expect(idempotency_key !== undefined, endpoint.name).toBe(isPremium(endpoint))
      expect(additionalProperties).toBe(false)
      for (const [name, parameter] of offered) {
        const isRequired = parameter.default === undefined && parameter.optional !== true
        expect(required?.includes(name) ?? false, `${endpoint.name} ${name}`).toBe(isRequired)
        const words = allowedWords(parameter.schema)
        // Names of fields stand in the outline of the result.
        if (words !== null && name !== FIELDS)
          for (const word of words) expect(JSON.stringify(own[name])).toContain(word)
      }
      expect(tool.annotations).toEqual({
        readOnlyHint: !isPremium(endpoint),
        idempotentHint: !isPremium(endpoint),
        destructiveHint: false,
        openWorldHint: false,
      })
      expect(tool._meta).toEqual({
        "tidewire/path": endpoint.path,
        "tidewire/credits": isPremium(endpoint) ? endpoint.credits : 0,
        ...(isPremium(endpoint) ? { "tidewire/no_charge": endpoint.noCharge.map(({ reason }) => reason) } : {}),
      })
      if (isPremium(endpoint)) expect(tool.description).toContain(`Costs ${endpoint.credits} credit`)
    }
  })

  it("lists the same bytes again, as caches and models expect", async () => {
    const { app } = await apiUnderTest({ endpoints })
    const client = mcpClient(app, { path: "/api/mcp/all" })
    const [first, second] = [await client.result("tools/list"), await client.result("tools/list")]
    expect(second).toEqual(first)
    expect(first).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" })
  })
})
