import { startWorld, type WorldServer } from "../world/server.ts"
import { type ClickHouseServer, type KafkaBroker, startClickHouse, startKafka } from "./docker.ts"
import { eventually } from "./eventually.ts"
import { freePort, readiness, removeDirectory, type Service, startService, temporaryDirectory } from "./service.ts"

/** The service with each role in a process of its own, on a Kafka broker and a ClickHouse server in containers. */
export interface RolesApart {
  readonly broker: KafkaBroker
  readonly clickhouse: ClickHouseServer
  /** The number of requests to each upstream host. */
  readonly requests: WorldServer["requests"]
  /** The environment of commands on the same engines. */
  readonly environment: Readonly<Record<string, string>>
  /** Starts a process under a name, with its own settings. A restart under the same name has the same data and address. */
  readonly start: (name: string, role: string, own?: Readonly<Record<string, string>>) => Promise<Service>
  /** The latest process under a name. */
  readonly named: (name: string) => Service
  /** Waits until all of these are ready. */
  readonly ready: (...names: ReadonlyArray<string>) => Promise<void>
  /** Tests whether every part of a process is active, and none is a standby. */
  readonly isActive: (name: string) => Promise<boolean>
  /** Kills a process and waits for its successor; gives the duration, for information only. */
  readonly takeOver: (active: string, standby: string) => Promise<void>
  /** Ends all processes. */
  readonly endAll: (signal: NodeJS.Signals) => Promise<void>
  /** Ends all processes and containers, and removes their data. */
  readonly close: () => Promise<void>
}

/** The options of such a service. */
export interface RolesApartOptions {
  readonly seed: string
  /** The longest interval of every source; by default their own. Short intervals make feeds stale on a busy machine. */
  readonly pollSeconds?: number
  /** The endpoints of data that every process is started for, by default all. */
  readonly offered?: ReadonlyArray<string>
  /** Starts the broker; by default one without rules. */
  readonly broker?: () => Promise<KafkaBroker>
  /** Processes that others send requests to. */
  readonly addressed: ReadonlyArray<string>
  /** Further settings of every process. `addresses`: of the `addressed` processes, as in a setting; `directory`: the common folder. */
  readonly settings: (running: {
    readonly addresses: string
    readonly directory: string
  }) => Readonly<Record<string, string>>
}

/** Starts the world and the containers; the test starts the processes. */
export const startRolesApart = async (options: RolesApartOptions): Promise<RolesApart> => {
  const [world, broker, clickhouse] = await Promise.all([
    startWorld({ seed: options.seed }),
    (options.broker ?? startKafka)(),
    startClickHouse(),
  ])
  const directory = temporaryDirectory()
  const ports = new Map<string, string>()
  for (const name of options.addressed) ports.set(name, String(await freePort()))
  const addresses = [...ports.values()].map((port) => `http://127.0.0.1:${port}`).join(",")
  const settings = {
    KAFKA_BROKERS: broker.brokers.join(","),
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_USER: clickhouse.username,
    CLICKHOUSE_PASSWORD: clickhouse.password,
    DEMAND_SECRET: "a-secret-of-this-test-for-demands",
    LEDGER_API_SECRET: "a-secret-of-this-test-for-the-api",
    LEDGER_OPERATOR_SECRET: "a-secret-of-this-test-for-operators",
    UPSTREAMS: world.url,
    ...(options.pollSeconds === undefined ? {} : { POLL_SECONDS_MAX: String(options.pollSeconds) }),
    LOG_LEVEL: "warn",
    ...options.settings({ addresses, directory }),
  }
  const services = new Map<string, Service>()
  const named = (name: string): Service => {
    const service = services.get(name)
    if (service === undefined) throw new Error(`${name} was not started`)
    return service
  }
  const isActive = async (name: string) => {
    const { parts } = await readiness(named(name))
    return parts.length > 0 && parts.every(({ state }) => state === "active")
  }
  const endAll = async (signal: NodeJS.Signals) => {
    await Promise.all([...services.values()].map((service) => service.end(signal)))
  }
  return {
    broker,
    clickhouse,
    requests: world.requests,
    environment: { DATA_DIR: directory, ...settings },
    start: async (name, role, own = {}) => {
      const port = ports.get(name)
      const service = await startService({
        dataDirectory: `${directory}/${name}`,
        role,
        ...(options.offered === undefined ? {} : { offered: options.offered }),
        environment: { ...settings, ...(port === undefined ? {} : { ADMIN_PORT: port }), ...own },
      })
      services.set(name, service)
      return service
    },
    named,
    ready: async (...names) => {
      await Promise.all(names.map((name) => named(name).ready()))
    },
    isActive,
    takeOver: async (active, standby) => {
      await named(active).end("SIGKILL")
      const begun = performance.now()
      await eventually(`${standby} takes over`, () => isActive(standby))
      process.stdout.write(`${standby} took over from ${active} after ${Math.round(performance.now() - begun)} ms\n`)
    },
    endAll,
    close: async () => {
      await endAll("SIGKILL")
      await Promise.all([world.close(), broker.stop(), clickhouse.stop()])
      removeDirectory(directory)
    },
  }
}
