/** `npm run sql -- "SELECT ..."`: asks the history as an analyst does, and prints the answer as a table. */
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { Result } from "effect"
import { EXIT_CODES, readArguments, refuseUsage } from "../config/arguments.ts"
import { loadSettings, type Settings } from "../config/settings.ts"
import { knownAnalystPassword } from "../history/analyst-password.ts"
import { tlsOf } from "../history/connection.ts"
import { ANALYST, DATABASE } from "../history/engine-config.ts"
import { type Result as Answer, renderTable } from "../history/render.ts"

const USAGE = `usage: npm run sql -- "SELECT ..."

Asks the history as an analyst does, and prints the answer as a table. The service must be running.

${EXIT_CODES}`
/** Above the limit that ClickHouse itself sets for analysts, so that its own words are heard. */
const REQUEST_MS_MAX = 120_000

const say = (line: string) => process.stderr.write(`${line}\n`)

const ask = async (settings: Settings, password: string, query: string): Promise<Answer> => {
  const client = createClient({
    url: settings.clickhouseUrl ?? `http://127.0.0.1:${settings.clickhouseHttpPort}`,
    username: ANALYST,
    password,
    ...tlsOf(settings.clickhouseCa),
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
  const { clickhouseUrl, dataDirectory } = settings.success
  const password = knownAnalystPassword(settings.success)
  if (password === null && clickhouseUrl === null) {
    say(`${dataDirectory} holds no password of the analyst: is DATA_DIR that of the running service?`)
    return 1
  }
  try {
    process.stdout.write(`${renderTable(await ask(settings.success, password ?? "", query))}\n`)
    return 0
  } catch (cause) {
    if (cause instanceof ClickHouseError) say(`ClickHouse refused: ${cause.message.trim().split("\n")[0]}`)
    else
      say(
        `no ClickHouse answers at ${new URL(clickhouseUrl ?? `http://127.0.0.1:${settings.success.clickhouseHttpPort}`).host}: is the service running?`,
      )
    return 1
  }
}

process.exitCode = await main()
