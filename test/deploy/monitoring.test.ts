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
const dashboard = JSON.parse(read("dashboard.json")) as {
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
  }>
}
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name)

/** Names of metrics in a text, without the suffixes of histograms. */
const metricsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\btidewire_[a-z_]*[a-z]\b/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, "")))

const files = ["api", "infra", "ingestors", "ledger", "processors"].flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(root, room, file), "utf8")),
)
const code = files.join("\n")

/** The labels of each metric, as its file declares them. */
const labelsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  files.flatMap((file) =>
    [...file.matchAll(/\bnew (?:Gauge|Counter|Histogram)\(\{\s*name(?:: (?:"(\w+)"|(\w+)))?,/g)].flatMap(
      ({ index, 1: literal, 2: variable = "name" }) => {
        // Of several constants of the same name the one above the declaration.
        const constants = [...file.slice(0, index).matchAll(new RegExp(`const ${variable} = "(\\w+)"`, "g"))]
        const name = literal ?? constants.at(-1)?.[1]
        const [, list = ""] = /^[^}]*?labelNames: \[([^\]]*)\]/.exec(file.slice(index)) ?? []
        const labels = [...list.matchAll(/"(\w+)"/g)].map(([, label = ""]) => label)
        return name === undefined ? [] : [[name, new Set(labels)] as const]
      },
    ),
  ),
)

/** Labels that every series has: those of a scrape, and of a histogram's buckets. */
const SCRAPED = ["instance", "job", "le"]

interface Query {
  readonly where: string
  readonly expression: string
  /** Text with placeholders for labels. */
  readonly shown: string
}

const queries: ReadonlyArray<Query> = [
  ...rules
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => {
      const [expression = "", shown = ""] = rule.slice(rule.indexOf("expr:")).split(/^ {8}labels:/m)
      return { where: rule.split("\n")[0] ?? "", expression, shown }
    }),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({ where: title, expression: expr, shown: legendFormat })),
  ),
]

/** The labels by which a query selects, groups and names its series. */
const labelsIn = ({ expression, shown }: Query): ReadonlySet<string> =>
  new Set([
    ...[...expression.matchAll(/\b(?:by|on|without) \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
    ...[...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label),
    ...[...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = ""]) => label),
  ])

describe("rules, dashboard and runbook", () => {
  it("use labels that each of their metrics has", () => {
    const used = queries.filter(({ expression }) => metricsIn(expression).size > 0)
    expect(used.length).toBeGreaterThan(20)
    const missing = used.flatMap((query) =>
      [...metricsIn(query.expression)].flatMap((metric) =>
        [...labelsIn(query)]
          .filter((label) => !SCRAPED.includes(label) && labelsOf.get(metric)?.has(label) !== true)
          .map((label) => `${query.where}: ${metric} has no label ${label}`),
      ),
    )
    expect(missing).toEqual([])
  })

  it("scrape the processes of compose.yaml, each and no other", () => {
    const compose = readFileSync(join(folder, "..", "compose.yaml"), "utf8")
    const services = compose.slice(compose.indexOf("\nservices:")).split(/^ {2}(?=[a-z])/m)
    const roles = services.flatMap((service) => {
      const [, name = "", alias] = /^([a-z0-9-]+):(?: \*(\w+))?/.exec(service) ?? []
      return alias !== undefined || service.includes("--role=") ? [name] : []
    })
    expect(roles.length).toBeGreaterThanOrEqual(4)
    const configured = read("README.md")
    const single = [...configured.matchAll(/"([a-z0-9-]+):9787"/g)].map(([, host = ""]) => host)
    // A name that stands for several replicas is one target, another one at each scrape, unless it is looked up.
    const several = /names: \[([^\]]*)\], type: A, port: 9787/.exec(configured)?.[1]?.split(/,\s*/) ?? []
    expect([...single, ...several].sort()).toEqual([...roles].sort())
    const replicated = services
      .filter((service) => service.includes("replicas:"))
      .map((service) => service.split(":")[0])
    expect([...several].sort()).toEqual([...replicated].sort())
  })

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
