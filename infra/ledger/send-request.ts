import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Counter } from "prom-client"
import { Agent, request } from "undici"
import { makeSignedClient } from "../signing/signed-request.ts"
import { type EdgeName, edges, NOT_THE_WRITER } from "./wire.ts"

const CONNECT_TIMEOUT_MS = 1_000
/** While a reply is outstanding, the process's liveness is probed this often, in milliseconds. */
const PROBE_EVERY_MS = 1_000
const PROBE_MAX_MS = 1_000
const ALIVE_PATH = "/livez"
/** Large enough for a full batch of accounts with all their purchases. */
const REPLY_MAX_BYTES = 32 * 1024 * 1024

const attempts = new Counter({
  name: "tidewire_ledger_client_requests_total",
  help: "Requests to processes that may hold the ledger, by outcome: answered, standby, unreachable, refused (wrong secret, clock or form), or lost (no reply arrived)",
  labelNames: ["outcome"],
})

/** Errors of the connection: nothing was sent. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
])
const wasNotSent = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && NOT_SENT.has(error.code)

/** The outcome of one request. `refused`, `standby` and `unreachable`: nothing was decided. `lost`: unknown. */
export type SendOutcome = { readonly text: string } | "standby" | "refused" | "unreachable" | "lost"

/** Sends a request to one of the processes that may hold the ledger, by its place in the list. */
export type SendRequest = (index: number, path: string, body: string, maxMs: number) => Promise<SendOutcome>

/** Makes the sender of requests of one edge. Connections live as long as the scope. */
export const makeRequestSender = (options: {
  readonly urls: ReadonlyArray<string>
  readonly edge: EdgeName
  readonly secret: string
  readonly connections: number
}): Effect.Effect<SendRequest, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { urls, edge, secret, connections } = options
    const context = yield* Effect.context<never>()
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ connections, pipelining: 1, connectTimeout: CONNECT_TIMEOUT_MS })),
      (one) => Effect.promise(() => one.destroy()),
    )
    const client = makeSignedClient({ edge: edges[edge].name, secret, dispatcher: agent })
    const refusing = new Set<number>()

    /** Whether a process answers at all: a suspended one keeps its connections open and is silent. */
    const isAlive = async (index: number): Promise<boolean> => {
      try {
        const signal = AbortSignal.timeout(PROBE_MAX_MS)
        const { body } = await request(new URL(ALIVE_PATH, urls[index]), { dispatcher: agent, signal })
        await body.dump()
        return true
      } catch {
        return false
      }
    }

    const record = (index: number, outcome: SendOutcome, reason: string | null): SendOutcome => {
      attempts.inc({ outcome: typeof outcome === "string" ? outcome : "answered" })
      if (outcome === "refused" && !refusing.has(index)) {
        const warning = Effect.logWarning(
          "a ledger process refuses requests: compare the secret of this edge, the clocks and the versions",
        )
        Effect.runForkWith(context)(warning.pipe(Effect.annotateLogs({ ledger: index, edge, reason })))
      }
      if (outcome === "refused") refusing.add(index)
      else refusing.delete(index)
      return outcome
    }

    return async (index, path, body, maxMs) => {
      const url = urls[index] ?? ""
      const abort = new AbortController()
      const deadline = setTimeout(() => abort.abort(), maxMs)
      const probe = setInterval(async () => {
        if (!(await isAlive(index))) abort.abort()
      }, PROBE_EVERY_MS)
      try {
        const { status, text } = await client.post({
          url,
          path,
          body,
          replyBytesMax: REPLY_MAX_BYTES,
          signal: abort.signal,
        })
        if (status === NOT_THE_WRITER) return record(index, "standby", null)
        if (status >= 400 && status < 500) return record(index, "refused", `${status} ${text.slice(0, 100)}`)
        return record(index, status === 200 ? { text } : "lost", null)
      } catch (error) {
        return record(index, wasNotSent(error) ? "unreachable" : "lost", null)
      } finally {
        clearTimeout(deadline)
        clearInterval(probe)
      }
    }
  })
