import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ITopicMetadata } from "kafkajs"
import { Gauge } from "prom-client"
import { clusterTopic, type KafkaSettings } from "./client.ts"

const replicas = new Gauge({
  name: "tidewire_log_kafka_replicas",
  help: "Replicas of a topic",
  labelNames: ["topic"],
})
const inSyncReplicas = new Gauge({
  name: "tidewire_log_kafka_in_sync_replicas",
  help: "Replicas of a topic that hold every acknowledged record",
  labelNames: ["topic"],
})

const EVERY = Duration.seconds(30)

/** Shows the replicas of each topic and those in sync, read every 30 seconds. After a failed read the last values are kept. */
export const watchReplication = <E>(
  settings: KafkaSettings,
  metadataOf: (topics: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ITopicMetadata>, E>,
): Effect.Effect<never> =>
  Effect.suspend(() => metadataOf(settings.topics.map((topic) => clusterTopic(settings, topic)))).pipe(
    Effect.tap((topics) =>
      Effect.sync(() => {
        for (const topic of settings.topics) {
          const partition = topics.find(({ name }) => name === clusterTopic(settings, topic))?.partitions[0]
          if (partition === undefined) continue
          replicas.set({ topic }, partition.replicas.length)
          inSyncReplicas.set({ topic }, partition.isr.length)
        }
      }),
    ),
    Effect.ignore,
    Effect.andThen(Effect.sleep(EVERY)),
    Effect.forever,
  )
