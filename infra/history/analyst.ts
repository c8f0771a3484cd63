import { createHash } from "node:crypto"
import { type AnalystLimits, analystSettings } from "./analyst-limits.ts"
import { DATABASE } from "./engine-config.ts"

/** The analysts' user on a server. */
export interface Analyst {
  readonly user: string
  /** Empty: the user can connect from the server's own machine only. */
  readonly password: string
  readonly limits: AnalystLimits
}

/** A server accepts these in its configuration only, not in a statement. */
const PROFILE_ONLY: ReadonlySet<string> = new Set(["max_sessions_for_user"])

const literal = (value: string | number) => (typeof value === "number" ? String(value) : `'${value}'`)

const statements = (analyst: Analyst, identified: string): ReadonlyArray<string> => {
  const settings = analystSettings(analyst.limits)
    .filter(({ name }) => !PROFILE_ONLY.has(name))
    .map(({ name, value, bounds }) => {
      const assigned = `${name} = ${literal(value)}`
      return bounds === null ? `${assigned} CONST` : `${assigned} MIN ${bounds.minimum} MAX ${bounds.maximum}`
    })
    .join(", ")
  return [
    `CREATE USER IF NOT EXISTS ${analyst.user} ${identified} SETTINGS readonly = 2, ${settings}`,
    `ALTER USER ${analyst.user} ${identified} SETTINGS readonly = 2, ${settings}`,
    `REVOKE ALL ON *.* FROM ${analyst.user}`,
    `GRANT SELECT ON ${DATABASE}.* TO ${analyst.user}`,
  ]
}

/**
 * The statements that create the analysts' user on a ClickHouse server, with the rights and limits of the embedded engine.
 * Without a password the user can connect from the server's own machine only. May be run again.
 */
export const analystStatements = (analyst: Analyst): ReadonlyArray<string> => {
  const identified =
    analyst.password === ""
      ? "NOT IDENTIFIED HOST LOCAL"
      : `IDENTIFIED WITH sha256_hash BY '${createHash("sha256").update(analyst.password).digest("hex")}' HOST ANY`
  return statements(analyst, identified)
}

/** The same statements for an administrator, without the password, as not even its hash may be logged. */
export const statementsForAdministrator = (analyst: Analyst): string =>
  statements(
    analyst,
    analyst.password === ""
      ? "NOT IDENTIFIED HOST LOCAL"
      : "IDENTIFIED WITH sha256_password BY 'CLICKHOUSE_ANALYST_PASSWORD' HOST ANY",
  )
    .map((statement) => `${statement};`)
    .join("\n")
