import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { type Endpoint, isOfService } from "../../schemas/contract/endpoint-kinds.ts"
import { reservedMembers } from "../../schemas/contract/envelope.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import { mediaTypeOf } from "../../schemas/formats/format.ts"
import { endpoints } from "../../schemas/registry.ts"
import { eventually } from "../support/eventually.ts"
import { type FreeReply, freeReplies } from "../support/some-feed.ts"

type Body = Readonly<Record<string, unknown>>

/** The data of a body, or of an example of one. */
const dataOf = (endpoint: Endpoint, body: Body): unknown => {
  if (isOfService(endpoint)) return body
  if (endpoint.envelope === "data") return body.data
  const beside = reservedMembers(endpoint.envelope)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !beside.has(name)))
}

/** How a body does not fit the schema of its endpoint; null where it does. Documents may hold more than their schema names. */
const problemOf = (endpoint: Endpoint, body: Body): string | null => {
  const onExcessProperty = endpoint.kind === "document" ? "ignore" : "error"
  const decoded = Schema.decodeUnknownResult(endpoint.data)(dataOf(endpoint, body), { onExcessProperty })
  return Result.isFailure(decoded) ? decoded.failure.message : null
}

/** What the reply of a free endpoint lacks, in words; null where it is complete. */
const lackOf = async (url: string, { endpoint, path }: FreeReply): Promise<string | null> => {
  const response = await fetch(`${url}${path}`)
  const body = (await response.json()) as Body & { readonly _meta: Meta }
  if (response.status !== 200) return `${path}: ${response.status} ${JSON.stringify(body)}`
  if (body._meta.stale) return `${path}: ${JSON.stringify(body._meta)}`
  const problem = problemOf(endpoint, body)
  return problem === null ? null : `${path}: ${problem}`
}

/** Declares what holds of the contract's endpoints at a demo that is ready. */
export const demoContract = (url: () => string): void => {
  describe("the contract of the demo", () => {
    it("has data for every free endpoint, and none of it stale", async () => {
      await eventually("every free endpoint has data", async () => {
        const lacks = await Promise.all(freeReplies.map((one) => lackOf(url(), one)))
        const lacking = lacks.filter((lack) => lack !== null)
        if (lacking.length > 0) throw new Error(`${lacking.length} lack it:\n${lacking.join("\n")}`)
        return true
      })
    })

    it("has an example of every operation that fits the schema of its replies", async () => {
      const served = (await (await fetch(`${url()}/openapi.json`)).json()) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
      }
      for (const endpoint of endpoints) {
        const { path, method } = endpoint
        const operation = served.paths[path]?.[method.toLowerCase()] as {
          readonly responses: { readonly "200": { readonly content: Readonly<Record<string, { example?: Body }>> } }
        }
        // What a list is as a map or a table has schemas of its own, which `test/formats` holds replies against.
        const examples = Object.entries(operation.responses["200"].content)
          .filter(([mediaType]) => mediaType !== mediaTypeOf.geojson)
          .map(([, { example }]) => example)
        for (const example of examples) expect(example, path).toBeDefined()
        for (const example of examples)
          if (typeof example === "object") expect(problemOf(endpoint, example), path).toBeNull()
      }
    })

    const documents = endpoints.filter((one) => one.kind === "document" && one.mediaTypes[0] === "application/json")
    it.each(documents.map((one) => [one.path, one] as const))("%s is what its schema says", async (path, endpoint) => {
      const response = await fetch(`${url()}${path}`)
      expect(response.status).toBe(200)
      expect(problemOf(endpoint, (await response.json()) as Body)).toBeNull()
    })
  })
}
