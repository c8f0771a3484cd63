import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { EventLog, LogUnavailable } from "./event-log.port.ts"
import { openLmdbLog } from "./lmdb.ts"

const DATA_DIR_DEFAULT = "./data"

/**
 * Opens the log that the environment names: Kafka at `KAFKA_BROKERS` (addresses with commas between them), else the
 * embedded log below `DATA_DIR`. The Kafka client is loaded only where it is asked for.
 */
export const openConfiguredLog = (
  environment: Readonly<Record<string, string | undefined>>,
): Effect.Effect<EventLog, LogUnavailable, Scope.Scope> => {
  const brokers = (environment.KAFKA_BROKERS ?? "")
    .split(",")
    .map((broker) => broker.trim())
    .filter((broker) => broker !== "")
  return brokers.length === 0
    ? openLmdbLog({ path: join(environment.DATA_DIR ?? DATA_DIR_DEFAULT, "log") })
    : Effect.promise(() => import("./kafka.ts")).pipe(
        Effect.flatMap(({ openKafkaLog }) => openKafkaLog({ brokers, clientId: "tidewire" })),
      )
}
