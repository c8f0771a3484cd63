import { type CommandEnd, runCommand } from "./command.ts"

/** Runs `npm run ledger -- ...` with these settings and none of the caller's own. Never rejects: the code says how it ended. */
export const ledgerCommand = (
  environment: Readonly<Record<string, string>>,
  ...commandArguments: ReadonlyArray<string>
): Promise<CommandEnd> => runCommand(environment, "infra/commands/ledger.ts", ...commandArguments)

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
