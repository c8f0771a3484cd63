import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Settings } from "../config/settings.ts"
import type { ClickHouseOptions } from "../history/clickhouse.ts"
import { EngineFailed, engineLibrary, startEmbeddedClickHouse } from "../history/engine.ts"
import { ANALYST, WRITER } from "../history/engine-config.ts"
import { checkPorts, enginePorts, type ListenFailed } from "./ports.ts"

/** Where the history is, known before it runs, and what makes it run. */
export interface HistoryEngine {
  readonly options: ClickHouseOptions
  /** Starts the embedded engine for the scope, and succeeds when it answers; does nothing where there is a server. */
  readonly start: Effect.Effect<void, EngineFailed, Scope.Scope>
}

/**
 * The history of the settings: the server that they name, or the embedded engine, where this platform has one.
 * `waitsForDisk`: whether an engine that cannot start on a full disk is waited for.
 */
export const historyEngine = (settings: Settings, waitsForDisk = false): Effect.Effect<HistoryEngine, EngineFailed> => {
  const { clickhouseUrl, clickhouseAnalystPassword } = settings
  if (clickhouseUrl !== null)
    return Effect.succeed({
      options: {
        url: clickhouseUrl,
        user: settings.clickhouseUser,
        password: settings.clickhousePassword ?? "",
        analyst: { user: ANALYST, password: clickhouseAnalystPassword ?? "" },
      },
      start: Effect.void,
    })
  const library = engineLibrary()
  if ("problem" in library)
    return Effect.fail(new EngineFailed({ reason: "unsupported_platform", problem: library.problem }))
  const writerPassword = randomBytes(32).toString("hex")
  return Effect.succeed({
    options: {
      url: `http://127.0.0.1:${settings.clickhouseHttpPort}`,
      user: WRITER,
      password: writerPassword,
      analyst: null,
    },
    start: startEmbeddedClickHouse({
      directory: join(settings.dataDirectory, "clickhouse"),
      httpPort: settings.clickhouseHttpPort,
      tcpPort: settings.clickhouseTcpPort,
      writerPassword,
      waitsForDisk,
    }).pipe(Effect.asVoid),
  })
}

/** Starts the history for the scope, and says where it is. Fails at once where the engine's ports are taken. */
export const startHistory = (
  settings: Settings,
): Effect.Effect<ClickHouseOptions, EngineFailed | ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { options, start } = yield* historyEngine(settings)
    yield* checkPorts(enginePorts(settings))
    yield* start
    return options
  })
