import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import * as Result from "effect/Result"
import { loadSettings, type Settings } from "../config/settings.ts"
import { tlsOf } from "../history/connection.ts"
import { ANALYST, DATABASE } from "../history/users.ts"
import { HistoryOff, readAnalystPassword } from "../roles/start-history.ts"
import { DONE, FAILED, WRONG_USAGE, WrongUsage } from "./arguments.ts"

/** Columns and rows of a result, in ClickHouse's format JSONCompact. */
interface QueryResult {
  readonly meta: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly data: ReadonlyArray<ReadonlyArray<unknown>>
}

/** Wider cells are truncated, so that a payload does not fill the screen. */
const CELL_MAX_CHARACTERS = 80
const NUMBER = /^(?:Nullable\()?(?:U?Int|Float|Decimal)/
// Control characters in stored text must not reach a terminal.
const CONTROL = /\p{Cc}|\p{Cf}/gu

const cell = (value: unknown): string => {
  const text = value === null ? "NULL" : typeof value === "object" ? JSON.stringify(value) : String(value)
  const clean = text.replaceAll(CONTROL, " ")
  return clean.length > CELL_MAX_CHARACTERS ? `${clean.slice(0, CELL_MAX_CHARACTERS - 1)}…` : clean
}

/** Renders a result as a text table: column names above, numbers aligned right, and the number of rows below. */
const renderTable = ({ meta, data }: QueryResult): string => {
  const rows = data.map((row) => row.map(cell))
  const widths = meta.map(({ name }, index) => Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((text, index) => {
        const width = widths[index] ?? 0
        return NUMBER.test(meta[index]?.type ?? "") ? text.padStart(width) : text.padEnd(width)
      })
      .join("  ")
      .trimEnd()
  const rule = widths.map((width) => "─".repeat(width)).join("  ")
  const count = data.length === 1 ? "1 row" : `${data.length} rows`
  return [line(meta.map(({ name }) => name)), rule, ...rows.map(line), "", count].join("\n")
}

/** Longer than the query timeout of analysts in ClickHouse, so that its own error message arrives. */
const REQUEST_TIMEOUT_MS = 120_000

const printError = (line: string) => process.stderr.write(`${line}\n`)

const query = async (settings: Settings, password: string, sql: string): Promise<QueryResult> => {
  const client = createClient({
    url: settings.clickhouseUrl ?? `http://127.0.0.1:${settings.clickhouseHttpPort}`,
    username: ANALYST,
    password,
    ...tlsOf(settings.clickhouseCa),
    database: DATABASE,
    request_timeout: REQUEST_TIMEOUT_MS,
    log: { level: ClickHouseLogLevel.OFF },
  })
  try {
    const result = await client.query({ query: sql, format: "JSONCompact" })
    const { meta, data } = await result.json<ReadonlyArray<unknown>>()
    return { meta: meta ?? [], data }
  } finally {
    await client.close()
  }
}

export const run = async ({ positionals }: { readonly positionals: ReadonlyArray<string> }): Promise<number> => {
  const sql = positionals.join(" ").trim().replace(/;$/, "")
  if (sql === "") throw new WrongUsage("the query is empty")
  const settings = loadSettings(process.env)
  if (Result.isFailure(settings)) {
    for (const { message } of settings.failure) printError(message)
    return WRONG_USAGE
  }
  const { clickhouseUrl, clickhouseHttpPort, dataDirectory, history } = settings.success
  if (history === "off") {
    printError(new HistoryOff().message)
    return WRONG_USAGE
  }
  const password = readAnalystPassword(settings.success)
  if (password === null && clickhouseUrl === null) {
    printError(`${dataDirectory} holds no password of the analyst: is DATA_DIR that of the running service?`)
    return FAILED
  }
  try {
    process.stdout.write(`${renderTable(await query(settings.success, password ?? "", sql))}\n`)
    return DONE
  } catch (cause) {
    const { host } = new URL(clickhouseUrl ?? `http://127.0.0.1:${clickhouseHttpPort}`)
    if (cause instanceof ClickHouseError) printError(`ClickHouse refused: ${cause.message.trim().split("\n")[0]}`)
    else printError(`no ClickHouse answers at ${host}: is the service running?`)
    return FAILED
  }
}
