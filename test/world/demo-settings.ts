import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { EXIT_CODES } from "../../infra/commands/arguments.ts"
import { loadSettings, type Settings } from "../../infra/config/settings.ts"
import { checkPorts, portsOf, type WantedPort } from "../../infra/roles/ports.ts"
import { holdDirectory } from "../../infra/system/data-directory.ts"

/** The settings of the demo. */
export interface DemoSettings {
  readonly settings: Settings
  readonly seed: string
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
/** The default seed of the demo's world, and that of `npm run world`. */
export const SEED = "tidewire"

/** What `npm run demo -- --help` prints. */
export const demoHelp = `The whole service on the embedded engines, against a simulated world and a local chain. Ctrl-C ends it.

  npm run demo

Settings, from the environment: those of npm start (npm start -- --help), where DATA_DIR is ./data/demo unless set, and

  WORLD_SEED  Chooses the world: the same seed, the same world [${SEED}]
  WORLD_PORT  Port of the simulated upstreams [any free one]
  CHAIN_PORT  Port of the local chain [${CHAIN_PORT}, or any free one where that is taken]
  SISTER_PORT Port of a sister data service, which takes the same tokens [any free one]

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

/** The settings of the demo, or a sentence for each that is wrong. */
export const readDemoSettings = (environment: Environment): Result.Result<DemoSettings, ReadonlyArray<string>> => {
  const loaded = loadSettings(environment)
  const world = portIn(environment, "WORLD_PORT")
  const chain = portIn(environment, "CHAIN_PORT")
  const sister = portIn(environment, "SISTER_PORT")
  if (Result.isFailure(loaded) || Result.isFailure(world) || Result.isFailure(chain) || Result.isFailure(sister))
    return Result.fail([
      ...(Result.isFailure(loaded) ? loaded.failure.map(({ message }) => message) : []),
      ...[world, chain, sister].flatMap((one) => (Result.isFailure(one) ? [one.failure] : [])),
    ])
  return Result.succeed({
    settings: loaded.success,
    seed: environment.WORLD_SEED || SEED,
    worldPort: world.success ?? 0,
    chainPort: chain.success ?? CHAIN_PORT,
    sisterPort: sister.success ?? 0,
    ports: [
      ...portsOf("all", loaded.success),
      ...localPort("WORLD_PORT", world.success),
      ...localPort("CHAIN_PORT", chain.success),
      ...localPort("SISTER_PORT", sister.success),
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
