import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { DONE, EXIT_CODES, FAILED, readArguments } from "../infra/commands/arguments.ts"
import { runWithSettings } from "../infra/commands/command.ts"
import { openProgress } from "../infra/telemetry/progress.ts"
import { soakOnly } from "./soak-only.ts"

const USAGE = `usage: npm run soak

Runs the crash and fault tests with their full number of rounds, and the tests that \`npm test\` leaves out: it takes hours.
Stops at the first part that fails.

${EXIT_CODES}`

const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url))
const TEST_MAX_MS = 7_200_000

/** Tests by the number of rounds that each runs. */
const groups: ReadonlyArray<{ readonly rounds: number; readonly tests: ReadonlyArray<string> }> = [
  {
    rounds: 50,
    tests: [
      "e2e/crash",
      "faults/processor-crash",
      "ingest/crash",
      "conformance/log",
      "conformance/history",
      "e2e/sister-crash",
    ],
  },
  // The hours of a day.
  { rounds: 24, tests: ["e2e/past"] },
  // A million changes through each door, on both engines.
  { rounds: 100, tests: ["faults/changes"] },
  // 200,000 commits under the faults of a cluster.
  { rounds: 100, tests: ["conformance/cluster"] },
  { rounds: 200, tests: ["conformance/ledger/lmdb"] },
  { rounds: 20, tests: ["e2e/ledger-crash"] },
  { rounds: 1, tests: soakOnly },
]
/** The parts, in order. Each runs by itself, so that progress, rate and time left are known after each. */
const parts = groups.flatMap(({ rounds, tests }) => tests.map((test) => ({ rounds, test })))

/** Runs one part and gives its exit code; an interruption ends it. */
const run = ({ rounds, test }: (typeof parts)[number]) =>
  Effect.callback<number>((resume) => {
    const child = spawn(
      process.execPath,
      [VITEST, "run", "--config", "test/vitest.config.ts", `--testTimeout=${TEST_MAX_MS}`, test],
      { cwd: new URL("..", import.meta.url), env: { ...process.env, ROUNDS: String(rounds) }, stdio: "inherit" },
    )
    child.once("exit", (code) => resume(Effect.succeed(code ?? FAILED)))
    return Effect.callback<void>((ended) => {
      child.once("exit", () => ended(Effect.void))
      child.kill("SIGTERM")
    })
  })

const soak = Effect.gen(function* () {
  const rounds = parts.reduce((sum, part) => sum + part.rounds, 0)
  const { advance } = (yield* openProgress()).begin("soak", rounds, "rounds")
  for (const part of parts) {
    const code = yield* run(part)
    if (code !== DONE) return FAILED
    advance(part.rounds)
  }
  return DONE
})

readArguments(USAGE, {})
process.exit(await runWithSettings(() => soak, { interrupted: "the remaining parts did not run" }))
