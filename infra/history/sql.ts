/** `npm run sql -- "SELECT ..."`: asks the history as an analyst does, and prints the answer as a table. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { Result } from "effect"
import { EXIT_CODES, readArguments, refuseUsage } from "../config/arguments.ts"
import { loadSettings, type Settings } from "../config/settings.ts"
import { ANALYST_PASSWORD_FILE } from "./engine.ts"
import { ANALYST, DATABASE } from "./engine-config.ts"
import { type Result as Answer, renderTable } from "./render.ts"

const USAGE = `usage: npm run sql -- "SELECT ..."

Asks the history as an analyst does, and prints the answer as a table. The service must be running.

${EXIT_CODES}`
/** Above the limit that ClickHouse itself sets for analysts, so that its own words are heard. */
const REQUEST_MS_MAX = 120_000

const say = (line: string) => process.stderr.write(`${line}\n`)

const embeddedPassword = (dataDirectory: string): string => {
  try {
    return readFileSync(join(dataDirectory, "clickhouse", ANALYST_PASSWORD_FILE), "utf8")
  } catch {
    return ""
  }
}

const ask = async (settings: Settings, query: string): Promise<Answer> => {
  const embedded = settings.clickhouseUrl === null
  const client = createClient({
    url: settings.clickhouseUrl ?? `http://127.0.0.1:${settings.clickhouseHttpPort}`,
    username: ANALYST,
    password: embedded ? embeddedPassword(settings.dataDirectory) : (settings.clickhouseAnalystPassword ?? ""),
    database: DATABASE,
    request_timeout: REQUEST_MS_MAX,
    log: { level: ClickHouseLogLevel.OFF },
  })
  try {
    const result = await client.query({ query, format: "JSONCompact" })
    const { meta, data } = await result.json<ReadonlyArray<unknown>>()
    return { meta: meta ?? [], data }
  } finally {
    await client.close()
  }
}

const main = async (): Promise<number> => {
  const { positionals } = readArguments(USAGE, {}, { min: 1, max: Number.POSITIVE_INFINITY })
  const query = positionals.join(" ").trim().replace(/;$/, "")
  if (query === "") return refuseUsage("there is no query", USAGE)
  const settings = loadSettings(process.env)
  if (Result.isFailure(settings)) {
    for (const { message } of settings.failure) say(message)
    return 2
  }
  try {
    process.stdout.write(`${renderTable(await ask(settings.success, query))}\n`)
    return 0
  } catch (cause) {
    if (cause instanceof ClickHouseError) say(`ClickHouse refused: ${cause.message.trim().split("\n")[0]}`)
    else
      say(
        `no ClickHouse answers at ${new URL(settings.success.clickhouseUrl ?? `http://127.0.0.1:${settings.success.clickhouseHttpPort}`).host}: is the service running?`,
      )
    return 1
  }
}

process.exitCode = await main()
