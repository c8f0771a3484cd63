import { execFile } from "node:child_process"

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

/** Runs `npm run NAME -- ...`, without npm, as `runScript` does. */
export const runCommand = (
  environment: Readonly<Record<string, string>>,
  name: string,
  ...words: ReadonlyArray<string>
): Promise<CommandEnd> => runScript(environment, COMMANDS, name, ...words)
