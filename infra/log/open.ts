import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SASLOptions } from "kafkajs"
import { type EventLog, LogUnavailable, type ReadFailed } from "../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../schemas/topics.ts"
import type { Settings } from "../config/settings.ts"
import { type DirectoryHeld, type DirectoryUnusable, holdDirectory } from "../system/data-directory.ts"
import { messageOf } from "../system/error.ts"
import type { KafkaOptions } from "./kafka/client.ts"
import { type ImportUnfinished, refuseUnfinished } from "./transfer/import-mark.ts"

const WAIT_PAUSE = "1 second"

/** The settings that select the log. */
export type LogSettings = Pick<
  Settings,
  | "kafkaBrokers"
  | "kafkaReplication"
  | "kafkaTopicPrefix"
  | "kafkaCompression"
  | "keepDays"
  | "dataDirectory"
  | KafkaSecuritySetting
>

/** How a log on Kafka is opened. */
interface OpenOptions {
  /** The topics that are used; all by default. */
  readonly topics?: ReadonlyArray<Topic>
  /** With it, brokers that do not answer are waited for: called with the problem of each attempt. */
  readonly waiting?: (problem: string) => void
}

/** The folder of the embedded log. */
export const lmdbPath = ({ dataDirectory }: Pick<LogSettings, "dataDirectory">): string => join(dataDirectory, "log")

// Loaded only when it is used, as kafkajs is large.
const loadKafka = Effect.promise(() => import("./kafka/event-log.ts"))

const kafkaOptions = (settings: LogSettings, brokers: ReadonlyArray<string>) =>
  Effect.map(
    kafkaSecurity(settings),
    (security): KafkaOptions => ({
      ...security,
      brokers,
      clientId: "tidewire",
      compression: settings.kafkaCompression,
      keptDays: settings.keepDays ?? {},
      replicationFactor: settings.kafkaReplication,
      topicPrefix: settings.kafkaTopicPrefix ?? "",
    }),
  )

const ofSettings = ({ problem, cause }: LogUnavailable) =>
  new LogUnavailable({ problem: `${problem} (KAFKA_BROKERS names them)`, cause })

/** Opens the log of the settings: Kafka if brokers are set, else the embedded one in the data folder. */
export const openLog = (
  settings: LogSettings,
  { topics, waiting }: OpenOptions = {},
): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) {
      const { openLmdbLog } = yield* Effect.promise(() => import("./lmdb/event-log.ts"))
      return yield* openLmdbLog({ path: lmdbPath(settings) })
    }
    const { openKafkaLog } = yield* loadKafka
    const options = yield* kafkaOptions(settings, settings.kafkaBrokers)
    return yield* openKafkaLog({ ...options, ...(topics === undefined ? {} : { topics }) }, waiting).pipe(
      Effect.mapError(ofSettings),
    )
  })

/** Opens these topics of the log of the settings to be read alone: nothing is written or created, and it may be in use. */
export const openLogToRead = (
  settings: LogSettings,
  topics: ReadonlyArray<Topic>,
): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) {
      const { openLmdbLog } = yield* Effect.promise(() => import("./lmdb/event-log.ts"))
      return yield* openLmdbLog({ path: lmdbPath(settings), readOnly: true })
    }
    const existing = yield* existingTopics(settings)
    const missing = topics.filter((topic) => !existing.includes(topic))
    if (missing.length > 0)
      return yield* new LogUnavailable({
        problem: `the brokers have no topic ${missing.map((topic) => `${settings.kafkaTopicPrefix ?? ""}${topic}`).join(", ")}`,
        cause: null,
      })
    return yield* openLog(settings, { topics })
  })

/** The topics of a log that exist already: all of an embedded one or none. */
export const existingTopics = (settings: LogSettings): Effect.Effect<ReadonlyArray<Topic>, LogUnavailable> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) return existsSync(lmdbPath(settings)) ? topicNames : []
    const kafka = yield* loadKafka
    const options = yield* kafkaOptions(settings, settings.kafkaBrokers)
    return yield* kafka.existingTopics(options).pipe(Effect.mapError(ofSettings))
  })

/** Opens the log for everything but an import; a log with an unfinished import is refused. */
export const openWholeLog = (
  settings: LogSettings,
  options: OpenOptions = {},
): Effect.Effect<EventLog, LogUnavailable | ReadFailed | ImportUnfinished, Scope.Scope> =>
  Effect.tap(openLog(settings, options), (log) => {
    const { waiting } = options
    const refuse = refuseUnfinished(log)
    if (waiting === undefined) return refuse
    // Opened by one broker, while the leader of the topic may still be away. A mark that cannot be decoded has no cause.
    return refuse.pipe(
      Effect.tapErrorTag("LogUnavailable", ({ problem }) => Effect.sync(() => waiting(problem))),
      Effect.retry({
        schedule: Schedule.spaced(WAIT_PAUSE),
        while: (error) => error._tag === "LogUnavailable" && error.cause !== null,
      }),
    )
  })

/**
 * Locks the embedded log against other processes for the scope; fails at once if one holds it. On Kafka no lock is needed:
 * the claims of the writers' names fence other processes.
 */
export const holdLog = (settings: LogSettings): Effect.Effect<void, DirectoryHeld | DirectoryUnusable, Scope.Scope> =>
  settings.kafkaBrokers === null ? holdDirectory(settings.dataDirectory) : Effect.void

/** Fails if the embedded log does not exist: a misspelt folder must not pass for an empty log. */
export const refuseMissing = (settings: LogSettings): Effect.Effect<void, LogUnavailable> => {
  const directory = lmdbPath(settings)
  return settings.kafkaBrokers !== null || existsSync(directory)
    ? Effect.void
    : Effect.fail(new LogUnavailable({ problem: `${directory} does not exist`, cause: null }))
}

/** The settings for TLS and SASL. */
type KafkaSecuritySetting = "kafkaSsl" | "kafkaSslCa" | "kafkaSaslMechanism" | "kafkaSaslUsername" | "kafkaSaslPassword"

/** Reads the options for TLS and SASL. The broker's certificate and its name are always verified. */
const kafkaSecurity = (
  settings: Pick<Settings, KafkaSecuritySetting>,
): Effect.Effect<Pick<KafkaOptions, "ssl" | "sasl">, LogUnavailable> =>
  Effect.gen(function* () {
    const { kafkaSsl, kafkaSslCa, kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = settings
    const ca = kafkaSslCa === null ? null : yield* readCertificates(kafkaSslCa)
    return {
      ...(kafkaSsl ? { ssl: ca === null ? true : { ca } } : {}),
      ...(kafkaSaslMechanism === null
        ? {}
        : {
            sasl: saslOf(kafkaSaslMechanism, {
              username: kafkaSaslUsername ?? "",
              password: kafkaSaslPassword ?? "",
            }),
          }),
    }
  })

/** The library has a type for each mechanism. */
const saslOf = (
  mechanism: NonNullable<Settings["kafkaSaslMechanism"]>,
  credentials: { readonly username: string; readonly password: string },
): SASLOptions => {
  switch (mechanism) {
    case "plain":
      return { mechanism, ...credentials }
    case "scram-sha-256":
      return { mechanism, ...credentials }
    case "scram-sha-512":
      return { mechanism, ...credentials }
  }
}

const readCertificates = (path: string): Effect.Effect<string, LogUnavailable> =>
  Effect.try({
    try: () => {
      const text = readFileSync(path, "utf8")
      if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Error("it holds no certificate in PEM form")
      return text
    },
    catch: (cause) =>
      new LogUnavailable({
        problem: `KAFKA_SSL_CA: ${path} cannot be used (${messageOf(cause)})`,
        cause,
      }),
  })
