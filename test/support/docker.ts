import { ClickHouseContainer, type StartedClickHouseContainer } from "@testcontainers/clickhouse"
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from "testcontainers"
import { eventually } from "./eventually.ts"
import { freePort } from "./service.ts"

const KAFKA_IMAGE = process.env.KAFKA_IMAGE ?? "confluentinc/cp-kafka:8.0.0"
const CLICKHOUSE_IMAGE = process.env.CLICKHOUSE_IMAGE ?? "clickhouse/clickhouse-server:26.7"
const LABELS = { "tidewire.test": "true" }
const STARTUP_TIMEOUT_MS = 300_000

/** The reason why containers cannot be started, for the name of a skipped suite; undefined if they can. */
export const dockerMissing = async (): Promise<string | undefined> => {
  try {
    await getContainerRuntimeClient()
    return undefined
  } catch {
    return "no Docker engine is reachable"
  }
}

/** A Kafka broker in a container. `kill` leaves its address and data; `stop` removes everything. */
export interface KafkaBroker {
  /** `host:port` of the broker itself, even if it advertises another address. */
  readonly address: string
  /** The advertised address, for clients. */
  readonly brokers: ReadonlyArray<string>
  /** Ends the broker's process with SIGKILL; it stays down. */
  readonly kill: () => Promise<void>
  /** Starts a killed broker on its data, and waits until it listens. */
  readonly start: () => Promise<void>
  /** Runs a script inside the container. Throws with its output where it fails. */
  readonly run: (script: string) => Promise<void>
  /** `kill` and `start`. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The heap of a broker, with all of the JVM's compilers if nothing is added. */
export const KAFKA_HEAP = "-Xms128m -Xmx512m -XX:+UseSerialGC"

/** The port of a broker's container that clients connect to. */
export const CLIENT_PORT = 9093
const HOLD_FILE = "/tmp/hold"
const START_SCRIPT = "/etc/confluent/docker/run"
// The container survives its broker and restarts it, unless it is held down, so that ports and data stay.
const SUPERVISE = `while true; do while [ -f ${HOLD_FILE} ]; do sleep 0.1; done; ${START_SCRIPT}; sleep 0.1; done`
// Every image has a shell and /proc. The pattern is split so that this command does not match itself.
const eachProcess = (command: string): string =>
  `for p in /proc/[0-9]*; do grep -aq 'kafka[.]Kafka' $p/cmdline 2>/dev/null && ${command}; done; true`
const LISTENS = `(exec 3<>/dev/tcp/127.0.0.1/${CLIENT_PORT}) 2>/dev/null`
const HAS_ENDED = eachProcess("exit 1")

/** The container of a broker that listens on `CLIENT_PORT` and restarts with its data, unless it is held down. */
export const supervisedKafka = (environment: Readonly<Record<string, string>>): GenericContainer =>
  new GenericContainer(KAFKA_IMAGE)
    .withLabels(LABELS)
    .withEnvironment({
      CLUSTER_ID: "MkU3OEVBNTcwNTJENDM2Qk",
      KAFKA_PROCESS_ROLES: "broker,controller",
      KAFKA_CONTROLLER_LISTENER_NAMES: "CONTROLLER",
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: "false",
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
      // A killed broker returns after its session has expired. A longer session also prevents that a starved broker is fenced.
      KAFKA_BROKER_SESSION_TIMEOUT_MS: "6000",
      KAFKA_BROKER_HEARTBEAT_INTERVAL_MS: "1000",
      KAFKA_LOG_CLEANER_BACKOFF_MS: "200",
      // A broker lives for a minute or two, too short for the optimising compiler to pay.
      KAFKA_HEAP_OPTS: `${KAFKA_HEAP} -XX:TieredStopAtLevel=1`,
      ...environment,
    })
    .withEntrypoint(["bash", "-c"])
    .withCommand([SUPERVISE])
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(STARTUP_TIMEOUT_MS)

/** The process of a broker in its container. */
export interface BrokerProcess {
  /** Runs a script inside the container. Throws with its output where it fails. */
  readonly run: (script: string) => Promise<void>
  /** Ends the broker's process with a signal, by default SIGKILL; it stays down. */
  readonly kill: (signal?: "KILL" | "TERM") => Promise<void>
  /** Starts a killed broker on its data, and waits until it listens. */
  readonly start: () => Promise<void>
}

/** The process of a broker in a container of `supervisedKafka`. */
export const brokerProcess = (container: StartedTestContainer): BrokerProcess => {
  const exitCodeOf = async (script: string): Promise<number> => (await container.exec(["bash", "-c", script])).exitCode
  return {
    run: async (script) => {
      const { exitCode, output } = await container.exec(["bash", "-c", script])
      if (exitCode !== 0) throw new Error(output)
    },
    kill: async (signal = "KILL") => {
      await exitCodeOf(`touch ${HOLD_FILE}; ${eachProcess(`kill -${signal} \${p#/proc/}`)}`)
      await eventually("the broker is down", async () => (await exitCodeOf(HAS_ENDED)) === 0)
    },
    start: async () => {
      await exitCodeOf(`rm -f ${HOLD_FILE}`)
      await eventually("the broker listens", async () => (await exitCodeOf(LISTENS)) === 0)
    },
  }
}

/** Starts one broker (KRaft). Clients are sent to `advertisedPort` instead of the broker's own, to put a proxy between. */
export const startKafka = async (
  options: {
    readonly advertisedPort?: number
    readonly settings?: Readonly<Record<string, string>>
    /** Files of the container, by path. */
    readonly files?: Readonly<Record<string, string>>
  } = {},
): Promise<KafkaBroker> => {
  const port = await freePort()
  const advertised = `127.0.0.1:${options.advertisedPort ?? port}`
  const container = await supervisedKafka({
    KAFKA_NODE_ID: "1",
    KAFKA_CONTROLLER_QUORUM_VOTERS: "1@localhost:9094",
    KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${CLIENT_PORT},BROKER://0.0.0.0:9092,CONTROLLER://0.0.0.0:9094`,
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "PLAINTEXT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
    // The broker connects to itself for transactions: the address must be valid inside the container too.
    KAFKA_INTER_BROKER_LISTENER_NAME: "BROKER",
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${advertised},BROKER://localhost:9092`,
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "1",
    KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "1",
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "1",
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: "1",
    KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "1",
    ...options.settings,
  })
    .withCopyContentToContainer(
      Object.entries(options.files ?? {}).map(([target, content]) => ({ target, content, mode: 0o644 })),
    )
    .withExposedPorts({ container: CLIENT_PORT, host: port })
    .start()
  const { run, kill, start } = brokerProcess(container)
  return {
    run,
    address: `127.0.0.1:${port}`,
    brokers: [advertised],
    kill: () => kill(),
    start,
    restart: async () => {
      await kill()
      await start()
    },
    stop: async () => {
      await container.stop({ timeout: 0 })
    },
  }
}

/** A ClickHouse server in a container. */
export interface ClickHouseServer {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
  readonly container: StartedClickHouseContainer
  /** Ends the server with SIGKILL and starts it on its data and port. Resolves when it answers. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

const HTTP_PORT = 8123

class Server extends ClickHouseContainer {
  constructor(image: string) {
    super(image)
    // The module's limit of open files is refused for containers inside containers.
    this.hostConfig.Ulimits = undefined as never
  }
}

/** Starts a ClickHouse server. */
export const startClickHouse = async (): Promise<ClickHouseServer> => {
  const port = await freePort()
  const container = await new Server(CLICKHOUSE_IMAGE)
    .withLabels(LABELS)
    .withExposedPorts({ container: HTTP_PORT, host: port }, 9000)
    .withStartupTimeout(STARTUP_TIMEOUT_MS)
    .start()
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    username: container.getUsername(),
    password: container.getPassword(),
    database: container.getDatabase(),
    container,
    restart: async () => {
      await container.restart({ timeout: 0 })
      await eventually("ClickHouse answers", async () => (await fetch(`${url}/ping`)).ok)
    },
    stop: async () => {
      await container.stop({ timeout: 0 })
    },
  }
}
