import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { type Broker, type Cluster, CODE, RefusedByBroker } from "./brokers.ts"
import { layOut } from "./group.ts"
import { produceOnce, type TransactionalProducer } from "./session.ts"
import { settings } from "./testing/settings.ts"

const limits = new Map(topicNames.map((topic) => [topic, { batchBytesMax: 10_000, recordBytesMax: 10_000 }] as const))

interface Sent {
  readonly broker: string
  /** `topic@first sequence` of each batch. */
  readonly batches: ReadonlyArray<string>
  readonly reply: PromiseWithResolvers<Awaited<ReturnType<Broker["produce"]>>>
}

/** Brokers that answer when the test says so. A stub, as it holds a reply back while another one fails. */
const makeCluster = (leaders: Readonly<Partial<Record<Topic, string>>>) => {
  const sent: Array<Sent> = []
  const brokerOf = (nodeId: string) =>
    ({
      nodeId,
      produce: ({ topicData }: Parameters<Broker["produce"]>[0]) => {
        const reply = Promise.withResolvers<Awaited<ReturnType<Broker["produce"]>>>()
        const batches = topicData.map(({ topic, partitions }) => `${topic}@${partitions[0]?.firstSequence}`)
        sent.push({ broker: nodeId, batches, reply })
        return reply.promise
      },
    }) as unknown as Broker
  const cluster: Cluster = {
    connect: async () => undefined,
    addTargetTopic: async () => undefined,
    findLeaderForPartitions: (topic) => ({
      [leaders[topic.slice(settings().topicPrefix.length) as Topic] ?? "0"]: [0],
    }),
    findBroker: async ({ nodeId }) => brokerOf(nodeId),
    findGroupCoordinator: async () => brokerOf("0"),
  }
  return { cluster, sent }
}

const offsetsAt = (topics: Readonly<Record<string, number>>) => ({
  topics: Object.entries(topics).map(([topicName, offset]) => ({
    topicName,
    partitions: [{ baseOffset: String(offset) }],
  })),
})

const request = (...topics: ReadonlyArray<Topic>) =>
  layOut(
    "id",
    topics.map((topic) => ({ topic, key: "k", value: new Uint8Array(3) })),
    limits,
  ).requests[0] ?? new Map()
const makeProducer = (): TransactionalProducer => ({
  identity: { transactionalId: "w", producerId: "1", producerEpoch: 0 },
  sequences: new Map(),
})

describe("a produce request", () => {
  it("is one for the topics of each leader, and gives the offset of each topic", async () => {
    const { cluster, sent } = makeCluster({ views: "1", deltas: "2", checkpoints: "1" })
    const producer = makeProducer()
    const written = produceOnce(settings(), cluster, request("views", "deltas", "views", "checkpoints"), producer)
    while (sent.length < 2) await turn()
    expect(sent.map(({ broker, batches }) => [broker, batches])).toEqual([
      ["1", ["p.views@0", "p.checkpoints@0"]],
      ["2", ["p.deltas@0"]],
    ])
    sent[1]?.reply.resolve(offsetsAt({ "p.deltas": 7 }))
    sent[0]?.reply.resolve(offsetsAt({ "p.views": 5, "p.checkpoints": 9 }))
    expect(await written).toEqual(
      new Map([
        ["views", 5],
        ["deltas", 7],
        ["checkpoints", 9],
      ]),
    )
    expect(Object.fromEntries(producer.sequences)).toEqual({ views: 2, deltas: 1, checkpoints: 1 })
  })

  it("is never sent again: where one leader refuses while another writes, the whole send fails", async () => {
    const { cluster, sent } = makeCluster({ views: "1", deltas: "2" })
    const written = produceOnce(settings(), cluster, request("views", "deltas"), makeProducer())
    const failed = expect(written).rejects.toMatchObject({ code: CODE.unknownTopic })
    while (sent.length < 2) await turn()
    sent[0]?.reply.reject(new RefusedByBroker(CODE.unknownTopic))
    await failed
    sent[1]?.reply.resolve(offsetsAt({ "p.deltas": 7 }))
    for (let n = 0; n < 20; n++) await turn()
    expect(sent.map(({ broker }) => broker)).toEqual(["1", "2"])
  })
})
