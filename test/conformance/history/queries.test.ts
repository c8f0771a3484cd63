import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { derivedViews } from "../../../infra/history/derived-views.ts"
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import { readMigrations } from "../../../infra/history/migrations.ts"
import { queryPages, readyQueries, tableDictionary } from "../../../infra/roles/provenance.ts"
import { analystPassword } from "../../../infra/roles/start-history.ts"
import creditEntries from "../../../processors/tables/credit_entries/table.ts"
import purchases from "../../../processors/tables/purchases/table.ts"
import type { Row } from "../../../schemas/ports/history.ts"
import { eventually } from "../../support/eventually.ts"
import { ledgerRecords } from "../../support/ledger-records.ts"
import { temporaryDirectory } from "../../support/service.ts"
import { openStage, type Stage } from "./harness.ts"
import { ledgerRun } from "./ledger-workload.ts"
import { events, tables as workload } from "./workload.ts"

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8")
const queries = readyQueries()
// The tables of the workload: their queries must return rows.
const FILLED = /FROM (?:earthquakes|feed_probes|feed_reliability_daily|events|credit_entries|purchases)\b/
const FINDS_NOTHING = /feed\.(?:failed|observed)|greatCircleDistance|btc-price/

describe("what analysts read", () => {
  const scope = Scope.makeUnsafe()
  const directory = temporaryDirectory()
  let engine: EmbeddedClickHouse
  let stage: Stage
  beforeAll(async () => {
    const kept = { clickhouseUrl: null, clickhouseAnalystPassword: null, dataDirectory: directory }
    const password = await Effect.runPromise(analystPassword(kept))
    engine = await Effect.runPromise(
      Scope.provide(
        startEmbeddedClickHouse({
          directory: join(directory, "clickhouse"),
          httpPort: 0,
          tcpPort: 0,
          analystPassword: password,
        }),
        scope,
      ),
    )
    const migrations = new URL("../../../processors/tables/", import.meta.url)
    const filled = [...workload, creditEntries, purchases]
    stage = await openStage({ url: engine.url, ...engine.writer, migrations }, undefined, filled)
    await stage.append([...events(0, 200), ...ledgerRecords(ledgerRun().history)])
    const { crash } = stage.consume()
    await stage.caughtUp(200, 20)
    await eventually("the ledger's tables are filled", async () =>
      (await stage.count("SELECT uniqExact(type) AS count FROM credit_entries")) === 3 &&
      (await stage.count("SELECT uniqExact(status) AS count FROM purchases")) === 3
        ? true
        : undefined,
    )
    await crash()
  })
  afterAll(async () => {
    await stage.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const command = (words: ReadonlyArray<string>, port = engine.httpPort, dataDirectory = directory) =>
    spawnSync(
      process.execPath,
      [fileURLToPath(new URL("../../../infra/commands/main.js", import.meta.url)), "sql", ...words],
      { env: { CLICKHOUSE_HTTP_PORT: String(port), DATA_DIR: dataDirectory, CLICKHOUSE_URL: "" } },
    )
  const sql = (query: string, port?: number, dataDirectory?: string) => {
    const { status, stdout, stderr } = command([query], port, dataDirectory)
    return { status, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") }
  }

  /** The rows of the ready query whose sentence begins so. */
  const answerOf = (title: string) => {
    const { sql: query = "" } = queries.find((one) => one.title.startsWith(title)) ?? {}
    return stage.run(stage.history.query(query, Schema.Record(Schema.String, Schema.Unknown)))
  }

  it("has its own sentence above every fenced query", () => {
    expect(queries.length).toBe(
      queryPages()
        .join("\n")
        .match(/```sql/g)?.length,
    )
  })

  it.for(queries)("$title", async ({ sql: query }) => {
    const response = await fetch(`${engine.url}/?database=tidewire&default_format=JSONCompact`, {
      method: "POST",
      body: query,
      headers: { "X-ClickHouse-User": engine.analyst.user, "X-ClickHouse-Key": engine.analyst.password },
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    const { rows } = JSON.parse(text)
    if (FILLED.test(query) && !FINDS_NOTHING.test(query)) expect(rows).toBeGreaterThan(0)
  })

  it("has a query on the page of each table that runs", async () => {
    for (const { name, query } of tableDictionary())
      await expect(stage.run(stage.history.query(query.sql, Schema.Unknown)), name).resolves.toBeDefined()
  })

  it("has sums of bought, spent and remaining credits that equal those of the ledger", async () => {
    const { state } = ledgerRun()
    // Of four purchases one was reversed, and one moved to another block: it counts once.
    expect(await answerOf("Purchases of each month")).toMatchObject([{ purchases: 3, usd: 11.001251, bought: 550 }])
    expect(await answerOf("Purchases whose block may still change")).toHaveLength(2)
    const accounts = [...state.accounts.entries()].map(([, account]) => account.balance)
    const left = accounts.reduce((sum, balance) => sum + balance, 0)
    // Another 100 were granted, of which the table of purchases knows nothing.
    expect(await answerOf("Credits that were bought")).toMatchObject([{ credits: left - 100, bought: 550 }])
    const earned = await answerOf("Daily revenue of each endpoint")
    const sum = (name: string) => earned.reduce((total, row) => total + Number(row[name]), 0)
    expect(sum("earned")).toBe(100 + 550 - left)
    // Eight were free of charge, four were never settled, and one was refunded by an operator.
    expect([sum("calls"), sum("free_calls")]).toEqual([40, 13])
    const asked = await answerOf("Premium calls and credits a day, by endpoint")
    expect(asked.reduce((total, row) => total + Number(row.credits), 0)).toBe(100 + 550 - left)
    expect(asked.reduce((total, row) => total + Number(row.calls), 0)).toBe(40)
    const called = await answerOf("What one account has called")
    expect(called.reduce((total, { calls }) => total + Number(calls), 0)).toBe(40)
  })

  it("counts a number in its latest revision, and a repeated report once", async () => {
    const at = (minute: number) => `2026-01-31T13:0${minute}:00.000Z`
    const inserted = (table: string, rows: ReadonlyArray<Row>) =>
      stage.run(stage.history.insert({ table, rows, token: `ready-${table}` }))
    const number = (series: string, date: string, value: number, minute: number) => ({
      series,
      date,
      value,
      unit: "percent",
      provider: "FRED.test",
      observed_at: at(minute),
      event_id: `number-${series}-${minute}`,
      log_offset: minute,
    })
    await inserted("economic_series", [
      number("DGS10", "2026-01-30", 9, 1),
      number("DGS10", "2026-01-30", 4.3, 2),
      number("DGS2", "2026-01-30", 3.5, 1),
      number("DGS10", "2026-01-29", 4.2, 1),
    ])
    const report = (offset: number) => ({
      minute: at(0),
      endpoint: "launches",
      client: "ai_agent",
      agent: "ClaudeBot",
      requests: 5,
      refused: 1,
      bytes: 1024,
      instance: "api",
      sequence: 1,
      event_id: "report-1",
      log_offset: offset,
    })
    await inserted("requests_by_minute", [report(1), report(2)])
    expect(await answerOf("The yield curve")).toEqual([{ date: "2026-01-30", spread_percent: 0.8 }])
    expect(await answerOf("Requests by hour")).toMatchObject([
      { endpoint: "launches", calls: 5, refused_calls: 1, size: "1.00 KiB" },
    ])
  })

  it("shows a pair without a correlation now as such, beside those that it had", async () => {
    const row = (b: string, minute: number, pearson_r: number | null) => ({
      a: "TREASURY_10Y",
      b,
      pearson_r,
      n_observations: 20 + minute,
      first_day: "2026-01-02",
      last_day: "2026-01-30",
      observed_at: `2026-01-31T13:0${minute}:00.000Z`,
      event_id: `${b}-${minute}`,
      log_offset: minute,
    })
    const rows = [row("OIL_WTI", 1, -0.9), row("OIL_WTI", 2, null), row("USD_INDEX", 1, 0.5), row("USD_INDEX", 2, 0.25)]
    await stage.run(stage.history.insert({ table: "correlations", rows, token: "correlations" }))
    expect(await answerOf("The correlation of each pair")).toMatchObject([
      { b: "USD_INDEX", latest: 0.25, returns: 22, newest_day: "2026-01-30", lowest: 0.25, highest: 0.5 },
      { b: "OIL_WTI", latest: null, returns: 22, lowest: -0.9, highest: -0.9 },
    ])
  })

  it("has a comment on every table and column", async () => {
    const columns = await stage.count(
      "SELECT count() AS count FROM system.columns WHERE database = 'tidewire' AND comment = ''",
    )
    expect(columns).toBe(0)
    expect(
      await stage.count("SELECT count() AS count FROM system.tables WHERE database = 'tidewire' AND comment = ''"),
    ).toBe(0)
    const defined = new Set(readMigrations().map(({ table }) => table))
    expect(await stage.count("SELECT count() AS count FROM system.tables WHERE database = 'tidewire'")).toBe(
      defined.size + derivedViews.length + 1,
    )
  })

  it("shows each quake once, in its latest revision, in the first query of the README", async () => {
    const [, query = ""] = /npm run sql -- "([^"]+)"/.exec(readme) ?? []
    const at = "2026-01-31T12:00:00.000Z"
    const row = (revision: number, magnitude: number) => ({
      id: "revised",
      revised_at: `2026-01-31T13:0${revision}:00.000Z`,
      time: at,
      magnitude,
      magnitude_type: "mww",
      place: `revision ${revision}`,
      latitude: 1,
      longitude: 2,
      depth_km: 3.3,
      tsunami: false,
      alert: "",
      significance: null,
      status: "reviewed",
      observed_at: at,
      event_id: `revised-${revision}`,
      log_offset: 1_000_000 + revision,
    })
    const rows = [row(1, 9.4), row(2, 9.2), row(3, 9.1)]
    await stage.run(stage.history.insert({ table: "earthquakes", rows, token: "revised" }))
    const { stdout, status } = sql(query)
    expect(status).toBe(0)
    expect(stdout.match(/revision/g)).toHaveLength(1)
    expect(stdout.split("\n")[2]).toMatch(/ 9\.1 +revision 3$/)
    await stage.run(stage.history.execute("ALTER TABLE earthquakes DELETE WHERE id = 'revised'"))
  })

  it("prints a table with npm run sql", () => {
    const { stdout, status } = sql(
      "SELECT feed, count() AS probes FROM feed_probes GROUP BY feed ORDER BY feed LIMIT 2",
    )
    expect(stdout).toBe(
      ["feed    probes", "──────  ──────", "feed-0      30", "feed-1      30", "", "2 rows", ""].join("\n"),
    )
    expect(status).toBe(0)
  })

  it("prints a result in a format, and any format that the query names, byte by byte", async () => {
    const query = "SELECT feed, count() AS probes FROM feed_probes GROUP BY feed ORDER BY feed LIMIT 2"
    const text = (...words: ReadonlyArray<string>) => command(words).stdout.toString("utf8")
    expect(text("--format", "csv", query)).toBe('"feed","probes"\n"feed-0",30\n"feed-1",30\n')
    expect(JSON.parse(text("--format", "json", query))).toEqual([
      { feed: "feed-0", probes: 30 },
      { feed: "feed-1", probes: 30 },
    ])
    expect(text(`${query} FORMAT TSV;`)).toBe("feed-0\t30\nfeed-1\t30\n")
    const binary = command(["--format", "parquet", query]).stdout
    expect(binary.subarray(0, 4).toString("latin1") + binary.subarray(-4).toString("latin1")).toBe("PAR1PAR1")
    const read = await fetch(`${engine.url}/?query=${encodeURIComponent(`${query} FORMAT Parquet`)}`, {
      headers: { "X-ClickHouse-User": engine.analyst.user, "X-ClickHouse-Key": engine.analyst.password },
    })
    expect(binary.equals(Buffer.from(await read.arrayBuffer()))).toBe(true)
  })

  it("refuses a format that it does not know, and two formats", () => {
    const query = "SELECT 1 AS format"
    expect(command(["--format", "xml", query])).toMatchObject({ status: 2 })
    expect(command(["--format", "csv", `${query} FORMAT TSV`])).toMatchObject({ status: 2 })
    expect(command(["--format", "csv", `${query} -- FORMAT TSV`])).toMatchObject({ status: 0 })
    const failed = command(["--format", "csv", "SELECT throwIf(number = 90000) FROM numbers(100000)"])
    expect([failed.status, failed.stdout.length]).toEqual([1, 0])
  })

  it("tells who names no user to log in, and finds its tables without a name of the database", async () => {
    const body = "SELECT count() FROM feed_probes"
    const nobody = await fetch(engine.url, { method: "POST", body })
    expect([nobody.status, await nobody.text()]).toEqual([401, expect.stringContaining("Log in as the user analyst")])
    const headers = { authorization: `Basic ${btoa(`${engine.analyst.user}:${engine.analyst.password}`)}` }
    expect(await (await fetch(engine.url, { method: "POST", body, headers })).text()).toBe("150\n")
    const wrong = { authorization: `Basic ${btoa(`${engine.analyst.user}:wrong`)}` }
    expect((await fetch(engine.url, { method: "POST", body, headers: wrong })).status).toBe(403)
  })

  it("prints ClickHouse's refusal in one sentence, and fails", () => {
    const { stdout, stderr, status } = sql("DROP TABLE feed_probes")
    expect(stdout).toBe("")
    expect(stderr).toMatch(/^ClickHouse refused: .*privileges.*\n$/)
    expect(status).toBe(1)
    expect(sql("SELECT nonsense FROM feed_probes").status).toBe(1)
  })

  it("refuses an empty query, and fails if no ClickHouse answers", () => {
    expect(sql("").status).toBe(2)
    const { stderr, status } = sql("SELECT 1", 9)
    expect(stderr).toBe("no ClickHouse answers at 127.0.0.1:9: is the service running?\n")
    expect(status).toBe(1)
  })

  it("fails if the data folder is not that of the service", () => {
    const { stderr, status } = sql("SELECT 1", engine.httpPort, "/nowhere")
    expect(stderr).toBe("/nowhere holds no password of the analyst: is DATA_DIR that of the running service?\n")
    expect(status).toBe(1)
  })
})
