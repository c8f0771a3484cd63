import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { changelogEndpoint } from "../../schemas/endpoints/changelog.ts"
import { endpoints } from "../../schemas/registry.ts"
import { apiUnderTest } from "../testing/api-under-test.ts"
import { ASSETS_PATH } from "./assets.ts"
import { twinOf } from "./site-page.ts"
import { sitePages } from "./site-registry.ts"

const BASE = "https://tidewire.example"
const PAGE_MAX_BYTES = 100_000
const navigation = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** Pages without a name in their path. */
const fixed = sitePages.filter(({ path }) => !path.includes(":"))

const openApi = () => apiUnderTest({ endpoints, baseUrl: BASE })

describe.each(fixed.map((page) => [page.path, page] as const))("the page %s", (path, page) => {
  it("is HTML under the policy of pages, valid by its ETag", async () => {
    const { app } = await openApi()
    const { statusCode, headers, body } = await app.inject({ url: path, headers: navigation })
    expect(statusCode).toBe(200)
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(headers["cache-control"]).toBe("private, no-cache")
    const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(body) ?? []
    const policy = String(headers["content-security-policy"])
    expect(policy).toContain("default-src 'none'")
    if (map !== undefined) expect(policy).toContain(`'sha256-${createHash("sha256").update(map).digest("base64")}'`)
    const again = await app.inject({ url: path, headers: { ...navigation, "if-none-match": String(headers.etag) } })
    expect(again.statusCode).toBe(304)
    // Nothing inline but the import map and data, and nothing of another origin.
    expect(body).not.toMatch(/<style| style=| on[a-z]+=/)
    for (const [script] of body.matchAll(/<script(?! src)[^>]*>/g))
      expect(script).toMatch(/type="(?:importmap|application\/(?:ld\+)?json|module)"/)
    for (const [, address] of body.matchAll(/<(?:link|script|img)[^>]* (?:href|src)="([^"]*)"/g))
      expect(address).toMatch(/^\/(?!\/)/)
  })

  it("has all that it loads, in less than 100 kB compressed", async () => {
    const { app } = await openApi()
    const { body } = await app.inject({ url: path, headers: navigation })
    const loaded = [...body.matchAll(/<(?:link rel="(?:stylesheet|icon)"|script|img)[^>]* (?:href|src)="([^"]*)"/g)]
    const addresses = new Set(loaded.map(([, address]) => String(address)))
    const whole = await Promise.all([...addresses].map((url) => app.inject({ url })))
    for (const { statusCode } of whole) expect(statusCode).toBe(200)
    const bytes = [body, ...whole.map((one) => one.body)].map((text) => gzipSync(text).length)
    // The reference page loads its library.
    if (page.policy["worker-src"] === undefined)
      expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(PAGE_MAX_BYTES)
  })

  it("is Markdown at its twin, and where a client prefers it", async () => {
    const { app } = await openApi()
    const twin = await app.inject({ url: twinOf(path), headers: navigation })
    expect(twin.headers["content-type"]).toBe("text/markdown; charset=utf-8")
    expect(twin.body).toMatch(/^# .+\n\n/)
    expect(twin.body).not.toMatch(/<(?:div|p|table|span)\b/)
    const preferred = await app.inject({ url: path, headers: { accept: "text/markdown" } })
    expect(preferred.body).toBe(twin.body)
    expect(preferred.headers.vary).toContain("Accept")
  })

  it("takes GET and HEAD alone", async () => {
    const { app } = await openApi()
    const { statusCode, headers } = await app.inject({ method: "POST", url: path, payload: {} })
    expect([statusCode, headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"])
    const head = await app.inject({ method: "HEAD", url: path, headers: navigation })
    expect([head.statusCode, head.body]).toEqual([200, ""])
  })
})

describe("a page for a frame", () => {
  it("may be framed by any site, and no other page may", async () => {
    const { app } = await openApi()
    const policyOf = async (url: string) =>
      String((await app.inject({ url, headers: navigation })).headers["content-security-policy"])
    for (const path of ["/embed/world", "/embed/btc-price"])
      expect(await policyOf(path), path).toMatch(/frame-ancestors \*(?:;|$)/)
    for (const path of ["/", "/feeds/btc-price", "/embed/nothing", "/status"])
      expect(await policyOf(path), path).toContain("frame-ancestors 'none'")
  })

  it("sets no cookie, is not indexed, and says when it has no data", async () => {
    const { app } = await openApi()
    const { headers, body, statusCode } = await app.inject({ url: "/embed/btc-price", headers: navigation })
    expect([statusCode, headers["set-cookie"]]).toEqual([200, undefined])
    expect(body).toContain('<meta name="robots" content="noindex">')
    expect(body).toContain("No data yet.")
    expect(body).not.toMatch(/<header|<footer/)
  })

  it("exists for what has a glance, with the nearest where it does not", async () => {
    const { app } = await openApi()
    const { statusCode, body } = await app.inject({ url: "/embed/btc-pric", headers: { accept: "application/json" } })
    expect([statusCode, JSON.parse(body).did_you_mean]).toEqual([404, "/embed/btc-price"])
  })
})

describe("what pages load", () => {
  it("is kept for ever under an address that holds its hash", async () => {
    const { app } = await openApi()
    const page = await app.inject({ url: "/feeds", headers: navigation })
    const [stylesheet = ""] = page.body.match(new RegExp(`${ASSETS_PATH}/tidewire\\.[\\w-]{12}\\.css`)) ?? []
    const { statusCode, headers, body } = await app.inject({ url: stylesheet, headers: { "accept-encoding": "br" } })
    expect([statusCode, headers["content-encoding"]]).toEqual([200, "br"])
    expect(headers["content-type"]).toBe("text/css; charset=utf-8")
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable")
    expect(body.length).toBeGreaterThan(500)
    for (const wrong of ["tidewire.css", "../../package.json", "%2e%2e%2fpackage.json", "tidewire.000000000000.css"])
      expect((await app.inject({ url: `${ASSETS_PATH}/${wrong}` })).statusCode).toBe(404)
  })
})

describe("an error of a page", () => {
  it("is a page for a browser, and a problem for a program", async () => {
    const { app } = await openApi()
    const page = await app.inject({ url: "/fedes", headers: navigation })
    expect([page.statusCode, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"])
    expect(page.headers["content-security-policy"]).toContain("style-src 'self'")
    expect(page.body).toContain("<h1>Not Found</h1>")
    const problem = await app.inject({ url: "/fedes", headers: { accept: "*/*" } })
    expect([problem.statusCode, problem.headers["content-type"]]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
    ])
    // A navigation to the interface of programs shows what programs get.
    const called = await app.inject({ url: "/api/nothing", headers: navigation })
    expect(called.json()).toMatchObject({ error: "not_found" })
  })

  it("leads a person on: the nearest pages, the feeds that fit, a search, and the main pages", async () => {
    const { app } = await openApi()
    const bodyOf = async (url: string) => (await app.inject({ url, headers: navigation })).body
    const mainOf = (body: string) => body.slice(body.indexOf("<main"), body.indexOf("</main>"))
    const typo = mainOf(await bodyOf("/docs/freshnes"))
    for (const href of ["/docs/freshness", "/", "/feeds", "/docs", "/status", "/changelog"])
      expect(typo, href).toContain(`<a href="${href}">`)
    expect(mainOf(await bodyOf("/eartquake"))).toContain('Did you mean <a href="/feeds/earthquake">')
    const words = mainOf(await bodyOf("/prices/bitcoin-mining.html"))
    expect(words).toContain('value="prices bitcoin mining"')
    expect(words).toContain('<li><a href="/feeds/btc-price">')
    expect(mainOf(await bodyOf("/zzzzzzzzzzzz"))).not.toContain("Did you mean")
    const { headers } = await app.inject({ url: "/zzzz", headers: navigation })
    expect(headers["content-security-policy"]).toContain("form-action 'self'")
  })

  it.each([
    `/${"<script>alert(1)</script>"}`,
    "/%3Cimg%20src=x%20onerror=alert(1)%3E",
    `/${"a-".repeat(4_000)}`,
    "/%E0%A4%A",
    '/"><b>',
  ])("shows nothing of the address %.40s but its words, and few of them", async (url) => {
    const { app } = await openApi()
    const { statusCode, body } = await app.inject({ url, headers: navigation })
    expect([400, 404, 414]).toContain(statusCode)
    expect(body).not.toMatch(/<img src=x|<script>alert|"><b>/)
    expect(/name="q" value="([^"]*)"/.exec(body)?.[1] ?? "").toMatch(/^[a-z0-9 ]{0,80}$/)
  })

  it("says that a client asks too often", async () => {
    const { app } = await apiUnderTest({ endpoints, limits: { pageRequestsPerMinute: 1 } })
    const ask = () => app.inject({ url: "/feeds", headers: navigation })
    expect((await ask()).statusCode).toBe(200)
    const refused = await ask()
    expect([refused.statusCode, refused.headers["content-type"]]).toEqual([429, "text/html; charset=utf-8"])
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/)
  })
})

describe("a replay", () => {
  it("says on every page at which instant it stands", async () => {
    const { app } = await apiUnderTest({ endpoints, baseUrl: BASE, judgedMs: () => Date.parse("2026-08-17T20:35:00Z") })
    for (const path of ["/", "/status", "/feeds.md", "/nothing"])
      expect((await app.inject({ url: path, headers: { accept: "text/html" } })).body, path).toMatch(
        /Replay\.(<\/strong>)? What is shown here is as at 2026-08-17 20:35:00 UTC/,
      )
  })
})

describe("a service whose upstreams are simulated", () => {
  const SAID = "Simulated world"
  const pages = [...fixed.map(({ path }) => path), agentPaymentsEndpoint.path, changelogEndpoint.path, "/nothing-here"]
  const bodyOf = async (app: Awaited<ReturnType<typeof openApi>>["app"], url: string) =>
    (await app.inject({ url, headers: navigation })).body

  it.each(pages)("says so on %s, and another one does not", async (path) => {
    const simulated = await apiUnderTest({ endpoints, baseUrl: BASE, simulated: true })
    expect(await bodyOf(simulated.app, path)).toContain(SAID)
    expect(await bodyOf((await openApi()).app, path)).not.toContain(SAID)
  })

  it("says so in the Markdown of pages", async () => {
    const { app } = await apiUnderTest({ endpoints, baseUrl: BASE, simulated: true })
    for (const path of [twinOf("/status"), `${agentPaymentsEndpoint.path}.md`])
      expect((await app.inject({ url: path })).body).toContain(`> ${SAID}`)
  })

  it("says so as soon as the log holds simulated data, though no setting of the API names the world", async () => {
    const { app, store } = await openApi()
    expect(await bodyOf(app, "/status")).not.toContain(SAID)
    const freshness = { v: 1 as const, asOf: null, staleAfter: null, simulated: true as const, sources: [] }
    store.update("/api/forex", { freshness })
    await store.settled()
    expect(await bodyOf(app, "/status")).toContain(SAID)
  })
})

describe("an address with a slash at its end", () => {
  it.each([
    ["/docs/", "/docs"],
    ["/feeds/", "/feeds"],
    ["/feeds/earthquake/?at=2026-08-17T20:05:00.000Z", "/feeds/earthquake?at=2026-08-17T20:05:00.000Z"],
    ["/api/earthquake/", "/api/earthquake"],
    ["/status//", "/status"],
  ])("%s leads to the address without it", async (asked, own) => {
    const { app } = await apiUnderTest({ endpoints })
    for (const method of ["GET", "HEAD"] as const) {
      const { statusCode, headers, body } = await app.inject({ method, url: asked })
      expect([statusCode, headers.location, body]).toEqual([308, own, ""])
    }
  })

  it.each(["/nothing/", "//evil.example/", "/api/payment/confirm/", "//"])("%s is none of these", async (asked) => {
    const { app } = await apiUnderTest({ endpoints })
    const { statusCode, headers } = await app.inject({ method: "GET", url: asked })
    expect([statusCode, headers.location]).toEqual([404, undefined])
  })
})

it("names each page for previews of links", async () => {
  const { app } = await apiUnderTest({ endpoints })
  for (const url of ["/", "/feeds/earthquake", "/nothing"]) {
    const { body } = await app.inject({ url, headers: { accept: "text/html" } })
    expect(body).toMatch(/<meta property="og:title" content="[^"]{3,}">/)
    expect(body).toMatch(/<meta property="og:description" content="[^"]{10,}">/)
  }
})
