import { execFile } from "node:child_process"
import { freePort } from "./service.ts"

/** The entry point of every command of the table. */
export const COMMANDS = "infra/commands/main.js"

/** The end of a command. */
export interface CommandEnd {
  /** The exit code; -1 if a signal ended it. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script of the repository with these settings and none of the caller's environment. Never rejects. */
export const runScript = (
  environment: Readonly<Record<string, string>>,
  script: string,
  ...words: ReadonlyArray<string>
): Promise<CommandEnd> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=TimeoutNegativeWarning", script, ...words],
      { cwd: new URL("../..", import.meta.url), env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout, stderr }),
    )
  })

/** Commands that may start an embedded engine, whose default ports are anybody's. */
const STARTS_ENGINE: ReadonlySet<string> = new Set(["backup", "purge", "rebuild", "replay", "restore"])

/** Runs `npm run NAME -- ...`, without npm, as `runScript` does; an engine listens on ports of its own where none are set. */
export const runCommand = async (
  environment: Readonly<Record<string, string>>,
  name: string,
  ...words: ReadonlyArray<string>
): Promise<CommandEnd> => {
  if (!STARTS_ENGINE.has(name)) return runScript(environment, COMMANDS, name, ...words)
  const [http, tcp] = await Promise.all([freePort(), freePort()])
  const ports = { CLICKHOUSE_HTTP_PORT: String(http), CLICKHOUSE_TCP_PORT: String(tcp) }
  return runScript({ ...ports, ...environment }, COMMANDS, name, ...words)
}
