import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { defaultLimits } from "../../api/http/limits.ts"
import { CHEAP, COSTLY } from "../../api/http/shares.ts"
import { OPEN_QUOTES_MAX, QUOTE_CAPS } from "../../ledger/rules.ts"

/** Its part on the limits of the public port. */
const text =
  /^## Limits of the public port$[\s\S]*?(?=^## )/mu.exec(
    readFileSync(new URL("SECURITY.md", import.meta.url), "utf8"),
  )?.[0] ?? ""
const number = (value: number) => value.toLocaleString("en-US")
/** The rows of its tables that begin with a name in code, by that name: their second cell. */
const rows = new Map(
  Array.from(text.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gmu), ([, name, cell = ""]) => [name, cell.trim()]),
)

describe("SECURITY.md", () => {
  it.each(Object.entries(defaultLimits))("has the limit %s with its value", (name, value) => {
    expect(rows.get(name)).toBe(number(value))
  })

  it("names the limits in the order of the code, and none that is not there", () => {
    expect([...rows.keys()]).toEqual([...Object.keys(defaultLimits), ...Object.keys(QUOTE_CAPS)])
  })

  it("says what networks and providers get, in limits of one client", () => {
    expect(text).toContain(`${CHEAP.network} times a client's for a network and ${CHEAP.provider} times for a provider`)
    expect(text).toContain(`${COSTLY.network} times and ${COSTLY.provider} times`)
  })

  it.each(Object.entries(QUOTE_CAPS))(
    "has the limits on quotes of one %s",
    (prefix, { perMinute, open, unpaid, tails }) => {
      expect(text).toContain(`| \`${prefix}\` | ${[perMinute, open, unpaid, tails].map(number).join(" | ")} |`)
      expect(text).toContain(`${number(OPEN_QUOTES_MAX)} quotes are open`)
    },
  )
})
