import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { archivedEvents } from "../../../infra/commands/rebuild.ts"
import { trimOnce } from "../../../processors/history/trimmer.ts"
import { rebuildViews } from "../../../processors/run/rebuild.ts"
import { verifyViews } from "../../../processors/run/verify.ts"
import { foldAll, views } from "../../support/counting.ts"
import { eventually } from "../../support/eventually.ts"
import { appendUsage, tallying, usageReport } from "../../support/tallying.ts"
import type { Stage } from "./harness.ts"
import { tick, timeOf } from "./workload.ts"

const DAY_SECONDS = 86_400

/** A processor of the topic `usage`, over what the log and the archive hold of it. */
export const usageTests = (stage: () => Stage): void => {
  it("trims reports of usage behind the archive, and a processor of them is rebuilt from both", async () => {
    const { log, history, run, append, consume, count, written } = stage()
    const reports = (from: number, to: number, second: number) =>
      Array.from({ length: to - from }, (_, index) =>
        usageReport("a", from + index, Date.parse(timeOf(second + index))),
      )
    // The first report stands twice, as after a lost reply.
    await run(appendUsage(log, [...reports(0, 1, 0), ...reports(0, 40, 0)]))
    const consumer = consume()
    await eventually("the reports are archived", async () => {
      return (await count("SELECT count() AS count FROM events WHERE topic = 'usage'")) === 41 && (await written())
    })
    // Eight days on; what ClickHouse has not seen yet stays, however old it is.
    await append([tick(8 * DAY_SECONDS)])
    await run(appendUsage(log, reports(40, 50, 8 * DAY_SECONDS)))
    await eventually("the tick is archived", written)
    await consumer.crash()
    await run(appendUsage(log, reports(50, 60, 50)))

    await run(foldAll(log, tallying()))
    await run(history.execute("ALTER TABLE events DELETE WHERE topic = 'usage' AND log_offset = 30"))
    const floor = (usage: number) => ({ log, history, floors: Effect.succeed({ usage }) })
    await run(trimOnce(floor(10)))
    expect(await run(log.start("usage"))).toBe(10)
    await run(trimOnce({ log, history }))
    expect(await run(log.start("usage"))).toBe(30)

    const prefix = archivedEvents(history)
    const { comparisons, equal } = await run(verifyViews(log, { processors: [tallying()], prefix }))
    expect({ equal, comparisons }).toMatchObject({ equal: true, comparisons: [{ events: 61 }] })
    const [rebuilt] = await run(Effect.scoped(rebuildViews(log, { processors: [tallying()], prefix })))
    expect(rebuilt).toMatchObject({ events: 61, viewsWritten: 0 })
    expect(await run(views(log))).toEqual({ "/tally": { quakes: 60 } })
  })
}
