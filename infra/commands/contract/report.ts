import type { Check, Outcome } from "./checks.ts"

/** A check that was run. */
export interface CheckedResult extends Pick<Check, "of" | "name"> {
  readonly outcome: Outcome
  readonly durationMs: number
}

/** Makes text of an installation safe for a terminal and for XML, and bounds it. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, "?").slice(0, TEXT_MAX_CHARACTERS)
const TEXT_MAX_CHARACTERS = 500

const countsOf = (results: ReadonlyArray<CheckedResult>) => {
  const of = (tag: Outcome["_tag"]) => results.filter(({ outcome }) => outcome._tag === tag).length
  return { passed: of("Passed"), failed: of("Failed"), skipped: of("Skipped") }
}

/** For people: what failed, what was skipped by its reason, and the counts on the last line. */
export const textReport = (results: ReadonlyArray<CheckedResult>): string => {
  const failures = results.flatMap(({ of, name, outcome }) =>
    outcome._tag === "Failed"
      ? [`FAILED  ${of}: ${name}`, ...outcome.problems.map((one) => `        ${printable(one)}`)]
      : [],
  )
  const whys = Map.groupBy(
    results.flatMap(({ of, outcome }) => (outcome._tag === "Skipped" ? [{ of, why: outcome.why }] : [])),
    ({ why }) => why,
  )
  const skips = [...whys].map(
    ([why, some]) => `skipped ${some.length} (${printable(why)}): ${[...new Set(some.map(({ of }) => of))].join(", ")}`,
  )
  const { passed, failed, skipped } = countsOf(results)
  return `${[...failures, ...skips, `${passed} passed, ${failed} failed, ${skipped} skipped`].join("\n")}\n`
}

/** For programs. */
export const jsonReport = (url: string, results: ReadonlyArray<CheckedResult>): string =>
  `${JSON.stringify(
    {
      url,
      ...countsOf(results),
      checks: results.map(({ of, name, outcome, durationMs }) => ({
        endpoint: of,
        name,
        outcome: outcome._tag.toLowerCase(),
        ...(outcome._tag === "Failed" ? { problems: outcome.problems.map(printable) } : {}),
        ...(outcome._tag === "Skipped" ? { reason: outcome.why } : {}),
        duration_ms: Math.round(durationMs),
      })),
    },
    null,
    2,
  )}\n`

const escaped = (text: string): string =>
  printable(text).replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one] ?? one)

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const junitCase = ({ of, name, outcome, durationMs }: CheckedResult): string => {
  const head = `<testcase classname="${escaped(of)}" name="${escaped(name)}" time="${seconds(durationMs)}"`
  switch (outcome._tag) {
    case "Passed":
      return `    ${head}/>`
    case "Skipped":
      return `    ${head}><skipped message="${escaped(outcome.why)}"/></testcase>`
    case "Failed":
      return `    ${head}><failure message="${escaped(outcome.problems[0] ?? "")}">${outcome.problems.map(escaped).join("\n")}</failure></testcase>`
  }
}

/** The form that CI servers read: https://github.com/testmoapp/junitxml */
export const junitReport = (results: ReadonlyArray<CheckedResult>): string => {
  const { failed, skipped } = countsOf(results)
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const counts = `tests="${results.length}" failures="${failed}" skipped="${skipped}" time="${time}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="contract" ${counts}>`,
    `  <testsuite name="contract" ${counts}>`,
    ...results.map(junitCase),
    "  </testsuite>",
    "</testsuites>\n",
  ].join("\n")
}
