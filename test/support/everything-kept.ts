import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { loadSettings, type Settings } from "../../infra/config/settings.ts"
import { openClickHouse } from "../../infra/history/clickhouse.ts"
import { openLog } from "../../infra/log/open.ts"
import { startHistory } from "../../infra/roles/start-history.ts"
import { tables, tableViews } from "../../processors/registry.ts"
import { readValues } from "../../processors/run/stored-values.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"

const Column = Schema.Struct({ name: Schema.String })
const Content = Schema.Struct({ rows: Schema.Natural, hash: Schema.String })

/** Columns that depend on where and when a row was written, and not on its content. */
const PLACES = ["log_offset", "stored_at"]

/** The settings of an environment. */
export const settingsOf = (environment: Readonly<Record<string, string>>): Settings =>
  Result.getOrThrow(loadSettings(environment))

/** The content of the views and of every table, as callers and analysts see it. */
export interface StoredContent {
  readonly views: Readonly<Record<string, string>>
  readonly tables: Readonly<Record<string, typeof Content.Type>>
}

const viewsOf = (log: EventLog) =>
  readValues(log, "views").pipe(
    Effect.map(({ values }) =>
      Object.fromEntries([...values].sort().map(([key, value]) => [key, Buffer.from(value).toString("utf8")])),
    ),
  )

/** Reads the views of the log of some settings. */
export const readViews = (settings: Settings): Promise<StoredContent["views"]> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(openLog(settings), viewsOf)))

/** Reads everything that is stored under some settings; no service may be running on them. */
export const readEverything = (settings: Settings): Promise<StoredContent> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const views = yield* viewsOf(yield* openLog(settings))
        const history = yield* openClickHouse(yield* startHistory(settings))
        const contents: Record<string, typeof Content.Type> = {}
        for (const table of ["events", ...tables.map(({ name }) => name), ...tableViews.map(({ name }) => name)]) {
          const columns = yield* history.query(
            "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} ORDER BY name",
            Column,
            { table },
          )
          const names = columns.map(({ name }) => name).filter((name) => !PLACES.includes(name))
          const row = `toString(tuple(${names.map((name) => `\`${name}\``).join(", ")}))`
          const [content] = yield* history.query(
            `SELECT count() AS rows, toString(sum(sipHash64(${row}))) AS hash FROM ${table}`,
            Content,
          )
          if (content !== undefined) contents[table] = content
        }
        return { views, tables: contents }
      }),
    ),
  )
