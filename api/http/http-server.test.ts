import { expect, it } from "vitest"
import { apiUnderTest } from "../testing/api-under-test.ts"

const ask = async (url: string, headers: Record<string, string>, options: Parameters<typeof apiUnderTest>[0] = {}) => {
  const { app } = await apiUnderTest(options)
  return app.inject({ url, headers })
}

it.each(["api.example.org", "localhost:9999", "127.0.0.1:18787", "[::1]:8787"])(
  "replies that nothing keeps name the address that was reached: %s",
  async (host) => {
    expect((await ask("/api/nowhere", { host })).json()).toMatchObject({
      catalog: `http://${host}/api`,
      docs: `http://${host}/openapi.json`,
    })
  },
)

it("the scheme is https where a trusted proxy sends it, and never where a client does", async () => {
  const headers = { host: "api.example.org", "x-forwarded-proto": "https" }
  const proxied = await ask("/api/nowhere", headers, { trustedProxies: ["127.0.0.1"] })
  expect(proxied.json().catalog).toBe("https://api.example.org/api")
  expect((await ask("/api/nowhere", headers)).json().catalog).toBe("http://api.example.org/api")
})

it("the public address is named whatever the Host says", async () => {
  const baseUrl = "https://tidewire.example"
  expect((await ask("/api/nowhere", { host: "evil.example" }, { baseUrl })).json().catalog).toBe(`${baseUrl}/api`)
})

it.each(["x;rm -rf ~", "a'b", "$(id)", "a/b", "<script>", "a@b", "-x", "x:0", "a b"])(
  "a Host that could be anything else than a host stands in no reply: %j",
  async (host) => {
    expect((await ask("/api/nowhere", { host })).json().catalog).toBe("/api")
  },
)

it.each(["/api", "/openapi.json"])("a cached document does not depend on its first request: %s", async (url) => {
  const { app } = await apiUnderTest()
  const first = await app.inject({ url, headers: { host: "evil.example" } })
  expect(first.body).not.toContain("evil")
  const second = await app.inject({ url, headers: { host: "api.example.org" } })
  expect(second.rawPayload.equals(first.rawPayload)).toBe(true)
})
