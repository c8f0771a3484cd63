import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The program that checks metrics; `PROMTOOL` names it if it is not on the path. */
export const PROMTOOL = process.env.PROMTOOL ?? "promtool"

/** The reason why metrics cannot be checked; undefined if they can. */
export const promtoolMissing = (): string | undefined =>
  spawnSync(PROMTOOL, ["--version"], { stdio: "ignore" }).status === 0
    ? undefined
    : "promtool is not installed (Debian's package prometheus has it; PROMTOOL names it)"

/** Runs `promtool check metrics` over a text; gives its output and exit code. */
export const checkMetrics = (text: string): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(PROMTOOL, ["check", "metrics"])
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
    child.stdin.end(text)
  })

const RULES = join(import.meta.dirname, "..", "..", "infra", "deploy", "monitoring", "alerts.yaml")
const SAMPLE = /^(?<series>[a-z_]+(?:\{.*\})?) (?<value>\S+)$/

/** The samples of a scrape, by series. */
const samplesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split("\n").flatMap((line) => {
      const { series, value } = SAMPLE.exec(line)?.groups ?? {}
      return series === undefined || value === undefined || !series.startsWith("tidewire_") ? [] : [[series, value]]
    }),
  )

/** Minutes that each of the two scrapes stands for: longer than any rule waits. */
const MINUTES = 20

/**
 * Runs the alert rules over what `/metrics` showed before a fault and during it (empty: the process was gone), a scrape a
 * minute. Gives the complaints of promtool about alerts that were not silent before, or do not fire during the fault.
 */
export const complaintsAboutAlerts = (
  scrapes: { readonly before: string; readonly during: string },
  alerts: { readonly fire: ReadonlyArray<string>; readonly silentBefore: ReadonlyArray<string> },
): string => {
  const [before, during] = [samplesOf(scrapes.before), samplesOf(scrapes.during)]
  const repeated = (value: string) => Array.from({ length: MINUTES }, () => value)
  const gone = ["stale", ...repeated("_").slice(1)]
  const series = [...new Set([...before.keys(), ...during.keys()])].map((one) => {
    const [first, second] = [before.get(one), during.get(one)]
    const values = [
      ...repeated(first ?? "_"),
      ...(second === undefined ? (first === undefined ? repeated("_") : gone) : repeated(second)),
    ]
    return { series: one, values: values.join(" ") }
  })
  // At any time of these minutes, as a rule over a window fires only while its window holds the change.
  const fired = (alert: string) =>
    `count(count_over_time(ALERTS{alertname="${alert}", alertstate="firing"}[${MINUTES - 1}m]))`
  const test = {
    rule_files: [RULES],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: series,
        promql_expr_test: [
          ...alerts.silentBefore.map((alert) => ({
            expr: `${fired(alert)} or vector(0)`,
            eval_time: `${MINUTES - 1}m`,
            exp_samples: [{ labels: "{}", value: 0 }],
          })),
          ...alerts.fire.map((alert) => ({
            expr: `${fired(alert)} > bool 0`,
            eval_time: `${2 * MINUTES - 1}m`,
            exp_samples: [{ labels: "{}", value: 1 }],
          })),
        ],
      },
    ],
  }
  const folder = mkdtempSync(join(tmpdir(), "tidewire-alerts-"))
  try {
    const file = join(folder, "scraped.test.json")
    writeFileSync(file, JSON.stringify(test))
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ["test", "rules", file], { encoding: "utf8" })
    return status === 0 ? "" : stdout + stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
