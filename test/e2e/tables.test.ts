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

const sqlFile = fileURLToPath(new URL("../../infra/commands/sql.ts", import.meta.url))
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

/** Asks as an analyst does; rows of `JSONCompact`. */
const ask = async (query: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const response = await fetch(`${service.analystUrl}&default_format=JSONCompact`, { method: "POST", body: query })
  const text = await response.text()
  if (!response.ok) throw new Error(`${query}: ${text}`)
  return JSON.parse(text).data
}

it("every number can be asked for as it is shown", async () => {
  const columns = await ask(`SELECT table, name, type FROM system.columns WHERE database = 'tidewire'
    AND match(type, '^(Array\\(|Nullable\\(|LowCardinality\\()*(U?Int|Float|Decimal)') ORDER BY table, position`)
  expect(columns.length).toBeGreaterThan(60)
  let shownValues = 0
  for (const [table, name, type] of columns) {
    const isList = String(type).startsWith("Array(")
    const values = isList ? `arrayJoin(${name})` : name
    // The value with the most digits is the least likely to survive a narrower type.
    const [shown] = await ask(`SELECT toString(value) FROM (SELECT ${values} AS value FROM ${table} LIMIT 10000)
      WHERE value IS NOT NULL ORDER BY length(toString(value)) DESC LIMIT 1`)
    if (shown === undefined) continue
    shownValues += 1
    const condition = isList ? `has(${name}, ${shown[0]})` : `${name} = ${shown[0]}`
    const [found] = await ask(`SELECT count() FROM ${table} WHERE ${condition}`)
    expect(Number(found?.[0]), `${table}.${name} (${type}) = ${shown[0]}`).toBeGreaterThan(0)
  }
  expect(shownValues).toBeGreaterThan(40)
})

it("no table waits for somebody to mend it", async () => {
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const suspended = metrics.split("\n").filter((line) => /^tidewire_history_tables_suspended\{.*\} 1$/.test(line))
  expect(suspended, service.output()).toEqual([])
})
