import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { changelog } from "../schemas/changelog.ts"
import type { AttributionByPath } from "../schemas/contract/catalog.ts"
import { type Endpoint, isPremium } from "../schemas/contract/endpoint-kinds.ts"
import { FIELDS_MAX, fieldsOf } from "../schemas/contract/fields.ts"
import { Components } from "../schemas/contract/openapi-components.ts"
import { CREDITS_PER_USD } from "../schemas/contract/refusal.ts"
import { Problem } from "../schemas/contract/reply.ts"
import { agentParameters, isData, toolsOf } from "../schemas/contract/tools.ts"
import { endpoints } from "../schemas/registry.ts"
import { defaultLimits } from "./http/limits.ts"
import { addressOf } from "./pages/llms.ts"
import { apiUnderTest, START_MS } from "./testing/api-under-test.ts"
import { undocumentedBy } from "./testing/documented.ts"

const BASE = "https://api.example"
const attribution: AttributionByPath = new Map([
  [
    "/api/forex",
    [{ provider: "European Central Bank", licence: "Free reuse with attribution.", url: "https://ecb.example" }],
  ],
])

const api = (baseUrl: string | null = null) =>
  apiUnderTest({ endpoints, attribution, baseUrl, securityContact: "mailto:security@example.org" })

type Api = Awaited<ReturnType<typeof api>>["app"]

const textOf = async (app: Api, url: string, headers: Record<string, string> = {}) => {
  const { statusCode, body } = await app.inject({ url, headers })
  expect(statusCode, url).toBe(200)
  return body
}

const free = endpoints.filter(({ tier }) => tier === "free")
const premium = endpoints.filter(isPremium)

/** The parts of an llms.txt: what stands before the sections, and the lines of each section. */
const partsOf = (text: string) => {
  const [head = "", ...sections] = text.split(/^## /m)
  return {
    head,
    sections: new Map(
      sections.map((section): [string, ReadonlyArray<string>] => {
        const [title = "", ...lines] = section.split("\n")
        return [title, lines.filter((line) => line !== "")]
      }),
    ),
  }
}

const LINK = /^- \[([^\]]+)\]\(([^)\s]+)\): (.+)$/

describe("/llms.txt", () => {
  it("has the form of llmstxt.org: a title, a quote, details, and sections of links alone", async () => {
    const { app } = await api()
    const { headers, body } = await app.inject({ url: "/llms.txt" })
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
    expect(headers["cache-control"]).toContain("max-age=3600,")
    const { head, sections } = partsOf(body)
    expect(head.split("\n").filter((line) => line !== "")[0]).toBe("# Tidewire")
    expect(head.split("\n").filter((line) => line !== "")[1]).toMatch(/^> \S/)
    expect(head.match(/^#/gm)).toHaveLength(1)
    expect([...sections.keys()]).toEqual(["Start here", "Free data", "Premium data", "Buying credits", "Optional"])
    for (const lines of sections.values()) for (const line of lines) expect(line).toMatch(LINK)
  })

  it("lists each endpoint of data with its price, its reasons for no charge, and its sources", async () => {
    const { app } = await api()
    const { head, sections } = partsOf(await textOf(app, "/llms.txt"))
    const titles = (section: string) => (sections.get(section) ?? []).map((line) => LINK.exec(line)?.[1])
    expect(titles("Free data")).toEqual(free.map(({ path }) => path))
    expect(titles("Premium data")).toEqual(premium.map(({ path }) => path))
    const lineOf = (path: string) => [...sections.values()].flat().find((line) => line.startsWith(`- [${path}]`)) ?? ""
    for (const { path, credits, noCharge } of premium) {
      expect(lineOf(path)).toContain(`Costs ${credits} credit`)
      expect(lineOf(path)).toContain(`(${(credits / CREDITS_PER_USD).toFixed(2)} USD)`)
      for (const { reason, description } of noCharge) {
        expect(lineOf(path), reason).toContain(reason)
        expect(head, reason).toContain(description.replace(/\.$/, ""))
      }
    }
    for (const { path } of free) expect(lineOf(path)).not.toContain("credit")
    expect(lineOf("/api/forex")).toContain("Sources: European Central Bank (Free reuse with attribution).")
    for (const endpoint of [...free, ...premium])
      for (const [name] of agentParameters(endpoint)) expect(lineOf(endpoint.path), name).toContain(name)
  })

  it("names the limits, the price and the errors of the running service", async () => {
    const { app } = await apiUnderTest({ endpoints, limits: { requestsPerDay: 4_321, tokenRequestsPerMinute: 77 } })
    const { head } = partsOf(await textOf(app, "/llms.txt"))
    expect(head).toContain("4321 requests a day")
    expect(head).toContain("77 premium calls a minute")
    expect(head).toContain(`${CREDITS_PER_USD} for 1 USD`)
    for (const word of ["stale_after", "_meta.warming", "429", "insufficient_credits"]) expect(head).toContain(word)
    expect(head).toContain("this installation sells no credits now")
  })

  it("names no parameter that is not for agents, nor does the long text", async () => {
    const { app } = await api()
    const [short = "", full = ""] = await Promise.all(["/llms.txt", "/llms-full.txt"].map((url) => textOf(app, url)))
    expect(short.split("\n").find((line) => line.startsWith("- [/api/cyber-threats]"))).not.toContain("raw")
    const lines = partsOf(full).sections.get("GET /api/cyber-threats") ?? []
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.startsWith("| raw ") || line.startsWith("| Parameter"))).toEqual([])
    expect(Object.keys(endpoints.find(({ path }) => path === "/api/cyber-threats")?.parameters ?? {})).toEqual(["raw"])
  })
})

describe("/llms-full.txt", () => {
  it("holds every endpoint of data with its parameters, fields and an example", async () => {
    const { app } = await api()
    const sections = partsOf(await textOf(app, "/llms-full.txt")).sections
    for (const endpoint of endpoints.filter(isData)) {
      const text = (sections.get(`${endpoint.method} ${endpoint.path}`) ?? []).join("\n")
      const fields = fieldsOf(new Components().schemaOf(endpoint.data))
      expect(fields.length, endpoint.path).toBeGreaterThan(0)
      expect(fields.length, endpoint.path).toBeLessThan(FIELDS_MAX)
      for (const { place } of fields) expect(text, endpoint.path).toContain(`| ${place} |`)
      for (const [name] of agentParameters(endpoint)) expect(text, endpoint.path).toContain(`| ${name} |`)
      expect(text, endpoint.path).toContain(JSON.stringify(endpoint.example))
    }
    // Columns of tables: a bar within a text is escaped.
    for (const line of [...sections.values()].flat().filter((one) => one.startsWith("| ")))
      expect([4, 6], line).toContain(line.split(/(?<!\\)\|/).length - 1)
  })
})

describe("/api/llm-tools", () => {
  const tools = toolsOf(endpoints)

  it.each([
    ["", "raw", ["name", "description", "parameters", "path", "method", "credits", "tier", "bearer"]],
    ["?format=raw", "raw", ["name", "description", "parameters", "path", "method", "credits", "tier", "bearer"]],
    ["?format=openai", "openai", ["type", "function"]],
    ["?format=openai-responses", "openai-responses", ["type", "name", "description", "parameters", "strict"]],
    ["?format=anthropic", "anthropic", ["name", "description", "input_schema"]],
  ])("%s gives every tool in the form %s", async (query, format, members) => {
    const { app } = await api()
    const body = JSON.parse(await textOf(app, `/api/llm-tools${query}`))
    expect(body).toMatchObject({ source: "tidewire", format, generated_at: new Date(START_MS).toISOString() })
    expect(body.tools).toHaveLength(tools.length)
    for (const tool of body.tools) expect(Object.keys(tool)).toEqual(members)
    expect(body.calls).toEqual(
      Object.fromEntries(
        tools.map(({ name, method, path, tier, credits, bearer }) => [name, { method, path, tier, credits, bearer }]),
      ),
    )
  })

  it("nests a function as Chat Completions wants it, with the same schema as the others", async () => {
    const { app } = await api()
    const read = async (format: string) => JSON.parse(await textOf(app, `/api/llm-tools?format=${format}`)).tools
    const [nested, flat, anthropic] = await Promise.all(["openai", "openai-responses", "anthropic"].map(read))
    tools.forEach(({ name, description, parameters }, at) => {
      expect(nested[at]).toEqual({ type: "function", function: { name, description, parameters, strict: false } })
      expect(flat[at]).toEqual({ type: "function", name, description, parameters, strict: false })
      expect(anthropic[at]).toEqual({ name, description, input_schema: parameters })
    })
  })

  it("refuses another format and names those that it has", async () => {
    const { app } = await api()
    const { statusCode, body } = await app.inject({ url: "/api/llm-tools?format=gemini" })
    expect(statusCode).toBe(400)
    expect(JSON.parse(body).allowed).toEqual(["raw", "openai", "openai-responses", "anthropic"])
  })
})

describe("/api/meta/pro", () => {
  it("holds what the contract says of premium endpoints", async () => {
    const withheld = new Map([["/api/pro/macro", { inputs: new Set(["oil"]), feeds: ["economic-series"] }]])
    const { app } = await apiUnderTest({ endpoints, withheld, baseUrl: BASE })
    const body = JSON.parse(await textOf(app, "/api/meta/pro"))
    expect(body).toMatchObject({
      source: "tidewire-pro",
      credits_per_usd: 50,
      sold_here: false,
      token_requests_per_minute: defaultLimits.tokenRequestsPerMinute,
      signup: `${BASE}/developers/agent-payments`,
    })
    expect(body.endpoints.map(({ path, credits }: { path: string; credits: number }) => [path, credits])).toEqual(
      premium.map(({ path, credits }) => [path, credits]),
    )
    for (const [at, { noCharge }] of premium.entries()) {
      expect(body.endpoints[at].no_charge).toEqual([...new Set(noCharge.map(({ reason }) => reason))])
      for (const { reason } of noCharge) expect(body.no_charge).toHaveProperty([reason])
    }
    const macro = body.endpoints.find(({ path }: { path: string }) => path === "/api/pro/macro")
    expect(macro).toMatchObject({ price_usd: 0.04, parameters: ["history"], withheld_feeds: ["economic-series"] })
  })
})

describe("what crawlers, browsers and auditors ask for", () => {
  it("is an API catalogue with its media type, its profile, and a Link that HEAD has too", async () => {
    const { app } = await api(BASE)
    for (const method of ["GET", "HEAD"] as const) {
      const { statusCode, headers } = await app.inject({ method, url: "/.well-known/api-catalog" })
      expect(statusCode).toBe(200)
      expect(headers["content-type"]).toBe(
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      )
      expect(headers.link).toContain(`<${BASE}/.well-known/api-catalog>; rel="api-catalog"`)
    }
    const { linkset } = JSON.parse(await textOf(app, "/.well-known/api-catalog"))
    expect(linkset[0]).toMatchObject({ anchor: `${BASE}/.well-known/api-catalog`, item: [{ href: `${BASE}/api` }] })
    expect(linkset[1]["service-desc"][0]).toMatchObject({ href: `${BASE}/openapi.json`, type: "application/json" })
  })

  it("is a security.txt that expires, where a contact is named; else it does not exist", async () => {
    const { app } = await api(BASE)
    const { headers, body } = await app.inject({ url: "/.well-known/security.txt" })
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
    const fields = new Map(
      body
        .trim()
        .split("\n")
        .map((line) => line.split(/: (.*)/, 2) as [string, string]),
    )
    expect(fields.get("Contact")).toBe("mailto:security@example.org")
    expect(fields.get("Canonical")).toBe(`${BASE}/.well-known/security.txt`)
    const expiresMs = Date.parse(fields.get("Expires") ?? "")
    expect(expiresMs).toBeGreaterThan(START_MS + 90 * 86_400_000)
    expect(expiresMs).toBeLessThan(START_MS + 365 * 86_400_000)
    const { app: without } = await apiUnderTest({ endpoints })
    const refused = await without.inject({ url: "/.well-known/security.txt" })
    expect([refused.statusCode, refused.json().error]).toEqual([404, "not_found"])
    expect(undocumentedBy(endpoints)("GET", "/.well-known/security.txt", refused)).toEqual([])
  })

  it("is a robots.txt that keeps crawlers from what they would only be refused", async () => {
    const { app } = await api()
    const lines = (await textOf(app, "/robots.txt")).trim().split("\n")
    const closed = lines.flatMap((line) => (line.startsWith("Disallow: ") ? [line.slice("Disallow: ".length)] : []))
    expect(closed).toEqual(endpoints.filter((one) => isPremium(one) || one.kind === "command").map(({ path }) => path))
    expect(lines.filter((line) => line.startsWith("User-agent"))).toEqual(["User-agent: *"])
    expect(lines.at(-1)).toBe("Allow: /")
  })

  it("is an icon that pages link to and may load", async () => {
    const { app } = await api()
    const icon = await app.inject({ url: "/favicon.svg" })
    expect(icon.headers["content-type"]).toContain("image/svg+xml")
    expect(icon.body).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    for (const url of ["/changelog", "/developers/agent-payments"]) {
      const { headers, body } = await app.inject({ url, headers: { accept: "text/html" } })
      expect(body).toContain('<link rel="icon" href="/favicon.svg"')
      expect(headers["content-security-policy"]).toContain("img-src 'self'")
    }
  })

  it("is a true 404 at other well-known paths, and every 404 leads to the description", async () => {
    const { app } = await api(BASE)
    for (const url of ["/.well-known/ai-plugin.json", "/.well-known/nothing", "/.well-known/", "/nothing"]) {
      const { statusCode, headers, body } = await app.inject({ url })
      expect([statusCode, headers["content-type"]], url).toEqual([404, "application/problem+json; charset=utf-8"])
      expect(Schema.is(Problem)(JSON.parse(body)), url).toBe(true)
      expect(JSON.parse(body), url).not.toHaveProperty("header")
      for (const relation of ["service-desc", "service-doc", "api-catalog"])
        expect(headers.link, url).toMatch(new RegExp(`<${BASE}/[a-z./-]+>; rel="${relation}"`))
    }
    expect((await app.inject({ url: "/api" })).headers.link).toContain(`<${BASE}/openapi.json>; rel="service-desc"`)
  })
})

describe("/changelog", () => {
  it("holds every entry, as a page, as Markdown and for programs", async () => {
    const { app } = await api()
    const body = JSON.parse(await textOf(app, "/changelog.json"))
    expect(body).toEqual({ contract_version: "1.15.0", entries: changelog })
    expect(body.entries[0]).toMatchObject({ date: "2026-07-23", kind: "removed" })
    const [html, markdown] = await Promise.all([textOf(app, "/changelog"), textOf(app, "/changelog.md")])
    expect(html).toMatch(/^<!doctype html>/)
    expect(markdown).toMatch(/^# Changes of the contract\n/)
    for (const { text } of changelog) {
      expect(markdown).toContain(text)
      expect(html).toContain(text)
    }
  })
})

describe("the documents together", () => {
  const pages = ["/developers/agent-payments", "/changelog"]

  it.each(pages)("%s has a Markdown twin, which is what Accept gives as well", async (path) => {
    const { app } = await api(BASE)
    const twin = await app.inject({ url: `${path}.md` })
    expect(twin.headers["content-type"]).toBe("text/markdown; charset=utf-8")
    expect(twin.body).toBe(await textOf(app, path, { accept: "text/markdown" }))
  })

  /** The links of a text: of Markdown, of HTML, and of JSON. */
  const linksOf = (text: string): ReadonlyArray<string> =>
    [/\]\(([^)\s]+)\)/g, /href="([^"]+)"/g, /"href":"([^"]+)"/g, /<([^<>\s]+)>; rel=/g].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, link = ""]) => link),
    )

  const methodAt = (path: string): Endpoint["method"] => endpoints.find((one) => one.path === path)?.method ?? "GET"

  it.each([[null], [BASE]])("link only to what is there (public address: %s)", async (baseUrl) => {
    const { app } = await api(baseUrl)
    const read = async (url: string) => {
      const { headers, body } = await app.inject({ url, headers: { accept: "text/html, */*" } })
      return [...linksOf(body), ...linksOf(String(headers.link ?? ""))]
    }
    const sources = ["/llms.txt", "/llms-full.txt", "/.well-known/api-catalog", "/api", "/nothing", ...pages]
    const links = new Set((await Promise.all(sources.map(read))).flat())
    expect(links.size).toBeGreaterThan(60)
    for (const link of links) {
      const url = new URL(link, BASE)
      expect(url.origin, link).toBe(BASE)
      if (baseUrl !== null) expect(link.startsWith(BASE) || link === "/favicon.svg", link).toBe(true)
      const { statusCode } = await app.inject({ method: methodAt(url.pathname), url: `${url.pathname}${url.search}` })
      // Without a ledger, what has to do with money is 503; a POST without its body is 400, of a wrong type 415.
      expect([200, 400, 402, 415, 503], `${link} ${statusCode}`).toContain(statusCode)
      if (statusCode === 400) expect(methodAt(url.pathname), link).toBe("POST")
    }
  })

  it("name paths that exist: in robots.txt, in /api/meta/pro and in the calls of tools", async () => {
    const { app } = await api()
    const paths = new Set(endpoints.map(({ path }) => path))
    const meta = JSON.parse(await textOf(app, "/api/meta/pro"))
    const { calls } = JSON.parse(await textOf(app, "/api/llm-tools"))
    const robots = (await textOf(app, "/robots.txt")).matchAll(/^Disallow: (.+)$/gm)
    const named = [
      ...meta.endpoints.map(({ path }: { path: string }) => path),
      ...meta.payment_endpoints.map(({ path }: { path: string }) => path),
      ...Object.values(calls).map((call) => (call as { path: string }).path),
      ...[...robots].map(([, path]) => path),
    ]
    for (const path of named) expect(paths.has(path), path).toBe(true)
    expect(named.length).toBeGreaterThan(80)
  })

  it("are sent as the contract documents them, for GET, HEAD and a repeated GET", async () => {
    const { app } = await api(BASE)
    const missing = undocumentedBy(endpoints)
    for (const endpoint of endpoints.filter(({ kind, tier }) => kind === "document" && tier === "service")) {
      const url = addressOf(endpoint, null)
      const first = await app.inject({ url })
      const { etag } = first.headers
      const replies = [
        ["GET", first],
        ["HEAD", await app.inject({ method: "HEAD", url })],
        ...(etag === undefined
          ? []
          : [["GET", await app.inject({ url, headers: { "if-none-match": etag } })] as const]),
      ] as const
      for (const [method, reply] of replies) expect(missing(method, url, reply), `${method} ${url}`).toEqual([])
      if (etag !== undefined) expect(replies.at(-1)?.[1].statusCode, url).toBe(304)
    }
  })
})
