import { isIPv4 } from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { EXIT_CODES } from "../../infra/commands/arguments.ts"
import { loadSettings, type Settings } from "../../infra/config/settings.ts"
import { checkPorts, portsOf, type WantedPort } from "../../infra/roles/ports.ts"
import { holdDirectory } from "../../infra/system/data-directory.ts"
import { isOfService } from "../../schemas/contract/endpoint-kinds.ts"
import { endpoints } from "../../schemas/registry.ts"
import { allEndpointsBut } from "../support/some-feed.ts"
import { readInstant } from "./clock/world-clock.ts"
import { Fault } from "./faults.ts"

/** The settings of the demo. */
export interface DemoSettings {
  readonly settings: Settings
  readonly seed: string
  /** Where what listens on 127.0.0.1 alone is reached too; null for nowhere else. */
  readonly outsideHost: string | null
  /** `ENDPOINTS_OFF` for the service. */
  readonly endpointsOff: string
  /** The faults that the world begins with. */
  readonly faults: ReadonlyArray<Fault>
  readonly hasOutages: boolean
  /** Whether a new log begins with the day before the start. */
  readonly hasPast: boolean
  /** The path of a backup that a new data folder begins with; null for none. */
  readonly backup: string | null
  /** The instant at which everything stands from the start on, in milliseconds; null for the clock of the machine. */
  readonly frozenAtMs: number | null
  /** 0 takes a free one. */
  readonly worldPort: number
  /** 0 takes a free one. */
  readonly chainPort: number
  /** 0 takes a free one. */
  readonly sisterPort: number
  /** Every port that has to be free. */
  readonly ports: ReadonlyArray<WantedPort>
}

/** The usual port of a local chain in wallets. If another process has it, the chain takes a free one. */
const CHAIN_PORT = 8545
const LOOPBACK = "127.0.0.1"
/** The default seed of the demo's world, and that of `npm run world`. */
export const SEED = "tidewire"

/** What `npm run demo -- --help` prints. */
export const demoHelp = `The whole service on the embedded engines, against a simulated world and a local chain. Ctrl-C ends it.

  npm run demo
  npm run demo -- --time INSTANT   frozen at this instant (2026-11-20T00:00Z): the same seed, the same replies

Settings, from the environment: those of npm start (npm start -- --help), where DATA_DIR is ./data/demo unless set, and

  WORLD_SEED  Chooses the world: the same seed, the same world [${SEED}]
  WORLD_PORT  Port of the simulated upstreams [any free one]
  CHAIN_PORT  Port of the local chain [${CHAIN_PORT}, or any free one where that is taken]
  SISTER_PORT Port of a sister data service, which takes the same tokens [any free one]
  WORLD_HOST  Address where the world, the chain, the sister and SQL are reached too, by the same ports, as from outside of a
              container; 0.0.0.0 takes every IPv4 address of this machine [127.0.0.1 alone]
  WORLD_OFFERED  Endpoints of data that are offered, and no others (paths, comma separated): only their feeds are polled [all]
  WORLD_FAULTS   Faults that the world begins with, as PUT /_world/faults takes them [none]
  WORLD_OUTAGES  Whether providers have outages at times of their own, on or off [on]
  WORLD_PAST     Whether a new log begins with the day before the start, on or off [on]
  WORLD_BACKUP   A backup that a new data folder begins with, in place of that day [none]
  WORLD_TIME     As --time, or where the log has gone further from there [the clock of the machine]

PUT /_world/clock on the world's port freezes the clock of the world, the chain and the service alike ({"frozen": true}), moves
it on ({"advance": "2h"}, {"time": INSTANT}), and lets it run again ({"frozen": false}). It answers when all that is due by then
was polled and is served.

Its rail (INTERNAL_PORT) is on any free port unless set, with a secret that is new at each start.

${EXIT_CODES}`

type Environment = Readonly<Record<string, string | undefined>>

const PORT_MAX = 65_535

/** The port that a variable beside the settings names; null where it is absent or empty, 0 takes a free one. */
export const portIn = (environment: Environment, variable: string): Result.Result<number | null, string> => {
  const given = environment[variable]?.trim() ?? ""
  if (given === "") return Result.succeed(null)
  return /^\d{1,5}$/.test(given) && Number(given) <= PORT_MAX
    ? Result.succeed(Number(given))
    : Result.fail(`${variable}: must be a whole number from 0 (any free port) to ${PORT_MAX}`)
}

/** A port of this machine that has to be free; none where any will do. */
export const localPort = (variable: string, port: number | null): ReadonlyArray<WantedPort> =>
  port === null || port === 0 ? [] : [{ variable, port, host: "127.0.0.1", hostVariable: null }]

/** `ENDPOINTS_OFF` for a service that offers the endpoints of WORLD_OFFERED alone. */
const endpointsOffIn = (environment: Environment): Result.Result<string, string> => {
  const given = environment.WORLD_OFFERED?.trim() ?? ""
  if (given === "") return Result.succeed(environment.ENDPOINTS_OFF ?? "")
  if (environment.ENDPOINTS_OFF) return Result.fail("WORLD_OFFERED: cannot stand beside ENDPOINTS_OFF")
  const offered = given.split(",").map((path) => path.trim())
  const known = new Set(endpoints.filter((endpoint) => !isOfService(endpoint)).map(({ path }) => path))
  const unknown = offered.filter((path) => !known.has(path))
  return unknown.length === 0
    ? Result.succeed(allEndpointsBut(offered))
    : Result.fail(`WORLD_OFFERED: no endpoint of data has the path ${unknown.join(", ")}`)
}

const decodeFaults = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Fault)))
const faultsIn = (environment: Environment): Result.Result<ReadonlyArray<Fault>, string> =>
  Result.mapError(decodeFaults(environment.WORLD_FAULTS || "[]"), ({ message }) => `WORLD_FAULTS: ${message}`)

const outsideHostIn = (environment: Environment): Result.Result<string | null, string> => {
  const given = environment.WORLD_HOST?.trim() || LOOPBACK
  if (!isIPv4(given)) return Result.fail("WORLD_HOST: must be an IPv4 address of this machine, or 0.0.0.0 for all")
  return Result.succeed(given === LOOPBACK ? null : given)
}

const frozenAtIn = (environment: Environment): Result.Result<number | null, string> => {
  const given = environment.WORLD_TIME?.trim() ?? ""
  return given === ""
    ? Result.succeed(null)
    : Result.mapError(readInstant(given), (problem) => `WORLD_TIME (--time): ${problem}`)
}

const switchIn = (environment: Environment, variable: string): Result.Result<boolean, string> => {
  const given = environment[variable]?.trim() || "on"
  return given === "on" || given === "off"
    ? Result.succeed(given === "on")
    : Result.fail(`${variable}: must be one of on, off`)
}

const backupIn = (environment: Environment): Result.Result<string | null, string> => {
  const given = environment.WORLD_BACKUP?.trim() ?? ""
  if (given === "") return Result.succeed(null)
  return environment.KAFKA_BROKERS
    ? Result.fail("WORLD_BACKUP: cannot stand beside KAFKA_BROKERS")
    : Result.succeed(given)
}

/** The settings of the demo, or a sentence for each that is wrong. */
export const readDemoSettings = (environment: Environment): Result.Result<DemoSettings, ReadonlyArray<string>> => {
  const parts = {
    worldPort: portIn(environment, "WORLD_PORT"),
    chainPort: portIn(environment, "CHAIN_PORT"),
    sisterPort: portIn(environment, "SISTER_PORT"),
    outsideHost: outsideHostIn(environment),
    endpointsOff: endpointsOffIn(environment),
    faults: faultsIn(environment),
    hasOutages: switchIn(environment, "WORLD_OUTAGES"),
    hasPast: switchIn(environment, "WORLD_PAST"),
    backup: backupIn(environment),
    frozenAtMs: frozenAtIn(environment),
  }
  const ENDPOINTS_OFF = Result.getOrElse(parts.endpointsOff, () => "")
  const loaded = loadSettings({ ...environment, ENDPOINTS_OFF })
  const read = Result.all(parts)
  if (Result.isFailure(loaded) || Result.isFailure(read))
    return Result.fail([
      ...(Result.isFailure(loaded) ? loaded.failure.map(({ message }) => message) : []),
      ...Object.values<Result.Result<unknown, string>>(parts).flatMap((one) =>
        Result.isFailure(one) ? [one.failure] : [],
      ),
    ])
  const { worldPort, chainPort, sisterPort, ...others } = read.success
  return Result.succeed({
    settings: loaded.success,
    seed: environment.WORLD_SEED || SEED,
    ...others,
    worldPort: worldPort ?? 0,
    chainPort: chainPort ?? CHAIN_PORT,
    sisterPort: sisterPort ?? 0,
    ports: [
      ...portsOf("all", loaded.success),
      ...localPort("WORLD_PORT", worldPort),
      ...localPort("CHAIN_PORT", chainPort),
      ...localPort("SISTER_PORT", sisterPort),
    ],
  })
}

/** The wait for the lock of the folder: the service of a demo that was just killed may still be ending. */
const LOCK_RETRIES = Schedule.max([Schedule.spaced("100 millis"), Schedule.recurs(30)])

/**
 * Why the demo cannot start, or null: the folder and the ports are checked before the world, the chain and the
 * service start, and are free again afterwards.
 */
export const problemAtStart = ({ settings, ports }: DemoSettings): Promise<string | null> =>
  Effect.runPromise(
    Effect.scoped(
      holdDirectory(settings.dataDirectory).pipe(
        Effect.retry({ schedule: LOCK_RETRIES, while: ({ _tag }) => _tag === "DirectoryHeld" }),
        Effect.andThen(checkPorts(ports)),
      ),
    ).pipe(Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null })),
  )
