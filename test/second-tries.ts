import { relative } from "node:path"
import type { Reporter, TestCase } from "vitest/node"

// In CI a test that fails is tried once more. What passes then is named with its first error, to be mended. It counts as passed only
// where chance can be that of another program; a loss that shows once in a hundred runs would otherwise pass for luck.

/** Where a browser, or the engine that runs and pauses containers, stands between a test and the service. */
const BESIDE_OTHERS = /^test\/(browser|containers|images)\//

export default class SecondTries implements Reporter {
  readonly #lines: Array<string> = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return
    const file = relative(test.project.config.root, test.module.moduleId)
    const isRefused = !BESIDE_OTHERS.test(file)
    if (isRefused) process.exitCode = 1
    const errors = test.result().errors?.map(({ message }) => message.trim().split("\n")[0]) ?? []
    this.#lines.push(
      `${file} | ${test.fullName}: passed at its second try${isRefused ? ", which proves nothing: the run fails" : ""}; at first: ${errors.join("; ")}`,
    )
  }

  onTestRunEnd(): void {
    for (const line of this.#lines) process.stdout.write(`${line}\n`)
  }
}
