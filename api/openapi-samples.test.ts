import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { isPremium } from "../schemas/contract/endpoint-kinds.ts"
import { buildOpenApi } from "../schemas/printers/openapi.ts"
import { isData } from "../schemas/printers/tools.ts"
import { endpoints } from "../schemas/registry.ts"
import { BASE, textOf, wholeApi } from "./testing/documents-under-test.ts"

interface Sample {
  readonly label: string
  readonly source: string
}

/** The most by which samples may enlarge the document, compressed. */
const GROWTH_MAX = 0.1

it("the OpenAPI document has calls to copy for every endpoint of data, with the token of paid ones", async () => {
  const { app } = await wholeApi(BASE)
  const { paths } = JSON.parse(await textOf(app, "/openapi.json"))
  for (const endpoint of endpoints) {
    const { path, method, parameters } = endpoint
    const samples: ReadonlyArray<Sample> = paths[path][method.toLowerCase()]["x-codeSamples"] ?? []
    if (!isData(endpoint)) {
      expect(samples, path).toEqual([])
      continue
    }
    expect(samples.map(({ label }) => label)).toEqual(["curl", "TypeScript", "Python", "MCP"])
    for (const { label, source } of samples) {
      if (label === "MCP") expect(source, path).toContain(`"name":"${endpoint.name}"`)
      else {
        const [url = ""] = source.match(/https:\/\/[^\s'"]+/) ?? []
        const { origin, pathname, searchParams } = new URL(url)
        expect([origin, pathname], path).toEqual([BASE, path])
        for (const name of searchParams.keys()) expect(Object.keys(parameters), path).toContain(name)
      }
      expect(source.includes("Bearer"), `${path} ${label}`).toBe(isPremium(endpoint))
    }
  }
})

it("the OpenAPI document is hardly larger for them", async () => {
  const { app } = await wholeApi(BASE)
  const without = gzipSync(JSON.stringify(buildOpenApi({ endpoints, baseUrl: BASE }))).length
  const whole = gzipSync(await textOf(app, "/openapi.json")).length
  expect(whole).toBeGreaterThan(without)
  expect(whole / without - 1).toBeLessThan(GROWTH_MAX)
})
