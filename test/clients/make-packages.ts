import { fileURLToPath } from "node:url"
import { writePackages } from "../../infra/commands/clients.ts"

/** The packages of both clients, made anew before the tests, and by `npm run check`. Not committed. */
export const packages = fileURLToPath(new URL("../../.clients/", import.meta.url))

/** Makes them: called by Vitest once, before its processes start. */
export const setup = async (): Promise<void> => {
  await writePackages(packages)
}
