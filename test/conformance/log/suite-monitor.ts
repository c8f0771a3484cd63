import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { foldWeek } from "../../support/fold-week.ts"
import { weekExpected } from "../../support/monitored-week.ts"
import { type MakeHarness, openAdapter } from "./harness.ts"

/** What the monitor makes of a week with restarts, read from the log itself. */
export const monitorTests = (makeHarness: MakeHarness): void => {
  it.live("a week with restarts: the monitor's table says what the upstreams did, and calls our downtime missed", () =>
    Effect.gen(function* () {
      const harness = yield* makeHarness
      const log = yield* openAdapter(harness.adapter)
      const { data } = yield* foldWeek(log)
      expect(Object.fromEntries(data.feeds.map((row) => [row.feed, row]))).toMatchObject(weekExpected.breakdown)
    }),
  )
}
