import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../schemas/contract/endpoint.ts"
import { choice } from "../schemas/contract/parameters.ts"
import { toolsOf } from "../schemas/printers/tools.ts"
import { apiUnderTest, contract } from "./testing/api-under-test.ts"
import { undocumentedBy } from "./testing/documented.ts"

const common = {
  kind: "prepared",
  tier: "free",
  ttl: "2 minutes",
  summary: "Old things",
  description: "Things of the past.",
  parameters: { size: choice(["small", "large"], { default: "small", description: "How large" }) },
  data: Schema.Struct({ items: Schema.Array(Schema.String) }),
  example: { items: ["one"] },
} as const

const old = endpoint({
  ...common,
  path: "/api/old",
  name: "old",
  deprecated: [{ since: "2026-08-01", until: "2026-12-01", note: "Use /api/things.", successor: "/api/things" }],
})

const partly = endpoint({
  ...common,
  path: "/api/partly",
  name: "partly",
  deprecated: [{ since: "2026-08-01", until: "2026-12-01", note: "Nobody reads it.", field: "data.items" }],
})

const endpoints = [...contract, old, partly]
const missing = undocumentedBy(endpoints)

const announced = {
  "x-service-deprecation": "/api/old; until=2026-12-01",
  deprecation: "@1785542400",
  sunset: "Tue, 01 Dec 2026 00:00:00 GMT",
  link: '</changelog>; rel="deprecation"; type="text/html", </changelog>; rel="sunset"; type="text/html", </api/things>; rel="successor-version"',
}

describe("a deprecated endpoint", () => {
  it("announces itself with every reply, as the contract documents it", async () => {
    const { app, fill } = await apiUnderTest({ endpoints, limits: { requestsPerDay: 4 } })
    fill("/api/old?size=small", { items: ["one"] })
    const ask = async (url: string, headers: Record<string, string> = {}) => {
      const reply = await app.inject({ url, headers })
      expect(reply.headers, `${url} ${reply.statusCode}`).toMatchObject(announced)
      expect(missing("GET", url, reply), `${url} ${reply.statusCode}`).toEqual([])
      return reply
    }
    const first = await ask("/api/old")
    const again = await ask("/api/old", { "if-none-match": String(first.headers.etag) })
    const cold = await ask("/api/old?size=large")
    const wrong = await ask("/api/old?size=huge")
    const refused = await ask("/api/old")
    expect([first, again, cold, wrong, refused].map(({ statusCode }) => statusCode)).toEqual([200, 304, 200, 400, 429])
    expect(first.headers["access-control-expose-headers"]).toContain("X-Service-Deprecation")
    for (const name of ["Deprecation", "Sunset", "Link"])
      expect(String(first.headers["access-control-expose-headers"]).split(", ")).toContain(name)
  })

  it("stands in the catalog and in the OpenAPI document", async () => {
    const { app } = await apiUnderTest({ endpoints })
    const catalog = (await app.inject({ url: "/api" })).json()
    const document = (await app.inject({ url: "/openapi.json" })).json()
    const entryOf = (path: string) => catalog.endpoints.find((one: { path: string }) => one.path === path)
    expect(entryOf("/api/old").deprecated).toEqual(old.deprecated)
    expect(entryOf("/api/partly").deprecated).toEqual(partly.deprecated)
    expect(entryOf("/api/things").deprecated).toEqual([])
    expect(document.paths["/api/old"].get).toMatchObject({
      deprecated: true,
      description:
        "Things of the past. This endpoint is deprecated, and may be gone from 2026-12-01 on: Use /api/things.",
    })
    expect(toolsOf(endpoints).find(({ path }) => path === "/api/old")?.description).toContain("is deprecated")
    expect(document.paths["/api/partly"].get).not.toHaveProperty("deprecated")
    expect(document.paths["/api/partly"].get.description).toContain("data.items is deprecated")
    expect(document.paths["/api/things"].get).not.toHaveProperty("deprecated")
  })

  it("of which only a field is deprecated says so, and not that it goes itself", async () => {
    const { app, fill } = await apiUnderTest({ endpoints })
    fill("/api/partly?size=small", { items: ["one"] })
    const reply = await app.inject({ url: "/api/partly" })
    expect(reply.headers).toMatchObject({ "x-service-deprecation": "data.items; until=2026-12-01" })
    expect(reply.headers).not.toHaveProperty("deprecation")
    expect(reply.headers).not.toHaveProperty("sunset")
    expect(missing("GET", "/api/partly", reply)).toEqual([])
  })

  it("is the only one that does", async () => {
    const { app } = await apiUnderTest({ endpoints })
    for (const url of ["/api/things", "/api", "/api/health", "/nothing"]) {
      const { headers } = await app.inject({ url })
      for (const name of ["x-service-deprecation", "deprecation", "sunset"])
        expect(headers, url).not.toHaveProperty(name)
    }
  })
})
