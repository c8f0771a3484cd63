import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { defaultTtlMs, isPremium, type PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"
import type { JsonObject } from "../../schemas/printers/openapi-components.ts"
import { endpoints } from "../../schemas/registry.ts"
import { commonMembers, documentedEndpoints } from "./documented.ts"
import { contradictionsOf, hasMember } from "./documented-types.ts"

const premium = endpoints.filter(isPremium)
const document: JsonObject = JSON.parse(JSON.stringify(buildOpenApi({ endpoints, baseUrl: null })))

/** The schema of an endpoint's replies, of the published document. */
const replyOf = ({ path }: Pick<PremiumEndpoint, "path">): JsonObject => {
  const steps = ["paths", path, "get", "responses", "200", "content", "application/json", "schema"]
  return steps.reduce<unknown>((value, step) => Reflect.get(Object(value), step), document) as JsonObject
}

const built = premium.flatMap((endpoint) => {
  const documented = documentedEndpoints[endpoint.path]
  return documented === undefined ? [] : [{ path: endpoint.path, endpoint, documented }]
})
const missing = Object.keys(documentedEndpoints).filter((path) => !premium.some((one) => one.path === path))

describe("the premium endpoints of the contract", () => {
  it("are documented here, each of them", () => {
    expect(premium.map(({ path }) => path).filter((path) => !(path in documentedEndpoints))).toEqual([])
    expect(Object.keys(documentedEndpoints)).toHaveLength(12)
  })

  it("are built, all twelve, and none requires a parameter", (context) => {
    context.skip(missing.length > 0, `not built: ${missing.join(", ")}`)
    expect(missing).toEqual([])
    for (const { path, parameters } of premium)
      for (const [name, { optional, default: text }] of Object.entries(parameters))
        expect(optional === true || text !== undefined, `${path} ${name}`).toBe(true)
  })
})

describe.each(built)("$path", ({ endpoint, documented }) => {
  const { credits, cacheSeconds, query, members, removed = [] } = documented

  it("has every documented member with its type", () => {
    expect(contradictionsOf(document, replyOf(endpoint), { ...commonMembers, ...members })).toEqual([])
  })

  it("has no member that was removed", () => {
    expect(removed.filter((path) => hasMember(document, replyOf(endpoint), path))).toEqual([])
  })

  it("costs and caches as documented", () => {
    expect(endpoint.credits).toBe(credits)
    if (cacheSeconds !== undefined) expect(defaultTtlMs(endpoint)).toBe(cacheSeconds * 1000)
  })

  it("takes the documented parameters", () => {
    for (const [name, texts] of Object.entries(query))
      for (const text of texts) {
        const parameter = endpoint.parameters[name]
        if (parameter === undefined) throw new Error(`${name} is missing`)
        const decoded = Schema.decodeUnknownResult(parameter.schema)(text)
        expect(Result.isSuccess(decoded), `${name}=${text}`).toBe(true)
      }
  })
})

describe("a walk over documented members", () => {
  const of = (properties: JsonObject, required: ReadonlyArray<string> = Object.keys(properties)): JsonObject => ({
    type: "object",
    properties,
    required: [...required],
    additionalProperties: true,
  })
  const nothing: JsonObject = { type: "null" }
  const text: JsonObject = { type: "string" }
  const numbers: JsonObject = { type: "object", additionalProperties: { type: "number" } }
  const choice: JsonObject = { type: "string", enum: ["a", "b"] }
  const root: JsonObject = { components: { Text: text } }
  const parts = of({ rows: { type: "array", items: of({ n: { type: "integer" } }) } })
  const schema: JsonObject = {
    allOf: [
      of({ text: { $ref: "#/components/Text" }, maybe: { anyOf: [text, nothing] }, never: nothing }),
      of({ parts: { anyOf: [parts, nothing] }, seldom: text, numbers, choice, either: { anyOf: [text, numbers] } }, [
        ...["parts", "numbers", "choice", "either"],
      ]),
    ],
  }

  it.each([
    ["text", "string"],
    ["maybe", "string"],
    ["maybe", "string or null"],
    ["never", "object or null"],
    ["never.inner", "string or null"],
    ["parts.rows", "array"],
    ["parts.rows[].n", "integer"],
    ["parts.rows[].n", "number"],
    ["seldom?", "string"],
    ["numbers.EUR", "number"],
    ["choice", "a|b|c"],
    ["choice", "string"],
    ["either", "any"],
  ])("finds %s, a %s", (path, type) => {
    expect(contradictionsOf(root, schema, { [path]: type })).toEqual([])
  })

  it.each([
    ["absent", "string", "absent is missing"],
    ["text", "number", "is no number"],
    ["text", "date-time", "is no date-time"],
    ["text", "a|b", "is no a|b"],
    ["text.inner", "string", "inner is missing"],
    ["never", "string", "is always null"],
    ["never.inner", "string", "is always null"],
    ["parts.rows[].m", "integer", "m is missing"],
    ["parts[]", "object", "is no array"],
    ["parts.rows[].n", "string", "is no string"],
    ["seldom", "string", "seldom may be absent"],
    ["numbers.EUR", "integer", "is no integer"],
    ["choice", "a|c", "is no a|c"],
    ["either", "string", "is no string"],
  ])("of %s as a %s says: %s", (path, type, problem) => {
    expect(contradictionsOf(root, schema, { [path]: type })).toEqual([`${path}: ${problem}`])
  })

  it("knows what is there, whatever its type", () => {
    for (const path of ["text", "seldom", "never", "parts.rows[].n"]) expect(hasMember(root, schema, path)).toBe(true)
    for (const path of ["gone", "parts.gone", "text.gone"]) expect(hasMember(root, schema, path)).toBe(false)
  })
})
