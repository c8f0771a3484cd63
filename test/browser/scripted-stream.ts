import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { streamEndpoint } from "../../schemas/endpoints/changes.ts"

/** The service behind a proxy, which answers the stream of changes itself: as the test says, and not as the world goes. */
export interface ScriptedStream {
  readonly url: (path: string) => string
  /** The paths that were requested, in their order, those of streams with their query. */
  readonly requested: Array<string>
  /** The number of streams that are open. */
  readonly open: () => number
  /** Sends a change of a feed on every open stream. */
  readonly change: (feed: string) => void
  /** Sends no more heartbeats. Until then they come so often that no clock of a page is ahead of them. */
  readonly silence: () => void
  /** Ends every stream, and refuses others with this status from now on; null accepts them. */
  readonly refuse: (status: number | null) => void
  readonly close: () => Promise<void>
}

const BEAT_MS = 100

/** Starts the proxy on 127.0.0.1. */
export const startScriptedStream = async (service: string): Promise<ScriptedStream> => {
  const requested: Array<string> = []
  const streams = new Set<ServerResponse>()
  let refusal: number | null = null

  const stream = (response: ServerResponse): void => {
    if (refusal !== null) {
      response.writeHead(refusal).end()
      return
    }
    streams.add(response)
    response.on("close", () => streams.delete(response))
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" })
    response.write("retry: 1000\n\n")
  }
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "/", headers } = incoming
    const outgoing = request(new URL(url, service), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    outgoing.on("error", () => response.destroy())
    incoming.pipe(outgoing)
  }
  const server = createServer((incoming, response) => {
    const [path = "", query] = (incoming.url ?? "").split("?")
    const isStream = path === streamEndpoint.path
    requested.push(isStream ? `${path}?${query}` : path)
    if (isStream) stream(response)
    else pass(incoming, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const beating = setInterval(() => {
    for (const one of streams) one.write("event: heartbeat\nid: k7f2qdxa.000000000001\ndata:\n\n")
  }, BEAT_MS)
  const end = (): void => {
    for (const one of streams) one.destroy()
  }
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    requested,
    open: () => streams.size,
    change: (feed) => {
      for (const one of streams) one.write(`event: change\ndata: ${JSON.stringify({ feed })}\n\n`)
    },
    silence: () => clearInterval(beating),
    refuse: (status) => {
      refusal = status
      if (status !== null) end()
    },
    close: async () => {
      clearInterval(beating)
      end()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
