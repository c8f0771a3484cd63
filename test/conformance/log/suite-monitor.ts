import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { weekExpected } from "../../../processors/testing/monitored-week.ts"
import { foldWeek } from "../../support/fold-week.ts"
import { type MakeHarness, openAdapter } from "./harness.ts"

/** The monitor's table of a week with restarts, read from the log. */
export const monitorTests = (makeHarness: MakeHarness): void => {
  it.live(
    "a week with restarts: the monitor's table has the verdicts of the upstreams, and counts downtime of the service as missed",
    () =>
      Effect.gen(function* () {
        const harness = yield* makeHarness
        const log = yield* openAdapter(harness.adapter)
        const { data } = yield* foldWeek(log)
        expect(Object.fromEntries(data.feeds.map((row) => [row.feed, row]))).toMatchObject(weekExpected.breakdown)
      }),
  )
}
