import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type EventLog, LogUnavailable, type ReadFailed } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import { type DirectoryHeld, type DirectoryUnusable, holdDirectory } from "../config/data-directory.ts"
import type { Settings } from "../config/settings.ts"
import { type KafkaSecuritySetting, kafkaSecurity } from "./kafka/security.ts"
import { type ImportUnfinished, refuseUnfinished } from "./transfer/imported.ts"

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
export interface OpenOptions {
  /** The topics that are used; all by default. */
  readonly topics?: ReadonlyArray<Topic>
  /** With it, brokers that do not answer are waited for: called with the problem of each attempt. */
  readonly waiting?: (problem: string) => void
}

/** Opens the log of the settings: Kafka if brokers are set, else the embedded one in the data folder. */
export const openLog = (
  settings: LogSettings,
  { topics, waiting }: OpenOptions = {},
): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) {
      const { openLmdbLog } = yield* Effect.promise(() => import("./lmdb/event-log.ts"))
      return yield* openLmdbLog({ path: join(settings.dataDirectory, "log") })
    }
    // Loaded only when it is used, as kafkajs is large.
    const { openKafkaLog } = yield* Effect.promise(() => import("./kafka/event-log.ts"))
    const security = yield* kafkaSecurity(settings)
    return yield* openKafkaLog(
      {
        ...security,
        brokers: settings.kafkaBrokers,
        clientId: "tidewire",
        compression: settings.kafkaCompression,
        keptDays: settings.keepDays ?? {},
        replicationFactor: settings.kafkaReplication,
        topicPrefix: settings.kafkaTopicPrefix ?? "",
        ...(topics === undefined ? {} : { topics }),
      },
      waiting,
    ).pipe(
      Effect.mapError(
        ({ problem, cause }) => new LogUnavailable({ problem: `${problem} (KAFKA_BROKERS names them)`, cause }),
      ),
    )
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
  const directory = join(settings.dataDirectory, "log")
  return settings.kafkaBrokers !== null || existsSync(directory)
    ? Effect.void
    : Effect.fail(new LogUnavailable({ problem: `${directory} does not exist`, cause: null }))
}
