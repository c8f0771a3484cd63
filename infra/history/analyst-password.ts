import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Settings } from "../config/settings.ts"
import { readSecret, SecretFileProblem } from "../secrets/files.ts"
import { type DirectoryUnusable, keptSecret } from "../system/data-directory.ts"

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
