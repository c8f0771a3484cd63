import { relative } from "node:path"
import type { Reporter, TestCase } from "vitest/node"

// In CI a test that fails is tried once more. What passes then is named with its first error, to be mended. It counts as passed only
// where a test watches other programs while they work, and not where it proves that nothing is lost or given away: a loss that
// shows once in a hundred runs would pass for luck.

/** Where a browser, the engine that runs containers, or a whole service at work stands between a test and what it asks. */
const WATCHES_OTHERS = /^test\/(browser|containers|images|e2e)\//
/** Of the whole service: what must hold in every single run, of the log, the ledger, the past, and what is secret. */
const PROVES =
  /^test\/e2e\/.*(acls|buying|crash|cut|disk|ledger|migration|past|private|purge|replay|replication|roles|secrets|selling)/

export default class SecondTries implements Reporter {
  readonly #lines: Array<string> = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return
    const file = relative(test.project.config.root, test.module.moduleId)
    const isRefused = !WATCHES_OTHERS.test(file) || PROVES.test(file)
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
