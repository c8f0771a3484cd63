import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A request as the server got it. */
interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  /** Complete before the request is answered. */
  readonly body: string
}

/** What the server does with a request. */
export type ScriptStep = (response: ServerResponse) => void

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ScriptStep =>
  (response) => {
    const type = status < 400 ? "application/json" : "application/problem+json"
    response.writeHead(status, { "content-type": `${type}; charset=utf-8`, ...headers }).end(JSON.stringify(body))
  }

/** Answers with a refusal. */
export const problem = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): ScriptStep =>
  json(status, { type: "about:blank", title: "Refused", status, error, message: "made so" }, headers)

/** Closes the connection without a response. */
export const hangUp: ScriptStep = (response) => void response.socket?.destroy()

/** Leaves the request unanswered. */
export const silence: ScriptStep = () => {}

/** A server that answers the requests of a test one after the other; the last step answers all further ones. */
export const scriptedService = async (...steps: ReadonlyArray<ScriptStep>) => {
  const requests: Array<SeenRequest> = []
  const server = createServer((request, response) => {
    const step = steps[Math.min(requests.length, steps.length - 1)]
    const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body: "" }
    requests.push(seen)
    request.on("data", (chunk: Buffer) => {
      seen.body += chunk.toString()
    })
    request.once("end", () => step?.(response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const { port } = server.address() as AddressInfo
  const keysOf = () => requests.map(({ headers }) => headers["idempotency-key"])
  return { baseUrl: `http://127.0.0.1:${port}`, requests, keysOf }
}
