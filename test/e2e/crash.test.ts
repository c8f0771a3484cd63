import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, expect, it } from "vitest"
import { runCommand } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import {
  freePort,
  JUDGED,
  removeDirectory,
  type Service,
  startService,
  temporaryDirectory,
} from "../support/service.ts"
import { itemTables, onDemandPath, slowFeed, someFeed } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"
import { worldAt } from "../world/world.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 4)
const SEED = process.env.CRASH_SEED ?? "crash"
/** A kill comes at any moment of the first seconds, the start included. */
const LIFE_MAX_MS = 6_000
const CALLERS = 8
/** What the service offers: a composed view over feeds of all kinds, single ones, and one on demand. */
const offered = ["/api/briefing", someFeed.path, slowFeed.path, onDemandPath()]
/** Starts after the last kill within which the history must have written the rows that are verified. */
const LIVES_MAX = 5

/** Counts the rows of all tables of items. */
const itemRows = `SELECT ${itemTables.map((table) => `(SELECT count() FROM ${table})`).join(" + ")}`

const directory = temporaryDirectory()
let world: WorldServer | undefined
let service: Service | undefined

afterAll(async () => {
  await service?.end("SIGKILL")
  await world?.close()
  removeDirectory(directory)
})

/** Processes whose parent is the given one. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        return readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(pid)
      } catch {
        return false
      }
    })

/** Calls the API without pause until it is stopped. Failures do not matter: the process is being killed. */
const load = (target: Service) => {
  const abort = new AbortController()
  const paths = [...offered, JUDGED]
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let call = caller; !abort.signal.aborted; call++)
      await target
        .get(paths[call % paths.length] ?? "/api/health", { signal: abort.signal })
        .then((response) => response.arrayBuffer())
        .catch(() => sleep(20))
  })
  return async () => {
    abort.abort()
    await Promise.all(callers)
  }
}

/** Lets the service live until the history holds rows, ends it in order, and gives the output of `rebuild --verify`. */
const liveAndVerify = async (upstreams: WorldServer): Promise<string> => {
  service = await startService({
    dataDirectory: directory,
    offered,
    environment: { UPSTREAMS: upstreams.url, POLL_SECONDS_MAX: "4", LOG_LEVEL: "error" },
  })
  await service.ready()
  const { analystUrl } = service
  const rowsOf = async (what: string): Promise<number> => {
    const response = await fetch(analystUrl, { method: "POST", body: what })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return Number(text)
  }
  await eventually("the history holds rows again", async () => (await rowsOf(itemRows)) > 0)
  const before = await eventually("the history counts", () => rowsOf("SELECT count() FROM events"))
  await eventually("the history goes on", async () => (await rowsOf("SELECT count() FROM events")) > before)
  expect(await service.end("SIGTERM"), service.output()).toBe(0)

  const [httpPort, tcpPort] = await Promise.all([freePort(), freePort()])
  const verified = await runCommand(
    { DATA_DIR: directory, CLICKHOUSE_HTTP_PORT: String(httpPort), CLICKHOUSE_TCP_PORT: String(tcpPort) },
    "rebuild",
    "--verify",
  )
  return verified.stdout + verified.stderr
}

it.skipIf(process.platform !== "linux")(
  `after kill -9 at any moment, ${ROUNDS} times under load, views and history equal an uninterrupted fold of the log (seed ${SEED})`,
  async () => {
    world = await startWorld({ seed: SEED })
    const { random } = worldAt(SEED, 0)
    for (let round = 0; round < ROUNDS; round++) {
      service = await startService({
        dataDirectory: directory,
        offered,
        environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "4", LOG_LEVEL: "error" },
      })
      const running = service
      const stopLoad = load(running)
      // Every other round waits until it is ready, so that a kill can lose data.
      if (round % 2 === 0) await running.ready()
      await sleep(random("life", round) * LIFE_MAX_MS)
      if (round % 3 === 2) {
        const engine = await eventually("ClickHouse runs", async () => childrenOf(running.child.pid ?? 0).at(-1))
        process.kill(engine, "SIGKILL")
        await sleep(random("second", round) * LIFE_MAX_MS)
      }
      await running.end("SIGKILL")
      await stopLoad()
    }

    // A batch is recorded as written by the plan of the next batch; without one yet, the service keeps running for a while.
    const written = new RegExp(`table (?:${itemTables.join("|")}): [1-9]\\d* rows, equal`)
    let verified = ""
    for (let life = 0; life < LIVES_MAX && !written.test(verified); life++) {
      verified = await liveAndVerify(world)
      expect(verified).toContain("the live views equal a fold of the whole log")
      expect(verified).not.toContain("DIFFERENT")
    }
    expect(verified).toMatch(/table events\/observations: [1-9]\d* rows, equal/)
    expect(verified).toMatch(written)
  },
  ROUNDS * 120_000 + 180_000,
)
