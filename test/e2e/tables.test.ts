import { Agent, request } from "undici"
import { afterAll, beforeAll, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { itemTables } from "../support/some-feed.ts"
import { startWorld } from "../world/server.ts"

// Only an insert into ClickHouse proves that the rows of a table fit its columns.

const directory = temporaryDirectory()
let world: Awaited<ReturnType<typeof startWorld>>
let service: Service

beforeAll(async () => {
  world = await startWorld({ seed: "tables" })
  service = await startService({ dataDirectory: directory, environment: { UPSTREAMS: world.url, LOG_LEVEL: "warn" } })
  await service.filled()
})
afterAll(async () => {
  await connection.close()
  await service.end("SIGTERM")
  await world.close()
  removeDirectory(directory)
})

/** One connection for all queries: an answer is read before the next query is sent. */
const connection = new Agent({ connections: 1, pipelining: 1 })

/** Queries as an analyst; rows of `JSONCompact`. */
const query = async (query: string): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const { statusCode, body } = await request(`${service.analystUrl}&default_format=JSONCompact`, {
    method: "POST",
    body: query,
    dispatcher: connection,
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${query}: ${text}`)
  return JSON.parse(text).data
}

it("every table of items takes what its feed publishes", async () => {
  const counts = itemTables.map((table) => `SELECT '${table}' AS name, toUInt32(count()) AS rows FROM ${table}`)
  await eventually("every table has rows", async () => {
    const empty = (await query(counts.join(" UNION ALL "))).filter(([, rows]) => rows === 0)
    if (empty.length > 0) throw new Error(`without rows: ${empty.map(([name]) => name).join(", ")}`)
    return true
  })
})

it("every number can be queried as it is shown", async () => {
  const columns = await query(`SELECT table, name, type FROM system.columns WHERE database = 'tidewire'
    AND match(type, '^(Array\\(|Nullable\\(|LowCardinality\\()*(U?Int|Float|Decimal)') ORDER BY table, position`)
  expect(columns.length).toBeGreaterThan(60)
  let shownValues = 0
  for (const [table, name, type] of columns) {
    const isList = String(type).startsWith("Array(")
    const values = isList ? `arrayJoin(${name})` : name
    // A poll may replace the row between the two questions. Asked again, a type that is too narrow fails each time.
    const isFound = await eventually(`${table}.${name} (${type}) is found as it is shown`, async () => {
      // The value with the most digits is the least likely to survive a narrower type.
      const [shown] = await query(`SELECT toString(value) FROM (SELECT ${values} AS value FROM ${table} LIMIT 10000)
        WHERE value IS NOT NULL ORDER BY length(toString(value)) DESC LIMIT 1`)
      if (shown === undefined) return "no value" as const
      const condition = isList ? `has(${name}, ${shown[0]})` : `${name} = ${shown[0]}`
      const [found] = await query(`SELECT count() FROM ${table} WHERE ${condition}`)
      if (!(Number(found?.[0]) > 0)) throw new Error(`no row where ${condition}`)
      return "found" as const
    })
    if (isFound === "found") shownValues += 1
  }
  expect(shownValues).toBeGreaterThan(40)
})

it("no table is suspended", async () => {
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
  const suspended = metrics.split("\n").filter((line) => /^tidewire_history_tables_suspended\{.*\} 1$/.test(line))
  expect(suspended, service.output()).toEqual([])
})
