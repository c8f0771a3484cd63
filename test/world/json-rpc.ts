import type { WorldReply, WorldRequest } from "./upstream.ts"

/** The parameters of a JSON-RPC call. */
export type Params = ReadonlyArray<unknown>

/** An error of a node, which has status 200 as well. */
export class RpcError {
  readonly code: number
  readonly message: string
  constructor(code: number, message: string) {
    this.code = code
    this.message = message
  }
}

/** The reply of a simulated node to a call: the result of its method, or an error. Null for what is no call. */
export const rpcReply = (
  { path, body }: WorldRequest,
  resultOf: (method: string, params: Params) => unknown,
): WorldReply | null => {
  if (path !== "/" || body === null || body === undefined) return null
  const {
    id,
    method,
    params = [],
  } = JSON.parse(body) as {
    readonly id: number
    readonly method: string
    readonly params?: Params
  }
  const result = resultOf(method, params) ?? null
  return { body: { jsonrpc: "2.0", ...(result instanceof RpcError ? { error: { ...result } } : { result }), id } }
}

export const unknownMethod = new RpcError(-32601, "Method not found")
