import { describe, expect, it } from "vitest"
import { toolsOf } from "../schemas/printers/tools.ts"
import { endpoints } from "../schemas/registry.ts"
import { START_MS } from "./testing/api-under-test.ts"
import { textOf, wholeApi } from "./testing/documents-under-test.ts"

describe("/api/llm-tools", () => {
  const tools = toolsOf(endpoints)

  it.each([
    ["", "raw", ["name", "description", "parameters", "path", "method", "credits", "tier", "bearer"]],
    ["?format=raw", "raw", ["name", "description", "parameters", "path", "method", "credits", "tier", "bearer"]],
    ["?format=openai", "openai", ["type", "function"]],
    ["?format=openai-responses", "openai-responses", ["type", "name", "description", "parameters", "strict"]],
    ["?format=anthropic", "anthropic", ["name", "description", "input_schema"]],
  ])("%s gives every tool in the form %s", async (query, format, members) => {
    const { app } = await wholeApi()
    const body = JSON.parse(await textOf(app, `/api/llm-tools${query}`))
    expect(body).toMatchObject({ source: "tidewire", format, generated_at: new Date(START_MS).toISOString() })
    expect(body.tools).toHaveLength(tools.length)
    for (const tool of body.tools) expect(Object.keys(tool)).toEqual(members)
    expect(body.calls).toEqual(
      Object.fromEntries(
        tools.map(({ name, method, path, tier, credits, bearer }) => [name, { method, path, tier, credits, bearer }]),
      ),
    )
  })

  it("nests a function as Chat Completions wants it, with the same schema as the others", async () => {
    const { app } = await wholeApi()
    const read = async (format: string) => JSON.parse(await textOf(app, `/api/llm-tools?format=${format}`)).tools
    const [nested, flat, anthropic] = await Promise.all(["openai", "openai-responses", "anthropic"].map(read))
    tools.forEach(({ name, description, parameters }, at) => {
      expect(nested[at]).toEqual({ type: "function", function: { name, description, parameters, strict: false } })
      expect(flat[at]).toEqual({ type: "function", name, description, parameters, strict: false })
      expect(anthropic[at]).toEqual({ name, description, input_schema: parameters })
    })
  })

  it("refuses another format and names those that it has", async () => {
    const { app } = await wholeApi()
    const { statusCode, body } = await app.inject({ url: "/api/llm-tools?format=gemini" })
    expect(statusCode).toBe(400)
    expect(JSON.parse(body).allowed).toEqual(["raw", "openai", "openai-responses", "anthropic"])
  })
})
