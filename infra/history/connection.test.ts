import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, expect, it } from "vitest"
import { connect } from "./connection.ts"

/** Longer than an idle connection is kept. */
const ANSWER_MS = 3_500

let sockets = 0
const server = createServer(async (request, reply) => {
  const query = await text(request)
  setTimeout(() => reply.end("1\n"), query.startsWith("SLOW") ? ANSWER_MS : 0)
})
server.on("connection", () => {
  sockets += 1
})
const scope = Scope.makeUnsafe()

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await new Promise((resolve) => server.close(resolve))
})

it("lets a call end that follows one which was interrupted before its request was sent", async () => {
  const { port } = server.address() as AddressInfo
  const options = { url: `http://127.0.0.1:${port}`, user: "writer", password: "" }
  const client = await Effect.runPromise(Scope.provide(connect(options, "system"), scope))
  const asked = async (query: string, signal?: AbortSignal) => {
    const answer = await client.query({ query, ...(signal && { abort_signal: signal }) })
    return answer.text()
  }
  await asked("SELECT 1")
  const interrupting = new AbortController()
  const interrupted = asked("SELECT 1", interrupting.signal)
  interrupting.abort()
  await expect(interrupted).rejects.toThrow("abort")
  expect(await asked("SLOW")).toBe("1\n")
  // All calls used one connection: a timer that the interrupted call left behind would have closed it.
  expect(sockets).toBe(1)
})
