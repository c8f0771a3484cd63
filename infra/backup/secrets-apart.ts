import type { Setting } from "../config/setting.ts"
import { settingTable } from "../config/setting-table.ts"

/** The settings that a backup does not include and that must be saved separately: keys and secrets, not passwords. */
export const SECRETS_APART: string = Object.values<Setting<unknown>>(settingTable)
  .filter(({ name, secret }) => secret && /_(?:KEYS?|SECRET)$/u.test(name))
  .map(({ name }) => name)
  .join(", ")
