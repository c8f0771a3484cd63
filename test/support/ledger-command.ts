import { type CommandEnd, runCommand } from "./command.ts"

/** Runs `npm run ledger -- ...`, as `runCommand` does. */
export const ledgerCommand = (
  environment: Readonly<Record<string, string>>,
  ...commandArguments: ReadonlyArray<string>
): Promise<CommandEnd> => runCommand(environment, "ledger", ...commandArguments)

/** Opens an account with credits by `grant new`; throws if that fails. */
export const grantNew = async (
  environment: Readonly<Record<string, string>>,
  credits: number,
): Promise<{ readonly account: string; readonly token: string }> => {
  const options = ["--operator", "jane", "--reason", "for a test", "--json"]
  const { code, stdout, stderr } = await ledgerCommand(environment, "grant", "new", String(credits), ...options)
  if (code !== 0) throw new Error(`grant ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
