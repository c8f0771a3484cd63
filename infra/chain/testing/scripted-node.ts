import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

// A JSON-RPC node with scripted replies, for the tests beside this file.

/** A reply to one call: a result, an error of JSON-RPC, or something that is neither. */
export type ScriptedReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** An answer that begins with this text and does not end. */
  | { readonly begins: string }
  | "hangs"
  | "breaks"

/** Replies to a method; undefined replies that the method does not exist. */
export type Script = (method: string, parameters: ReadonlyArray<unknown>) => ScriptedReply | undefined

/** A node on a free port of 127.0.0.1. */
export interface ScriptedNode {
  readonly url: string
  /** Every call, in order. */
  readonly asked: Array<{ readonly method: string; readonly parameters: ReadonlyArray<unknown> }>
  script: Script
  readonly close: () => Promise<void>
}

const answer = async (node: ScriptedNode, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
  node.asked.push({ method, parameters: params })
  const said = node.script(method, params) ?? { error: { code: -32601, message: "the method does not exist" } }
  if (said === "hangs") return
  if (said === "breaks") request.socket.resetAndDestroy()
  else if ("begins" in said) response.writeHead(200, { "content-type": "application/json" }).write(said.begins)
  else if ("status" in said) response.writeHead(said.status, said.headers).end(said.body)
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id, ...said }))
}

/** Starts a node. */
export const startScriptedNode = async (script: Script): Promise<ScriptedNode> => {
  const server = createServer((request, response) => {
    answer(node, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const node: ScriptedNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    script,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return node
}
