import { Effect, Logger } from "effect"
import { type KafkaOptions, openKafkaLog } from "../../../infra/log/kafka/event-log.ts"

/** The log on Kafka for processes whose output is a protocol: what it logs goes nowhere. */
export const open = (options: KafkaOptions) => openKafkaLog(options).pipe(Effect.provide(Logger.layer([])))
