import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tables } from "../../processors/registry.ts"
import { itemAppeared } from "../../schemas/events/deltas.ts"
import { eventually } from "../support/eventually.ts"
import {
  ANALYST_PASSWORD,
  removeDirectory,
  type Service,
  startService,
  temporaryDirectory,
} from "../support/service.ts"
import { startWorld } from "../world/server.ts"

// Whether what a table makes of its feed fits its columns is known where ClickHouse takes it.

const sqlFile = fileURLToPath(new URL("../../infra/history/sql.ts", import.meta.url))
const directory = temporaryDirectory()
let world: Awaited<ReturnType<typeof startWorld>>
let service: Service

beforeAll(async () => {
  world = await startWorld({ seed: "tables" })
  service = await startService({ dataDirectory: directory, environment: { UPSTREAMS: world.url, LOG_LEVEL: "warn" } })
  await service.filled()
})
afterAll(async () => {
  await service.end("SIGTERM")
  await world.close()
  removeDirectory(directory)
})

/** The rows of a table, counted as an analyst does. */
const count = (table: string): number => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [sqlFile, `SELECT count() AS rows FROM ${table}`], {
    encoding: "utf8",
    env: {
      CLICKHOUSE_HTTP_PORT: new URL(service.clickhouseUrl).port,
      CLICKHOUSE_ANALYST_PASSWORD: ANALYST_PASSWORD,
      DATA_DIR: directory,
    },
  })
  if (status !== 0) throw new Error(`${stderr}\n${service.output()}`)
  // Below its name and a rule.
  return Number(stdout.split("\n")[2])
}

const ofItems = tables.filter(({ types }) => types.some(({ type }) => type === itemAppeared.type))

it.for(ofItems)("$name takes what its feed tells", async ({ name }) => {
  await eventually(`${name} has rows`, () => count(name) > 0)
})

it("no table waits for somebody to mend it", async () => {
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const suspended = metrics.split("\n").filter((line) => /^tidewire_history_tables_suspended\{.*\} 1$/.test(line))
  expect(suspended, service.output()).toEqual([])
})
