import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { providerKeys } from "../../ingestors/providers.ts"
import { roles, settingTable } from "./setting-table.ts"
import { describeSettings } from "./settings.ts"

const namesIn = (help: string) => help.split("\n").map((line) => line.trim().split(" ")[0] ?? "")
const all = namesIn(describeSettings())

const compose = readFileSync(new URL("../deploy/compose.yaml", import.meta.url), "utf8").split("\n")

/** The variables below a key of compose.yaml, with those that stand deeper. */
const variablesBelow = (heading: string): ReadonlyArray<string> => {
  const from = compose.findIndex((line) => line.trimEnd().startsWith(`${heading}:`))
  if (from === -1) throw new Error(`compose.yaml has no ${heading}`)
  const indentation = heading.length - heading.trimStart().length
  const rest = compose.slice(from + 1)
  const end = rest.findIndex((line) => line.trim() !== "" && line.length - line.trimStart().length <= indentation)
  return rest.slice(0, end).flatMap((line) => /^\s+([A-Z][A-Z_]+): /.exec(line)?.[1] ?? [])
}

describe("the settings of a role", () => {
  it("are all of them without a role, and each is read by some role or by the embedded engines alone", () => {
    expect(all).toEqual(expect.arrayContaining(Object.values(settingTable).map(({ name }): string => name)))
    const apart = new Set(roles.filter((role) => role !== "all").flatMap((role) => namesIn(describeSettings(role))))
    expect(all.filter((name) => !apart.has(name))).toEqual(["CLICKHOUSE_HTTP_PORT", "CLICKHOUSE_TCP_PORT"])
  })

  it("leave out what belongs to others: a ledger needs no upstream, and an api no operator's secret", () => {
    const [keyOfProvider = ""] = providerKeys.map(({ setting }) => setting)
    for (const [role, own, foreign] of [
      ["ingest", ["UPSTREAMS", keyOfProvider], ["CLICKHOUSE_URL", "TOKEN_KEYS", "LEDGER_API_SECRET", "PORT"]],
      ["process", ["PROCESSORS", "CLICKHOUSE_URL"], ["TOKEN_KEYS", "DEMAND_SECRET", keyOfProvider, "PORT"]],
      ["ledger", ["LEDGER_OPERATOR_SECRET", "BASE_RPC_URLS"], ["TOKEN_KEYS", "UPSTREAMS", "CLICKHOUSE_URL", "PORT"]],
      ["api", ["PORT", "TOKEN_KEYS"], ["LEDGER_OPERATOR_SECRET", "UPSTREAMS", keyOfProvider, "PROCESSORS"]],
    ] as const) {
      const names = namesIn(describeSettings(role))
      expect(names, role).toEqual(expect.arrayContaining([...own, "KAFKA_BROKERS", "ADMIN_PORT", "LOG_LEVEL"]))
      for (const name of foreign) expect(names, role).not.toContain(name)
    }
  })

  it.each([
    ["ingest", ["x-settings", "x-ingest"]],
    ["process", ["x-settings", "  process"]],
    ["ledger", ["x-settings", "x-wallet", "x-ledger"]],
    ["api", ["x-settings", "x-wallet", "  api"]],
  ] as const)("contain every variable that compose.yaml gives to %s", (role, blocks) => {
    const given = blocks.flatMap(variablesBelow)
    expect(given.length).toBeGreaterThan(4)
    // Set alike for every role; the ledger knows no endpoint.
    const alike = role === "ledger" ? ["ENDPOINTS_OFF"] : []
    expect([...namesIn(describeSettings(role)), ...alike]).toEqual(expect.arrayContaining(given))
  })
})
