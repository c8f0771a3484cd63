import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Settings } from "../config/settings.ts"
import { type EventLog, LogUnavailable } from "./event-log.port.ts"

/** What decides which log is opened. */
export type LogSettings = Pick<Settings, "kafkaBrokers" | "kafkaReplication" | "kafkaTopicPrefix" | "dataDirectory">

/** Opens the log that the settings name: Kafka where there are brokers, else the embedded one in the data folder. */
export const openLog = (settings: LogSettings): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) {
      const { openLmdbLog } = yield* Effect.promise(() => import("./lmdb.ts"))
      return yield* openLmdbLog({ path: join(settings.dataDirectory, "log") })
    }
    // Loaded only where it is used: it is a large library.
    const { openKafkaLog } = yield* Effect.promise(() => import("./kafka.ts"))
    return yield* openKafkaLog({
      brokers: settings.kafkaBrokers,
      clientId: "tidewire",
      replicationFactor: settings.kafkaReplication,
      topicPrefix: settings.kafkaTopicPrefix ?? "",
    }).pipe(
      Effect.mapError(
        ({ problem, cause }) => new LogUnavailable({ problem: `${problem} (KAFKA_BROKERS names them)`, cause }),
      ),
    )
  })
