import { describeUnless } from "../../support/describe-unless.ts"
import type { MakeHarness } from "./harness.ts"
import { commitTests } from "./suite-commits.ts"
import { crashTests } from "./suite-crashes.ts"
import { modelTests } from "./suite-model.ts"
import { monitorTests } from "./suite-monitor.ts"
import { readerTests } from "./suite-readers.ts"
import { transferTests } from "./suite-transfer.ts"
import { valueTests } from "./suite-values.ts"

/** What a run of the suite may be told. */
export interface SuiteOptions {
  /** Why this engine cannot run here: the suite is then skipped, under a name that says so. */
  readonly missing?: string | undefined
  /** Runs of the comparison with the model; each takes a log of its own. */
  readonly modelRuns?: number
}

/**
 * Holds an adapter to the promises of `schemas/ports/event-log.ts`: whatever passes here may stand behind the port. The tests
 * promise nothing about how far apart offsets are, or when a commit becomes visible to others, only that it does.
 */
export const eventLogConformance = (name: string, makeHarness: MakeHarness, options: SuiteOptions = {}): void => {
  describeUnless(options.missing, `event log on ${name}`, () => {
    commitTests(makeHarness)
    readerTests(makeHarness)
    transferTests(makeHarness)
    valueTests(makeHarness)
    monitorTests(makeHarness)
    crashTests(makeHarness)
    modelTests(makeHarness, options.modelRuns ?? 20)
  })
}
