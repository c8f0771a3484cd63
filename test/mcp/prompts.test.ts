import { describe, expect, it } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { briefingEndpoint } from "../../schemas/endpoints/briefing.ts"
import { endpoints } from "../../schemas/registry.ts"
import { eras, mcpClient } from "./client.ts"

interface Listed {
  readonly name: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly required: boolean }>
}
interface Got {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: { readonly text: string } }>
}

const openClient = async (path = "/api/mcp", offered = endpoints) => {
  const { app } = await apiUnderTest({ endpoints: offered })
  return mcpClient(app, { path })
}
const listOf = async (client: Awaited<ReturnType<typeof openClient>>): Promise<ReadonlyArray<Listed>> =>
  (await client.result("prompts/list")).prompts

describe("the prompts", () => {
  it.each(eras)("are listed and filled in with what a person gives, in %s", async (era) => {
    const { app } = await apiUnderTest({ endpoints })
    const client = mcpClient(app, { era })
    const { prompts } = (await client.result("prompts/list")) as { readonly prompts: ReadonlyArray<Listed> }
    expect(prompts.map(({ name }) => name)).toEqual(["world_now", "what_changed", "before_and_now"])
    const given = { dataset: "the price of bitcoin", at: "2026-11-20T05:00:00Z" }
    const { messages } = (await client.result("prompts/get", { name: "before_and_now", arguments: given })) as Got
    expect(messages).toMatchObject([{ role: "user" }])
    const text = messages[0]?.content.text ?? ""
    for (const word of Object.values(given)) expect(text).toContain(word)
  })

  it.each(["/api/mcp", "/api/mcp/all"])("name tools that %s has, and no others", async (path) => {
    const client = await openClient(path)
    const tools: ReadonlyArray<{ readonly name: string }> = (await client.result("tools/list")).tools
    const names = new Set(tools.map(({ name }) => name))
    for (const { name, arguments: asked } of await listOf(client)) {
      const filled = Object.fromEntries(asked.map((one) => [one.name, "2026-11-20T05:00:00Z"]))
      const { messages } = (await client.result("prompts/get", { name, arguments: filled })) as Got
      const called = [...(messages[0]?.content.text ?? "").matchAll(/\b(?:[Cc]all|by) ([a-z]+(?:_[a-z]+)*)/g)]
      expect(called.length, name).toBeGreaterThan(0)
      for (const [, tool = ""] of called) expect(names.has(tool), `${name}: ${tool}`).toBe(true)
    }
  })

  it("are not offered where their tools are not", async () => {
    const client = await openClient(
      "/api/mcp",
      endpoints.filter(({ path }) => path !== briefingEndpoint.path),
    )
    expect((await listOf(client)).map(({ name }) => name)).not.toContain("world_now")
  })

  it.each([
    ["an unknown prompt", { name: "nothing" }, "There is no prompt of this name."],
    ["a missing argument", { name: "before_and_now", arguments: { dataset: "bitcoin" } }, '"at" is required.'],
    ["an empty one", { name: "before_and_now", arguments: { dataset: " ", at: "x" } }, '"dataset" is required.'],
    ["one too many", { name: "world_now", arguments: { more: "x" } }, "This prompt takes no arguments."],
    [
      "a long one",
      { name: "what_changed", arguments: { feeds: "x".repeat(201) } },
      '"feeds" has more than 200 characters.',
    ],
  ])("refuse %s", async (_, params, message) => {
    const { app } = await apiUnderTest({ endpoints })
    const reply = (await mcpClient(app).send("prompts/get", params)).json()
    expect(reply.error).toMatchObject({ code: -32602, message })
  })
})
