import { readFileSync } from "node:fs"
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Analyst } from "./analyst.ts"

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

const REQUEST_MS_MAX = 120_000
const CONNECTIONS_MAX = 8
/** The client options that trust the authorities of a file. Throws if it cannot be read. */
export const tlsOf = (ca: string | null | undefined): { readonly tls?: { readonly ca_cert: Buffer } } =>
  ca === null || ca === undefined ? {} : { tls: { ca_cert: readFileSync(ca) } }

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
        ...tlsOf(options.ca),
        database,
        application: "tidewire",
        request_timeout: REQUEST_MS_MAX,
        max_open_connections: CONNECTIONS_MAX,
        // Failures are values; the caller classifies them.
        log: { level: ClickHouseLogLevel.OFF },
      }),
    ),
    (client) => Effect.promise(() => client.close()),
  )
