import { describeUnless } from "../../support/describe-unless.ts"
import type { MakeHarness } from "./harness.ts"
import { commitTests } from "./suite-commits.ts"
import { crashTests } from "./suite-crashes.ts"
import { modelTests } from "./suite-model.ts"
import { readerTests } from "./suite-readers.ts"
import { transferTests } from "./suite-transfer.ts"
import { valueTests } from "./suite-values.ts"

/** Options of the suite. */
export interface SuiteOptions {
  /** The reason to skip the suite, if the engine cannot run; it becomes part of the name. */
  readonly missing?: string | undefined
  /** Runs of the comparison with the model, each with a new log. */
  readonly modelRuns?: number
}

/**
 * Tests an adapter of `schemas/ports/event-log.ts`: one that passes can be used for the port. The tests assume neither dense
 * offsets nor a time after which a commit is visible to others, only that it becomes visible.
 */
export const eventLogConformance = (name: string, makeHarness: MakeHarness, options: SuiteOptions = {}): void => {
  describeUnless(options.missing, `event log on ${name}`, () => {
    commitTests(makeHarness)
    readerTests(makeHarness)
    transferTests(makeHarness)
    valueTests(makeHarness)
    crashTests(makeHarness)
    modelTests(makeHarness, options.modelRuns ?? 20)
  })
}
