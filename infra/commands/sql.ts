import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from "@clickhouse/client"
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

/** The formats of `--format`, as ClickHouse names them. */
const formats: ReadonlyMap<string, string> = new Map([
  ["csv", "CSVWithNames"],
  ["json", "JSONEachRow"],
  ["jsonl", "JSONEachRow"],
  ["markdown", "Markdown"],
  ["parquet", "Parquet"],
  ["arrow", "Arrow"],
])
/** An array of rows, which any reader of JSON takes, and not a row on each line. */
const JSON_ARRAY: ClickHouseSettings = { output_format_json_array_of_rows: 1 }

/** Texts in quotes, and comments: a word in them is none of the query. */
const NO_WORDS = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g
const OWN_FORMAT = /\bFORMAT\s+[A-Za-z]\w*\s*(?:\bSETTINGS\b[\s\S]*)?$/i

/** Whether a query ends with a format of its own. */
export const namesFormat = (sql: string): boolean => OWN_FORMAT.test(sql.replaceAll(NO_WORDS, " "))

/** Longer than the query timeout of analysts in ClickHouse, so that its own error message arrives. */
const REQUEST_TIMEOUT_MS = 120_000

const printError = (line: string) => process.stderr.write(`${line}\n`)

const clientOf = (settings: Settings, password: string) =>
  createClient({
    url: settings.clickhouseUrl ?? `http://127.0.0.1:${settings.clickhouseHttpPort}`,
    username: ANALYST,
    password,
    ...tlsOf(settings.clickhouseCa),
    database: DATABASE,
    request_timeout: REQUEST_TIMEOUT_MS,
    log: { level: ClickHouseLogLevel.OFF },
  })

const printTable = async (client: ClickHouseClient, sql: string): Promise<void> => {
  const result = await client.query({ query: sql, format: "JSONCompact" })
  const { meta, data } = await result.json<ReadonlyArray<unknown>>()
  process.stdout.write(`${renderTable({ meta: meta ?? [], data })}\n`)
}

/** Bytes for a terminal: what is text, without control characters. */
const forTerminal = new Transform({
  decodeStrings: true,
  transform: (chunk: Buffer, _, done) =>
    done(null, chunk.toString("utf8").replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, " ")),
})

/** Formats that are no text, by their media type. */
const BINARY = /octet-stream|parquet|arrow/i

/** Writes the bytes of a result as they come, once ClickHouse has made all of them: a query that fails half-way writes nothing. */
const printBytes = async (client: ClickHouseClient, sql: string, settings: ClickHouseSettings): Promise<void> => {
  const { stream, response_headers } = await client.exec({
    query: sql,
    clickhouse_settings: { ...settings, wait_end_of_query: 1 },
  })
  const isTerminal = process.stdout.isTTY === true
  if (isTerminal && BINARY.test(String(response_headers["content-type"] ?? ""))) {
    stream.destroy()
    throw new WrongUsage("the result is no text: send it to a file (npm run --silent sql -- ... > FILE) or a pipe")
  }
  await (isTerminal
    ? pipeline(stream, forTerminal, process.stdout, { end: false })
    : pipeline(stream, process.stdout, { end: false }))
}

export const run = async ({
  positionals,
  values: { format },
}: {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly format?: string | undefined }
}): Promise<number> => {
  const sql = positionals.join(" ").trim().replace(/;$/, "")
  if (sql === "") throw new WrongUsage("the query is empty")
  const ofText = namesFormat(sql)
  if (ofText && format !== undefined)
    throw new WrongUsage("the query ends with a format of its own: leave out --format")
  const named = format === undefined ? undefined : formats.get(format)
  if (format !== undefined && named === undefined)
    throw new WrongUsage(
      `--format ${format}: there are ${[...formats.keys()].join(", ")}, and any of ClickHouse by FORMAT in the query`,
    )
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
  const client = clientOf(settings.success, password ?? "")
  try {
    if (named !== undefined) await printBytes(client, `${sql}\nFORMAT ${named}`, format === "json" ? JSON_ARRAY : {})
    else if (ofText) await printBytes(client, sql, {})
    else await printTable(client, sql)
    return DONE
  } catch (cause) {
    if (cause instanceof WrongUsage) throw cause
    const { host } = new URL(clickhouseUrl ?? `http://127.0.0.1:${clickhouseHttpPort}`)
    if (cause instanceof ClickHouseError) printError(`ClickHouse refused: ${cause.message.trim().split("\n")[0]}`)
    else printError(`no ClickHouse answers at ${host}: is the service running?`)
    return FAILED
  } finally {
    await client.close()
  }
}
