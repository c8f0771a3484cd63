import { readFileSync } from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Analyst } from "./users.ts"

/** Address and user of ClickHouse. */
export interface ClickHouseOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  /** The analysts' user to create on a server; null for the embedded engine, which configures it. */
  readonly analyst?: Analyst | null
  /** File (PEM) of the trusted certificate authorities; null for those of Node. */
  readonly ca?: string | null
  /** The folder of the tables' SQL files; by default the product's own. */
  readonly migrations?: URL
}

const REQUEST_MAX_MS = 120_000
const CONNECTIONS_MAX = 8
/** Shorter than any server keeps an idle connection (3 s before ClickHouse 23.11), so that no call meets one that it closes. */
const IDLE_MAX_MS = 2_000

/** The client options that trust the authorities of a file. Throws if it cannot be read. */
export const tlsOf = (ca: string | null | undefined): { readonly tls?: { readonly ca_cert: Buffer } } =>
  ca === null || ca === undefined ? {} : { tls: { ca_cert: readFileSync(ca) } }

/**
 * The connections of a client, ended by Node once they are idle. The client's own timer of idle sockets is off: it is lost
 * where a call is interrupted before its request is sent, and then ends the connection in the midst of a later call.
 */
const agentOf = ({ url, ca }: ClickHouseOptions): http.Agent => {
  const options = { keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MAX_MS }
  return new URL(url).protocol === "https:"
    ? new https.Agent({ ...options, ca: tlsOf(ca).tls?.ca_cert })
    : new http.Agent(options)
}

/** Opens a client of a database for the scope. It connects with the first call. */
export const connect = (
  options: ClickHouseOptions,
  database: string,
): Effect.Effect<ClickHouseClient, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      createClient({
        url: options.url,
        username: options.user,
        password: options.password,
        http_agent: agentOf(options),
        keep_alive: { enabled: true, idle_socket_ttl: 0 },
        database,
        application: "tidewire",
        request_timeout: REQUEST_MAX_MS,
        // Failures are values; the caller classifies them.
        log: { level: ClickHouseLogLevel.OFF },
      }),
    ),
    (client) => Effect.promise(() => client.close()),
  )

/** Together below 10 s, in which a server that accepts connections and answers nothing is seen. */
const WATCH_EVERY = "3 seconds"
const ANSWER_MAX = "4 seconds"

/** The first line of an error's message, or its name where that is empty. */
export const sentenceOf = (cause: unknown): string => {
  const [line = ""] = (cause instanceof Error ? cause.message || cause.name : String(cause)).trim().split("\n")
  return line
}

/**
 * Asks ClickHouse continually for a query's answer, as the user of the settings and over a connection of its own, and reports
 * the problem, or null. It proves address, certificate, user and password of a process that only stands by, too.
 */
export const watchClickHouse = (
  options: ClickHouseOptions,
  report: (problem: string | null) => void,
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.flatMap(connect(options, "system"), (client) =>
    Effect.tryPromise({
      try: async (signal) => {
        const answer = await client.query({ query: "SELECT 1", abort_signal: signal })
        await answer.text()
      },
      catch: sentenceOf,
    }).pipe(
      Effect.timeoutOrElse({
        duration: ANSWER_MAX,
        orElse: () => Effect.fail("it accepts connections and answers nothing"),
      }),
      Effect.match({ onFailure: report, onSuccess: () => report(null) }),
      Effect.andThen(Effect.sleep(WATCH_EVERY)),
      Effect.forever,
    ),
  )
