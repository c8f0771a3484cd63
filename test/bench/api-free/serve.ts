import Fastify from "fastify"
import { boundBufferPools, returnFreedMemory } from "../../../infra/system/memory.ts"
import { FREE_PATH, openFreeApi } from "./free-api.ts"

// One server of the comparison, in its own process: `node serve.ts tidewire|bare`. Sends its port to its parent.

/** The minimal Fastify server that sends these bytes and headers. */
const bare = (headers: Record<string, string>, bytes: Buffer) => {
  const app = Fastify()
  app.get(FREE_PATH, (_, reply) => reply.headers(headers).send(bytes))
  return app
}

/** The headers of Tidewire, for the bare route, except those that Node adds. */
const recorded = async (api: Awaited<ReturnType<typeof openFreeApi>>) => {
  const reply = await api.inject({ url: FREE_PATH, headers: { "accept-encoding": "br" } })
  const { date: _, connection: __, ...headers } = reply.headers
  return { headers: headers as Record<string, string>, bytes: reply.rawPayload }
}

// As the service does; for both.
returnFreedMemory()
boundBufferPools()
const api = await openFreeApi()
const reply = await recorded(api)
const app = process.argv[2] === "bare" ? bare(reply.headers, reply.bytes) : api
const address = await app.listen({ host: "127.0.0.1", port: 0 })
process.send?.({ address, headers: reply.headers, bytes: reply.bytes.toString("base64") })
// Answers each message with its processor time in microseconds.
process.on("message", () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system })
})
process.on("disconnect", () => process.exit(0))
