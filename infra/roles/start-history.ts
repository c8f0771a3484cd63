import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Settings } from "../config/settings.ts"
import type { ClickHouseOptions } from "../history/clickhouse.ts"
import { type EngineFailed, startEmbeddedClickHouse } from "../history/engine.ts"
import { ANALYST } from "../history/engine-config.ts"

/** Where the history is: the server of the settings, or the embedded engine, started for the scope. */
export const startHistory = (settings: Settings): Effect.Effect<ClickHouseOptions, EngineFailed, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.clickhouseUrl !== null)
      return {
        url: settings.clickhouseUrl,
        user: settings.clickhouseUser,
        password: settings.clickhousePassword ?? "",
        analyst: { user: ANALYST, password: settings.clickhouseAnalystPassword ?? "" },
      }
    const engine = yield* startEmbeddedClickHouse({
      directory: join(settings.dataDirectory, "clickhouse"),
      httpPort: settings.clickhouseHttpPort,
      tcpPort: settings.clickhouseTcpPort,
    })
    return { url: engine.url, ...engine.writer, analyst: null }
  })
