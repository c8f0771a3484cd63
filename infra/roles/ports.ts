import { createServer, type Server } from "node:net"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { FastifyInstance } from "fastify"
import { hostAndPort } from "../config/address.ts"
import type { Role } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"
import { codeOf, messageOf } from "../system/error.ts"

/** Listening on a port failed. Names the setting that changes the port. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  variable: Schema.String,
  problem: Schema.String,
  /** Whether another process uses the port, so that a retry may succeed. */
  taken: Schema.Boolean,
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** A port to listen on, and the settings that choose it. */
export interface WantedPort {
  readonly variable: string
  readonly port: number
  readonly host: string
  /** Null if no setting chooses the host. */
  readonly hostVariable: string | null
}

/** The failure to listen on a port, with a message that names the remedy. */
export const listenFailed = ({ variable, port, host, hostVariable }: WantedPort, cause: unknown): ListenFailed => {
  const address = hostAndPort(host, port)
  const code = codeOf(cause)
  const ofHost = hostVariable ?? variable
  switch (code) {
    case "EADDRINUSE":
      return new ListenFailed({
        variable,
        problem: `${address} is in use by another process; end that one, or set ${variable} to a free port`,
        taken: true,
      })
    case "EACCES":
      return new ListenFailed({
        variable,
        problem: `this user may not listen on ${address}; set ${variable} to a port above 1023`,
        taken: false,
      })
    case "EADDRNOTAVAIL":
      return new ListenFailed({ variable: ofHost, problem: `${host} is no address of this machine`, taken: false })
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ListenFailed({ variable: ofHost, problem: `the name ${host} has no address`, taken: false })
    default:
      return new ListenFailed({
        variable,
        problem: `${address} cannot be listened on (${messageOf(cause)})`,
        taken: false,
      })
  }
}

/** The port of the API. */
export const apiPort = ({ host, port }: Settings): WantedPort => ({
  variable: "PORT",
  port,
  host,
  hostVariable: "HOST",
})

/** The port of metrics and readiness. */
export const adminPort = ({ adminHost, adminPort: port }: Settings): WantedPort => ({
  variable: "ADMIN_PORT",
  port,
  host: adminHost,
  hostVariable: "ADMIN_HOST",
})

/** The port of liveness, which a thread of its own serves; none without `LIVE_PORT`. */
export const livePort = ({ adminHost, livePort: port }: Settings): WantedPort | null =>
  port === null ? null : { variable: "LIVE_PORT", port, host: adminHost, hostVariable: "ADMIN_HOST" }

/** The port of the sister service's rail; none without `INTERNAL_PORT`. */
export const railPort = ({ internalHost, internalPort: port }: Settings): WantedPort | null =>
  port === null ? null : { variable: "INTERNAL_PORT", port, host: internalHost, hostVariable: "INTERNAL_HOST" }

/** The ports of the embedded ClickHouse; none with a ClickHouse server, and without a history. */
export const enginePorts = (settings: Settings): ReadonlyArray<WantedPort> => {
  const at = { host: "127.0.0.1", hostVariable: null }
  return settings.clickhouseUrl !== null || settings.history === "off"
    ? []
    : [
        { variable: "CLICKHOUSE_HTTP_PORT", port: settings.clickhouseHttpPort, ...at },
        { variable: "CLICKHOUSE_TCP_PORT", port: settings.clickhouseTcpPort, ...at },
      ]
}

/** Every port that a process of the role listens on. */
export const portsOf = (role: Role, settings: Settings): ReadonlyArray<WantedPort> => {
  const rail = role === "all" || role === "api" ? railPort(settings) : null
  const live = livePort(settings)
  return [
    ...(role === "all" || role === "api" ? [apiPort(settings)] : []),
    adminPort(settings),
    ...(live === null ? [] : [live]),
    ...(rail === null ? [] : [rail]),
    ...(role === "all" ? enginePorts(settings) : []),
  ]
}

/** Listens for the scope. */
const hold = (wanted: WantedPort): Effect.Effect<Server, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, ListenFailed>((resume) => {
      // Connections are closed at once: an open one would keep the port in use.
      const server = createServer((socket) => socket.destroy())
      server.once("error", (cause) => resume(Effect.fail(listenFailed(wanted, cause))))
      server.listen({ host: wanted.host, port: wanted.port }, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
  )

/** Children of a killed process may hold its ports for a moment. */
const PATIENCE = Schedule.max([Schedule.spaced("100 millis"), Schedule.recurs(30)])

/**
 * Fails within seconds if one of the ports cannot be listened on, before anything is started: otherwise the engine would be
 * restarted again and again, and requests to its port would reach another process. Afterwards the ports are free.
 */
export const checkPorts = (ports: ReadonlyArray<WantedPort>): Effect.Effect<void, ListenFailed> =>
  Effect.scoped(
    Effect.forEach(
      ports,
      (wanted, index) => {
        const { variable, port } = wanted
        const same = ports.slice(0, index).find((earlier) => earlier.port === port)
        return hold(wanted).pipe(
          Effect.mapError((error) =>
            error.taken && same !== undefined
              ? new ListenFailed({ variable, problem: `${port} is the value of ${same.variable} too`, taken: false })
              : error,
          ),
          Effect.retry({ schedule: PATIENCE, while: ({ taken }) => taken }),
        )
      },
      { discard: true },
    ),
  )

/** Listens with a server for the scope; `close` ends it in order. Succeeds with the address. */
export const listen = (
  app: FastifyInstance,
  wanted: WantedPort,
  close: (app: FastifyInstance) => Promise<void> = (one) => one.close(),
): Effect.Effect<string, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => app.listen({ host: wanted.host, port: wanted.port }),
      catch: (cause) => listenFailed(wanted, cause),
    }),
    () => Effect.promise(() => close(app)),
  )
