import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { type Context, Effect } from "effect"
import kafkajs, { type ISocketFactoryArgs, type Kafka, type KafkaConfig, type RetryOptions } from "kafkajs"
import type { KeptDays } from "../../../schemas/topics.ts"
import type { KafkaCompression } from "./compression.ts"

/** How the brokers are reached, and how long this process waits for them. Times are in milliseconds. */
export interface KafkaOptions {
  readonly brokers: ReadonlyArray<string>
  readonly clientId: string
  /** Replicas of the topics that are made; those that exist keep theirs. 1 when not given. */
  readonly replicationFactor?: number
  /** Stands before every topic, transactional id and group, so that several logs share a cluster. Empty when not given. */
  readonly topicPrefix?: string
  readonly ssl?: NonNullable<KafkaConfig["ssl"]>
  readonly sasl?: NonNullable<KafkaConfig["sasl"]>
  /** Settings of the topics that are made, over those of `topics.ts`. */
  readonly topicSettings?: Readonly<Record<string, string>>
  /** Days of topics that are made, where they are not their own; those that exist keep theirs. */
  readonly keptDays?: KeptDays
  /** How batches are packed; zstd when not given. What others packed otherwise is read all the same. */
  readonly compression?: KafkaCompression
  /** How long a reply is awaited. A reply that was lost is noticed after this time. */
  readonly requestTimeoutMs?: number
  /** How long reads, claims and administration go on trying before they fail with `LogUnavailable`. */
  readonly operationTimeoutMs?: number
  /** How long a commit goes on trying, outages included, before it fails. */
  readonly commitTimeoutMs?: number
}

/** The options with every default filled in. */
export interface KafkaSettings {
  readonly brokers: ReadonlyArray<string>
  readonly clientId: string
  readonly replicationFactor: number
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

/** Where kafkajs's log lines go. */
export type LogSink = (
  level: "debug" | "warning",
  message: string,
  annotations: Readonly<Record<string, string>>,
) => void

const CONNECTION_TIMEOUT_MS = 3_000
const KEEP_ALIVE_MS = 60_000
/** The same line is written once in this time, however often kafkajs repeats it while a broker is away. */
const LOG_REPEAT_MS = 30_000
const LOG_LINES_REMEMBERED_MAX = 200

/**
 * Short, because the library's retries are nested into each other and go on behind a caller that has given up: this file's
 * callers ride out outages themselves, each to its own deadline. The first step is 3 ms, as the next transaction begins
 * while the markers of the last are still being written: the library's own 300 ms would be paid by every commit.
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

/** The options with their defaults; log lines go to the loggers of the surrounding Effect. */
export const settingsOf = (options: KafkaOptions): Effect.Effect<KafkaSettings> =>
  Effect.map(Effect.context<never>(), (context) => ({
    brokers: options.brokers,
    clientId: options.clientId,
    replicationFactor: options.replicationFactor ?? 1,
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

const effectSink = (context: Context.Context<never>): LogSink => {
  const said = new Map<string, number>()
  return (level, message, annotations) => {
    if (level === "warning") {
      const line = `${annotations.namespace ?? ""} ${message}`
      const now = performance.now()
      if (now - (said.get(line) ?? Number.NEGATIVE_INFINITY) < LOG_REPEAT_MS) return
      if (said.size >= LOG_LINES_REMEMBERED_MAX) said.clear()
      said.set(line, now)
    }
    const line = level === "warning" ? Effect.logWarning(message) : Effect.logDebug(message)
    Effect.runForkWith(context)(line.pipe(Effect.annotateLogs({ component: "kafka", ...annotations })))
  }
}

/** Connections to the brokers that can be cut for good. */
export interface KafkaClient {
  readonly kafka: Kafka
  /**
   * Rejects with `BrokerUntrusted` when a broker shows a certificate that cannot be trusted: the library takes that for an
   * outage, and tries on.
   */
  readonly untrusted: Promise<never>
  /**
   * Cuts every connection and lets none be made again: whatever the library still does behind our back, nothing of it
   * reaches a broker any more. Requests on their way fail at once.
   */
  readonly discard: () => void
}

/** A broker showed a certificate that no trusted authority signed, or one with another name. */
export class BrokerUntrusted extends Error {
  override readonly name = "BrokerUntrusted"
}

/** Codes of OpenSSL and Node about a certificate: one that expired, is signed by a stranger, or bears another name. */
const isCertificateProblem = (error: Error): boolean =>
  "code" in error && /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_)/.test(String(error.code))

/** A client of its own, with connections that nobody else uses. */
export const makeClient = (settings: KafkaSettings): KafkaClient => {
  const sockets = new Set<Socket>()
  let discarded = false
  const untrusted = Promise.withResolvers<never>()
  // Not everyone who makes a client waits for it.
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

// kafkajs calls an error what is part of every transaction, claim or rebalance. Its callers report what matters of it.
const isTrouble = (message: string): boolean => /^(connection (error|timeout)|failed to connect|crash)/i.test(message)

/** The topic's name on the cluster. */
export const clusterTopic = (settings: KafkaSettings, topic: string): string => `${settings.topicPrefix}${topic}`

const CAUSES_MAX = 8

/** An error and what caused it, the outermost first. */
function* causes(error: unknown): Generator<object> {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && typeof current === "object" && current !== null; depth++) {
    yield current
    current = "cause" in current ? current.cause : undefined
  }
}

/** The code with which a broker refused, wherever kafkajs has put it; undefined when no broker did. */
export const protocolCode = (error: unknown): number | undefined => {
  for (const cause of causes(error)) if ("code" in cause && typeof cause.code === "number") return cause.code
  return undefined
}

/** Codes of the Kafka protocol that this adapter acts on. */
export const CODE = {
  offsetOutOfRange: 1,
  unknownTopic: 3,
  messageTooLarge: 10,
  recordListTooLarge: 18,
  invalidProducerEpoch: 47,
  producerFenced: 90,
} as const

/** Whether a broker said that a newer producer has taken the transactional id, or that it let the transaction time out. */
export const isEpochRefused = (error: unknown): boolean => {
  const code = protocolCode(error)
  return code === CODE.invalidProducerEpoch || code === CODE.producerFenced
}

/** Whether a broker refused something for its size. */
export const isTooLarge = (error: unknown): boolean => {
  const code = protocolCode(error)
  return code === CODE.messageTooLarge || code === CODE.recordListTooLarge
}

/** What no further try changes: a login that was refused, and may be locked then, or a certificate. */
const FINAL: ReadonlySet<unknown> = new Set(["KafkaJSSASLAuthenticationError", "BrokerUntrusted"])

/** Whether a broker refused who this says it is, or is not who it should be. */
export const isIdentityRefused = (error: unknown): boolean => {
  for (const cause of causes(error)) if ("name" in cause && FINAL.has(cause.name)) return true
  return false
}

/** One sentence of an error. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
