import { createReadStream, openSync } from "node:fs"
import type { Readable } from "node:stream"
import {
  GenericContainer,
  getContainerRuntimeClient,
  type StartedTestContainer,
  StartupCheckStrategy,
  type StartupStatus,
} from "testcontainers"
import {
  ADMIN_PORT,
  ANALYST_PASSWORD,
  API_PORT,
  CHAIN_PORT,
  type Fault,
  runInside,
  SQL_PORT,
  StartedTidewireContainer,
  WORLD_PORT,
} from "./started-tidewire-container.ts"

/** The image of this release: none that moves. */
export const IMAGE = "tidewire:0.1.0-demo"

const STARTUP_TIMEOUT_MS = 180_000
const READY_TIMEOUT_MS = 5_000
/** Sources are polled at least this often, so that a fault and its end are soon seen. */
const POLL_SECONDS = 2
const LOG_MAX_CHARACTERS = 20_000

/** Waits until the service is ready. Unlike a wait for a port or an address it ends as soon as the container does. */
class ReadyStrategy extends StartupCheckStrategy {
  override async checkStartupState(
    docker: Parameters<StartupCheckStrategy["checkStartupState"]>[0],
    id: string,
  ): Promise<StartupStatus> {
    const { State, NetworkSettings } = await docker.getContainer(id).inspect()
    if (!State.Running) return "FAIL"
    const port = NetworkSettings.Ports[`${ADMIN_PORT}/tcp`]?.[0]?.HostPort
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime
    const isReady = await fetch(`http://${host}:${port}/readyz`, {
      signal: AbortSignal.timeout(READY_TIMEOUT_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    )
    return isReady ? "SUCCESS" : "PENDING"
  }
}

/** Where a backup is in the container. */
const BACKUP_PATH = "/tmp/begin.backup"

/**
 * Tidewire with a simulated world, a local chain and every role, in one container. Several may run at once, each on random ports
 * of this machine; `withReuse()` keeps one between runs.
 */
export class TidewireContainer extends GenericContainer {
  #offered: ReadonlyArray<string> = []
  #credits: number | null = null

  /** The image of this release, or another one: by the variable TIDEWIRE_IMAGE, or by its name here. */
  constructor(image: string = process.env.TIDEWIRE_IMAGE ?? IMAGE) {
    super(image)
    this.withExposedPorts(API_PORT, ADMIN_PORT, SQL_PORT, WORLD_PORT, CHAIN_PORT)
    this.withEnvironment({
      ADMIN_HOST: "0.0.0.0",
      WORLD_HOST: "0.0.0.0",
      WORLD_PORT: String(WORLD_PORT),
      WORLD_OUTAGES: "off",
      CHAIN_PORT: String(CHAIN_PORT),
      CLICKHOUSE_ANALYST_PASSWORD: ANALYST_PASSWORD,
      POLL_SECONDS_MAX: String(POLL_SECONDS),
    })
    this.withStartupTimeout(STARTUP_TIMEOUT_MS)
    this.withWaitStrategy(new ReadyStrategy())
  }

  /** Chooses the world: the same seed, the same world. */
  withSeed(seed: string): this {
    return this.withEnvironment({ WORLD_SEED: seed })
  }

  /** Offers these endpoints of data alone (their paths), so that it starts sooner and polls less. */
  withOffered(paths: ReadonlyArray<string>): this {
    this.#offered = paths
    return this.withEnvironment({ WORLD_OFFERED: paths.join(",") })
  }

  /**
   * The clock of the container stands at this instant (`2026-11-20T00:00Z`) from the start on: the same seed gives the same
   * replies. `advance` moves it on.
   */
  withTimeFrozenAt(instant: string | Date): this {
    return this.withEnvironment({ WORLD_TIME: typeof instant === "string" ? instant : instant.toISOString() })
  }

  /** Opens an account with so many credits: `token` of the started container spends them. */
  withCredits(credits: number): this {
    if (!Number.isSafeInteger(credits) || credits < 1)
      throw new RangeError("withCredits: must be a whole number above 0")
    this.#credits = credits
    return this
  }

  /** Faults of upstreams from the first poll on. */
  withFaults(faults: ReadonlyArray<Fault>): this {
    return this.withEnvironment({ WORLD_FAULTS: JSON.stringify(faults) })
  }

  /** Leaves out the day before the start: it is the first start of a service that has seen nothing. */
  withoutPast(): this {
    return this.withEnvironment({ WORLD_PAST: "off" })
  }

  /** Begins with a backup of this machine, in place of the day before the start: `npm run backup` makes one, or cuts a small one. */
  withBackup(file: string): this {
    this.withCopyFilesToContainer([{ source: file, target: BACKUP_PATH, mode: 0o444 }])
    return this.withEnvironment({ WORLD_BACKUP: BACKUP_PATH })
  }

  /**
   * Begins where another container was when its `snapshot` was taken: with its data, its credits and their tokens. It is started
   * once. Throws where there is no such file.
   */
  withSnapshot(file: string): this {
    return this.withCopyArchivesToContainer([{ tar: createReadStream("", { fd: openSync(file, "r") }), target: "/" }])
  }

  /** Starts it, and waits until no offered reply is still to come. A failure has the last lines of the container's output. */
  override async start(): Promise<StartedTidewireContainer> {
    let output = ""
    const streams: Array<Readable> = []
    this.withLogConsumer((stream: Readable) => {
      streams.push(stream)
      stream.on("data", (chunk: Buffer | string) => {
        output = (output + chunk.toString()).slice(-LOG_MAX_CHARACTERS)
      })
      stream.on("error", () => {})
    })
    let started: StartedTestContainer | undefined
    try {
      started = await super.start()
      const token = this.#credits === null ? null : await grant(started, this.#credits)
      return await StartedTidewireContainer.of(started, this.#offered, token)
    } catch (cause) {
      if (started !== undefined && !this.reuse) await started.stop({ timeout: 0 }).catch(() => {})
      const problem = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`Tidewire did not start: ${problem}\n${output}`, { cause })
    } finally {
      // An open stream would keep the process of the tests alive.
      for (const stream of streams) stream.destroy()
    }
  }
}

/** Grants credits to a new account, by the ledger's own command. */
const grant = async (container: StartedTestContainer, credits: number): Promise<string> => {
  const words = [
    "ledger",
    "grant",
    "new",
    String(credits),
    "--operator",
    "testcontainers",
    "--reason",
    "test",
    "--json",
  ]
  const { token } = (await runInside(container, "infra/commands/main.js", ...words)) as { readonly token: string }
  return token
}
