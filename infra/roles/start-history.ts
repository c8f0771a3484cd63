import { randomBytes, X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Settings } from "../config/settings.ts"
import type { ClickHouseOptions } from "../history/connection.ts"
import { EngineFailed, engineLibrary, startEmbeddedClickHouse } from "../history/engine.ts"
import type { AnalystLimits } from "../history/users.ts"
import { ANALYST, WRITER } from "../history/users.ts"
import { readSecret, SecretFileProblem } from "../secrets/files.ts"
import { type DirectoryUnusable, keptSecret } from "../system/data-directory.ts"
import { messageOf } from "../system/error.ts"
import { checkPorts, enginePorts, type ListenFailed } from "./ports.ts"

/** The connection of the history, known before it runs, and the effect that starts it. */
interface HistoryEngine {
  readonly options: ClickHouseOptions
  /** Starts the embedded engine for the scope, and succeeds when it answers; does nothing with a server. */
  readonly start: Effect.Effect<void, EngineFailed, Scope.Scope>
}

/** This installation keeps no history. */
export class HistoryOff extends Schema.TaggedError<HistoryOff>()("HistoryOff", {}) {
  override get message() {
    return "HISTORY=off: this installation keeps no history, so there is none to read or to write"
  }
}

/** Fails if the CA file of an https address cannot be read or holds no certificate. */
const caProblem = (url: string, ca: string | null): Effect.Effect<void, EngineFailed> =>
  Effect.try({
    try: () => {
      if (ca === null) return
      if (!url.startsWith("https:")) throw new Error("CLICKHOUSE_URL is no https:// address")
      new X509Certificate(readFileSync(ca))
    },
    catch: (cause) =>
      new EngineFailed({
        reason: "start_failed",
        problem: `CLICKHOUSE_CA: ${messageOf(cause)}`,
      }),
  })

/**
 * The history of the settings: the configured server, or the embedded engine if this platform has one. `waitsForDisk`:
 * whether a start on a full disk is retried.
 */
export const historyEngine = (settings: Settings, waitsForDisk = false): Effect.Effect<HistoryEngine, EngineFailed> => {
  const { clickhouseUrl, clickhouseAnalystPassword, clickhouseCa } = settings
  const limits: AnalystLimits = {
    querySeconds: settings.analystQuerySeconds,
    memoryMebibytes: settings.analystMemoryMebibytes,
    diskMebibytes: settings.analystDiskMebibytes,
    readRows: settings.analystReadRows,
    resultRows: settings.analystResultRows,
    queries: settings.analystQueries,
  }
  if (clickhouseUrl !== null)
    return caProblem(clickhouseUrl, clickhouseCa).pipe(
      Effect.as({
        options: {
          url: clickhouseUrl,
          user: settings.clickhouseUser,
          password: settings.clickhousePassword ?? "",
          analyst: { user: ANALYST, password: clickhouseAnalystPassword ?? "", limits },
          ca: clickhouseCa,
        },
        start: Effect.void,
      }),
    )
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
    start: analystPassword(settings).pipe(
      Effect.mapError(({ message }) => new EngineFailed({ reason: "start_failed", problem: message })),
      Effect.flatMap((password) =>
        startEmbeddedClickHouse({
          directory: join(settings.dataDirectory, "clickhouse"),
          httpPort: settings.clickhouseHttpPort,
          tcpPort: settings.clickhouseTcpPort,
          writerPassword,
          analystPassword: password,
          analystLimits: limits,
          waitsForDisk,
        }),
      ),
      Effect.asVoid,
    ),
  })
}

/**
 * Starts the history for the scope; succeeds with its connection. Fails at once if the engine's ports are in use, or where no
 * history is kept.
 */
export const startHistory = (
  settings: Settings,
): Effect.Effect<ClickHouseOptions, EngineFailed | ListenFailed | HistoryOff, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.history === "off") return yield* new HistoryOff()
    const { options, start } = yield* historyEngine(settings)
    yield* checkPorts(enginePorts(settings))
    yield* start
    return options
  })

/** The name of its file in `DATA_DIR/secrets`. */
const FILE = "analyst-password"

type PasswordSettings = Pick<Settings, "clickhouseUrl" | "clickhouseAnalystPassword" | "dataDirectory">

/** Gives the password of the embedded engine's analyst: the setting, else one that is generated and stored. DATA_DIR must be locked. */
export const analystPassword = (settings: PasswordSettings): Effect.Effect<string, DirectoryUnusable> =>
  settings.clickhouseAnalystPassword !== null
    ? Effect.succeed(settings.clickhouseAnalystPassword)
    : keptSecret(settings.dataDirectory, FILE)

/** Reads the analyst's password beside a running service; null if there is none yet. Throws if it cannot be read. */
export const readAnalystPassword = (settings: PasswordSettings): string | null => {
  if (settings.clickhouseAnalystPassword !== null) return settings.clickhouseAnalystPassword
  if (settings.clickhouseUrl !== null) return null
  try {
    return readSecret(join(settings.dataDirectory, "secrets", FILE))
  } catch (cause) {
    if (cause instanceof SecretFileProblem && cause.isMissing) return null
    throw cause
  }
}
