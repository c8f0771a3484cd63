import { type Setting, settingTable } from "../config/settings.ts"

/** The variables of what this installation alone knows, and no backup holds: keys and secrets, not passwords of others. */
export const SECRETS_APART: string = Object.values<Setting<unknown>>(settingTable)
  .filter(({ name, secret }) => secret && /_(?:KEYS?|SECRET)$/u.test(name))
  .map(({ name }) => name)
  .join(", ")
