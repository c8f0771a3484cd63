import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Schema from "effect/Schema"

/** A call as JSON-RPC has it. */
export interface RpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Faults of a provider. Those with `methods` affect only these; without it, all. */
export type RpcFault = (
  | { readonly kind: "down" }
  | { readonly kind: "slow"; readonly ms: number }
  /** An HTTP status, such as 429 or 503. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  /** An error of JSON-RPC with HTTP status 200, such as -32016 "over rate limit". */
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** A page of HTML instead of JSON. */
  | { readonly kind: "garbage" }
  /** Half of the answer, and the connection ends. */
  | { readonly kind: "truncated" }
  /** Lags: the last blocks and their transactions are unknown. */
  | { readonly kind: "lagging"; readonly blocks: number }
  /** Repeats earlier answers, as a cache that is not invalidated by a reorganisation. */
  | { readonly kind: "stale" }
  | { readonly kind: "chain"; readonly chainId: number }
  /** Calls the last block safe and final. */
  | { readonly kind: "hasty" }
  /** Changes the result: `change` gets the true one and returns the false one. */
  | { readonly kind: "lie"; readonly change: (result: unknown, call: RpcCall) => unknown }
) & { readonly methods?: ReadonlyArray<string> }

/** A provider of a chain that can be made to fail. */
export interface FaultyRpc {
  readonly url: string
  /** Replaces the faults; without any, the provider is honest and available. */
  readonly setFaults: (...faults: ReadonlyArray<RpcFault>) => void
  /** How often each method was called. */
  readonly calls: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

const Request = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Array(Schema.Unknown)),
})
const decodeRequests = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Union([Request, Schema.Array(Request)])))
const Reply = Schema.Struct({ result: Schema.optionalKey(Schema.Unknown), error: Schema.optionalKey(Schema.Unknown) })
const decodeReply = Schema.decodeUnknownSync(Reply)
type Reply = typeof Reply.Type

const BODY_MAX_BYTES = 1024 * 1024
const REMEMBERED_MAX = 10_000
const UPSTREAM_MAX_MS = 30_000

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += chunk.length
    if (sizeBytes > BODY_MAX_BYTES) throw new Error("the body is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const hex = (number: number): string => `0x${number.toString(16)}`

const numberOf = (value: unknown, key: string): number | null => {
  const found = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
  return typeof found === "string" ? Number.parseInt(found, 16) : null
}

const TAGS: ReadonlyArray<unknown> = ["latest", "safe", "finalized", "pending"]

/** The place of the block among the parameters of methods that take its number or tag. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
}

/** The tag by which a call names its block, and where it stands; null when it names none. */
const tagOf = ({ method, params }: RpcCall): { readonly at: number; readonly tag: string | null } => {
  const at = BLOCK_PARAMETER[method] ?? -1
  const tag = params[at]
  return { at, tag: typeof tag === "string" && TAGS.includes(tag) ? tag : null }
}

/** Starts a proxy before a node's JSON-RPC on a free port of 127.0.0.1. */
export const startFaultyRpc = async (upstreamUrl: string): Promise<FaultyRpc> => {
  let faults: ReadonlyArray<RpcFault> = []
  const calls = new Map<string, number>()
  const remembered = new Map<string, Reply>()

  const ask = async (call: RpcCall): Promise<Reply> => {
    const response = await fetch(upstreamUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...call }),
      signal: AbortSignal.timeout(UPSTREAM_MAX_MS),
    })
    return decodeReply(await response.json())
  }
  const askNumber = async (tag: string): Promise<number> =>
    numberOf((await ask({ id: 1, method: "eth_getBlockByNumber", params: [tag, false] })).result, "number") ?? 0

  const answerLagging = async (call: RpcCall, blocks: number): Promise<Reply> => {
    const behind = Math.max(0, (await askNumber("latest")) - blocks)
    if (call.method === "eth_blockNumber") return { result: hex(behind) }
    const { at, tag } = tagOf(call)
    const shifted =
      tag === null ? call : { ...call, params: call.params.with(at, hex(Math.max(0, (await askNumber(tag)) - blocks))) }
    const reply = await ask(shifted)
    const number = numberOf(reply.result, "blockNumber") ?? numberOf(reply.result, "number")
    return number !== null && number > behind ? { result: null } : reply
  }

  const answer = async (received: RpcCall, active: ReadonlyArray<RpcFault>): Promise<Reply> => {
    const one = <K extends RpcFault["kind"]>(kind: K) =>
      active.find((fault): fault is Extract<RpcFault, { kind: K }> => fault.kind === kind)
    const { at, tag } = tagOf(received)
    const call =
      one("hasty") === undefined || tag === null
        ? received
        : { ...received, params: received.params.with(at, "latest") }
    const wrong = one("error")
    if (wrong !== undefined) return { error: { code: wrong.code, message: wrong.message } }
    const chain = one("chain")
    if (chain !== undefined && call.method === "eth_chainId") return { result: hex(chain.chainId) }
    if (chain !== undefined && call.method === "net_version") return { result: String(chain.chainId) }
    const key = JSON.stringify([call.method, call.params])
    const before = one("stale") === undefined ? undefined : remembered.get(key)
    const lagging = one("lagging")
    const reply = before ?? (lagging === undefined ? await ask(call) : await answerLagging(call, lagging.blocks))
    if (remembered.size < REMEMBERED_MAX || remembered.has(key)) remembered.set(key, reply)
    if (reply.error !== undefined) return reply
    return active.reduce<Reply>(
      (reply, fault) => (fault.kind === "lie" ? { result: fault.change(reply.result, call) } : reply),
      reply,
    )
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = decodeRequests(await readBody(request))
    const batch = (Array.isArray(received) ? received : [received]).map(
      ({ id, method, params = [] }): RpcCall => ({ id, method, params }),
    )
    for (const { method } of batch) calls.set(method, (calls.get(method) ?? 0) + 1)
    const activeFor = ({ method }: RpcCall) => faults.filter(({ methods }) => methods?.includes(method) ?? true)
    const whole = batch.flatMap(activeFor)
    const find = <K extends RpcFault["kind"]>(kind: K) =>
      whole.find((fault): fault is Extract<RpcFault, { kind: K }> => fault.kind === kind)

    if (find("down") !== undefined) {
      request.socket.resetAndDestroy()
      return
    }
    const slow = find("slow")
    if (slow !== undefined) await sleep(slow.ms, undefined, { ref: false })
    const status = find("status")
    if (status !== undefined) {
      const { retryAfterSeconds } = status
      const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }
      response.writeHead(status.status, { "content-type": "text/plain", ...headers }).end("not now")
      return
    }
    if (find("garbage") !== undefined) {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Just a moment...</title>")
      return
    }
    const answered = await Promise.all(
      batch.map(async (call) => ({ jsonrpc: "2.0", id: call.id, ...(await answer(call, activeFor(call))) })),
    )
    const body = Buffer.from(JSON.stringify(Array.isArray(received) ? answered : answered[0]))
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
    if (find("truncated") === undefined) response.end(body)
    else response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy())
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => {
      if (response.headersSent) request.socket.destroy()
      else response.writeHead(502).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFaults: (...wanted) => {
      faults = wanted
    },
    calls,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
