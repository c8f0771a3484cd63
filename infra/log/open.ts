import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type EventLog, LogUnavailable, type ReadFailed } from "../../schemas/ports/event-log.ts"
import { type DirectoryHeld, type DirectoryUnusable, holdDirectory } from "../config/data-directory.ts"
import type { Settings } from "../config/settings.ts"
import { type KafkaSecuritySetting, kafkaSecurity } from "./kafka/security.ts"
import { type ImportUnfinished, refuseUnfinished } from "./transfer/imported.ts"

/** What decides which log is opened. */
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

/** Opens the log that the settings name: Kafka where there are brokers, else the embedded one in the data folder. */
export const openLog = (settings: LogSettings): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) {
      const { openLmdbLog } = yield* Effect.promise(() => import("./lmdb/event-log.ts"))
      return yield* openLmdbLog({ path: join(settings.dataDirectory, "log") })
    }
    // Loaded only where it is used: it is a large library.
    const { openKafkaLog } = yield* Effect.promise(() => import("./kafka/event-log.ts"))
    const security = yield* kafkaSecurity(settings)
    return yield* openKafkaLog({
      ...security,
      brokers: settings.kafkaBrokers,
      clientId: "tidewire",
      compression: settings.kafkaCompression,
      keptDays: settings.keepDays ?? {},
      replicationFactor: settings.kafkaReplication,
      topicPrefix: settings.kafkaTopicPrefix ?? "",
    }).pipe(
      Effect.mapError(
        ({ problem, cause }) => new LogUnavailable({ problem: `${problem} (KAFKA_BROKERS names them)`, cause }),
      ),
    )
  })

/** Opens the log for everything but an import: half of another log, as an unfinished import leaves it, is refused by name. */
export const openWholeLog = (
  settings: LogSettings,
): Effect.Effect<EventLog, LogUnavailable | ReadFailed | ImportUnfinished, Scope.Scope> =>
  Effect.tap(openLog(settings), refuseUnfinished)

/**
 * Keeps a service from using the embedded log for the scope, and refuses at once where one does. On Kafka nothing needs to
 * be held: the claims of the writers' names keep others out.
 */
export const holdLog = (settings: LogSettings): Effect.Effect<void, DirectoryHeld | DirectoryUnusable, Scope.Scope> =>
  settings.kafkaBrokers === null ? holdDirectory(settings.dataDirectory) : Effect.void

/** Fails where the settings name an embedded log that does not exist: a misspelt folder must not pass for an empty log. */
export const refuseMissing = (settings: LogSettings): Effect.Effect<void, LogUnavailable> => {
  const directory = join(settings.dataDirectory, "log")
  return settings.kafkaBrokers !== null || existsSync(directory)
    ? Effect.void
    : Effect.fail(new LogUnavailable({ problem: `${directory} does not exist`, cause: null }))
}
