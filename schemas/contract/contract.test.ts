import { Validator } from "@seriousme/openapi-schema-validator"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { buildCatalog, Catalog } from "../printers/catalog.ts"
import { buildOpenApi, exampleBody } from "../printers/openapi.ts"
import { endpoints } from "../registry.ts"
import { isPremium } from "./endpoint-kinds.ts"
import { allowedWords, latitude, longitude } from "./parameters.ts"
import { BillingFacts, Meta, ReceiptMember } from "./reply.ts"

const decode = (schema: Schema.Codec<unknown, unknown>, value: unknown) => Schema.decodeUnknownResult(schema)(value)
const problemOf = (result: Result.Result<unknown, Schema.SchemaError>) =>
  Result.isFailure(result) ? result.failure.message : null

const isJson = (mediaType: string) => /[/+]json$/.test(mediaType)

const document = buildOpenApi({ endpoints, baseUrl: null })
const paths = document.paths as Record<
  string,
  Record<string, { operationId: string; responses: Record<string, unknown> }>
>
const operationOf = (path: string, method: string) =>
  (paths[path] as Record<string, Record<string, unknown>>)[method.toLowerCase()] ?? {}

describe("the contract", () => {
  it("says each path, method and name once", () => {
    const routes = endpoints.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(routes).size).toBe(routes.length)
    expect(new Set(endpoints.map(({ name }) => name)).size).toBe(endpoints.length)
    for (const { path, name } of endpoints) {
      expect(path).toMatch(
        /^(\/api(\/[a-z0-9-]+)*|\/(developers\/)?[a-z-]+(\.(json|jsonld|txt|md|svg))?|\/SKILL\.md|\/\.well-known(\/[a-z0-9.-]+)+)$/,
      )
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    }
  })

  it.each(endpoints.map((one) => [one.path, one] as const))("%s has an example that decodes", (_, endpoint) => {
    expect(problemOf(decode(endpoint.data, endpoint.example))).toBe(null)
    // Data is plain JSON: what is decoded is what is written.
    const text = JSON.stringify(endpoint.example)
    expect(JSON.parse(text)).toEqual(endpoint.example)
    const example = exampleBody(endpoint)
    if (typeof example === "string")
      return expect(endpoint.kind === "document" && endpoint.mediaTypes.some(isJson)).toBe(false)
    const body = example as Record<string, unknown>
    if ("_meta" in body) expect(problemOf(decode(Meta as never, body._meta))).toBe(null)
    expect("billing" in body && "receipt" in body, "billing and receipt").toBe(endpoint.tier === "premium")
    if (endpoint.tier === "premium") {
      expect(problemOf(decode(BillingFacts as never, body.billing))).toBe(null)
      expect(problemOf(decode(ReceiptMember as never, body.receipt))).toBe(null)
    }
  })

  it.each(
    endpoints.flatMap((endpoint) =>
      Object.entries(endpoint.parameters).map(([name, parameter]) => [`${endpoint.path} ${name}`, parameter] as const),
    ),
  )("%s takes its example and its default, as canonical texts", (_, parameter) => {
    for (const text of [parameter.example, parameter.default ?? parameter.example]) {
      const decoded = Schema.decodeUnknownResult(parameter.schema)(text)
      expect(problemOf(decoded)).toBe(null)
      if (Result.isSuccess(decoded)) expect(Schema.encodeUnknownSync(parameter.schema)(decoded.success)).toBe(text)
    }
    const allowed = allowedWords(parameter.schema)
    for (const wrong of ["", "\u0000", "<script>", "NaN", "0x10", "Infinity", "x".repeat(1_000)]) {
      const decoded = Schema.decodeUnknownResult(parameter.schema)(wrong)
      if (allowed !== null || typeof Schema.decodeUnknownSync(parameter.schema)(parameter.example) === "number")
        expect(Result.isFailure(decoded), wrong).toBe(true)
    }
  })
})

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(document.openapi).toMatch(/^3\.1\./)
  })

  it("lists the endpoints, all of them and nothing else", () => {
    const listed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    )
    expect(listed.sort()).toEqual(endpoints.map(({ method, path, name }) => `${method} ${path} ${name}`).sort())
  })

  it("documents every status that can come", () => {
    for (const [path, operations] of Object.entries(paths))
      for (const { responses } of Object.values(operations))
        for (const status of ["200", "400", "405", "408", "414", "429", "431", "500"])
          expect(responses, path).toHaveProperty(status)
  })

  it("says who needs a token, what a call costs, and when it is free of charge", () => {
    for (const endpoint of endpoints) {
      const { path, method, bearer, tier } = endpoint
      const price = isPremium(endpoint) ? endpoint : undefined
      const operation = operationOf(path, method)
      const security = { none: undefined, optional: [{}, { bearer: [] }], required: [{ bearer: [] }] }[bearer]
      expect(operation.security, path).toEqual(security)
      expect(operation["x-credits"], path).toBe(price?.credits)
      const reasons = (operation["x-no-charge"] as ReadonlyArray<{ reason: string }> | undefined)?.map(
        ({ reason }) => reason,
      )
      expect(reasons, path).toEqual(price?.noCharge.map(({ reason }) => reason))
      const refusal = { premium: "402", payment: bearer === "required" ? "401" : "200" }[tier as string]
      if (refusal !== undefined) expect(operation.responses, path).toHaveProperty(refusal)
    }
  })

  const commands = endpoints.filter((one) => one.kind === "command").filter(({ body }) => body !== null)
  it.each(commands.map((one) => [one.path, one] as const))(
    "%s takes the body of its example",
    (_, { path, method, body }) => {
      expect(problemOf(decode(body?.schema as never, body?.example))).toBe(null)
      expect(operationOf(path, method)).toMatchObject({
        requestBody: { required: body?.optional !== true, content: { "application/json": { example: body?.example } } },
      })
      for (const status of ["413", "415"]) expect(operationOf(path, method).responses).toHaveProperty(status)
    },
  )

  it("points to nothing that it does not hold", () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? []
    expect(references.length).toBeGreaterThan(0)
    for (const reference of new Set(references)) {
      const names = reference.slice('"$ref":"#/'.length, -1).split("/")
      const found = names.reduce<unknown>(
        (value, name) => (value as Record<string, unknown> | undefined)?.[name],
        document,
      )
      expect(found, reference).toBeDefined()
    }
  })
})

describe("the catalog", () => {
  it("is what its own schema says", () => {
    const catalog = buildCatalog({ endpoints, attribution: new Map(), version: "1.0.0", baseUrl: null })
    expect(problemOf(decode(Catalog as never, JSON.parse(JSON.stringify(catalog))))).toBe(null)
    expect(catalog.endpoints.map(({ path }) => path)).toEqual(endpoints.map(({ path }) => path))
  })
  it("says of which feeds the changes are rows of an endpoint, as OpenAPI does", () => {
    const catalog = buildCatalog({ endpoints, attribution: new Map(), version: "1.0.0", baseUrl: null })
    for (const { path, method, changes } of catalog.endpoints)
      expect(operationOf(path, method)["x-changes"] ?? [], path).toEqual(changes)
    expect(catalog.endpoints.find(({ path }) => path === "/api/climate/earthquakes")?.changes).toEqual([
      { feed: "earthquakes", filters: ["min_magnitude", "bbox"], without: [] },
    ])
    expect(catalog.endpoints.find(({ path }) => path === "/api/tsunami")?.changes).toEqual([
      { feed: "tsunami", filters: ["min_magnitude", "bbox"], without: ["active"] },
    ])
    expect(catalog.endpoints.find(({ path }) => path === "/api/trade-halts")?.changes).toEqual([
      { feed: "trade-halts", filters: ["symbols"], without: [] },
    ])
    const paths = catalog.endpoints.map(({ path }) => path)
    for (const { path, changes, history } of catalog.endpoints) {
      expect(history, path).toBe(changes.length > 0 ? `${path}/history` : null)
      if (history !== null) expect(paths).toContain(history)
    }
  })
})

describe("coordinates", () => {
  it("have one text for one place", () => {
    const canonical = (text: string) => Schema.encodeSync(latitude)(Schema.decodeSync(latitude)(text))
    expect(["34.05", "34.050", "34.0549", "3405e-2"].map(canonical)).toEqual(["34.05", "34.05", "34.05", "34.05"])
    expect(["-0", "-0.004", "0.00"].map(canonical)).toEqual(["0", "0", "0"])
    expect(Result.isFailure(Schema.decodeUnknownResult(latitude)("90.001"))).toBe(true)
    expect(Result.isSuccess(Schema.decodeUnknownResult(longitude)("-180"))).toBe(true)
  })
})
