import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { Problem } from "../schemas/contract/reply.ts"
import { apiUnderTest, choices, contract, place, things } from "./testing/api-under-test.ts"
import { warnings } from "./testing/warnings.ts"

const notOffered = [things, place, warnings]
const paths = notOffered.map(({ path }) => path)
const offering = () => apiUnderTest({ endpoints: contract.filter((one) => !paths.includes(one.path)), notOffered })

describe("an endpoint that is not offered", () => {
  it.each(paths)("is refused by name, before its parameters are read: %s", async (path) => {
    const { app } = await offering()
    for (const url of [path, `${path}?lat=x`]) {
      const { statusCode, headers, ...reply } = await app.inject({ url })
      expect(statusCode).toBe(404)
      expect(headers["content-type"]).toBe("application/problem+json; charset=utf-8")
      expect(headers.link).toContain('rel="service-desc"')
      expect(Schema.is(Problem)(reply.json())).toBe(true)
      expect(reply.json()).toMatchObject({
        error: "not_offered",
        catalog: "http://localhost:80/api",
        docs: "http://localhost:80/openapi.json",
      })
    }
  })

  it.each(["POST", "PUT", "DELETE"] as const)("is refused the same way by %s", async (method) => {
    const { app } = await offering()
    const { statusCode, ...reply } = await app.inject({ url: things.path, method })
    expect([statusCode, reply.json().error]).toEqual([404, "not_offered"])
  })

  it("answers a preflight, so that a web page can read the refusal", async () => {
    const { app } = await offering()
    const { statusCode, headers } = await app.inject({ url: things.path, method: "OPTIONS" })
    expect([statusCode, headers.allow]).toEqual([204, "GET, HEAD, OPTIONS"])
  })

  it("is in no list, and not suggested for a path that does not exist", async () => {
    const { app } = await offering()
    const { endpoints } = (await app.inject({ url: "/api" })).json()
    const listed = endpoints.map(({ path }: { readonly path: string }) => path)
    expect(listed).toContain(choices.path)
    expect(listed.filter((path: string) => paths.includes(path))).toEqual([])
    const unknown = (await app.inject({ url: "/api/thingz" })).json()
    expect(unknown.error).toBe("not_found")
    expect(unknown).not.toHaveProperty("did_you_mean")
  })

  it("counts against the share of the minute, as every refusal", async () => {
    const { app } = await apiUnderTest({ endpoints: [], notOffered, limits: { serviceRequestsPerMinute: 1 } })
    const statuses = []
    for (const url of [things.path, things.path]) statuses.push((await app.inject({ url })).statusCode)
    expect(statuses).toEqual([404, 429])
  })
})
