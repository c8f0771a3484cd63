import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { pageOf, TITLE } from "../../api/pages/agent-payments.ts"
import { noChargePieces } from "../../api/pages/no-charge.ts"
import { htmlOf, markdownOf } from "../../api/pages/page.ts"
import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { endpoints } from "../../schemas/registry.ts"
import { CONTRACT, WALLET } from "./desk.ts"
import { shop } from "./shop.ts"

describe("the page that refusals point to", () => {
  const url = "/developers/agent-payments"

  it("is plain HTML that the content policy allows, with what this service really sells", async () => {
    const { app } = await shop({ baseUrl: "https://tidewire.example" })
    const { statusCode, headers, body } = await app.inject({ url, headers: { accept: "text/html,*/*;q=0.8" } })
    expect(statusCode).toBe(200)
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(String(headers["content-security-policy"]).split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "frame-ancestors 'none'",
        "style-src 'self'",
        "form-action 'none'",
      ]),
    )
    for (const named of [WALLET, CONTRACT, "8453", "https://tidewire.example", "GET /api/pro/briefing: 1 credit"])
      expect(body).toContain(named)
    // No inline style and no handler: the policy would refuse them.
    expect(body).not.toMatch(/<style| style=| on\w+=/i)
    // Nothing of another origin is loaded.
    for (const [, address] of body.matchAll(/<(?:link|script|img)[^>]* (?:href|src)="([^"]*)"/g))
      expect(address).toMatch(/^\/(?!\/)/)
    // Every element that is opened is closed, in order.
    const open: Array<string> = []
    for (const [, closing, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g))
      if (!["meta", "link", "img"].includes(String(name))) {
        if (closing === "") open.push(String(name))
        else expect(open.pop()).toBe(name)
      }
    expect(open).toEqual([])
  })

  it.each([
    ["api.example.org:8443", "http://api.example.org:8443\n"],
    ["$(id)", "http://127.0.0.1:8787   # the address of this service\n"],
  ])("names the address that was reached where no public one is known: %s", async (host, address) => {
    const { app } = await shop()
    const { headers, body } = await app.inject({ url, headers: { accept: "text/markdown", host } })
    expect(headers["cache-control"]).toBe("private, no-cache")
    expect(body).toContain(`BASE=${address}`)
    expect(body).not.toContain("$(id)")
    const info = await app.inject({ url: "/api/payment/info", headers: { host } })
    const signup = host === "$(id)" ? url : `http://${host}${url}`
    expect(info.json().signup).toBe(signup)
    const refused = await app.inject({ url: "/api/payment/balance", headers: { host } })
    expect([refused.json().signup, refused.headers["x-service-pricing"]]).toEqual([signup, signup])
  })

  it("is Markdown for clients that prefer it", async () => {
    const { app } = await shop()
    const { headers, body } = await app.inject({ url, headers: { accept: "text/markdown" } })
    expect(headers["content-type"]).toBe("text/markdown; charset=utf-8")
    expect(headers.vary).toContain("Accept")
    expect(body).toMatch(/^# Buying credits\n/)
    expect(body.match(/```/g)?.length).toBeGreaterThan(8)
  })

  it("gives the browser the terms of this service, and loads less than 100 kB for them", async () => {
    const { app } = await shop({ baseUrl: "https://tidewire.example" })
    const { body } = await app.inject({ url, headers: { accept: "text/html" } })
    const [, terms = ""] = /<script type="application\/json" id="buying-terms">(.*?)<\/script>/s.exec(body) ?? []
    expect(JSON.parse(terms)).toMatchObject({ sale: { wallet: WALLET, contract: CONTRACT, chainId: 8453 } })
    expect(body).toContain('<div id="buying" class="buying"><noscript>')
    const [, map = ""] = /<script type="importmap">(.*?)<\/script>/s.exec(body) ?? []
    const modules = Object.entries<string>(JSON.parse(map).imports)
      .filter(([name]) => /^(?:preact|htm|uqr)|\/buying\//.test(name))
      .map(([, path]) => path)
    expect(modules.length).toBeGreaterThan(20)
    const [stylesheet = ""] = body.match(/\/assets\/tidewire\.[^"]+/) ?? []
    const loaded = await Promise.all([...modules, stylesheet].map((path) => app.inject({ url: path })))
    expect(loaded.map(({ statusCode }) => statusCode)).toEqual(loaded.map(() => 200))
    const bytes = [body, ...loaded.map((one) => one.body)].map((text) => gzipSync(text).length)
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(100_000)
    const markdown = await app.inject({ url, headers: { accept: "text/markdown" } })
    expect(markdown.body).not.toMatch(/buying-terms|noscript/)
  })

  it("offers no sale to the browser where nothing is sold, and still the balance of a token", () => {
    const unsold = String(htmlOf(pageOf({ payment: null, baseUrl: null, pricing: {}, endpoints: [] })))
    expect(unsold).toContain('"sale":null')
    expect(unsold).toContain('"balance":"/api/payment/balance"')
    expect(unsold.indexOf("sells no credits")).toBeLessThan(unsold.indexOf('id="buying"'))
  })

  it("holds no address as markup", () => {
    const payment = { name: "<b>", chainId: 1, contract: "<i>", wallet: "&", trust: null }
    const noCharge = [{ reason: "<q>", description: "<s>", decided: "before" } as const]
    const priced = [{ path: "/<u>", credits: 1, noCharge }]
    const facts = { payment, baseUrl: "http://x/<script>", pricing: { "/<p>": "1 credit" }, endpoints: priced }
    expect(String(htmlOf(pageOf(facts)))).not.toMatch(/<b>|<i>|<script>|GET \/<p>|<[qsu]>/)
    const unsold = markdownOf(TITLE, pageOf({ payment: null, baseUrl: null, pricing: {}, endpoints: [] }))
    expect(unsold).toContain("sells no credits")
    expect(unsold).not.toContain("free of charge")
  })

  it("names both moments of a reason that is decided before the debit or after it", () => {
    const empty = { reason: "empty", description: "Nothing was asked for.", decided: "before" } as const
    const noCharge = [empty, { ...empty, description: "Nothing was found.", decided: "after" as const }]
    const page = markdownOf(TITLE, noChargePieces([{ path: "/one", credits: 2, noCharge }]))
    expect(page).toContain("| `empty` | before, after | all | Nothing was asked for; or: Nothing was found. |")
  })

  it("holds the contract's table of calls that are free of charge, sold or not", async () => {
    const premium = endpoints.filter(isPremium)
    const all = premium.map(({ path }) => path)
    const expected = premium
      .flatMap(({ path, noCharge }) =>
        [...Map.groupBy(noCharge, ({ reason }) => reason)].map(
          ([reason, own]) => `${path} ${reason} ${[...new Set(own.map(({ decided }) => decided))].join(", ")}`,
        ),
      )
      .sort()
    const { app } = await shop()
    const sold = (await app.inject({ url, headers: { accept: "text/markdown" } })).body
    const unsold = markdownOf(TITLE, pageOf({ payment: null, baseUrl: null, pricing: {}, endpoints: premium }))
    for (const page of [sold, unsold]) {
      const rows = page.split("\n").filter((line) => line.startsWith("|"))
      const [head, , ...cells] = rows.map((line) => line.slice(2, -2).split(" | "))
      expect(head).toEqual(["Reason", "Decided", "Endpoints", "When"])
      const read = cells.flatMap(([reason = "", when, which = ""]) => {
        const named = [...which.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path)
        const others = all.filter((path) => !named.includes(path))
        const own = which === "all" ? all : which.startsWith("all but ") ? others : named
        return own.map((path) => `${path} ${reason.replaceAll("`", "")} ${when}`)
      })
      expect(read.sort()).toEqual(expected)
      for (const { noCharge } of premium)
        for (const { reason, description } of noCharge) {
          const row = rows.find((one) => one.startsWith(`| \`${reason}\` |`))
          expect(row).toContain(description.replace(/\.$/, ""))
        }
    }
    const html = (await app.inject({ url, headers: { accept: "text/html" } })).body
    const table = html.slice(
      html.indexOf("When a call is free of charge"),
      html.indexOf("If something went differently"),
    )
    expect(table.match(/<tr>/g)?.length).toBeGreaterThan(5)
    expect(table).not.toContain("`")
  })
})
