import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { describeUnless } from "../support/describe-unless.ts"
import { PROMTOOL, promtoolMissing } from "../support/promtool.ts"

const root = join(import.meta.dirname, "..", "..")
const folder = join(root, "infra", "deploy", "monitoring")
const read = (file: string): string => readFileSync(join(folder, file), "utf8")
const rules = read("alerts.yaml")
const cases = read("alerts.test.yaml")
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name)

/** Names of metrics in a text, without the suffixes of histograms. */
const metricsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\btidewire_[a-z_]*[a-z]\b/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, "")))

const code = ["api", "infra", "ingestors", "ledger", "processors"]
  .flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => readFileSync(join(root, room, file), "utf8")),
  )
  .join("\n")

describe("rules, dashboard and runbook", () => {
  it.each([
    ["the rules", rules],
    ["the dashboard", read("dashboard.json")],
    ["the runbook", read("README.md")],
  ])("%s name metrics of the code alone", (_, text) => {
    const known = metricsIn(code)
    expect(metricsIn(text).size).toBeGreaterThan(0)
    expect([...metricsIn(text)].filter((name) => !known.has(name))).toEqual([])
  })

  it("the dashboard shows every metric that a rule watches", () => {
    // Rules that have a list of their own on it: `ALERTS`.
    const listed = new Set(["tidewire_history_tables_suspended", "tidewire_ledger_clock_doubted"])
    const shown = metricsIn(read("dashboard.json"))
    expect([...metricsIn(rules)].filter((name) => !shown.has(name) && !listed.has(name))).toEqual([])
  })

  it("every rule has a line in the runbook, and a case in which it fires and one in which it is silent", () => {
    const runbook = read("README.md")
    expect(alerts.length).toBeGreaterThanOrEqual(10)
    for (const name of alerts) {
      expect(runbook, name).toContain(`\n## ${name}\n`)
      expect(rules, name).toContain(`runbook: "README.md#${name.toLowerCase()}"`)
      expect(cases, name).toMatch(new RegExp(`alertname: ${name}\\n\\s+exp_alerts:`))
      expect(cases, name).toMatch(new RegExp(`alertname: ${name} \\}`))
    }
  })
})

describeUnless(promtoolMissing(), "the alert rules, by promtool", () => {
  it.each([
    ["are well-formed", ["check", "rules", "alerts.yaml"]],
    ["fire by their fault, and are silent without it", ["test", "rules", "alerts.test.yaml"]],
  ])("%s", (_, words) => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, words, { cwd: folder, encoding: "utf8" })
    expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" })
  })
})
