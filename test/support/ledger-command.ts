import { execFile } from "node:child_process"

/** How a command of `npm run ledger` ended. */
export interface LedgerCommand {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `npm run ledger -- ...` with these settings and none of the caller's own. Never rejects: the code says how it ended. */
export const ledgerCommand = (
  environment: Readonly<Record<string, string>>,
  ...commandArguments: ReadonlyArray<string>
): Promise<LedgerCommand> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--disable-warning=TimeoutNegativeWarning", "infra/ledger-cli.ts", ...commandArguments],
      { cwd: new URL("../..", import.meta.url), env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout, stderr }),
    )
  })

/** A new account with credits, through `grant new`; throws where that fails. */
export const grantNew = async (
  environment: Readonly<Record<string, string>>,
  credits: number,
): Promise<{ readonly account: string; readonly token: string }> => {
  const options = ["--operator", "jane", "--reason", "for a test", "--json"]
  const { code, stdout, stderr } = await ledgerCommand(environment, "grant", "new", String(credits), ...options)
  if (code !== 0) throw new Error(`grant ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
