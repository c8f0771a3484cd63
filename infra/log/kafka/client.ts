import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import kafkajs, { type ISocketFactoryArgs, type Kafka, type KafkaConfig, type RetryOptions } from "kafkajs"
import { type KeptDays, type Topic, topicNames } from "../../../schemas/topics.ts"
import { makeRepeatFilter } from "../../telemetry/logger.ts"

/** Compression of batches. */
export type KafkaCompression = "zstd" | "none"

/** Connection and timeouts of the brokers. */
export interface KafkaOptions {
  readonly brokers: ReadonlyArray<string>
  readonly clientId: string
  /** The topics that are used, and created if they are missing; all by default. */
  readonly topics?: ReadonlyArray<Topic>
  /** Replicas of topics that are created; existing topics keep theirs. By default as many as brokers, 3 at most. */
  readonly replicationFactor?: number | null
  /** Prefix of every topic, transactional id and group, so that several logs can share a cluster. Empty by default. */
  readonly topicPrefix?: string
  readonly ssl?: NonNullable<KafkaConfig["ssl"]>
  readonly sasl?: NonNullable<KafkaConfig["sasl"]>
  /** Settings of topics that are created; they override those of `topics.ts`. */
  readonly topicSettings?: Readonly<Record<string, string>>
  /** Retention of topics that are created, where it differs from their policy; existing topics keep theirs. */
  readonly keptDays?: KeptDays
  /** Compression of produced batches; zstd by default. Batches of any supported compression can be read. */
  readonly compression?: KafkaCompression
  /** How long a reply is awaited: a lost reply is noticed after this time. */
  readonly requestTimeoutMs?: number
  /** How long reads, claims and administration are retried before they fail with `LogUnavailable`. */
  readonly operationTimeoutMs?: number
  /** How long a commit is retried, outages included, before it fails. */
  readonly commitTimeoutMs?: number
}

/** The options with every default filled in. */
export interface KafkaSettings {
  readonly brokers: ReadonlyArray<string>
  readonly clientId: string
  readonly topics: ReadonlyArray<Topic>
  readonly replicationFactor: number | null
  readonly topicPrefix: string
  readonly ssl: NonNullable<KafkaConfig["ssl"]> | undefined
  readonly sasl: NonNullable<KafkaConfig["sasl"]> | undefined
  readonly topicSettings: Readonly<Record<string, string>>
  readonly keptDays: KeptDays
  readonly compression: KafkaCompression
  readonly requestTimeoutMs: number
  readonly operationTimeoutMs: number
  readonly commitTimeoutMs: number
  readonly log: LogSink
}

/** Receives the log lines of kafkajs. */
export type LogSink = (
  level: "debug" | "warning",
  message: string,
  annotations: Readonly<Record<string, string>>,
) => void

const CONNECTION_TIMEOUT_MS = 3_000
const KEEP_ALIVE_MS = 60_000

/**
 * For connections, metadata and administration; no request that writes records is repeated by the library. Short, because
 * the library nests its retries and continues them after the caller has given up: the callers of this file retry on their
 * own, each until its deadline.
 */
export const RETRY: Required<
  Pick<RetryOptions, "initialRetryTime" | "multiplier" | "factor" | "maxRetryTime" | "retries">
> = {
  initialRetryTime: 3,
  multiplier: 1.5,
  factor: 0.2,
  maxRetryTime: 300,
  retries: 12,
}

/** Fills in the defaults. Log lines go to the loggers of the surrounding Effect. */
export const settingsOf = (options: KafkaOptions): Effect.Effect<KafkaSettings> =>
  Effect.map(Effect.context<never>(), (context) => ({
    brokers: options.brokers,
    clientId: options.clientId,
    topics: options.topics ?? topicNames,
    replicationFactor: options.replicationFactor ?? null,
    topicPrefix: options.topicPrefix ?? "",
    ssl: options.ssl,
    sasl: options.sasl,
    topicSettings: options.topicSettings ?? {},
    keptDays: options.keptDays ?? {},
    compression: options.compression ?? "zstd",
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    operationTimeoutMs: options.operationTimeoutMs ?? 15_000,
    commitTimeoutMs: options.commitTimeoutMs ?? 30_000,
    log: effectSink(context),
  }))

/** Logs warnings without repetitions, as kafkajs repeats them continually during an outage. */
const effectSink = (context: Context.Context<never>): LogSink => {
  const isNew = makeRepeatFilter()
  return (level, message, annotations) => {
    if (level === "warning" && !isNew(`${annotations.namespace ?? ""} ${message}`)) return
    const line = level === "warning" ? Effect.logWarning(message) : Effect.logDebug(message)
    Effect.runForkWith(context)(line.pipe(Effect.annotateLogs({ component: "kafka", ...annotations })))
  }
}

/** A kafkajs client whose connections can be closed for good. */
export interface KafkaClient {
  readonly kafka: Kafka
  /**
   * Rejects with `BrokerUntrusted` when a broker presents an untrusted certificate: the library treats that as an outage and
   * retries.
   */
  readonly untrusted: Promise<never>
  /**
   * Closes every connection and prevents new ones: no retry of the library that is still running can reach a broker.
   * Outstanding requests fail at once.
   */
  readonly discard: () => void
}

/** A broker presented a certificate that no trusted authority signed, or one for another name. */
class BrokerUntrusted extends Error {
  override readonly name = "BrokerUntrusted"
}

/** Codes of OpenSSL and Node for an expired certificate, an unknown authority, or another name. */
const isCertificateProblem = (error: Error): boolean =>
  "code" in error && /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_)/.test(String(error.code))

/** Makes a client with its own connections. */
export const makeClient = (settings: KafkaSettings): KafkaClient => {
  const sockets = new Set<Socket>()
  let discarded = false
  const untrusted = Promise.withResolvers<never>()
  // Not every user of a client awaits this promise, and an unhandled rejection would end the process.
  untrusted.promise.catch(() => undefined)
  const socketFactory = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket => {
    if (discarded) throw new Error("this client has been closed")
    const socket = ssl
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect)
    if (ssl)
      socket.once("error", (error) => {
        if (isCertificateProblem(error)) untrusted.reject(new BrokerUntrusted(`${host}:${port}: ${error.message}`))
      })
    // The port mapping of a dead broker accepts a connection and closes it. The library would stay with that address, as it
    // goes on to the next one after an error alone; emitted here, before its own listener of `end` gives up the requests.
    socket.once("end", () => {
      if (socket.bytesRead === 0) socket.emit("error", new Error("the connection was closed before an answer"))
    })
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    return socket
  }
  const kafka = new kafkajs.Kafka({
    brokers: [...settings.brokers],
    clientId: settings.clientId,
    ...(settings.ssl === undefined ? {} : { ssl: settings.ssl }),
    ...(settings.sasl === undefined ? {} : { sasl: settings.sasl }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: settings.requestTimeoutMs,
    retry: RETRY,
    socketFactory,
    logLevel: kafkajs.logLevel.WARN,
    logCreator:
      () =>
      ({ namespace, level, log }) => {
        if (discarded) return
        settings.log(level === kafkajs.logLevel.ERROR && isTrouble(log.message) ? "warning" : "debug", log.message, {
          namespace,
        })
      },
  })
  return {
    kafka,
    untrusted: untrusted.promise,
    discard: () => {
      discarded = true
      for (const socket of sockets) socket.destroy(new Error("this client has been closed"))
    },
  }
}

// kafkajs logs regular events of transactions, claims and rebalances as errors. The callers report real failures.
const isTrouble = (message: string): boolean => /^(connection (error|timeout)|failed to connect|crash)/i.test(message)

type Prefix = Pick<KafkaSettings, "topicPrefix">

/** The topic's name on the cluster. */
export const clusterTopic = ({ topicPrefix }: Prefix, topic: string): string => `${topicPrefix}${topic}`

/** The transactional id of a writer: a newer producer with the same id fences the older one. */
export const transactionalIdOf = ({ topicPrefix }: Prefix, writer: string): string => `${topicPrefix}${writer}`

/** The consumer group that elects the process which holds a writer's name. */
export const turnGroupOf = ({ topicPrefix }: Prefix, writer: string): string => `${topicPrefix}turn/${writer}`
