import Fastify from "fastify"
import { describe, expect, it, onTestFinished } from "vitest"
import { openExchange } from "../../api/http/answer.ts"
import { Traffic } from "../../api/http/traffic.ts"
import { makeMcpServer, resourcesOf } from "../../api/mcp/server.ts"
import { type McpTool, reads } from "../../api/mcp/tool.ts"
import { eras, mcpClient } from "./client.ts"

const SECRET = "ENOENT: /var/lib/tidewire/secrets/token-keys"

const faulty = (name: string, run: McpTool["run"]): McpTool => ({
  definition: {
    name,
    title: name,
    description: name,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    outputSchema: { type: "object" },
    annotations: reads,
  },
  run,
})

describe("a fault in a tool", () => {
  it.each(eras)("is logged, and sends no text of the exception to the caller (%s)", async (era) => {
    const errors: Array<object> = []
    const tools = [
      faulty("rejects", () => Promise.reject(new Error(SECRET))),
      faulty("throws", () => {
        throw Object.assign(new TypeError(SECRET), { code: -32_000, data: { path: SECRET } })
      }),
      faulty("throws_text", () => Promise.reject(SECRET)),
    ]
    const server = makeMcpServer(
      { tools, resources: resourcesOf([]) },
      {
        call: () => Promise.reject(new Error(SECRET)),
        options: { version: "1.2.3", logger: { error: (fields) => errors.push(fields) } },
      },
    )
    const app = Fastify()
    onTestFinished(() => app.close())
    const meter = new Traffic().meter("mcp")
    app.post<{ Body: Readonly<Record<string, unknown>> }>("/api/mcp", async (request, reply) => {
      const exchange = openExchange(request.raw, reply.raw, meter)
      const { status, body } = await server({ exchange, client: "127.0.0.1", message: request.body })
      return reply.code(status).type("application/json").send(body)
    })
    const client = mcpClient(app, { era })
    for (const { definition } of tools) {
      const reply = await client.send("tools/call", { name: definition.name, arguments: {} })
      expect(reply.json()).toMatchObject({ error: { code: -32_603, message: expect.stringContaining("logged") } })
      expect(reply.body).not.toContain("ENOENT")
    }
    expect(errors).toHaveLength(tools.length)
  })
})
