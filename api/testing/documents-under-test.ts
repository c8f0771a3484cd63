import { expect } from "vitest"
import type { AttributionByPath } from "../../schemas/contract/provenance.ts"
import { endpoints } from "../../schemas/registry.ts"
import { apiUnderTest } from "./api-under-test.ts"

/** The public address of the services of these tests. */
export const BASE = "https://api.example"

const attribution: AttributionByPath = new Map([
  [
    "/api/forex",
    [{ provider: "European Central Bank", licence: "Free reuse with attribution.", url: "https://ecb.example" }],
  ],
])

/** An API of the whole contract. */
export const wholeApi = (baseUrl: string | null = null) =>
  apiUnderTest({ endpoints, attribution, baseUrl, securityContact: "mailto:security@example.org" })

/** The body of a reply, which must be 200. */
export const textOf = async (
  app: Awaited<ReturnType<typeof wholeApi>>["app"],
  url: string,
  headers: Record<string, string> = {},
): Promise<string> => {
  const { statusCode, body } = await app.inject({ url, headers })
  expect(statusCode, url).toBe(200)
  return body
}
