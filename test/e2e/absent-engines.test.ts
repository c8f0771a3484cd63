import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openLog } from "../../infra/log/open.ts"
import { encodeEvent, makeEvent } from "../../schemas/event.ts"
import { clockTicked } from "../../schemas/events/observations.ts"
import type { Topic } from "../../schemas/topics.ts"
import { describeUnless } from "../support/describe-unless.ts"
import {
  type ClickHouseServer,
  dockerMissing,
  type KafkaBroker,
  startClickHouse,
  startKafka,
} from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { settingsOf } from "../support/everything-kept.ts"
import { type FreezingProxy, startFreezingProxy } from "../support/freezing-proxy.ts"
import { complaintsAboutAlerts, promtoolMissing } from "../support/promtool.ts"
import {
  freePort,
  readiness,
  removeDirectory,
  type Service,
  startService,
  temporaryDirectory,
} from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"

const HOUR_MS = 60 * 60 * 1000

const tickAt = (epochMs: number) =>
  makeEvent(clockTicked, {
    id: `tick-${epochMs}`,
    source: "tidewire/ingest",
    subject: "clock",
    time: new Date(epochMs).toISOString(),
    data: {},
  })

const portOf = (address: string) => Number(address.split(":").at(-1))

describeUnless(await dockerMissing(), "processes whose Kafka or ClickHouse is away, slow or wrong", () => {
  const directory = temporaryDirectory()
  const services: Array<Service> = []
  let clickhouse: ClickHouseServer
  let engine: FreezingProxy
  let broker: KafkaBroker | undefined
  let brokersPort = 0

  const start = async (role: string, own: Readonly<Record<string, string>> = {}) => {
    const service = await startService({
      dataDirectory: `${directory}/${services.length}`,
      role,
      offered: [someFeed.path],
      environment: {
        KAFKA_BROKERS: `127.0.0.1:${brokersPort}`,
        CLICKHOUSE_URL: `http://127.0.0.1:${engine.port}`,
        CLICKHOUSE_USER: clickhouse.username,
        CLICKHOUSE_PASSWORD: clickhouse.password,
        DEMAND_SECRET: "a-secret-of-this-test-for-demands",
        LEDGER_API_SECRET: "a-secret-of-this-test-for-the-api",
        LEDGER_OPERATOR_SECRET: "a-secret-of-this-test-for-operators",
        UPSTREAMS: "http://127.0.0.1:9",
        ...own,
      },
    })
    services.push(service)
    return service
  }
  const scrape = async (service: Service | undefined) => (await fetch(`${service?.adminUrl}/metrics`)).text()
  /** Waits until an alert fires by what a process shows; it was silent by what the process showed before. */
  const fires = (alert: string, service: Service | undefined, before = "") =>
    promtoolMissing() === undefined
      ? eventually(`${alert} fires`, async () => {
          const during = await scrape(service)
          const complaints = complaintsAboutAlerts({ before, during }, { fire: [alert], silentBefore: [alert] })
          if (complaints !== "") throw new Error(complaints)
          return true
        })
      : Promise.resolve(true)
  /** Commits a record to the log, beside the processes. */
  const commit = (topic: Topic, key: string, value: Uint8Array) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLog(settingsOf({ KAFKA_BROKERS: `127.0.0.1:${brokersPort}` }))
          const writer = yield* log.claim("test", [topic])
          yield* writer.commit([{ topic, key, value }])
        }),
      ),
    )
  const query = async (sql: string) => {
    const { url, username, password } = clickhouse
    const headers = { "x-clickhouse-user": username, "x-clickhouse-key": password }
    const reply = await fetch(url, { method: "POST", body: sql, headers })
    if (!reply.ok) throw new Error(await reply.text())
  }
  const history = async (service: Service) => (await readiness(service)).parts.find(({ part }) => part === "history")

  beforeAll(async () => {
    brokersPort = await freePort()
    clickhouse = await startClickHouse()
    engine = await startFreezingProxy(portOf(clickhouse.url))
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service.end("SIGKILL")))
    await Promise.all([engine?.close(), clickhouse?.stop(), broker?.stop()])
    removeDirectory(directory)
  })

  it("start without brokers, wait for them, say so, go on when they are there, and fire their alerts", async () => {
    const roles = ["process", "ledger", "api"]
    const waiting = await Promise.all(roles.map((role) => start(role)))
    for (const [at, service] of waiting.entries()) {
      const reasons = await eventually(`${roles[at]} says what it waits for`, async () => {
        const reply = await readiness(service)
        if (!reply.reasons.some((reason) => /: waiting: kafka: .*ECONNREFUSED/.test(reason)))
          throw new Error(JSON.stringify(reply))
        return reply.reasons
      })
      expect(reasons.join()).not.toContain("KAFKA_BROKERS names them")
      await eventually("one line of the log says so", () => service.output().includes("waiting: kafka"))
      expect(service.child.exitCode).toBeNull()
    }
    broker = await startKafka({ advertisedPort: brokersPort })
    const proxy = await startFreezingProxy(portOf(broker.address), brokersPort)
    try {
      for (const service of waiting) {
        await eventually("no part waits for Kafka", async () => {
          const { reasons, degraded } = await readiness(service)
          return ![...reasons, ...degraded].some((reason) => reason.includes("kafka"))
        })
        expect(service.output().match(/waiting: kafka/g)).toHaveLength(1)
      }
      await eventually("the history is written", async () => (await history(waiting[0] as Service))?.state === "active")

      const before = await Promise.all(waiting.map(scrape))
      await commit("views", someFeed.path, Buffer.from("damaged"))
      await fires("TidewireViewsStopped", waiting[2], before[2])
      engine.freeze()
      const frozen = await eventually("a ClickHouse that answers nothing is seen", async () => {
        const part = await history(waiting[0] as Service)
        if (part?.state !== "waiting") throw new Error(JSON.stringify(part))
        return part
      })
      expect(frozen.reason).toMatch(/^ClickHouse: it accepts connections and answers nothing/)
      const metrics = await scrape(waiting[0])
      expect(metrics).toMatch(/^tidewire_role_state\{(?=.*part="history")(?=.*state="waiting").*\} 1$/m)
      await commit("observations", "clock", encodeEvent(tickAt(Date.now() - 2 * HOUR_MS)))
      await fires("TidewireHistoryBehind", waiting[0], before[0])
      engine.thaw()
      await eventually("it is active again", async () => (await history(waiting[0] as Service))?.state === "active")

      await eventually("it has caught up", async () =>
        /^tidewire_history_lag_seconds\{topic="observations"[^}]*\} 0$/m.test(await scrape(waiting[0])),
      )
      await query("ALTER TABLE tidewire.events ADD CONSTRAINT none CHECK log_offset < 0")
      await commit("observations", "clock", encodeEvent(tickAt(Date.now())))
      await fires("TidewireTableSuspended", waiting[0], before[0])

      const standby = await start("process", { CLICKHOUSE_PASSWORD: "another-password" })
      const refused = await eventually("a standby's wrong password is seen", async () => {
        const part = await history(standby)
        if (part?.state !== "waiting" || part.reason?.includes("ClickHouse") !== true)
          throw new Error(JSON.stringify(part))
        return part
      })
      expect(refused.reason).toMatch(/Authentication failed/)
      expect(refused.reason).not.toContain("another-password")
      const right = await start("process")
      await eventually("one with the right password stands by", async () => (await history(right))?.state === "standby")
    } finally {
      await proxy.close()
    }
  })
})
