import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { changelog } from "../schemas/changelog.ts"
import { type Endpoint, isPremium } from "../schemas/contract/endpoint-kinds.ts"
import { Problem } from "../schemas/contract/reply.ts"
import { endpoints } from "../schemas/registry.ts"
import { defaultLimits } from "./http/limits.ts"
import { addressOf } from "./pages/llms.ts"
import { apiUnderTest, START_MS } from "./testing/api-under-test.ts"
import { undocumentedBy } from "./testing/documented.ts"
import { BASE, textOf, wholeApi } from "./testing/documents-under-test.ts"

const premium = endpoints.filter(isPremium)

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
    const { app } = await wholeApi(BASE)
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
    const { app } = await wholeApi(BASE)
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
    const { app } = await wholeApi()
    const lines = (await textOf(app, "/robots.txt")).trim().split("\n")
    const closed = lines.flatMap((line) => (line.startsWith("Disallow: ") ? [line.slice("Disallow: ".length)] : []))
    const isClosed = (one: Endpoint) => isPremium(one) || one.kind === "command" || one.path === "/api/stream"
    expect(closed).toEqual(endpoints.filter(isClosed).map(({ path }) => path))
    expect(lines.filter((line) => line.startsWith("User-agent"))).toEqual(["User-agent: *"])
    expect(lines.at(-1)).toBe("Allow: /")
  })

  it("is an icon that pages link to and may load", async () => {
    const { app } = await wholeApi()
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
    const { app } = await wholeApi(BASE)
    for (const url of ["/.well-known/ai-plugin.json", "/.well-known/nothing", "/.well-known/", "/nothing"]) {
      const { statusCode, headers, body } = await app.inject({ url })
      expect([statusCode, headers["content-type"]], url).toEqual([404, "application/problem+json; charset=utf-8"])
      expect(Schema.is(Problem)(JSON.parse(body)), url).toBe(true)
      expect(JSON.parse(body), url).not.toHaveProperty("linkHeader")
      for (const relation of ["service-desc", "service-doc", "api-catalog"])
        expect(headers.link, url).toMatch(new RegExp(`<${BASE}/[a-z./-]+>; rel="${relation}"`))
    }
    expect((await app.inject({ url: "/api" })).headers.link).toContain(`<${BASE}/openapi.json>; rel="service-desc"`)
  })
})

describe("/changelog", () => {
  it("holds every entry, as a page, as Markdown and for programs", async () => {
    const { app } = await wholeApi()
    const body = JSON.parse(await textOf(app, "/changelog.json"))
    expect(body).toEqual({ contract_version: "1.17.0", entries: changelog })
    expect(body.entries[0]).toMatchObject({ date: "2026-07-23", kind: "removed" })
    const [html, markdown] = await Promise.all([textOf(app, "/changelog"), textOf(app, "/changelog.md")])
    expect(html).toMatch(/^<!doctype html>/)
    expect(markdown).toMatch(/^# Changes of the contract\n/)
    const plainMarkdown = markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", "")
    const plainHtml = html.replaceAll(/<[^>]+>/g, "")
    for (const { text, path = "", field = "" } of changelog) {
      for (const part of [text, path, field]) expect(plainMarkdown).toContain(part)
      for (const part of [text, path, field]) expect(plainHtml).toContain(part)
    }
  })

  it("begins with the newest day, groups its entries by kind, and links to the pages of what they name", async () => {
    const { app } = await wholeApi()
    const [html, markdown] = await Promise.all([textOf(app, "/changelog"), textOf(app, "/changelog.md")])
    const days = [...html.matchAll(/<h2 id="(\d{4}-\d\d-\d\d)">/g)].map(([, day]) => day)
    expect(days).toEqual([...new Set(changelog.map(({ date }) => date))].sort().reverse())
    for (const day of days) expect(html).toContain(`<a href="#${day}">`)
    // A heading of a kind stands once in each day that has it.
    const ofDays = Map.groupBy(changelog, ({ date, kind }) => `${date} ${kind}`)
    expect(markdown.match(/^\*\*(?:Added|Changed|Deprecated|Removed)\*\*$/gm)).toHaveLength(ofDays.size)
    expect(html).toContain(
      '<a href="/feeds/service-status"><code>/api/service-status</code></a> <code>[].incidents</code>',
    )
    expect(html).toContain('This list as a page; <a href="/changelog.json"><code>/changelog.json</code></a>')
    expect(html).toContain("<code>not_offered</code>")
    expect(html).not.toContain("`")
  })
})

describe("the documents together", () => {
  const pages = ["/developers/agent-payments", "/changelog"]

  it.each(pages)("%s has a Markdown twin, which is what Accept gives as well", async (path) => {
    const { app } = await wholeApi(BASE)
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
    const { app } = await wholeApi(baseUrl)
    const read = async (url: string) => {
      const { headers, body } = await app.inject({ url, headers: { accept: "text/html, */*" } })
      return [...linksOf(body), ...linksOf(String(headers.link ?? ""))]
    }
    const sources = ["/llms.txt", "/llms-full.txt", "/.well-known/api-catalog", "/api", "/nothing"]
    const ofPages = new Set((await Promise.all([...pages, "/nothing"].map(read))).flat())
    const links = new Set([...(await Promise.all(sources.map(read))).flat(), ...ofPages])
    expect(links.size).toBeGreaterThan(60)
    for (const link of links) {
      if (link.startsWith("#")) continue
      const url = new URL(link, BASE)
      expect(url.origin, link).toBe(BASE)
      // Pages are read in a browser, which resolves what begins with a slash.
      if (baseUrl !== null)
        expect(link.startsWith(BASE) || (ofPages.has(link) && link.startsWith("/")), link).toBe(true)
      const { statusCode } = await app.inject({ method: methodAt(url.pathname), url: `${url.pathname}${url.search}` })
      // Without a ledger, what has to do with money is 503; a POST without its body is 400, of a wrong type 415.
      expect([200, 400, 402, 415, 503], `${link} ${statusCode}`).toContain(statusCode)
      if (statusCode === 400) expect(methodAt(url.pathname), link).toBe("POST")
    }
  })

  it("name paths that exist: in robots.txt, in /api/meta/pro and in the calls of tools", async () => {
    const { app } = await wholeApi()
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
    const { app } = await wholeApi(BASE)
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
