import { createServer, type Server } from "node:net"
import { Effect, Schedule, Schema, type Scope } from "effect"
import type { Role } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"

/** A port cannot be listened on. Names the setting that changes it. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  variable: Schema.String,
  problem: Schema.String,
  /** Whether somebody else has it now, who may let go of it. */
  taken: Schema.Boolean,
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** A port that is to be listened on, and the settings that choose it. */
export interface WantedPort {
  readonly variable: string
  readonly port: number
  readonly host: string
  /** Null where the host is not chosen by a setting. */
  readonly hostVariable: string | null
}

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** Why a port cannot be listened on, in a sentence that says what to do. */
export const listenFailed = ({ variable, port, host, hostVariable }: WantedPort, cause: unknown): ListenFailed => {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
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
        problem: `${address} cannot be listened on (${cause instanceof Error ? cause.message : String(cause)})`,
        taken: false,
      })
  }
}

/** Where the API listens. */
export const apiPort = ({ host, port }: Settings): WantedPort => ({
  variable: "PORT",
  port,
  host,
  hostVariable: "HOST",
})

/** Where metrics and readiness are told. */
export const adminPort = ({ adminHost, adminPort: port }: Settings): WantedPort => ({
  variable: "ADMIN_PORT",
  port,
  host: adminHost,
  hostVariable: "ADMIN_HOST",
})

/** Where the embedded ClickHouse listens; none where there is a server. */
export const enginePorts = (settings: Settings): ReadonlyArray<WantedPort> => {
  const at = { host: "127.0.0.1", hostVariable: null }
  return settings.clickhouseUrl !== null
    ? []
    : [
        { variable: "CLICKHOUSE_HTTP_PORT", port: settings.clickhouseHttpPort, ...at },
        { variable: "CLICKHOUSE_TCP_PORT", port: settings.clickhouseTcpPort, ...at },
      ]
}

/** Every port that a process of the role listens on. */
export const portsOf = (role: Role, settings: Settings): ReadonlyArray<WantedPort> => [
  ...(role === "all" || role === "api" ? [apiPort(settings)] : []),
  adminPort(settings),
  ...(role === "all" ? enginePorts(settings) : []),
]

/** Listens for the scope. */
const hold = (wanted: WantedPort): Effect.Effect<Server, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, ListenFailed>((resume) => {
      // Whoever calls now is sent away at once: a connection would keep the port from being given back.
      const server = createServer((socket) => socket.destroy())
      server.once("error", (cause) => resume(Effect.fail(listenFailed(wanted, cause))))
      server.listen({ host: wanted.host, port: wanted.port }, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
  )

/** A process that was killed a moment ago may have children that still hold its ports. */
const PATIENCE = Schedule.max([Schedule.spaced("100 millis"), Schedule.recurs(30)])

/**
 * Fails where one of the ports cannot be listened on, within seconds and before anything is started: an engine that finds
 * its port taken is started again and again, and whoever asks there is answered by a stranger. The ports are free
 * afterwards.
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
              ? new ListenFailed({ variable, problem: `${port} is what ${same.variable} says as well`, taken: false })
              : error,
          ),
          Effect.retry({ schedule: PATIENCE, while: ({ taken }) => taken }),
        )
      },
      { discard: true },
    ),
  )
