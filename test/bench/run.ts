import { readFile, writeFile } from "node:fs/promises"
import { cpus, totalmem } from "node:os"
import { EXIT_CODES, readArguments, refuseUsage } from "../../infra/commands/arguments.ts"
import { loadDirectory } from "../../schemas/directory.ts"
import { type Benchmark, format, isBenchmark, verdict, withRatios } from "./benchmark.ts"

const USAGE = `usage: npm run bench [-- NAME ...] [-- --write]

Runs the benchmarks of these names, or all, and prints their figures, ratios and budgets. With --write the same goes into
RESULTS.md beside them, where other benchmarks keep their results. Exit code 1 where a budget is not met.

${EXIT_CODES}`
// The npm script uses the heap settings of the service; with a larger young generation its collections take 1% of the time.

const print = (text: string) => process.stdout.write(`${text}\n`)

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (soFar, row) => row.map((cell, column) => Math.max(soFar[column] ?? 0, cell.length)),
    [],
  )
  const line = (row: ReadonlyArray<string>) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(Math.max(1, width - 1))}:`)).join(" | ")} |`
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)]
}

const report = async (benchmark: Benchmark) => {
  const measures = withRatios(await benchmark.run())
  const verdicts = benchmark.budget.map((budget) => verdict(budget, measures))
  const lines = [
    `## ${benchmark.name}: ${benchmark.title}`,
    "",
    ...table([
      ["what", "figure", "unit", "ratio"],
      ...measures.map(({ label, value, unit, ratio, ratioTo }) => [
        label,
        format(value),
        unit,
        ratio === undefined ? "" : `${ratio.toFixed(2)} x ${ratioTo}`,
      ]),
    ]),
    "",
    ...verdicts.map(({ text, met }) => `- ${met ? "met" : "NOT MET"}: ${text}`),
    ...(benchmark.profile === undefined || verdicts.every(({ met }) => met) ? [] : ["", benchmark.profile]),
    "",
    `Measured on ${new Date().toISOString().slice(0, 10)}.`,
    "",
  ]
  print(lines.join("\n"))
  return {
    name: benchmark.name,
    isMeasured: measures.length > 0,
    text: lines.join("\n"),
    met: verdicts.every(({ met }) => met),
  }
}

/** The results of a file of results, by the names of their benchmarks. */
const sectionsOf = (results: string): ReadonlyArray<readonly [name: string, text: string]> =>
  results
    .split(/^(?=## )/m)
    .slice(1)
    .map((text) => [/^## ([\w-]+)/.exec(text)?.[1] ?? "", text.trimEnd().concat("\n")] as const)

const { positionals: names, values } = readArguments(
  USAGE,
  { write: { type: "boolean", default: false } },
  { min: 0, max: Number.POSITIVE_INFINITY },
)
const modules = await loadDirectory(new URL("benchmarks/", import.meta.url))
const all = modules.flatMap(({ name, exports }) => {
  const found = exports.filter(isBenchmark)
  if (found.length !== 1 || found[0]?.name !== name)
    throw new Error(`benchmarks/${name}.ts must export one benchmark named "${name}"`)
  return found
})
const unknown = names.filter((name) => !all.some((benchmark) => benchmark.name === name))
if (unknown.length > 0)
  refuseUsage(`no benchmark ${unknown.join(", ")}; there are ${all.map(({ name }) => name).join(", ")}`, USAGE)

const reports = []
for (const benchmark of all.filter(({ name }) => names.length === 0 || names.includes(name)))
  reports.push(await report(benchmark))

if (values.write) {
  const [processor] = cpus()
  const machine = `${cpus().length} x ${processor?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`
  const head = [
    "# Results of the benchmarks",
    "",
    `By \`npm run bench -- --write\` on ${machine}.`,
    "Ratios count: contenders take turns within one run. Figures of different runs or machines are not comparable.",
    "",
  ]
  const file = new URL("RESULTS.md", import.meta.url)
  const sections = new Map([
    ...sectionsOf(await readFile(file, "utf8")),
    // Without what it needs, such as a Docker engine, a benchmark measures nothing.
    ...reports.filter(({ isMeasured }) => isMeasured).map(({ name, text }) => [name, text] as const),
  ])
  const kept = all.flatMap(({ name }) => sections.get(name) ?? [])
  await writeFile(file, [...head, ...kept].join("\n"))
}
process.exitCode = reports.every(({ met }) => met) ? 0 : 1
