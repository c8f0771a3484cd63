import * as Result from "effect/Result"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sitePages } from "../../api/pages/site-registry.ts"
import { offeringWithout } from "../../infra/roles/offering.ts"
import { sources } from "../../ingestors/registry.ts"
import { defaultParameters, type Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { simulatedUpstreams, startWorld, type WorldServer } from "../world/server.ts"

// One service without an endpoint of each kind of data, by path and by name; the feed of `/api/fear-greed` has other readers.

const names = [
  "/api/chess-tv",
  "/api/fear-greed",
  "exposure_scan",
  "/api/pro/sentiment",
  "/api/pro/feed-reliability/history",
]
const offering = Result.getOrThrow(offeringWithout(names))
const { endpoints, notOffered, idleFeeds } = offering

/** The hosts of the upstreams of some feeds. */
const hostsOf = (isChosen: (feed: string) => boolean): ReadonlySet<string> => {
  const recorded = new Set(sources.flatMap(({ fills, recordedIn }) => (isChosen(fills.name) ? [recordedIn] : [])))
  return new Set(simulatedUpstreams.flatMap(({ name, hosts }) => (recorded.has(name) ? hosts : [])))
}
const needed = hostsOf((feed) => !idleFeeds.has(feed))
const idle = [...hostsOf((feed) => idleFeeds.has(feed))].filter((host) => !needed.has(host))

const directory = temporaryDirectory()
let service: Service
let world: WorldServer

beforeAll(async () => {
  world = await startWorld({ seed: "some-off" })
  service = await startService({
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "5", ENDPOINTS_OFF: names.join(", ") },
  })
  await service.ready()
  // The first verdict follows the first poll of every feed that is declared.
  await eventually("every feed was tried", async () => (await service.json("/api/feed-reliability")).data !== null)
  // The engine of the history may be ready later than the service.
  await eventually("the history answers", async () => (await service.get("/api/btc-price/history")).status === 200)
})
afterAll(async () => {
  const code = await service?.end("SIGTERM")
  await world?.close()
  removeDirectory(directory)
  expect(code).toBe(0)
})

/** The address of an endpoint at its defaults, and the examples of what has none. */
const addressOf = (endpoint: Endpoint): string => {
  const examples = Object.entries(endpoint.parameters).flatMap(([name, { optional, example }]) =>
    optional === true ? [] : [[name, example] as const],
  )
  return instanceKey(endpoint.path, { ...Object.fromEntries(examples), ...defaultParameters(endpoint) })
}

const callMcp = async (path: string, method: string) => {
  const response = await service.get(path, {
    method: "POST",
    headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }),
  })
  return response.text()
}

describe("endpoints that are off", () => {
  it("are of every kind of data", () => {
    expect([...new Set(notOffered.map(({ kind }) => kind))].sort()).toEqual([
      "filtered",
      "history",
      "on-demand",
      "prepared",
      "queried",
    ])
  })

  it.each(notOffered.map((endpoint) => [endpoint.path, endpoint] as const))(
    "%s is not offered",
    async (_, endpoint) => {
      const response = await service.get(addressOf(endpoint))
      expect([response.status, response.headers.get("content-type")]).toEqual([
        404,
        "application/problem+json; charset=utf-8",
      ])
      expect(await response.json()).toMatchObject({ status: 404, error: "not_offered", catalog: `${service.url}/api` })
    },
  )

  it("are named by no document but the list of changes of the contract", async () => {
    const listed = endpoints.filter(({ kind, path }) => kind === "document" && !path.startsWith("/changelog"))
    expect(listed.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/api", "/openapi.json", "/llms.txt", "/llms-full.txt", "/api/llm-tools", "/robots.txt"]),
    )
    for (const document of listed) {
      const response = await service.get(addressOf(document))
      const text = await response.text()
      for (const { path } of notOffered)
        expect([document.path, path, text.includes(path)], text.slice(0, 200)).toEqual([document.path, path, false])
      // Tools are named after their endpoints.
      if (document.path === "/api/llm-tools") for (const { name } of notOffered) expect(text).not.toContain(`_${name}"`)
    }
  })

  it("are linked from no page", async () => {
    const pages = sitePages.map(({ path }) => path).filter((path) => !path.includes(":"))
    expect(pages).toContain("/")
    for (const page of pages) {
      const response = await service.get(page, { headers: { accept: "text/html" } })
      expect([page, response.status]).toEqual([page, 200])
      const links = [...(await response.text()).matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
      for (const { path } of notOffered) expect(links, page).not.toContain(path)
    }
  })

  it("are neither tools nor resources of MCP", async () => {
    for (const path of ["/api/mcp", "/api/mcp/all"])
      for (const method of ["tools/list", "resources/list"]) {
        const text = await callMcp(path, method)
        expect(text).toContain(method === "tools/list" ? "briefing" : "tidewire:/api/briefing")
        for (const one of notOffered) {
          // As a tool: a member of a reply may have its name.
          expect(text, `${path} ${method}`).not.toContain(`"name":"${one.name}"`)
          expect(text, `${path} ${method}`).not.toContain(`${one.path}"`)
        }
      }
  })

  it("are said once at the start, with what is not polled", () => {
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.includes("ENDPOINTS_OFF"))
    expect(lines).toHaveLength(1)
    // A history goes with its endpoint.
    for (const { path, kind } of notOffered) if (kind !== "history") expect(lines[0]).toContain(path)
    for (const feed of idleFeeds) expect(lines[0]).toContain(feed)
  })
})

describe("the rest of the contract", () => {
  it.each(endpoints.filter(({ kind }) => kind !== "command").map((one) => [one.path, one] as const))(
    "%s is served",
    async (_, endpoint) => {
      const { status } = await service.get(addressOf(endpoint))
      // This installation sells nothing and has no SECURITY_CONTACT.
      if (endpoint.tier === "premium") expect(status).toBe(402)
      else if (endpoint.path === "/.well-known/security.txt") expect(status).toBe(404)
      else if (endpoint.path === "/api/payment/info") expect(status).toBe(503)
      else expect(status).toBe(200)
    },
  )

  it("is polled, and the upstreams of what is off alone are never requested", async () => {
    expect([...idleFeeds].sort()).toEqual(["chess-tv", "exposure-scan", "headlines", "press-releases"])
    expect(idle.length).toBeGreaterThan(2)
    // The feed of an endpoint that is off, which others read.
    const [host = ""] = hostsOf((feed) => feed === "fear-greed")
    const requests = world.requests.get(host) ?? 0
    expect(requests).toBeGreaterThan(0)
    await eventually(`${host} is requested again`, async () => (world.requests.get(host) ?? 0) > requests)
    expect(idle.map((one) => [one, world.requests.get(one) ?? 0])).toEqual(idle.map((one) => [one, 0]))
  })

  it("judges no feed that is not polled", async () => {
    const { data } = (await service.json("/api/feed-reliability")) as {
      readonly data: Readonly<Record<string, unknown>>
    }
    const text = JSON.stringify(data)
    expect(text).toContain('"fear-greed')
    for (const feed of idleFeeds) expect(text).not.toContain(`"${feed}`)
  })
})
