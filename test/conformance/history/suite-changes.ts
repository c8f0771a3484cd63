import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { archivedChanges } from "../../../processors/changes/archived-changes.ts"
import { makeChangeLog } from "../../../processors/changes/change-log.ts"
import type { History } from "../../../schemas/ports/history.ts"
import { everythingShown, LOG_NAME, numberedChange, otherEvent } from "../../changes/numbered-changes.ts"
import { eventually } from "../../support/eventually.ts"
import { type Engine, migrations, openLine, type Stage } from "./harness.ts"

/** Changes and other events in turns; the change of a number is at offset `2 * (number - 1)`. */
const inTurns = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index + 1).flatMap((ordinal) => [
    numberedChange(ordinal),
    otherEvent(ordinal),
  ])

/** The numbered changes where log and archive meet. */
export const changesTests = (engine: () => Engine, stage: () => Stage): void => {
  const read = (history: History, after: number, max: number) =>
    stage().run(
      makeChangeLog({ log: stage().log, archive: archivedChanges(history), ...everythingShown }).read(
        { log: LOG_NAME, ordinal: after },
        max,
      ),
    )

  /** All numbers behind one, page by page, with what each page says of itself. */
  const readAll = async (history: History, after: number, max: number): Promise<ReadonlyArray<number>> => {
    const changes = makeChangeLog({ log: stage().log, archive: archivedChanges(history), ...everythingShown })
    const found: Array<number> = []
    for (let next = after; ; ) {
      const page = await stage().run(changes.read({ log: LOG_NAME, ordinal: next }, max))
      expect(page.after).toBe(next)
      if (page.reached === next) return found
      found.push(...page.changes.map(({ ordinal }) => ordinal))
      next = page.reached
    }
  }

  const behind = (after: number, last: number) => Array.from({ length: last - after }, (_, index) => after + index + 1)

  const archived = async (last: number) => {
    await stage().append(inTurns(0, last))
    const { crash } = stage().consume()
    await eventually(
      "the changes are archived",
      async () => (await stage().count("SELECT count() AS count FROM events")) >= 2 * last && (await stage().written()),
    )
    await crash()
  }

  it("reads numbered changes from the archive and the log without a seam, wherever the log begins", async () => {
    await archived(900)
    const whole = await readAll(stage().history, 0, 250)
    expect(whole).toEqual(behind(0, 900))
    // Between two changes, at a change, and at the other event before one.
    for (const [before, after] of [
      [1, 0],
      [600, 137],
      [601, 299],
      [1_401, 0],
    ] as const) {
      await stage().run(stage().log.trim("deltas", before))
      for (const max of [97, 1_000]) expect(await readAll(stage().history, after, max)).toEqual(behind(after, 900))
    }
    expect((await read(stage().history, 300, 2)).changes[0]?.change).toMatchObject({
      key: "quake301",
      feed: "earthquakes",
    })
    // The bytes of archive and log are equal, so the changes that they state are.
    const inLog = await read(stage().history, 899, 1)
    await stage().run(stage().log.trim("deltas", 1_800))
    expect(await read(stage().history, 899, 1)).toEqual(inLog)
    // Nothing is left in the log: the archive knows the end.
    const changes = makeChangeLog({ log: stage().log, archive: archivedChanges(stage().history), ...everythingShown })
    expect(await stage().run(changes.bounds)).toEqual({ log: LOG_NAME, oldest: 1, last: 900 })
    expect(await readAll(stage().history, 0, 400)).toEqual(behind(0, 900))
    await stage().append(inTurns(900, 905))
    expect(await readAll(stage().history, 880, 10)).toEqual(behind(880, 905))
  })

  it("serves the changes of the log while ClickHouse is away, and says that the others cannot be read", async () => {
    await archived(300)
    await stage().run(stage().log.trim("deltas", 200))
    const line = await openLine(() => engine().options.url)
    const history = await stage().run(openClickHouse({ ...engine().options, migrations, url: line.url }))
    line.cut()
    expect(await readAll(history, 100, 77)).toEqual(behind(100, 300))
    const changes = makeChangeLog({ log: stage().log, archive: archivedChanges(history), ...everythingShown })
    expect(await stage().run(Effect.flip(changes.read({ log: LOG_NAME, ordinal: 99 }, 10)))).toMatchObject({
      _tag: "HistoryUnavailable",
    })
    line.mend()
    expect(await readAll(history, 40, 77)).toEqual(behind(40, 300))
    await line.close()
  })
}
