import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { type Endpoint, isView } from "../schemas/contract/endpoint-kinds.ts"
import { hasPast } from "../schemas/contract/past.ts"
import { changesEndpoint, streamEndpoint } from "../schemas/endpoints/changes.ts"
import { jwksEndpoint } from "../schemas/endpoints/jwks.ts"
import { receiptVerifyEndpoint } from "../schemas/endpoints/receipt-verify.ts"
import { instanceKey } from "../schemas/feed.ts"
import { buildOpenApi, isRequired } from "../schemas/printers/openapi.ts"
import { endpoints } from "../schemas/registry.ts"
import type { ApiLimits } from "./http/limits.ts"
import { makeParameterReader } from "./http/parameters.ts"
import { documents } from "./routes/document-registry.ts"
import { apiUnderTest, START_MS } from "./testing/api-under-test.ts"
import { undocumentedBy } from "./testing/documented.ts"
import { ListedHistory } from "./testing/listed-history.ts"
import { scriptedPast } from "./testing/scripted-past.ts"

const examples = (parameters: (typeof endpoints)[number]["parameters"]) =>
  Object.fromEntries(Object.entries(parameters).map(([name, { example }]) => [name, example]))

const isFree = ({ tier }: Pick<(typeof endpoints)[number], "tier">) => tier === "free" || tier === "service"

/** Served with keys, or a log, that are not here. */
const withMore: ReadonlySet<string> = new Set([
  jwksEndpoint.path,
  receiptVerifyEndpoint.path,
  changesEndpoint.path,
  streamEndpoint.path,
])

describe("contract, routes and document are one", () => {
  it("answers every endpoint of the contract, and documents what it answers", async () => {
    const { app } = await apiUnderTest({
      endpoints,
      securityContact: "mailto:security@example.org",
      itemHistory: new ListedHistory([]),
    })
    const document = (await app.inject({ url: "/openapi.json" })).json()
    const catalog = (await app.inject({ url: "/api" })).json()
    expect(Object.keys(document.paths)).toEqual(endpoints.map(({ path }) => path))
    expect(catalog.endpoints.map(({ path }: { path: string }) => path)).toEqual(endpoints.map(({ path }) => path))
    for (const endpoint of endpoints) {
      const { path, parameters, method, tier } = endpoint
      const url = instanceKey(path, examples(parameters))
      const payload = endpoint.kind === "command" ? endpoint.body?.example : undefined
      const { statusCode } = await app.inject({
        method,
        url,
        ...(payload === undefined ? {} : { payload: payload as object }),
      })
      // What has to do with money, or with changes, may be refused here, where there are none.
      if (isFree({ tier }) && !withMore.has(path)) expect(statusCode, url).toBe(200)
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
      // What a filtered endpoint selects from has no example.
      .filter(({ tier, kind }) => tier === "free" && kind !== "filtered")
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

  it.each(
    endpoints
      .filter(isView)
      .filter(({ tier }) => tier === "free")
      .map((one) => [one.path, one] as const),
  )("%s serves its past as the document has it, or says that it has none", async (_, endpoint) => {
    const past = scriptedPast()
    past.settle(START_MS)
    const { app } = await apiUnderTest({ endpoints, past: past.source })
    // Required parameters alone: what stands ready is what is kept.
    const required = Object.entries(endpoint.parameters).filter(([, one]) => isRequired(one))
    const read = makeParameterReader(endpoint)(examples(Object.fromEntries(required)))
    if (read._tag === "Refused") throw new Error(read.message)
    if (endpoint.kind === "filtered") past.cold(endpoint.path, START_MS - 1)
    else past.version(read.key, START_MS - 1, endpoint.example)
    const url = instanceKey(endpoint.path, { ...read.parameters, at: new Date(START_MS).toISOString() })
    const reply = await app.inject({ url })
    expect(undocumentedBy(endpoints)("GET", url, reply)).toEqual([])
    const declared = buildOpenApi({ endpoints: [endpoint], baseUrl: null }).paths[endpoint.path]
    const names = JSON.stringify(declared).includes('"name":"at"')
    expect(names).toBe(hasPast(endpoint))
    if (!hasPast(endpoint)) expect([reply.statusCode, reply.json().error]).toEqual([404, "no_history"])
    else expect([reply.statusCode, reply.json()._meta.at.known_at]).toEqual([200, new Date(START_MS).toISOString()])
  })
})

describe("what an endpoint declares", () => {
  const ask = (app: Awaited<ReturnType<typeof apiUnderTest>>["app"], { path, method, parameters }: Endpoint) =>
    app.inject({ method, url: instanceKey(path, examples(parameters)), ...(method === "POST" ? { payload: {} } : {}) })

  it("has a file in documents/ for each document, and no other", () => {
    const paths = documents.map(({ endpoint }) => endpoint.path).sort()
    expect(paths).toEqual(endpoints.flatMap(({ kind, path }) => (kind === "document" ? [path] : [])))
  })

  it("is sent in a media type that it declares, and as its schema has it", async () => {
    const { app } = await apiUnderTest({ endpoints })
    for (const endpoint of endpoints.filter(({ kind }) => kind === "document")) {
      const { statusCode, headers, body } = await ask(app, endpoint)
      const [type = ""] = String(headers["content-type"]).split(";")
      const fact = endpoint.responses[String(statusCode)]
      if (statusCode !== 200) expect(fact?.body, endpoint.path).toMatchObject({ mediaType: type })
      else {
        expect(fact?.body, endpoint.path).toMatchObject({ mediaTypes: expect.arrayContaining([type]) })
        expect(Schema.is(endpoint.data)(/[/+]json$/.test(type) ? JSON.parse(body) : body), endpoint.path).toBe(true)
      }
    }
  })

  it("is documented with exactly the responses that it declares", () => {
    const { paths } = buildOpenApi({ endpoints, baseUrl: null })
    for (const { path, method, responses } of endpoints) {
      const documented: object = Object(paths[path]?.[method.toLowerCase()])
      expect(Reflect.get(documented, "responses"), path).toMatchObject(
        Object.fromEntries(Object.keys(responses).map((status) => [status, expect.anything()])),
      )
      expect(Object.keys(Reflect.get(documented, "responses"))).toEqual(Object.keys(responses))
    }
  })

  const shares = {
    daily: "requestsPerDay",
    minute: "serviceRequestsPerMinute",
    pages: "pageRequestsPerMinute",
    receipts: "receiptVerifiesPerMinute",
    payments: "paymentCallsPerMinute",
    confirms: "confirmsPerMinute",
    changes: "changesRequestsPerMinute",
  } as const satisfies Readonly<Record<string, keyof ApiLimits>>

  it.each(Object.entries(shares))(
    "counts against the %s share where it says so, and against no other",
    async (share, limit) => {
      const none = Object.fromEntries(Object.values(shares).map((name) => [name, 0]))
      const { app } = await apiUnderTest({ endpoints, limits: { ...none, [limit]: 1_000 } })
      for (const endpoint of endpoints) {
        const { counted } = endpoint
        // Without a ledger no token is known: a premium call counts as what it is refused with.
        const against = counted === "token" ? "minute" : counted
        const { statusCode } = await ask(app, endpoint)
        expect(statusCode === 429, `${endpoint.path} at ${statusCode}`).toBe(against !== share && against !== "never")
      }
    },
  )
})
