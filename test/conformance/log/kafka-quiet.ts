import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import { openKafkaLog } from "../../../infra/log/kafka/event-log.ts"

/** Opens the log on Kafka without log lines, for processes whose output is a protocol. */
export const open = (options: KafkaOptions) => openKafkaLog(options).pipe(Effect.provide(Logger.layer([])))
