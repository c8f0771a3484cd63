import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@clickhouse/client"
import * as Effect from "effect/Effect"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import { migrationStatements, readMigrations } from "../../../infra/history/migrations.ts"
import { benchmark, interleaved, ratePerSecond } from "../benchmark.ts"

const ROWS = 2_000
const ROUND_MS = 1_000
const ROUNDS = 7
const BARE_TABLE = "bare_probes"

const rowsFrom = (offset: number) =>
  Array.from({ length: ROWS }, (_, index) => ({
    feed: `feed-${index % 60}`,
    instance: `feed-${index % 60}?period=day`,
    provider: "Provider.metric",
    probed_at: new Date(Date.UTC(2026, 0, 1) + (offset + index) * 100).toISOString(),
    verdict: index % 9 === 0 ? "stale" : "ok",
    age_ms: index % 11 === 0 ? null : index * 17,
    event_id: `019a0000-0000-7000-8000-${String(offset + index).padStart(12, "0")}`,
    log_offset: offset + index,
  }))

/** Rows a second through the history's adapter, beside a bare client's inserts of the same rows. */
export const historyInsert = benchmark({
  name: "history-insert",
  title: `inserts of ${ROWS} rows into the embedded ClickHouse`,
  budget: [{ label: "history, deduplicated, on disk when answered", of: "ratio", atLeast: 0.7 }],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const measure = Effect.gen(function* () {
      const engine = yield* startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 })
      const history = yield* openClickHouse({ url: engine.url, ...engine.writer })
      yield* history.prepare
      // The bare table has the same columns and keys, with ClickHouse's default settings.
      const migration = readMigrations().find(({ table }) => table === "feed_probes")
      if (migration !== undefined)
        for (const statement of yield* Effect.fromResult(migrationStatements(migration, BARE_TABLE)))
          yield* history.execute(statement)
      const bare = createClient({
        url: engine.url,
        username: engine.writer.user,
        password: engine.writer.password,
        database: "tidewire",
        clickhouse_settings: { date_time_input_format: "best_effort" },
      })
      let offset = 0
      const next = () => {
        offset += ROWS
        return rowsFrom(offset)
      }
      const rate = (insert: () => Promise<unknown>) =>
        ratePerSecond(1, ROUND_MS, insert).then((inserts) => inserts * ROWS)
      return yield* Effect.promise(async () => {
        const figures = await interleaved(ROUNDS, {
          history: () =>
            rate(() => {
              const rows = next()
              return Effect.runPromise(history.insert({ table: "feed_probes", rows, token: `bench/${offset}` }))
            }),
          bare: () => rate(() => bare.insert({ table: BARE_TABLE, values: next(), format: "JSONEachRow" })),
        })
        await bare.close()
        return figures
      })
    })
    try {
      const figures = await Effect.runPromise(Effect.scoped(measure))
      const bare = "bare client, ClickHouse's defaults"
      return [
        { label: bare, value: figures.bare, unit: "rows/s" },
        {
          label: "history, deduplicated, on disk when answered",
          value: figures.history,
          unit: "rows/s",
          ratioTo: bare,
        },
      ]
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
})
