import * as Effect from "effect/Effect"
import { register } from "prom-client"
import { expect, it } from "vitest"
import { archivedChanges } from "../../../processors/changes/archived-changes.ts"
import { makeChangeLog } from "../../../processors/changes/change-log.ts"
import { itemHistory } from "../../../processors/changes/item-history.ts"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import { readStates } from "../../../processors/history/state.ts"
import { trimOnce } from "../../../processors/history/trimmer.ts"
import { pastViews } from "../../../processors/past/past-views.ts"
import { beginRecords, monthOf, versionsRecord } from "../../../processors/past/versions.ts"
import { makeValueStore } from "../../../processors/run/stored-values.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { History } from "../../../schemas/ports/history.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { freshnessKey } from "../../../schemas/view-record.ts"
import { everythingShown } from "../../changes/numbered-changes.ts"
import { eventually } from "../../support/eventually.ts"
import type { Stage } from "./harness.ts"
import { events, tables, tick } from "./workload.ts"

// A history that is kept for some days: what is dropped, what is left, and that what was dropped does not come back.

/** The workload begins ten minutes before the end of January 2026, an event a second; 104 days later it is May. */
const IN_JANUARY = 600
const ALL = 1_000
const IN_MAY = 104 * 86_400
/** Counted from May, the months before February are older. */
const FEBRUARY = 90
const MARCH = 60

const BEGIN_MS = Date.parse("2026-01-20T00:00:00.000Z")
const DAY_MS = 86_400_000
const VIEWS = ["/api/slow", "/api/quick"]

/** The versions of two views over three months, one of which changes in the first alone, and what they were at each step. */
const months = (isBegun: boolean) => {
  const store = makeValueStore({})
  const records: Array<LogRecord> = []
  const moments: Array<{ readonly ms: number; readonly values: ReadonlyMap<string, string> }> = []
  const values = new Map<string, string>()
  let [month, ordinal] = ["", 0]
  for (let step = 0; step < 100; step += 1) {
    const nowMs = BEGIN_MS + step * DAY_MS
    const position = { lastEventId: `step-${step}`, nowMs, lastChange: { log: "k7f2qdxa", ordinal: ordinal + 2 } }
    if (isBegun && monthOf(nowMs) !== month) {
      const whole = new Map([...values].map(([key, text]) => [key, Buffer.from(text)]))
      const lastChange = ordinal === 0 ? null : { log: "k7f2qdxa", ordinal }
      records.push(...beginRecords(whole, { processor: "latest", position, lastChange }, () => true))
    }
    month = monthOf(nowMs)
    const filler = "x".repeat(3_000)
    const changed = [
      ...(step === 3 ? [["/api/slow", JSON.stringify({ step, filler })] as const] : []),
      ["/api/quick", JSON.stringify({ step, filler })] as const,
      [freshnessKey("/api/slow"), JSON.stringify({ step, filler })] as const,
    ]
    const written = changed.flatMap(([key, text]) => store.recordsOf({ topic: "views", key, text }))
    for (const [key, text] of changed) values.set(key, text)
    const of = { processor: "latest", position, changesFrom: ordinal, settles: true }
    records.push(...[versionsRecord(written, of, () => true)].flatMap((record) => record ?? []))
    ordinal += 2
    moments.push({ ms: nowMs, values: new Map(values) })
  }
  return { records, moments }
}

/** A history that is cut by `KEEP_HISTORY`. */
export const keepTests = (stage: () => Stage): void => {
  const rowsOf = async (table: string) => ({
    january: await stage().count(`SELECT count() AS count FROM ${table} WHERE _partition_id = '202601'`),
    february: await stage().count(`SELECT count() AS count FROM ${table} WHERE _partition_id = '202602'`),
  })
  const cutOf = async (target: string) => (await stage().run(readStates(stage().log))).get(target)?.cut
  const counted = async (name: string, table: string): Promise<number> =>
    (await register.getSingleMetric(name)?.get())?.values.find(({ labels }) => labels.table === table)?.value ?? 0
  const repairs = (table: string) => counted("tidewire_history_repairs_total", table)

  /** Runs the history with what is kept until these tables are cut and everything is written. */
  const keep = async (kept: Readonly<Record<string, number>>, cut: string, targets = Object.keys(kept)) => {
    const { crash } = stage().consume(undefined, new Map(Object.entries(kept)))
    for (const target of targets) await eventually(`${target} is cut`, async () => (await cutOf(target)) === cut)
    await eventually("everything is written", () => stage().written())
    for (const table of new Set(targets.map((target) => target.split("/")[0])))
      await eventually(`the partitions of ${table} before it are gone`, async () => {
        const left = `database = currentDatabase() AND table = '${table}' AND active AND partition_id < '${cut}'`
        return (await stage().count(`SELECT count() AS count FROM system.parts WHERE ${left}`)) === 0
      })
    await crash()
  }

  /** The workload of January and February, and the time of May. */
  const filled = async () => {
    await stage().append(events(0, ALL))
    const { crash } = stage().consume()
    await stage().caughtUp(ALL, ALL / 10)
    await stage().append([tick(IN_MAY)])
    await eventually("May is written", () => stage().written())
    await crash()
  }
  const rebuild = () =>
    stage().run(Effect.scoped(rebuildTables({ log: stage().log, history: stage().history, tables })))

  it("drops whole partitions of the tables that are named, once, and nothing writes their rows again", async () => {
    await filled()
    const kept = { earthquakes: FEBRUARY, feed_probes: FEBRUARY }
    const [whole, others] = [await rowsOf("earthquakes"), await rowsOf("item_changes")]
    expect(whole).toEqual({ january: IN_JANUARY / 4, february: (ALL - IN_JANUARY) / 4 })
    const [dropped, repaired] = [
      await counted("tidewire_history_dropped_partitions_total", "earthquakes"),
      await repairs("earthquakes"),
    ]
    await keep(kept, "202602")
    const left = { january: 0, february: whole.february }
    expect(await rowsOf("earthquakes")).toEqual(left)
    expect(await rowsOf("item_changes")).toEqual(others)
    await stage().verify()

    // A start counts the rows, finds none missing, and drops nothing more.
    await keep(kept, "202602")
    expect(await counted("tidewire_history_dropped_partitions_total", "earthquakes")).toBe(dropped + 1)
    expect(await repairs("earthquakes")).toBe(repaired)

    // What is lost above the cut is written again, what lies below it is not; nor by a rebuild, or for a table that is gone.
    await stage().run(stage().history.execute("ALTER TABLE earthquakes DELETE WHERE log_offset >= 700"))
    await stage().run(stage().history.execute("DROP TABLE feed_probes SYNC"))
    const mending = stage().consume(undefined, new Map(Object.entries(kept)))
    await eventually("the lost rows are back", async () => {
      const { february } = await rowsOf("feed_probes")
      return (await repairs("earthquakes")) === repaired + 1 && february === 300 && (await stage().written())
    })
    await mending.crash()
    expect(await rowsOf("earthquakes")).toEqual(left)
    expect((await rowsOf("feed_probes")).january).toBe(0)
    await stage().verify()
    await rebuild()
    expect(await rowsOf("earthquakes")).toEqual(left)
    await stage().verify()

    // A setting that keeps more, or none, brings nothing back and moves no cut; one that keeps less drops more.
    await keep({ earthquakes: 10_000 }, "202602")
    expect(await rowsOf("earthquakes")).toEqual(left)
    await stage().append(events(ALL, ALL + 40))
    const without = stage().consume()
    await eventually("the new events are written", () => stage().written())
    await without.crash()
    expect(await rowsOf("earthquakes")).toEqual({ january: 0, february: left.february + 10 })
    await keep({ earthquakes: MARCH }, "202603")
    expect(await rowsOf("earthquakes")).toEqual({ january: 0, february: 0 })
    await stage().verify()
  })

  it("drops what is left where it ended before the partition was gone, and counts it as gone meanwhile", async () => {
    await filled()
    const before = await repairs("earthquakes")
    let isAsked = false
    const dying: History = {
      ...stage().history,
      execute: (sql, parameters) =>
        sql.includes("DROP PARTITION")
          ? Effect.suspend(() => {
              isAsked = true
              return Effect.never
            })
          : stage().history.execute(sql, parameters),
    }
    const { crash } = stage().consume(dying, new Map([["earthquakes", FEBRUARY]]))
    await eventually("the partition is about to go", () => isAsked)
    await crash()
    expect(await cutOf("earthquakes")).toBe("202602")
    expect((await rowsOf("earthquakes")).january).toBe(IN_JANUARY / 4)
    await stage().verify()
    await keep({ earthquakes: FEBRUARY }, "202602")
    expect(await rowsOf("earthquakes")).toEqual({ january: 0, february: (ALL - IN_JANUARY) / 4 })
    expect(await repairs("earthquakes")).toBe(before)
    await stage().verify()
  })

  it("drops rows that an import has brought, and rows of old months are not written later either", async () => {
    await filled()
    await keep({ earthquakes: FEBRUARY }, "202602")
    // The same months once more, as of an old log: the numbers of events are those of January.
    await stage().append([...events(0, 40), ...events(ALL, ALL + 40)])
    await keep({ earthquakes: FEBRUARY }, "202602")
    expect(await rowsOf("earthquakes")).toEqual({ january: 0, february: (ALL + 40 - IN_JANUARY) / 4 })
    expect((await rowsOf("item_changes")).january).toBe(IN_JANUARY / 4 + 10)
    await stage().verify()
  })

  it("cuts a day's count from the newest event, and from no time that has not come", async () => {
    await filled()
    // An event of the year 2168: nothing is dropped for it that the clock of today does not call old.
    await stage().append([tick(4_500_000_000)])
    const before = stage().consume()
    await eventually("it is written", () => stage().written())
    await before.crash()
    const { crash } = stage().consume(undefined, new Map([["earthquakes", 36_500]]))
    await eventually("it is cut", async () => (await cutOf("earthquakes")) !== undefined)
    await crash()
    expect(Number(await cutOf("earthquakes"))).toBeLessThan(195_000)
    expect((await rowsOf("earthquakes")).january).toBe(IN_JANUARY / 4)
  })

  it("cuts the archive: the log is trimmed as before, changes of before are gone, and a rebuild has what is left", async () => {
    await filled()
    const topics: ReadonlyArray<Topic> = ["deltas", "observations", "quarantine", "usage", "versions"]
    const targets = topics.map((topic) => `events/${topic}`)
    await keep({ events: FEBRUARY }, "202602", targets)
    expect((await rowsOf("events")).january).toBe(0)
    expect((await rowsOf("earthquakes")).january).toBe(IN_JANUARY / 4)
    await stage().verify()

    const { log, history } = stage()
    await stage().run(trimOnce({ log, history }))
    // Without what the cut says, an event that the archive lacks would hold the log for ever.
    expect(await stage().run(log.start("deltas"))).toBe(0)
    const states = await stage().run(readStates(log))
    const archiveCutOf = (topic: Topic) => states.get(`events/${topic}`)?.cut
    await stage().run(trimOnce({ log, history, archiveCutOf }))
    expect(await stage().run(log.start("deltas"))).toBe(ALL)

    const changes = makeChangeLog({ log, archive: archivedChanges(history), ...everythingShown })
    const oldest = IN_JANUARY / 4 + 1
    expect(await stage().run(changes.bounds)).toEqual({ log: "workload", oldest, last: ALL / 4 })
    expect(await stage().run(Effect.flip(changes.read({ log: "workload", ordinal: 10 }, 5)))).toMatchObject({
      _tag: "ChangesGone",
      oldest,
    })
    expect((await stage().run(changes.read({ log: "workload", ordinal: oldest - 1 }, 5))).reached).toBe(oldest + 4)
    // A table that is kept for longer still has what the archive lacks: it is not taken for a difference.
    await stage().verify()
    await rebuild()
    expect(await rowsOf("earthquakes")).toEqual({ january: 0, february: (ALL - IN_JANUARY) / 4 })
    await stage().verify()
  })

  it("says when the changes that are held begin", async () => {
    const changes = itemHistory({ history: stage().history, ...everythingShown })
    expect(await stage().run(changes.firstMs)).toBeNull()
    await filled()
    expect(await stage().run(changes.firstMs)).toBe(Date.parse("2026-01-31T23:50:03.000Z"))
    await keep({ item_changes: FEBRUARY }, "202602")
    expect(await stage().run(changes.firstMs)).toBe(Date.parse("2026-02-01T00:00:03.000Z"))
  })

  it("cuts the views where a month begins with all of them, and answers from there on as before", async () => {
    const { records, moments } = months(true)
    await stage().append(records)
    const first = stage().consume()
    await eventually("the versions are written", () => stage().written())
    await first.crash()
    const past = pastViews(stage().history, ["latest"])
    const settledMs = await stage().run(past.settledMs)
    // Counted from the archive's last event, in April: March is kept.
    await keep({ view_versions: 40 }, "202603")
    const firstMs = Date.parse("2026-03-01T00:00:00.000Z")
    for (const [index, { ms, values }] of moments.entries()) {
      // Each one near the cut.
      if (Math.abs(ms - firstMs) > 3 * DAY_MS && index % 7 > 0) continue
      const [together, change] = [
        await stage().run(past.recordsTogether(VIEWS, ms)),
        await stage().run(past.changeAt(ms)),
      ]
      for (const view of VIEWS) {
        const known = (await stage().run(past.knownAt(view, ms)))?.records ?? null
        expect(together.get(view) ?? null).toEqual(known)
        const texts = [known?.body, known?.freshness].map((bytes) => bytes && Buffer.from(bytes).toString())
        const expected = [view, freshnessKey(view)].map((key) => values.get(key) ?? null)
        expect([ms, view, texts]).toEqual([ms, view, ms < firstMs ? [undefined, undefined] : expected])
      }
      const ordinal = ((ms - BEGIN_MS) / DAY_MS + 1) * 2
      expect(change).toEqual(ms < firstMs ? null : { log: "k7f2qdxa", ordinal })
      const knownMs = await stage().run(past.knownMsOf({ log: "k7f2qdxa", ordinal }))
      expect([ordinal, knownMs]).toEqual([ordinal, ms < firstMs ? "before" : ms])
    }
    expect(await stage().run(past.firstMs(VIEWS))).toEqual(new Map(VIEWS.map((view) => [view, firstMs])))
    expect(await stage().run(past.settledMs)).toBe(settledMs)
    await stage().verify()
    await rebuild()
    const slow = (await stage().run(past.knownAt("/api/slow", firstMs + 5 * DAY_MS)))?.records
    expect(slow?.body && Buffer.from(slow.body).toString()).toBe(moments[3]?.values.get("/api/slow"))
  })

  it("does not cut the views where no month begins with all of them", async () => {
    const { records, moments } = months(false)
    await stage().append(records)
    const kept = { view_versions: 40, earthquakes: 40 }
    await stage().append(events(0, 40))
    const { crash } = stage().consume()
    await eventually("the versions are written", () => stage().written())
    await crash()
    await keep(kept, "202603", ["earthquakes"])
    expect(await cutOf("view_versions")).toBeUndefined()
    const past = pastViews(stage().history, ["latest"])
    for (const { ms, values } of moments.filter((_, index) => index % 9 === 3)) {
      const known = (await stage().run(past.knownAt("/api/quick", ms)))?.records
      expect(known?.body && Buffer.from(known.body).toString()).toBe(values.get("/api/quick"))
    }
  })
}
