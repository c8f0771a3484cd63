import { createHash } from "node:crypto"
import { analystConstraints, analystSettings, DATABASE } from "./engine-config.ts"

/** A server takes these from its own configuration only, never from a statement. */
const PROFILE_ONLY: ReadonlySet<string> = new Set(["max_sessions_for_user"])

const literal = (value: string | number) => (typeof value === "number" ? String(value) : `'${value}'`)

/**
 * The statements that make the analysts' user on a ClickHouse server, with the rights and limits that the embedded engine
 * gives it. Without a password the user may come from the server's own machine only. May be run again.
 */
export const analystStatements = (analyst: {
  readonly user: string
  readonly password: string
}): ReadonlyArray<string> => {
  const values = analystSettings()
  const settings = analystConstraints()
    .filter(([name]) => !PROFILE_ONLY.has(name))
    .map(([name, minimum, maximum]) => {
      const value = `${name} = ${literal(values[name] ?? 0)}`
      return minimum === undefined ? `${value} CONST` : `${value} MIN ${minimum} MAX ${maximum}`
    })
    .join(", ")
  const identified =
    analyst.password === ""
      ? "NOT IDENTIFIED HOST LOCAL"
      : `IDENTIFIED WITH sha256_hash BY '${createHash("sha256").update(analyst.password).digest("hex")}' HOST ANY`
  return [
    `CREATE USER IF NOT EXISTS ${analyst.user} ${identified} SETTINGS readonly = 2, ${settings}`,
    `ALTER USER ${analyst.user} ${identified} SETTINGS readonly = 2, ${settings}`,
    `REVOKE ALL ON *.* FROM ${analyst.user}`,
    `GRANT SELECT ON ${DATABASE}.* TO ${analyst.user}`,
  ]
}
