import { Effect, type Scope } from "effect"
import { Counter } from "prom-client"
import { Agent, request } from "undici"
import { makeSignedClient } from "../signing/signed-request.ts"
import { type EdgeName, edges, NOT_THE_WRITER } from "./edges.ts"

const CONNECT_TIMEOUT_MS = 1_000
/** How long a reply may take until it is asked, again and again, whether the process is alive at all, in milliseconds. */
const DOUBT_MS = 1_000
const ALIVE_MS_MAX = 1_000
const ALIVE_PATH = "/livez"
/** A full batch of accounts with all their purchases fits. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024

const attempts = new Counter({
  name: "tidewire_ledger_client_requests_total",
  help: "Requests to processes that may hold the ledger, by what came of them: answered, standby, unreachable, refused (wrong secret, clock or form), or lost (the reply did not come)",
  labelNames: ["outcome"],
})

/** Nothing was sent where no connection was made. */
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

/** What one request came to. `refused`, `standby` and `unreachable`: nothing was decided. `lost`: it is not known. */
export type SendOutcome = { readonly text: string } | "standby" | "refused" | "unreachable" | "lost"

/** Asks one of the processes that may hold the ledger, by its place in the list. */
export type SendRequest = (index: number, path: string, body: string, msMax: number) => Promise<SendOutcome>

/** Makes what asks processes over one edge. Connections live as long as the scope. */
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

    /** Whether a process answers anything: one that was stopped keeps its connections, and says nothing. */
    const isAlive = async (index: number): Promise<boolean> => {
      try {
        const signal = AbortSignal.timeout(ALIVE_MS_MAX)
        const { body } = await request(new URL(ALIVE_PATH, urls[index]), { dispatcher: agent, signal })
        await body.dump()
        return true
      } catch {
        return false
      }
    }

    const note = (index: number, said: SendOutcome, reason: string | null): SendOutcome => {
      attempts.inc({ outcome: typeof said === "string" ? said : "answered" })
      if (said === "refused" && !refusing.has(index)) {
        const warning = Effect.logWarning(
          "a ledger process refuses requests: compare the secret of this edge, the clocks and the versions",
        )
        Effect.runForkWith(context)(warning.pipe(Effect.annotateLogs({ ledger: index, edge, reason })))
      }
      if (said === "refused") refusing.add(index)
      else refusing.delete(index)
      return said
    }

    return async (index, path, body, msMax) => {
      const url = urls[index] ?? ""
      const abort = new AbortController()
      const deadline = setTimeout(() => abort.abort(), msMax)
      const doubt = setInterval(async () => {
        if (!(await isAlive(index))) abort.abort()
      }, DOUBT_MS)
      try {
        const { status, text } = await client.post({
          url,
          path,
          body,
          replyBytesMax: REPLY_BYTES_MAX,
          signal: abort.signal,
        })
        if (status === NOT_THE_WRITER) return note(index, "standby", null)
        if (status >= 400 && status < 500) return note(index, "refused", `${status} ${text.slice(0, 100)}`)
        return note(index, status === 200 ? { text } : "lost", null)
      } catch (error) {
        return note(index, wasNotSent(error) ? "unreachable" : "lost", null)
      } finally {
        clearTimeout(deadline)
        clearInterval(doubt)
      }
    }
  })
