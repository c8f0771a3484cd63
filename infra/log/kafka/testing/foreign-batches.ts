import kafkajs from "kafkajs"
import type { KafkaOptions } from "../client.ts"

/** A batch of another producer: the texts of its records, under the id of a commit. */
export interface ForeignBatch {
  readonly id: string
  readonly texts: ReadonlyArray<string>
}

/** Writes batches to a topic of a log as another producer writes them, one after the other. */
export const writeForeignBatches = async (
  { brokers, topicPrefix = "" }: KafkaOptions,
  topic: string,
  batches: ReadonlyArray<ForeignBatch>,
): Promise<void> => {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.LegacyPartitioner })
  await producer.connect()
  for (const { id, texts } of batches) {
    const messages = texts.map((value, n) => ({
      key: "k",
      value,
      ...(n === 0 ? { headers: { "tidewire-transaction": `${id}/0` } } : {}),
    }))
    await producer.send({ topic: `${topicPrefix}${topic}`, acks: -1, messages })
  }
  await producer.disconnect()
}
