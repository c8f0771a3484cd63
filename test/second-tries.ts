import { relative } from "node:path"
import type { Reporter, TestCase } from "vitest/node"

// In CI a test that fails is tried once more: of thousands of tests with brokers, engines and browsers, one that failed by chance
// would cost the whole run. Such a fault is said with its error, to be mended, and where chance has no place it stays a failure.

/** Schemas, folds and rules of money: they have no clock and no random number, so that a second try proves nothing. */
const WITHOUT_CHANCE = /^(schemas|processors|ledger)\//

export default class SecondTries implements Reporter {
  readonly #lines: Array<string> = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return
    const file = relative(test.project.config.root, test.module.moduleId)
    const isRefused = WITHOUT_CHANCE.test(file)
    if (isRefused) process.exitCode = 1
    const errors = test.result().errors?.map(({ message }) => message.trim().split("\n")[0]) ?? []
    this.#lines.push(
      `${file} | ${test.fullName}: passed at its second try${isRefused ? ", where chance has no place: the run fails" : ""}; at first: ${errors.join("; ")}`,
    )
  }

  onTestRunEnd(): void {
    for (const line of this.#lines) process.stdout.write(`${line}\n`)
  }
}
