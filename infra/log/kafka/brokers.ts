import { createRequire } from "node:module"
import type { Kafka, Message } from "kafkajs"

/*
 * Requests to brokers, and how they fail: by the parts of kafkajs below its producer and consumer (connections, metadata and
 * the encoding of requests). These are not documented, so package.json pins the version, and no other file of this adapter
 * depends on them.
 *
 * The producer of kafkajs is not used, as it writes records twice on a cluster of several brokers. One send starts a request
 * for each leader. If one of them fails (the next AddPartitionsToTxn is regularly refused while the markers of the last
 * transaction are being written), the whole send is repeated, with the request that is still in flight, whose records get
 * the next sequence numbers: the broker writes them again, in the same transaction.
 *
 * The consumer requires a group, and a group does not suit a replay: by default the broker delays its first join by
 * 3 seconds, it hangs on a tail that compaction has emptied, it returns records of an aborted transaction when several
 * overlap, it restarts from the beginning after an outage, and it leaves state on the broker.
 */

/** The records of one topic in a produce request. Every topic has one partition. */
export interface TopicData {
  readonly topic: string
  readonly partitions: ReadonlyArray<{
    readonly partition: 0
    readonly firstSequence: number
    readonly messages: ReadonlyArray<Message>
  }>
}

/** The identity of a transactional producer: a newer epoch of its id fences it. */
export interface ProducerIdentity {
  readonly transactionalId: string
  readonly producerId: string
  readonly producerEpoch: number
}

/** A broker. Each method sends one request once, and rejects if it is refused, unanswered, or cannot be sent. */
export interface Broker {
  readonly nodeId: string
  readonly connectionPool: {
    readonly send: <A>(request: {
      readonly request: object
      readonly response: {
        readonly decode: (payload: Buffer) => Promise<object>
        readonly parse: (decoded: object) => Promise<A>
      }
      readonly requestTimeout?: number
    }) => Promise<A>
  }
  readonly listOffsets: (request: {
    readonly isolationLevel: number
    readonly topics: ReadonlyArray<object>
  }) => Promise<{
    readonly responses: ReadonlyArray<{ readonly partitions: ReadonlyArray<{ readonly offset: string }> }>
  }>
  readonly initProducerId: (request: {
    readonly transactionalId: string
    readonly transactionTimeout: number
  }) => Promise<Omit<ProducerIdentity, "transactionalId">>
  readonly addPartitionsToTxn: (
    request: ProducerIdentity & {
      readonly topics: ReadonlyArray<{ readonly topic: string; readonly partitions: ReadonlyArray<0> }>
    },
  ) => Promise<unknown>
  readonly produce: (
    request: Partial<ProducerIdentity> & {
      readonly acks: -1
      readonly timeout: number
      readonly compression: number
      readonly topicData: ReadonlyArray<TopicData>
    },
  ) => Promise<{
    readonly topics: ReadonlyArray<{
      readonly topicName: string
      readonly partitions: ReadonlyArray<{ readonly baseOffset: string }>
    }>
  }>
  readonly endTxn: (request: ProducerIdentity & { readonly transactionResult: boolean }) => Promise<unknown>
}

/** The brokers of a client, with their metadata. */
export interface Cluster {
  readonly connect: () => Promise<void>
  readonly addTargetTopic: (topic: string) => Promise<void>
  readonly findLeaderForPartitions: (
    topic: string,
    partitions: ReadonlyArray<number>,
  ) => Readonly<Record<string, unknown>>
  /** Gives a broker with an open connection. */
  readonly findBroker: (options: { readonly nodeId: string }) => Promise<Broker>
  readonly findGroupCoordinator: (options: {
    readonly groupId: string
    readonly coordinatorType: number
  }) => Promise<Broker>
}

export const READ_COMMITTED = 1
const TRANSACTION_COORDINATOR = 1
const METADATA_MAX_AGE_MS = 300_000

const load = createRequire(import.meta.url)

/** Encodes a fetch request, version 11. */
export const fetchRequest: (options: object) => object = load("kafkajs/src/protocol/requests/fetch/v11/request.js")

const clusterSymbol = (kafka: Kafka): symbol | undefined =>
  Object.getOwnPropertySymbols(kafka).find((symbol) => symbol.description === "private:Kafka:createCluster")

/** Makes a cluster, without a connection yet. */
export const makeCluster = (kafka: Kafka): Cluster => {
  const symbol = clusterSymbol(kafka)
  if (symbol === undefined) throw new Error("this version of kafkajs is not the pinned one")
  // Declared above by hand, as the library has no types for it.
  const create: (options: object) => Cluster = Reflect.get(kafka, symbol)
  return create({ metadataMaxAge: METADATA_MAX_AGE_MS, allowAutoTopicCreation: false, isolationLevel: READ_COMMITTED })
}

/** Finds the leader of a topic, as far as the metadata of this cluster knows it. */
export const leaderOf = async (cluster: Cluster, topic: string): Promise<Broker> => {
  await cluster.connect()
  await cluster.addTargetTopic(topic)
  const nodeId = Object.keys(cluster.findLeaderForPartitions(topic, [0]))[0]
  if (nodeId === undefined) throw new RefusedByBroker(CODE.unknownTopic)
  return cluster.findBroker({ nodeId })
}

/** Finds the broker that coordinates the transactions of an id. */
export const transactionCoordinator = (cluster: Cluster, transactionalId: string): Promise<Broker> =>
  cluster.findGroupCoordinator({ groupId: transactionalId, coordinatorType: TRANSACTION_COORDINATOR })

/** The deadline passed before the work ended. The work is not awaited any longer. */
class Late extends Error {
  override readonly name = "Late"
}

/** Awaits work until `deadline`, a time of `performance.now()`; then throws `Late`. */
export const beforeDeadline = async <A>(deadline: number, work: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const remainingMs = Math.max(0, deadline - performance.now())
    timer = setTimeout(() => reject(new Late("the brokers did not answer in time")), remainingMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const CAUSES_MAX = 8

/** Gives an error and its causes, the outermost first; of several errors at once the first. */
function* causes(error: unknown): Generator<object> {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && typeof current === "object" && current !== null; depth++) {
    yield current
    if ("errors" in current && Array.isArray(current.errors)) current = current.errors[0]
    else current = "cause" in current ? current.cause : undefined
  }
}

/** Finds the protocol code of a broker's refusal among an error and its causes. */
export const protocolCode = (error: unknown): number | undefined => {
  for (const cause of causes(error)) if ("code" in cause && typeof cause.code === "number") return cause.code
  return undefined
}

/** Codes of the Kafka protocol that this adapter acts on. */
export const CODE = {
  offsetOutOfRange: 1,
  unknownTopic: 3,
  messageTooLarge: 10,
  coordinatorLoading: 14,
  coordinatorNotAvailable: 15,
  notCoordinator: 16,
  recordListTooLarge: 18,
  topicUnauthorized: 29,
  groupUnauthorized: 30,
  clusterUnauthorized: 31,
  invalidProducerEpoch: 47,
  concurrentTransactions: 51,
  transactionalIdUnauthorized: 53,
  producerFenced: 90,
} as const

/** A broker answered a request with an error code. */
export class RefusedByBroker extends Error {
  override readonly name = "RefusedByBroker"
  readonly code: number
  constructor(code: number) {
    super(`the broker refused the request, code ${code}`)
    this.code = code
  }
}

/** Tests whether a broker fenced the producer: a newer one has the transactional id, or the transaction timed out. */
export const isEpochRefused = (error: unknown): boolean => {
  const code = protocolCode(error)
  return code === CODE.invalidProducerEpoch || code === CODE.producerFenced
}

/** Tests whether a broker refused a record or batch for its size. */
export const isTooLarge = (error: unknown): boolean => {
  const code = protocolCode(error)
  return code === CODE.messageTooLarge || code === CODE.recordListTooLarge
}

/** Errors that are not retried: a refused login, as retries may lock the account, and an untrusted certificate. */
const FINAL: ReadonlySet<unknown> = new Set(["KafkaJSSASLAuthenticationError", "BrokerUntrusted"])

/** Tests whether authentication failed, of this client or of the broker. */
export const isIdentityRefused = (error: unknown): boolean => {
  for (const cause of causes(error)) if ("name" in cause && FINAL.has(cause.name)) return true
  return false
}

const UNAUTHORIZED: ReadonlySet<number | undefined> = new Set([
  CODE.topicUnauthorized,
  CODE.groupUnauthorized,
  CODE.clusterUnauthorized,
  CODE.transactionalIdUnauthorized,
])

/** Tests whether the brokers' access rules refused a request. */
export const isUnauthorized = (error: unknown): boolean => UNAUTHORIZED.has(protocolCode(error))

/** The message of an error; of several errors at once the first, as the library's own sentence names none. */
export const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const [first] = "errors" in error && Array.isArray(error.errors) ? error.errors : []
  return first instanceof Error ? first.message : error.message
}
