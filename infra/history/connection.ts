import { readFileSync } from "node:fs"
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { Effect, type Scope } from "effect"
import type { Analyst } from "./analyst.ts"

/** Where ClickHouse is, and as whom to speak to it. */
export interface ClickHouseOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  /** Analysts' user, to be made on a server; null where the engine's own configuration has it. */
  readonly analyst?: Analyst | null
  /** File (PEM) of the authorities that may vouch for an https address; null for those that Node knows. */
  readonly ca?: string | null
  /** The folder of the tables' SQL files; the product's own where none is given. */
  readonly migrations?: URL
}

const REQUEST_MS_MAX = 120_000
const CONNECTIONS_MAX = 8
/** What a client needs to trust the authorities in a file. Throws where it cannot be read. */
export const tlsOf = (ca: string | null | undefined): { readonly tls?: { readonly ca_cert: Buffer } } =>
  ca === null || ca === undefined ? {} : { tls: { ca_cert: readFileSync(ca) } }

/** Opens a client of a database for the scope. Nothing is asked before the first call. */
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
        ...tlsOf(options.ca),
        database,
        application: "tidewire",
        request_timeout: REQUEST_MS_MAX,
        max_open_connections: CONNECTIONS_MAX,
        // Failures come back as values; the caller says what they mean.
        log: { level: ClickHouseLogLevel.OFF },
      }),
    ),
    (client) => Effect.promise(() => client.close()),
  )
