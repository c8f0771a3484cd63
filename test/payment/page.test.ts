import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { htmlOf, markdownOf, pageOf } from "../../api/pages/agent-payments.ts"
import { CONTRACT, WALLET } from "./desk.ts"
import { shop } from "./shop.ts"

describe("the page that refusals point to", () => {
  const url = "/developers/agent-payments"

  it("is plain HTML that the content policy allows, with what this service really sells", async () => {
    const { app } = await shop({ baseUrl: "https://tidewire.example" })
    const { statusCode, headers, body } = await app.inject({ url, headers: { accept: "text/html,*/*;q=0.8" } })
    expect(statusCode).toBe(200)
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    const [styles, style] = [[...body.matchAll(/<style>/g)], /<style>([^<]*)<\/style>/.exec(body)?.[1] ?? ""]
    expect(styles).toHaveLength(1)
    const source = `'sha256-${createHash("sha256").update(style).digest("base64")}'`
    expect(String(headers["content-security-policy"]).split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", `style-src ${source}`]),
    )
    expect(style).not.toMatch(/url\(|@import|http/)
    for (const named of [WALLET, CONTRACT, "8453", "https://tidewire.example", "GET /api/pro/briefing: 1 credit"])
      expect(body).toContain(named)
    expect(body).not.toMatch(/<script|<link|<img| style=| on\w+=/i)
    // Every element that is opened is closed, in order.
    const open: Array<string> = []
    for (const [, closing, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g))
      if (name !== "meta") {
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
    expect(headers["cache-control"]).toBe("no-store")
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

  it("holds no address as markup", () => {
    const payment = { name: "<b>", chainId: 1, contract: "<i>", wallet: "&", trust: null }
    const html = htmlOf(pageOf({ payment, baseUrl: "http://x/<script>", pricing: { "/<p>": "1 credit" } }))
    expect(html).not.toMatch(/<b>|<i>|<script>|GET \/<p>/)
    expect(markdownOf(pageOf({ payment: null, baseUrl: null, pricing: {} }))).toContain("sells no credits")
  })
})
