import { describe } from "vitest"

/** A group of tests for which something may be missing here: then it is skipped, and says aloud why. */
export const describeUnless = (missing: string | undefined, name: string, tests: () => void): void => {
  if (missing === undefined) describe(name, tests)
  else {
    process.stdout.write(`skipped: ${name}: ${missing}\n`)
    describe.skip(`${name} (skipped: ${missing})`, tests)
  }
}
