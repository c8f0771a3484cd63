import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { isOfService, isPremium } from "../contract/endpoint-kinds.ts"
import { fieldsParameter } from "../contract/fields.ts"
import { pastParameters } from "../contract/past.ts"
import { endpoints } from "../registry.ts"
import type { JsonObject } from "./openapi-components.ts"
import { argumentText, TOOL_DESCRIPTION_MAX_CHARACTERS, toolsOf } from "./tools.ts"

const tools = toolsOf(endpoints)
const toolAt = (path: string) => tools.find((tool) => tool.path === path)

describe("tools of the contract", () => {
  it("are one for each endpoint of data, and none for what buys, confirms or revokes", () => {
    const data = endpoints.filter((one) => !isOfService(one))
    expect(tools.map(({ path }) => path)).toEqual(data.map(({ path }) => path))
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    expect(tools.length).toBeGreaterThan(40)
    // The most that OpenAI takes in one request.
    expect(tools.length).toBeLessThanOrEqual(128)
    expect(tools.filter(({ path }) => path.startsWith("/api/payment/"))).toEqual([])
  })

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s is one that every vendor accepts", (name, tool) => {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(tool.description.length).toBeLessThanOrEqual(TOOL_DESCRIPTION_MAX_CHARACTERS)
    expect(JSON.stringify(tool.parameters)).not.toContain("$ref")
    for (const [parameter, schema] of Object.entries(tool.parameters.properties)) {
      expect(parameter).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/)
      expect(schema.type, parameter).toMatch(/^(string|number|integer|boolean|array)$/)
      expect(schema.description, parameter).not.toBe("")
    }
  })

  it("say the price of the contract and every reason for no charge", () => {
    for (const endpoint of endpoints) {
      const tool = toolAt(endpoint.path)
      if (tool === undefined) continue
      expect(tool.credits).toBe(isPremium(endpoint) ? endpoint.credits : 0)
      expect(tool.bearer).toBe(endpoint.bearer)
      if (isPremium(endpoint))
        for (const { reason } of endpoint.noCharge) expect(tool.description, endpoint.path).toContain(reason)
      else expect(tool.description).toContain("Free, without a key.")
    }
    expect(toolAt("/api/pro/macro")?.description).toContain("Costs 2 credits a call (0.04 USD)")
    expect(toolAt("/api/pro/briefing")?.description).toContain("Costs 1 credit a call (0.02 USD)")
  })

  it("leave out the parameters that are not for agents, and no others", () => {
    expect(Object.keys(toolAt("/api/cyber-threats")?.parameters.properties ?? {})).toEqual(["at", "fields"])
    expect(toolAt("/api/cyber-threats")?.description).not.toContain("raw")
    for (const endpoint of endpoints) {
      const tool = toolAt(endpoint.path)
      if (tool === undefined) continue
      const fields = "fields" in endpoint ? fieldsParameter(endpoint) : {}
      const declared = { ...endpoint.parameters, ...pastParameters(endpoint), ...fields }
      const offered = Object.entries(declared).filter(([, { forAgents }]) => forAgents !== false)
      expect(Object.keys(tool.parameters.properties)).toEqual(offered.map(([name]) => name))
      expect(tool.parameters.required).toEqual(
        offered.flatMap(([name, one]) => (one.default === undefined && one.optional !== true ? [name] : [])),
      )
    }
  })

  it("describe parameters with units, bounds and words", () => {
    expect(toolAt("/api/weather")?.parameters).toMatchObject({
      properties: { lat: { type: "number" }, lon: { type: "number" } },
      required: ["lat", "lon"],
    })
    expect(toolAt("/api/weather")?.parameters.properties.lat?.description).toContain("degrees")
    expect(toolAt("/api/climate/earthquakes")?.parameters.properties.period).toMatchObject({
      enum: ["hour", "day", "week", "month"],
      default: "day",
    })
  })

  it("accept as arguments what the query accepts: defaults go through their texts", () => {
    for (const endpoint of endpoints) {
      const tool = toolAt(endpoint.path)
      if (tool === undefined) continue
      for (const [name, schema] of Object.entries<JsonObject>(tool.parameters.properties)) {
        if (schema.default === undefined) continue
        const text = argumentText(schema.default)
        const decoded = Schema.decodeUnknownResult(endpoint.parameters[name]?.schema ?? Schema.Never)(text)
        expect(Result.isSuccess(decoded), `${endpoint.path} ${name}`).toBe(true)
      }
    }
  })
})

describe("arguments of tools", () => {
  it("become texts of the query; objects and null are none", () => {
    expect(argumentText("4.5")).toBe("4.5")
    expect(argumentText(34.05)).toBe("34.05")
    expect(argumentText(true)).toBe("true")
    expect(argumentText(["AAPL", "MSFT"])).toBe("AAPL,MSFT")
    expect(argumentText(null)).toBeNull()
    expect(argumentText({ lat: 1 })).toBeNull()
    expect(argumentText([["a"]])).toBeNull()
  })
})
