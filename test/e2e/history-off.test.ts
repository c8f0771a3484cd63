import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Status } from "../../schemas/endpoints/status.ts"
import { childrenOf } from "../bench/process-memory.ts"
import { runCommand } from "../support/command.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing, type KafkaBroker, startKafka } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { readViews, settingsOf } from "../support/everything-kept.ts"
import { grantNew } from "../support/ledger-command.ts"
import { readiness, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

// One data folder: first without a history, then with one, which is filled with what the log still holds.

const QUAKES = "/api/climate/earthquakes"
const COMPOSED = "/api/pro/briefing"
const QUERIED = "/api/pro/feed-reliability/history?feed=earthquakes"
const READING = [QUERIED, `${QUAKES}/history`, "/api/fear-greed/history?format=csv"]
const CREDITS = 50

const home = temporaryDirectory()
const data = join(home, "data")
const saved = join(home, "backup.ndjson")
const off = { HISTORY: "off" }
let world: WorldServer
let service: Service
let authorization = ""

const start = (environment: Readonly<Record<string, string>> = {}) =>
  startService({
    dataDirectory: data,
    offered: [QUAKES, "/api/earthquake", "/api/fear-greed", "/api/briefing", COMPOSED, QUERIED.split("?")[0] ?? ""],
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "5", ...environment },
  })
const paid = (path: string) => service.get(path, { headers: { authorization } })
const text = async (path: string, accept = "*/*") => {
  const response = await service.get(path, { headers: { accept } })
  expect([path, response.status]).toEqual([path, 200])
  return response.text()
}
const balance = async () => {
  const response = await paid("/api/payment/balance")
  return ((await response.json()) as { readonly credits_remaining: number }).credits_remaining
}
const mcp = async (path: string, method: string, params: object = {}) => {
  const response = await service.get(path, {
    method: "POST",
    headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  return response.text()
}

beforeAll(async () => {
  world = await startWorld({ seed: "no-history" })
  service = await start(off)
  await service.filled()
  const { token } = await grantNew({ DATA_DIR: data, ADMIN_PORT: new URL(service.adminUrl).port }, CREDITS)
  authorization = `Bearer ${token}`
})
afterAll(async () => {
  await service?.end("SIGKILL")
  await world?.close()
  removeDirectory(home)
})

describe("a service with HISTORY=off", () => {
  it("starts no engine, writes no history, and is ready without a word of it but one line", async () => {
    expect(childrenOf(service.child.pid ?? 0)).toEqual([])
    expect(existsSync(join(data, "clickhouse"))).toBe(false)
    expect(existsSync(join(data, "secrets", "analyst-password"))).toBe(false)
    await expect(fetch(service.clickhouseUrl)).rejects.toThrow()
    const { parts, degraded } = await readiness(service)
    expect(degraded).toEqual([])
    expect(parts.filter(({ part }) => part === "history" || part === "trimming")).toMatchObject([
      { role: "process", part: "trimming", state: "active" },
    ])
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.includes("HISTORY=off"))
    expect(lines).toHaveLength(1)
    expect(await (await fetch(`${service.adminUrl}/metrics`)).text()).not.toContain("tidewire_history_engine")
  })

  it("serves free replies and composed premium ones, which are charged", async () => {
    expect(JSON.parse(await text("/api/earthquake"))).toMatchObject({ _meta: { stale: false } })
    expect(JSON.parse(await text(QUAKES)).data).not.toBeNull()
    const response = await paid(COMPOSED)
    expect([response.status, response.headers.get("x-credits-charged")]).toEqual([200, "1"])
  })

  it.each(READING)("refuses %s by name, with a token and without, and charges nothing", async (path) => {
    const before = await balance()
    for (const response of [await paid(path), await service.get(path)]) {
      expect([response.status, response.headers.get("content-type")]).toEqual([
        404,
        "application/problem+json; charset=utf-8",
      ])
      expect(response.headers.get("x-credits-charged")).toBeNull()
      expect(await response.json()).toMatchObject({ error: "not_configured", catalog: `${service.url}/api` })
    }
    expect(await balance()).toBe(before)
  })

  it.each([`${QUAKES}?at=now`, "/api/earthquake?at=2026-08-17T20:35:00Z", `${COMPOSED}?at=now`, "/world.json?at=now"])(
    "refuses %s by name, and charges nothing",
    async (path) => {
      const before = await balance()
      const response = await paid(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: "not_configured" })
      expect(await balance()).toBe(before)
    },
  )

  it("says so in documents, tools and pages, and lists nothing that reads the past", async () => {
    const openApi = await text("/openapi.json")
    expect(JSON.parse(openApi).info.description).toContain("keeps no history")
    expect(await text("/llms.txt")).toContain("this installation keeps no history")
    expect(
      await mcp("/api/mcp", "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      }),
    ).toContain("keeps no history")
    const tools = await mcp("/api/mcp/all", "tools/list")
    expect(tools).toContain("recent_changes")
    expect(tools).not.toContain("feed_history")
    for (const document of ["/api", "/openapi.json", "/llms.txt", "/api/llm-tools"])
      for (const path of READING)
        expect([document, (await text(document)).includes(path.split("?")[0] ?? "")]).toEqual([document, false])
    for (const page of ["/", "/status", "/status.md", "/feeds/climate-earthquakes", "/feeds/earthquake"]) {
      const body = await text(page, "text/html")
      expect([page, /history unavailable|cannot be read|As it was at|History in SQL/i.exec(body)]).toEqual([page, null])
    }
    const status: Status = JSON.parse(await text("/status.json"))
    expect(status).toMatchObject({ history: "not_configured", outages: null })
    expect(status.parts.filter(({ state }) => state !== "works")).toEqual([])
    expect(status.parts.map(({ part }) => part)).not.toContain("history")
    expect(await text("/status.md")).toContain("This installation keeps no history")
  })

  it("answers changes from the log", async () => {
    const page = JSON.parse(await text("/api/changes?after=start&limit=5"))
    expect(page.changes.length).toBeGreaterThan(0)
  })

  it("has commands that say so, and a backup that is restored without a history", async () => {
    expect(await runCommand({ DATA_DIR: data, ...off }, "sql", "SELECT 1")).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "HISTORY=off: this installation keeps no history, so there is none to read or to write\n",
    })
    expect(await service.end("SIGTERM")).toBe(0)
    const backup = await runCommand({ DATA_DIR: data, ...off }, "backup", saved)
    expect([backup.code, backup.stderr]).toEqual([0, expect.stringContaining("records saved")])
    const other = { DATA_DIR: join(home, "other"), ...off }
    const restored = await runCommand(other, "restore", saved)
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("records are in the log")])
    const rebuilt = await runCommand({ DATA_DIR: data, ...off }, "rebuild", "--verify")
    expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringContaining("the live views equal")])
    expect(await readViews(settingsOf(other))).toEqual(await readViews(settingsOf({ DATA_DIR: data })))
    expect(existsSync(join(home, "other", "clickhouse"))).toBe(false)
  })
})

describe("the same folder with a history", () => {
  it("fills it with what the log holds, and answers what was refused", async () => {
    service = await start()
    await service.ready()
    const archived = async (sql: string) => {
      const response = await fetch(`${service.analystUrl}&query=${encodeURIComponent(sql)}`)
      const body = await response.text()
      if (!response.ok) throw new Error(body)
      return Number(body)
    }
    await eventually(
      "the first event is archived",
      async () =>
        (await archived("SELECT min(log_offset) FROM events WHERE topic = 'observations' HAVING count() > 0")) === 0,
    )
    await eventually("the past is known", async () => (await service.get(`${QUAKES}?at=now`)).status === 200)
    for (const path of READING) {
      const response = await eventually(`${path} is answered`, async () => {
        const answer = await paid(path)
        if (answer.status !== 200) throw new Error(await answer.text())
        return answer
      })
      expect(response.status).toBe(200)
    }
    expect((await readiness(service)).parts.map(({ part }) => part)).not.toContain("trimming")
  })
})

describeUnless(await dockerMissing(), "roles apart with HISTORY=off", () => {
  const services: Array<Service> = []
  let broker: KafkaBroker

  beforeAll(async () => {
    broker = await startKafka()
  })
  afterAll(async () => {
    await Promise.all(services.map((one) => one.end("SIGKILL")))
    await broker?.stop()
  })

  const startRole = async (role: string) => {
    const environment = { ...off, KAFKA_BROKERS: broker.brokers.join(","), UPSTREAMS: "http://127.0.0.1:9" }
    const one = await startService({ dataDirectory: join(home, `role ${services.length}`), role, environment })
    services.push(one)
    return one
  }
  const trimming = async (one: Service) =>
    (await readiness(one)).parts.flatMap(({ part, state }) => (part === "trimming" ? [state] : []))

  it("need no ClickHouse: one process trims and the other stands by, and the API refuses by name", async () => {
    const first = await startRole("process")
    await eventually("the first one trims", async () => (await trimming(first))[0] === "active")
    const second = await startRole("process")
    await eventually("the second one stands by", async () => (await trimming(second))[0] === "standby")
    expect(await first.end("SIGTERM")).toBe(0)
    await eventually("the second one takes over", async () => (await trimming(second))[0] === "active")
    const api = await startRole("api")
    await eventually("the API answers", async () => (await api.get("/api/health")).ok)
    const refused = await api.get(`${QUAKES}/history`)
    expect([refused.status, await refused.json()]).toEqual([404, expect.objectContaining({ error: "not_configured" })])
  })
})
