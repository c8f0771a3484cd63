import { describe, expect, it } from "vitest"
import type { ApiOptions } from "../../api/routes/route.ts"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { undocumentedBy } from "../../api/testing/documented.ts"
import { endpoints } from "../../schemas/registry.ts"
import { mcpClient } from "./client.ts"

const undocumented = undocumentedBy(endpoints)
const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list" }

const server = async (options: Partial<ApiOptions> = {}) => {
  const api = await apiUnderTest({ endpoints, ...options })
  /** Sends a message; its status, type and headers must be declared in the contract. */
  const post = async (
    payload: object | string | undefined,
    headers: Readonly<Record<string, string>> = {},
    url = "/api/mcp",
  ) => {
    const reply = await api.app.inject({
      method: "POST",
      url,
      ...(payload === undefined ? {} : { payload }),
      headers: { "content-type": "application/json", ...headers },
    })
    expect(undocumented("POST", url, reply) ?? [], JSON.stringify(payload)).toEqual([])
    return reply
  }
  return { ...api, post }
}

describe("the paths of MCP", () => {
  it.each(["/api/mcp", "/api/mcp/all"])("%s takes POST alone", async (url) => {
    const { app } = await server()
    for (const method of ["GET", "DELETE", "PUT"] as const) {
      const { statusCode, headers } = await app.inject({ method, url })
      expect([statusCode, headers.allow], method).toEqual([405, "POST, OPTIONS"])
    }
  })

  it("answer a message without headers of the protocol, as the revisions before 2026 allow", async () => {
    const { post } = await server()
    const { statusCode, headers, ...reply } = await post(listTools)
    expect([statusCode, headers["cache-control"]]).toEqual([200, "no-store"])
    expect(reply.json()).toMatchObject({ jsonrpc: "2.0", id: 1, result: { tools: expect.any(Array) } })
  })

  it("accept a notification without a body", async () => {
    const { post } = await server()
    const { statusCode, body } = await post({ jsonrpc: "2.0", method: "notifications/initialized" })
    expect([statusCode, body]).toEqual([202, ""])
  })

  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

  it.each([
    ["arrays", nested("[", "]", 5_000)],
    ["objects", nested('{"a":', "}", 5_000).replace(":}", ":1}")],
    ["arrays without an end", "[".repeat(10_000)],
  ])("refuse %s that are nested deeper than the bound, wherever they stand, in words of their own", async (_, deep) => {
    const { post } = await server()
    for (const text of [
      deep,
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_datasets","arguments":{"query":${deep}}}}`,
    ])
      for (const url of ["/api/mcp", "/api/mcp/all"]) {
        const { statusCode, ...reply } = await post(text, {}, url)
        expect(statusCode).toBe(400)
        expect(reply.json().error).toEqual({
          code: -32_600,
          message: "The body nests arrays and objects deeper than this service reads.",
        })
      }
  })

  it("take brackets in texts for what they are", async () => {
    const { post } = await server()
    const query = '["{\\'.repeat(20)
    const reply = await post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_datasets", arguments: { query } },
    })
    expect(reply.statusCode).toBe(200)
    expect(reply.json().error).toBeUndefined()
  })

  it.each([
    ["no JSON", "{", 400, -32_700],
    ["an empty body", "", 400, -32_700],
    ["a batch, which would count as one request", [listTools, listTools], 400, -32_600],
    ["no object", "7", 400, -32_600],
    ["null", "null", 400, -32_600],
    ["an unknown method of 2025", { jsonrpc: "2.0", id: 1, method: "nothing" }, 200, -32_601],
    ["a subscription", { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" }, 404, -32_601],
  ])("refuse %s in the protocol's own form", async (_, payload, status, code) => {
    const { post, errors } = await server()
    const reply = await post(payload)
    expect(reply.statusCode).toBe(status)
    expect(reply.json()).toMatchObject({ jsonrpc: "2.0", error: { code, message: expect.any(String) } })
    expect(errors).toEqual([])
  })

  it.each([
    ["an unknown revision", { "mcp-protocol-version": "2031-01-01" }, -32_022],
    ["another method in the header", { "mcp-method": "tools/call" }, -32_020],
  ])("refuse %s", async (_, wrong, code) => {
    const { app } = await server()
    const reply = await mcpClient(app, { headers: wrong }).send("tools/list")
    expect([reply.statusCode, reply.json().error.code === code || reply.json().error.code === -32_020]).toEqual([
      400,
      true,
    ])
  })

  it("refuse bodies that are too large or in another media type, before they are read by the protocol", async () => {
    const { post } = await server()
    expect((await post({ ...listTools, params: { text: "x".repeat(70_000) } })).statusCode).toBe(413)
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded"])
      expect((await post(JSON.stringify(listTools), { "content-type": type })).statusCode, type).toBe(415)
  })
})

describe("web pages", () => {
  const asking = (origin: string, host: string) => ({ origin, host })

  it.each([
    ["a page of another site", asking("https://evil.example", "tidewire.example"), 403],
    ["a name that was pointed at this machine", asking("http://evil.example", "evil.example"), 403],
    ["another page at a loopback name", asking("http://evil.example", "localhost:8080"), 403],
    ["a page without an origin", asking("null", "localhost:8080"), 403],
    ["nonsense", asking("::", "localhost:8080"), 403],
    ["another scheme of the public name", asking("http://tidewire.example", "tidewire.example"), 403],
    ["another port of the public name", asking("https://tidewire.example:444", "tidewire.example"), 403],
    ["the own page, behind a proxy that sends its own Host", asking("https://tidewire.example", "upstream"), 200],
    ["a page of this machine, on any port", asking("http://localhost:6274", "127.0.0.1:8080"), 200],
    ["a page of this machine, at the public name", asking("http://localhost:6274", "tidewire.example"), 403],
    ["the own page, by its address", asking("http://192.0.2.7:8080", "192.0.2.7:8080"), 200],
    ["another page, by its address", asking("http://192.0.2.8:8080", "192.0.2.7:8080"), 403],
  ])("%s", async (_, headers, status) => {
    const { post } = await server({ baseUrl: "https://tidewire.example" })
    expect((await post(listTools, headers)).statusCode).toBe(status)
  })

  it("are told apart without a public address too", async () => {
    const { post } = await server()
    expect((await post(listTools, asking("http://evil.example", "evil.example"))).statusCode).toBe(403)
    expect((await post(listTools, asking("http://[::1]:3000", "[::1]:8080"))).statusCode).toBe(200)
    expect((await post(listTools, { host: "tidewire.internal" })).statusCode).toBe(200)
  })
})

describe("limits", () => {
  it("count every message against the share of a minute", async () => {
    const { post } = await server({ limits: { serviceRequestsPerMinute: 2 } })
    const statuses = [await post(listTools), await post(listTools), await post(listTools)]
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429])
  })

  it("count what a tool reads against the client's share of a day, as over HTTP", async () => {
    const { app } = await server({ limits: { requestsPerDay: 2 } })
    const client = mcpClient(app)
    expect((await client.call("earthquake")).isError).toBeUndefined()
    expect((await app.inject({ url: "/api/earthquake" })).statusCode).toBe(200)
    const refused = await client.call("earthquake")
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { status: 429, error: "rate_limited", retry_after_seconds: expect.any(Number) },
    })
    await expect(client.result("resources/read", { uri: "tidewire:/api/earthquake" })).rejects.toThrow("rate_limited")
    // What is free of that share still answers.
    expect((await client.call("search_datasets", { query: "earthquake" })).isError).toBeUndefined()
  })

  it("count the client behind a trusted proxy, and not the proxy", async () => {
    const { app } = await server({ limits: { requestsPerDay: 1 }, trustedProxies: ["127.0.0.1"] })
    const from = (address: string) => mcpClient(app, { headers: { "x-forwarded-for": address } })
    expect((await from("192.0.2.1").call("earthquake")).isError).toBeUndefined()
    expect((await from("192.0.2.1").call("earthquake")).isError).toBe(true)
    expect((await from("192.0.2.2").call("earthquake")).isError).toBeUndefined()
  })

  it("count in usage: the message as a request to the server, the dataset as read by MCP", async () => {
    const { app, traffic } = await server()
    await mcpClient(app, { headers: { "user-agent": "Claude-User/1.0" } }).call("earthquake")
    expect(traffic.takeUsage()).toEqual([
      expect.objectContaining({ endpoint: "earthquake", client: "mcp", agent: null, requests: 1, refused: 0 }),
      expect.objectContaining({ endpoint: "mcp", client: "ai_agent", agent: "Claude-User", requests: 1, refused: 0 }),
    ])
  })
})

describe("discovery", () => {
  it("finds the servers by the catalog and the card, and every link answers", async () => {
    const { app, post } = await server({ baseUrl: "https://tidewire.example" })
    const catalog = await app.inject({ url: "/.well-known/ai-catalog.json" })
    expect(catalog.headers["content-type"]).toBe("application/ai-catalog+json; charset=utf-8")
    const [entry] = catalog.json().entries
    expect(entry).toMatchObject({
      identifier: "urn:air:tidewire.example:tidewire",
      type: "application/mcp-server-card+json",
      url: "https://tidewire.example/api/mcp/server-card",
    })
    const card = await app.inject({ url: new URL(entry.url).pathname })
    expect(card.headers).toMatchObject({
      "content-type": "application/mcp-server-card+json; charset=utf-8",
      "access-control-allow-origin": "*",
    })
    expect((await app.inject({ url: "/.well-known/mcp/server-card.json" })).body).toBe(card.body)
    // The entry of a registry is the same, in the members of its schema.
    const registered = (await app.inject({ url: "/server.json" })).json()
    expect(registered).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "example.tidewire/tidewire",
      title: card.json().title,
      description: card.json().description,
      version: card.json().version,
      websiteUrl: "https://tidewire.example",
      remotes: card
        .json()
        .remotes.map(({ type, url, headers }: Readonly<Record<string, unknown>>) => ({ type, url, headers })),
    })
    expect(registered.remotes.map(({ url }: { readonly url: string }) => new URL(url).pathname)).toEqual([
      "/api/mcp",
      "/api/mcp/all",
    ])
    const { name, version, title, remotes } = card.json()
    expect(name).toBe("example.tidewire/tidewire")
    for (const { url, supportedProtocolVersions } of remotes) {
      const path = new URL(url).pathname
      const discovered = await mcpClient(app, { path }).result("server/discover")
      const legacy = supportedProtocolVersions.filter((one: string) => !discovered.supportedVersions.includes(one))
      expect(legacy).toEqual(["2025-11-25", "2025-06-18"])
      for (const protocolVersion of legacy) {
        const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
        const { result } = (await post({ ...listTools, method: "initialize", params }, {}, path)).json()
        expect(result).toMatchObject({ protocolVersion, serverInfo: { name: "tidewire", title, version } })
      }
      const unknown = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const { result } = (await post({ ...listTools, method: "initialize", params: unknown }, {}, path)).json()
      expect(legacy).toContain(result.protocolVersion)
    }
  })
})
