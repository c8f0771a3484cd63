import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { endpoints } from "../../../schemas/registry.ts"
import { messageOf } from "../../system/error.ts"
import { DONE, FAILED, WrongUsage } from "../arguments.ts"
import { type Check, checksFor, type Outcome } from "./checks.ts"
import { type Ask, makeAsk } from "./exchange.ts"
import { type CheckedResult, jsonReport, junitReport, textReport } from "./report.ts"

/** Checks at the same time. */
const CONCURRENCY = 4

const checked = async (check: Check, ask: Ask): Promise<CheckedResult> => {
  const begun = performance.now()
  const outcome = await check
    .run(ask)
    .catch((cause): Outcome => ({ _tag: "Failed", problems: [`there is no reply: ${messageOf(cause)}`] }))
  return { of: check.of, name: check.name, outcome, durationMs: performance.now() - begun }
}

/** Runs checks, some at the same time; results are in the order of the checks. */
const runAll = async (checks: ReadonlyArray<Check>, ask: Ask): Promise<ReadonlyArray<CheckedResult>> => {
  const results = new Map<Check, CheckedResult>()
  const left = checks.values()
  const work = async () => {
    for (const check of left) results.set(check, await checked(check, ask))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return checks.flatMap((check) => results.get(check) ?? [])
}

const baseOf = (text: string): string => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new WrongUsage(`URL must be the address of an installation, such as http://127.0.0.1:8787, and not ${text}`)
  return text
}

const creditsOf = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new WrongUsage("--credits must be a whole number of credits")
  return Number(text)
}

interface Given {
  readonly positionals: ReadonlyArray<string>
  readonly values: {
    readonly credits?: string | undefined
    readonly json?: string | undefined
    readonly junit?: string | undefined
  }
}

/** Checks an installation against the contract of this checkout; the exit code says whether it keeps it. */
export const run = async ({ positionals: [address = ""], values }: Given): Promise<number> => {
  const url = baseOf(address)
  const creditsMax = creditsOf(values.credits ?? "10")
  const token = process.env.TIDEWIRE_TOKEN ?? ""
  const ask = makeAsk(url)
  let results: ReadonlyArray<CheckedResult>
  try {
    const paying = token === "" ? null : { token, creditsMax, newKey: () => `contract-${randomUUID()}` }
    const { open, paid } = await checksFor(ask, endpoints, paying)
    results = [...(await runAll(open, ask))]
    for (const check of paid) results = [...results, await checked(check, ask)]
  } catch (cause) {
    process.stderr.write(`${url}: ${messageOf(cause)}\n`)
    return FAILED
  }
  process.stdout.write(textReport(results))
  if (values.json !== undefined) writeFileSync(values.json, jsonReport(url, results))
  if (values.junit !== undefined) writeFileSync(values.junit, junitReport(results))
  return results.some(({ outcome }) => outcome._tag === "Failed") ? FAILED : DONE
}
