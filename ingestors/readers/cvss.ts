const impacts = { N: 0, L: 0.22, H: 0.56 }
const weights = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  PR: { N: 0.85, L: 0.62, H: 0.27 },
  UI: { N: 0.85, R: 0.62 },
  S: { U: 0, C: 1 },
  C: impacts,
  I: impacts,
  A: impacts,
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>
/** Privileges weigh less where the scope changes. */
const changedScopePrivileges: Readonly<Record<string, number>> = { N: 0.85, L: 0.68, H: 0.5 }

type Metric = keyof typeof weights
const metrics = Object.keys(weights) as ReadonlyArray<Metric>

/** Rounds up to one decimal as the specification of version 3.1 does, without errors of floating point. */
const roundUp = (value: number): number => {
  const scaled = Math.round(value * 100_000)
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10
}

/** The base metrics of a vector by their names; null unless each stands in it once, with a value that it can have. */
const baseMetrics = (vector: string): Readonly<Record<Metric, string>> | null => {
  const [version = "", ...parts] = vector.split("/")
  if (!/^CVSS:3\.[01]$/.test(version)) return null
  const values = new Map(
    parts.map((part) => {
      const [metric = "", value = ""] = part.split(":", 2)
      return [metric, value]
    }),
  )
  if (values.size !== parts.length) return null
  const isValid = metrics.every((metric) => Object.hasOwn(weights[metric], values.get(metric) ?? ""))
  return isValid ? (Object.fromEntries(values) as Record<Metric, string>) : null
}

/**
 * The base score (0 to 10) of a vector of CVSS 3.0 or 3.1 (https://www.first.org/cvss/v3.1/specification-document, 7.1);
 * null for any other text. Temporal and environmental metrics do not count.
 */
export const cvss3Score = (vector: string): number | null => {
  const values = baseMetrics(vector)
  if (values === null) return null
  const weight = (metric: Metric): number => (weights[metric] as Readonly<Record<string, number>>)[values[metric]] ?? 0
  const isScopeChanged = values.S === "C"
  const lost = 1 - (1 - weight("C")) * (1 - weight("I")) * (1 - weight("A"))
  const impact = isScopeChanged ? 7.52 * (lost - 0.029) - 3.25 * (lost - 0.02) ** 15 : 6.42 * lost
  if (impact <= 0) return 0
  const privileges = isScopeChanged ? (changedScopePrivileges[values.PR] ?? 0) : weight("PR")
  const exploitability = 8.22 * weight("AV") * weight("AC") * privileges * weight("UI")
  return roundUp(Math.min((isScopeChanged ? 1.08 : 1) * (impact + exploitability), 10))
}
