import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { isView } from "../schemas/endpoint-kinds.ts"
import { jwksEndpoint } from "../schemas/endpoints/jwks.ts"
import { receiptVerifyEndpoint } from "../schemas/endpoints/receipt-verify.ts"
import { instanceKey } from "../schemas/feed.ts"
import { endpoints } from "../schemas/registry.ts"
import { makeParameterReader } from "./parameters.ts"
import { apiUnderTest, START_MS } from "./testing/api-under-test.ts"

const examples = (parameters: (typeof endpoints)[number]["parameters"]) =>
  Object.fromEntries(Object.entries(parameters).map(([name, { example }]) => [name, example]))

const isFree = ({ tier }: Pick<(typeof endpoints)[number], "tier">) => tier === "free" || tier === "service"

/** Served with keys that are not here. */
const ofReceipts: ReadonlySet<string> = new Set([jwksEndpoint.path, receiptVerifyEndpoint.path])

describe("contract, routes and document are one", () => {
  it("answers every endpoint of the contract, and documents what it answers", async () => {
    const { app } = await apiUnderTest({ endpoints })
    const document = (await app.inject({ url: "/openapi.json" })).json()
    const catalog = (await app.inject({ url: "/api" })).json()
    expect(Object.keys(document.paths)).toEqual(endpoints.map(({ path }) => path))
    expect(catalog.endpoints.map(({ path }: { path: string }) => path)).toEqual(endpoints.map(({ path }) => path))
    for (const { path, parameters, method, tier } of endpoints) {
      const url = instanceKey(path, examples(parameters))
      const { statusCode } = await app.inject({ method, url })
      // What has to do with money may be refused here, where there is none.
      if (isFree({ tier }) && !ofReceipts.has(path)) expect(statusCode, url).toBe(200)
      else expect([404, 500], url).not.toContain(statusCode)
      expect(document.paths[path][method.toLowerCase()].responses).toHaveProperty("200")
      const wrong = await app.inject({ method: "DELETE", url })
      expect([wrong.statusCode, wrong.headers.allow], url).toEqual([
        405,
        method === "GET" && tier !== "premium" ? "GET, HEAD, OPTIONS" : `${method}, OPTIONS`,
      ])
    }
  })

  it.each(
    endpoints
      .filter(isView)
      .filter(({ tier }) => tier === "free")
      .map((one) => [one.path, one] as const),
  )("%s serves its example as the contract has it", async (_, endpoint) => {
    const { app, fill, store } = await apiUnderTest({ endpoints })
    const read = makeParameterReader(endpoint)(examples(endpoint.parameters))
    if (read._tag === "Refused") throw new Error(read.message)
    fill(read.key, endpoint.example, 10 * 86_400_000)
    await store.settled()
    const { headers, ...reply } = await app.inject({ url: instanceKey(endpoint.path, read.parameters) })
    const { source, endpoint: name, updated_at, generated_at, data, _meta, ...members } = reply.json()
    const served = endpoint.envelope === "data" ? data : members
    expect(served).toEqual(endpoint.example)
    expect(Schema.is(endpoint.data)(served)).toBe(true)
    expect(_meta).toMatchObject({ as_of: new Date(START_MS).toISOString(), stale: false })
    if (endpoint.envelope === "data")
      expect([source, name, updated_at]).toEqual(["tidewire", endpoint.path.slice(5), _meta.as_of])
    if (endpoint.envelope === "composed") expect([source, generated_at]).toEqual(["tidewire", _meta.as_of])
    expect(headers["cache-control"]).toContain(`max-age=${endpoint.ttlMs(read.parameters) / 1000},`)
  })
})
