import { connect } from "node:net"
import kafkajs, { type Admin } from "kafkajs"
import { getContainerRuntimeClient, Network, type StartedTestContainer } from "testcontainers"
import { type BrokerProcess, brokerProcess, CLIENT_PORT, supervisedKafka } from "./docker.ts"
import { eventually } from "./eventually.ts"
import { type KafkaProxy, startKafkaProxy } from "./proxy.ts"
import { freePort } from "./service.ts"

/** The brokers of a cluster; every topic has a replica on each, and two must have a record. */
export const BROKER_IDS = [1, 2, 3] as const
type BrokerId = (typeof BROKER_IDS)[number]

const PROXIED_PORT = 9095
const ELECT_LEADERS = { api: 43, version: 1, preferred: 0, allPartitions: -1, timeoutMs: 30_000 } as const
/** Bytes of a reply before its error code: length, correlation id and throttle time. */
const ELECTION_ERROR_AT = 12

/** Sends the request of `kafka-leader-election --election-type preferred --all-topic-partitions`, which kafkajs lacks. */
const electPreferredAt = async (address: string): Promise<void> => {
  const [host = "", port] = address.split(":")
  const request = Buffer.alloc(23)
  request.writeInt32BE(request.length - 4, 0)
  request.writeInt16BE(ELECT_LEADERS.api, 4)
  request.writeInt16BE(ELECT_LEADERS.version, 6)
  // A correlation id of 0, and no client id.
  request.writeInt16BE(-1, 12)
  request.writeInt8(ELECT_LEADERS.preferred, 14)
  request.writeInt32BE(ELECT_LEADERS.allPartitions, 15)
  request.writeInt32BE(ELECT_LEADERS.timeoutMs, 19)
  const socket = connect(Number(port), host)
  socket.setTimeout(ELECT_LEADERS.timeoutMs, () => socket.destroy(new Error(`${address} did not answer`)))
  let reply = Buffer.alloc(0)
  try {
    socket.write(request)
    for await (const chunk of socket) {
      reply = Buffer.concat([reply, chunk])
      if (reply.length >= ELECTION_ERROR_AT + 2) break
    }
    const code = reply.readInt16BE(ELECTION_ERROR_AT)
    if (code !== 0) throw new Error(`the election was refused with code ${code}`)
  } finally {
    socket.destroy()
  }
}

/** A partition of a topic with one partition. */
interface TopicPlace {
  readonly topic: string
  readonly leader: number
  /** The brokers with a replica; the first is the preferred leader. */
  readonly replicas: ReadonlyArray<number>
  readonly inSync: ReadonlyArray<number>
}

/** Three brokers (KRaft), each a controller too, with a proxy before each. */
export interface KafkaCluster {
  /** Addresses for clients behind the proxies. */
  readonly brokers: ReadonlyArray<string>
  /** Addresses of the brokers themselves. */
  readonly directBrokers: ReadonlyArray<string>
  /** An administrative client beside the proxies. */
  readonly admin: Admin
  /** Where the topics of a prefix are. */
  readonly places: (prefix: string) => Promise<ReadonlyArray<TopicPlace>>
  readonly leaderOf: (topic: string) => Promise<BrokerId>
  /** Ends the processes of brokers, with SIGKILL if nothing else is said; they stay down. */
  readonly kill: (brokers: ReadonlyArray<BrokerId>, signal?: "KILL" | "TERM") => Promise<void>
  /** Starts killed brokers on their data. */
  readonly start: (brokers: ReadonlyArray<BrokerId>) => Promise<void>
  /** Stops a broker in the midst of its work: its connections stay open, and nothing is answered. */
  readonly pause: (broker: BrokerId) => Promise<void>
  readonly resume: (broker: BrokerId) => Promise<void>
  /** Cuts clients off from one broker; the brokers reach each other. Connections are refused, or silent. */
  readonly cut: (broker: BrokerId, how: "refused" | "silent") => void
  readonly mend: (broker: BrokerId) => void
  /** Makes the next replica of each topic of a prefix its preferred leader. */
  readonly shiftPreferred: (prefix: string) => Promise<void>
  /** Elects the preferred leader of every partition, as `kafka-leader-election` does. */
  readonly electPreferred: () => Promise<void>
  /** Waits until every replica of every topic is in sync. */
  readonly healed: () => Promise<void>
  /** Undoes all faults and waits until the cluster is healed. */
  readonly heal: () => Promise<void>
  readonly stop: () => Promise<void>
}

interface Node extends BrokerProcess {
  readonly container: StartedTestContainer
  readonly proxy: KafkaProxy
  readonly direct: string
}

/** A rotation of the brokers, so that topics one after the other have different leaders. */
export const replicasFrom = (turn: number): Array<number> => BROKER_IDS.map((_, n) => BROKER_IDS[(turn + n) % 3] ?? 1)

/** Starts the cluster. `settings` are those of every broker. */
export const startKafkaCluster = async (settings: Readonly<Record<string, string>> = {}): Promise<KafkaCluster> => {
  const undo: Array<() => Promise<unknown>> = []
  const stop = async () => {
    for (const one of undo.splice(0).reverse()) await one()
  }
  const startNode = async (id: BrokerId, network: Awaited<ReturnType<Network["start"]>>): Promise<Node> => {
    const [port, proxy] = await Promise.all([freePort(), startKafkaProxy()])
    undo.push(proxy.close)
    const proxiedPort = await freePort()
    const direct = `127.0.0.1:${port}`
    const container = await supervisedKafka({
      KAFKA_NODE_ID: String(id),
      KAFKA_CONTROLLER_QUORUM_VOTERS: BROKER_IDS.map((one) => `${one}@kafka${one}:9094`).join(","),
      KAFKA_LISTENERS: `CLIENT://0.0.0.0:${CLIENT_PORT},PROXIED://0.0.0.0:${PROXIED_PORT},BROKER://0.0.0.0:9092,CONTROLLER://0.0.0.0:9094`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "CLIENT:PLAINTEXT,PROXIED:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
      KAFKA_INTER_BROKER_LISTENER_NAME: "BROKER",
      KAFKA_ADVERTISED_LISTENERS: `CLIENT://${direct},PROXIED://127.0.0.1:${proxy.port},BROKER://kafka${id}:9092`,
      KAFKA_DEFAULT_REPLICATION_FACTOR: "3",
      KAFKA_MIN_INSYNC_REPLICAS: "2",
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "3",
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "3",
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "3",
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: "2",
      KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "3",
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: "3",
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: "2",
      // Leaders move when a test moves them.
      KAFKA_AUTO_LEADER_REBALANCE_ENABLE: "false",
      KAFKA_TRANSACTION_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS: "1000",
      ...settings,
    })
      .withNetwork(network)
      .withNetworkAliases(`kafka${id}`)
      .withExposedPorts({ container: CLIENT_PORT, host: port }, { container: PROXIED_PORT, host: proxiedPort })
      .start()
    undo.push(() => container.stop({ timeout: 0 }))
    proxy.to(`127.0.0.1:${proxiedPort}`)
    return { ...brokerProcess(container), container, proxy, direct }
  }

  try {
    const network = await new Network().start()
    undo.push(() => network.stop())
    const started = await Promise.allSettled(BROKER_IDS.map((id) => startNode(id, network)))
    const nodes = new Map<BrokerId, Node>()
    for (const [index, one] of started.entries()) {
      if (one.status === "rejected") throw one.reason
      nodes.set(BROKER_IDS[index] ?? 1, one.value)
    }
    const nodeOf = (id: BrokerId): Node => {
      const node = nodes.get(id)
      if (node === undefined) throw new Error(`there is no broker ${id}`)
      return node
    }
    const every = [...nodes.values()]
    const directBrokers = every.map(({ direct }) => direct)
    const admin = new kafkajs.Kafka({
      brokers: directBrokers,
      clientId: "cluster",
      logLevel: kafkajs.logLevel.NOTHING,
      requestTimeout: 5_000,
    }).admin()
    await admin.connect()
    undo.push(() => admin.disconnect())
    const containerOf = async (id: BrokerId) =>
      (await getContainerRuntimeClient()).container.getById(nodeOf(id).container.getId())
    const paused = new Set<BrokerId>()
    const down = new Set<BrokerId>()

    const places: KafkaCluster["places"] = async (prefix) => {
      const { topics } = await admin.fetchTopicMetadata()
      return topics
        .filter(({ name }) => name.startsWith(prefix))
        .flatMap(({ name, partitions }) =>
          partitions.map(({ leader, replicas, isr }) => ({ topic: name, leader, replicas, inSync: isr })),
        )
    }
    const start: KafkaCluster["start"] = async (brokers) => {
      await Promise.all(
        brokers.map(async (id) => {
          await nodeOf(id).start()
          if (down.delete(id)) await nodeOf(id).proxy.reopen()
        }),
      )
    }
    const resume: KafkaCluster["resume"] = async (id) => {
      await (await containerOf(id)).unpause()
      paused.delete(id)
    }
    const healed: KafkaCluster["healed"] = async () => {
      await eventually("every replica is in sync", async () => {
        const behind = (await places("")).filter(({ leader, inSync }) => leader < 1 || inSync.length < 3)
        if (behind.length > 0) throw new Error(JSON.stringify(behind.slice(0, 5)))
        return true
      })
    }
    return {
      brokers: every.map(({ proxy }) => `127.0.0.1:${proxy.port}`),
      directBrokers,
      admin,
      places,
      leaderOf: async (topic) => {
        const leader = (await places(topic)).find((place) => place.topic === topic)?.leader
        const id = BROKER_IDS.find((one) => one === leader)
        if (id === undefined) throw new Error(`${topic} has no leader`)
        return id
      },
      kill: async (brokers, signal) => {
        await Promise.all(
          brokers.map(async (id) => {
            down.add(id)
            await nodeOf(id).kill(signal)
            // The engine's own port mapping accepts connections to a broker that is down, and closes them.
            await nodeOf(id).proxy.close()
          }),
        )
      },
      start,
      pause: async (id) => {
        paused.add(id)
        await (await containerOf(id)).pause()
      },
      resume,
      cut: (id, how) => (how === "refused" ? nodeOf(id).proxy.refuse() : nodeOf(id).proxy.silence()),
      mend: (id) => nodeOf(id).proxy.accept(),
      shiftPreferred: async (prefix) => {
        const topics = (await places(prefix)).map(({ topic, replicas: [first = 1, ...others] }) => ({
          topic,
          partitionAssignment: [{ partition: 0, replicas: [...others, first] }],
        }))
        await admin.alterPartitionReassignments({ topics })
      },
      electPreferred: () => electPreferredAt(nodeOf(BROKER_IDS[0]).direct),
      healed,
      heal: async () => {
        for (const { proxy } of every) proxy.accept()
        for (const id of [...paused]) await resume(id)
        await start([...down])
        await healed()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
