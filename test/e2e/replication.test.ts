import { afterAll, beforeAll, expect, it } from "vitest"
import { logAccess, topicsOf } from "../../infra/log/access.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { type KafkaCluster, startKafkaCluster } from "../support/kafka-cluster.ts"
import { complaintsAboutAlerts, promtoolMissing } from "../support/promtool.ts"
import { readiness, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"

const PREFIX = "safe."
const TOPIC = 2

describeUnless(await dockerMissing(), "a ledger on three brokers", () => {
  const directory = temporaryDirectory()
  let cluster: KafkaCluster
  let ledger: Service | undefined

  /** Does what the commands of a risk say. */
  const apply = async (risk: string) => {
    const [, plan = ""] = /echo '(\{.*\})' > /.exec(risk) ?? []
    const [, name = "", inSync = ""] = /--entity-name (\S+) --add-config min\.insync\.replicas=(\d)/.exec(risk) ?? []
    const { partitions } = JSON.parse(plan) as {
      readonly partitions: ReadonlyArray<{ topic: string; partition: number; replicas: Array<number> }>
    }
    await cluster.admin.alterPartitionReassignments({
      topics: partitions.map(({ topic, partition, replicas }) => ({
        topic,
        partitionAssignment: [{ partition, replicas }],
      })),
    })
    await cluster.admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: TOPIC, name, configEntries: [{ name: "min.insync.replicas", value: inSync }] }],
    })
  }

  beforeAll(async () => {
    cluster = await startKafkaCluster()
    await cluster.admin.createTopics({
      topics: ["ledger", "checkpoints"].map((topic) => ({
        topic: `${PREFIX}${topic}`,
        numPartitions: 1,
        replicationFactor: 1,
      })),
    })
  })
  afterAll(async () => {
    await ledger?.end("SIGKILL")
    await cluster?.stop()
    removeDirectory(directory)
  })

  it("sells nothing while one broker has its only copy, says how to change that, and sells once that is done", async () => {
    ledger = await startService({
      dataDirectory: directory,
      role: "ledger",
      environment: {
        KAFKA_BROKERS: cluster.brokers.join(","),
        KAFKA_TOPIC_PREFIX: PREFIX,
        LEDGER_API_SECRET: "a-secret-of-this-test-for-the-api",
        LEDGER_OPERATOR_SECRET: "a-secret-of-this-test-for-operators",
      },
    })
    const service = ledger
    const { reasons, warnings } = await eventually("it refuses to sell", async () => {
      const reply = await readiness(service)
      if (!reply.reasons.some((reason) => reason.includes("nothing is sold"))) throw new Error(JSON.stringify(reply))
      if (reply.warnings.length < 2) throw new Error("not looked yet")
      return reply
    })
    expect(reasons.join()).toMatch(
      /^ledger writer: waiting: nothing is sold: the topic safe\.ledger has a single replica on a cluster of 3 brokers/,
    )
    expect(warnings.map((warning) => /^the topic (\S+)/.exec(warning)?.[1]).sort()).toEqual([
      "safe.checkpoints",
      "safe.ledger",
    ])
    // What is created gets a replica on each broker, of which one may be lost.
    const created = topicsOf(logAccess.ledger).filter((topic) => topic !== "ledger" && topic !== "checkpoints")
    const places = new Map((await cluster.places(PREFIX)).map(({ topic, replicas }) => [topic, replicas.length]))
    expect(created.map((topic) => places.get(`${PREFIX}${topic}`))).toEqual(created.map(() => 3))

    for (const warning of warnings) await apply(warning)
    await service.ready()
    expect((await readiness(service)).parts).toEqual([
      expect.objectContaining({ role: "ledger", part: "writer", state: "active" }),
    ])
  })

  it.skipIf(promtoolMissing() !== undefined)("fires an alert while a broker is gone", async () => {
    const scrape = async () => (await fetch(`${ledger?.adminUrl}/metrics`)).text()
    const rule = ["TidewireUnderReplicated"]
    // The replicas of the step before may be read while they are filled.
    const before = await eventually("it is silent", async () => {
      const text = await scrape()
      return complaintsAboutAlerts({ before: text, during: text }, { fire: [], silentBefore: rule }) === "" && text
    })
    await cluster.kill([3])
    await eventually("it fires", async () => {
      const complaints = complaintsAboutAlerts({ before, during: await scrape() }, { fire: rule, silentBefore: rule })
      if (complaints !== "") throw new Error(complaints)
      return true
    })
  })
})
