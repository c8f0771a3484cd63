import { execFile } from "node:child_process"

/** How a command ended. */
export interface CommandEnd {
  /** -1 where it did not end by itself. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a script of this repository with these settings and none of the caller's own. Never rejects: the code says how it
 * ended.
 */
export const runCommand = (
  environment: Readonly<Record<string, string>>,
  script: string,
  ...commandArguments: ReadonlyArray<string>
): Promise<CommandEnd> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=TimeoutNegativeWarning", script, ...commandArguments],
      { cwd: new URL("../..", import.meta.url), env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout, stderr }),
    )
  })
