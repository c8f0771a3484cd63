import { describe } from "vitest"

/** A group of tests that is skipped if something is missing, with the reason in its name. */
export const describeUnless = (missing: string | undefined, name: string, tests: () => void): void => {
  if (missing === undefined) describe(name, tests)
  else {
    process.stdout.write(`skipped: ${name}: ${missing}\n`)
    describe.skip(`${name} (skipped: ${missing})`, tests)
  }
}
