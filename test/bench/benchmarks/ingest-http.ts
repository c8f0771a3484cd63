import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream/promises"
import { createGunzip, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Agent, request } from "undici"
import { makeHttpClient } from "../../../infra/http/undici-client.ts"
import { benchmark, interleaved, ratePerSecond } from "../benchmark.ts"

const ROUNDS = 5
const CALLERS = 8
const DURATION_MS = 600
const BODY = Buffer.from(
  JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, name: `item ${id}`, value: id * 1.5 }))),
)

const OURS = "requests through the client"
const BARE = "requests by undici, unpacked"

export default benchmark({
  name: "ingest-http",
  title: "Outbound requests: queue, circuit, bounds and timeouts against the bare library",
  budget: [{ label: OURS, of: "ratio", atLeast: 0.4 }],
  run: async () => {
    const packed = gzipSync(BODY)
    const server = createServer((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const upstreams = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const scope = Scope.makeUnsafe()
    const agent = new Agent({ connections: CALLERS })
    try {
      const http = await Effect.runPromise(
        makeHttpClient({
          upstreams,
          userAgent: "Tidewire/bench",
          limits: { pace: { requestsMax: 1_000_000, intervalMs: 1_000, concurrencyMax: CALLERS } },
        }).pipe(Effect.provideService(Scope.Scope, scope)),
      )
      const ours = http.fetch({
        url: "https://bench.example/",
        timeoutMs: 8_000,
        bodyBytesMax: 1024 * 1024,
        retriesMax: 0,
      })
      const figures = await interleaved(ROUNDS, {
        [BARE]: () =>
          ratePerSecond(CALLERS, DURATION_MS, async () => {
            const { body } = await request(`${upstreams}/bench.example/`, { dispatcher: agent })
            await pipeline(body, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
              let sizeBytes = 0
              for await (const chunk of chunks) sizeBytes += chunk.byteLength
              return sizeBytes
            })
          }),
        [OURS]: () => ratePerSecond(CALLERS, DURATION_MS, () => Effect.runPromise(ours)),
      })
      return [
        { label: BARE, value: figures[BARE] ?? 0, unit: "requests/s" },
        { label: OURS, value: figures[OURS] ?? 0, unit: "requests/s", ratioTo: BARE },
      ]
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  },
})
