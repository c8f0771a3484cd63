import * as Effect from "effect/Effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import { pastViews } from "../../../processors/past/past-views.ts"
import { versionsRecord } from "../../../processors/past/versions.ts"
import { makeValueStore } from "../../../processors/run/stored-values.ts"
import { encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { pastPurged } from "../../../schemas/events/versions.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { Past } from "../../../schemas/ports/past.ts"
import { freshnessKey } from "../../../schemas/view-record.ts"
import { eventually } from "../../support/eventually.ts"
import type { Stage } from "./harness.ts"
import { tables } from "./workload.ts"

// The views as they were known at any instant: what the versions in the history give is what topic `views` held then.

const BEGIN_MS = Date.parse("2026-01-31T23:00:00.000Z")
const PROCESSORS = ["latest", "correlations"]
const VIEWS = ["/api/one", "/api/one?period=day", "/api/two"]

/** A commit of a fold: what it writes, and the time of the fold. */
interface Step {
  readonly key: string
  readonly text: string | null
  /** What the same commit makes of the view's freshness; undefined where nothing. */
  readonly freshness?: string | null | undefined
  readonly afterMs: number
  readonly processor: string
}

/** A long text of which a few characters change, so that most versions are patches, and some are whole. */
const text = fc
  .record({
    size: fc.constantFrom(10, 2_000, 4_000),
    at: fc.nat(1_900),
    word: fc.string({ unit: "grapheme", maxLength: 12 }),
  })
  .map(({ size, at, word }) => {
    const filler = Array.from({ length: size / 10 }, (_, index) => `${index} é`.padEnd(10)).join("")
    return JSON.stringify(filler.slice(0, at) + word + filler.slice(at))
  })
const step: fc.Arbitrary<Step> = fc.record({
  key: fc.constantFrom(...VIEWS, ...VIEWS.map(freshnessKey)),
  text: fc.option(text, { nil: null, freq: 12 }),
  freshness: fc.option(fc.option(text, { nil: null, freq: 12 }), { nil: undefined, freq: 3 }),
  // Some commits share a millisecond, and some of a view's versions are in the month after.
  afterMs: fc.constantFrom(0, 1, 700, 70_000),
  processor: fc.constantFrom(...PROCESSORS),
})

/** The records of `versions` of steps, and what each view was at each of their times. */
const historyOf = (steps: ReadonlyArray<Step>) => {
  const store = makeValueStore({})
  const records: Array<LogRecord> = []
  const moments: Array<{ readonly ms: number; readonly values: ReadonlyMap<string, string | null> }> = []
  const values = new Map<string, string | null>()
  let nowMs = BEGIN_MS
  for (const [index, { key, text: value, freshness, afterMs, processor }] of steps.entries()) {
    nowMs += afterMs
    const changed = new Map([[key, value]])
    if (freshness !== undefined && VIEWS.includes(key)) changed.set(freshnessKey(key), freshness)
    const written = [...changed].flatMap(([key, text]) => store.recordsOf({ topic: "views", key, text }))
    // Of every third step a change has a number.
    const lastChange = { log: "k7f2qdxa", ordinal: Math.floor(index / 3) + 1 }
    const position = { lastEventId: `event-${index}`, nowMs, lastChange }
    const changesFrom = Math.floor((index - 1) / 3) + 1
    const record = versionsRecord(written, { processor, position, changesFrom, settles: index % 7 === 0 }, () => true)
    if (record !== null) records.push(record)
    for (const [key, value] of changed) values.set(key, value)
    moments.push({ ms: nowMs, values: new Map(values) })
  }
  return { records, moments, nowMs }
}

/** The past of views, over the table of their versions. */
export const pastTests = (stage: () => Stage): void => {
  const archived = async (records: ReadonlyArray<LogRecord>) => {
    await stage().append(records)
    const { crash } = stage().consume()
    await eventually("the versions are in the history", () => stage().written())
    await crash()
  }
  const past = () => pastViews(stage().history, PROCESSORS)
  const recordsAt = async (views: Past, view: string, ms: number) =>
    (await stage().run(views.knownAt(view, ms)))?.records ?? null
  const settle = (processor: string, index: number, nowMs: number) =>
    versionsRecord(
      [],
      { processor, position: { lastEventId: `settled-${index}`, nowMs, lastChange: null }, settles: true },
      () => true,
    )

  it("gives for every instant what the views were then, whole or patched, removed or not there yet", async () => {
    const steps = fc.sample(step, { numRuns: 600, seed: 27 })
    const { records, moments } = historyOf(steps)
    await archived(records)
    // One reader for all instants: its later reads use the reaches that it has learnt from the earlier ones.
    const views = past()
    for (const view of VIEWS) {
      const first = moments.find(({ values }) => values.has(view) || values.has(freshnessKey(view)))?.ms ?? 0
      expect((await stage().run(past().firstMs([...VIEWS, "/api/never"]))).get(view)).toBe(first)
      expect((await stage().run(past().recordsTogether(VIEWS, first - 1))).has(view)).toBe(false)
      expect(await recordsAt(views, view, first - 1)).toBeNull()
    }
    for (const [index, { ms, values }] of moments.entries()) {
      // The last of the commits that share a millisecond counts.
      if (index % 14 !== 0 || moments[index + 1]?.ms === ms) continue
      const together = await stage().run(past().recordsTogether([...VIEWS, "/api/never"], ms))
      for (const view of VIEWS) {
        const known = await stage().run(views.knownAt(view, ms))
        const records = known?.records ?? null
        expect(together.get(view) ?? null).toEqual(records)
        const [body, freshness] = [records?.body ?? null, records?.freshness ?? null].map((bytes) =>
          bytes === null ? null : Buffer.from(bytes).toString(),
        )
        expect([view, ms, body, freshness]).toEqual([
          view,
          ms,
          values.get(view) ?? null,
          values.get(freshnessKey(view)) ?? null,
        ])
        if (records !== null) {
          expect(records.knownMs).toBeLessThanOrEqual(ms)
          expect(await recordsAt(past(), view, records.knownMs)).toEqual(records)
          const last = moments.findLastIndex((one) => one.ms === ms)
          expect(known?.change).toEqual({ log: "k7f2qdxa", ordinal: Math.floor(last / 3) + 1 })
        }
      }
    }
    for (const index of [0, 1, 2, 200, 599]) {
      const ms = moments[index]?.ms ?? 0
      const ordinal = Math.floor(moments.findLastIndex((one) => one.ms === ms) / 3) + 1
      expect(await stage().run(past().changeAt(ms))).toEqual({ log: "k7f2qdxa", ordinal })
      const first = moments[3 * (ordinal - 1)]?.ms ?? 0
      expect(await stage().run(past().knownMsOf({ log: "k7f2qdxa", ordinal }))).toBe(first)
    }
    expect(await stage().run(past().changeAt(BEGIN_MS - 1))).toBeNull()
    expect(await stage().run(past().knownMsOf({ log: "aaaaaaaa", ordinal: 1 }))).toBeNull()
    expect(await stage().run(past().knownMsOf({ log: "k7f2qdxa", ordinal: 201 }))).toBeNull()
    expect(await stage().count("SELECT count() AS count FROM view_versions WHERE form = 'patch'")).toBeGreaterThan(100)
    await stage().verify()
  })

  it("gives it where the versions before an instant are too many for one query, and of a view that rests behind them", async () => {
    const [many, next] = ["/api/one", "/api/two"]
    const steps = Array.from({ length: 1_100 }, (_, index) => ({ text: `${index}`, afterMs: 20, processor: "latest" }))
    const { records, moments, nowMs } = historyOf([
      { key: next, text: "0", afterMs: 0, processor: "latest" },
      { key: freshnessKey(next), text: "1", afterMs: 0, processor: "latest" },
      ...steps.map((one) => ({ ...one, key: many })),
    ])
    await archived(records)
    const views = past()
    const bodyAt = async (view: string, ms: number) => `${(await recordsAt(views, view, ms))?.body}`
    for (const back of [0, 20, 20_000, 0]) {
      const ms = nowMs - back
      const values = moments.findLast((moment) => moment.ms <= ms)?.values
      expect(await bodyAt(many, ms)).toBe(values?.get(many))
      expect(await bodyAt(next, ms)).toBe("0")
    }
  })

  it("is settled below the time that every fold has settled last", async () => {
    expect(await stage().run(past().settledMs)).toBeNull()
    const marks = [settle("latest", 0, BEGIN_MS), settle("latest", 1, BEGIN_MS + 60_000)]
    await archived(marks.flatMap((one) => one ?? []))
    expect(await stage().run(past().settledMs)).toBeNull()
    await archived([settle("correlations", 2, BEGIN_MS + 20_000)].flatMap((one) => one ?? []))
    expect(await stage().run(past().settledMs)).toBe(BEGIN_MS + 19_999)
  })

  it("has what an operator has taken out, after a rebuild too", async () => {
    expect(await stage().run(past().purges)).toEqual([])
    const [from, to] = [instant(BEGIN_MS), instant(BEGIN_MS + 5_000)]
    const event = makeEvent(pastPurged, {
      id: "purge-1",
      source: "test",
      subject: "/api/one",
      time: instant(BEGIN_MS + 60_000),
      data: { path: "/api/one", from, to, operator: "ann", reason: "a name" },
    })
    await archived([{ topic: "versions", key: "purge", value: encodeEvent(event) }])
    const purge = { path: "/api/one", fromMs: BEGIN_MS, toMs: BEGIN_MS + 5_000 }
    expect(await stage().run(past().purges)).toEqual([purge])
    await stage().verify()
    const only = ["view_versions"]
    await stage().run(Effect.scoped(rebuildTables({ log: stage().log, history: stage().history, tables, only })))
    expect(await stage().run(past().purges)).toEqual([purge])
    expect(await stage().count("SELECT count() AS count FROM view_versions WHERE value LIKE '%a name%'")).toBe(0)
  })

  it("says that a version is damaged where a row before it is missing", async () => {
    const long = (word: string) => JSON.stringify({ word, filler: "x".repeat(3_000) })
    // The patch behind the missing row reaches beyond the value that it is applied to, or gives another one without that.
    for (const [view, words] of [
      ["/api/one", ["a", "longer", "c"]],
      ["/api/two", ["longer", "a", "c"]],
    ] as const) {
      const steps = words.map((word) => ({ key: view, text: long(word), afterMs: 1_000, processor: "latest" }))
      const { records, nowMs } = historyOf(steps)
      await archived(records.filter((_, index) => index !== 1))
      expect(await stage().run(Effect.flip(past().knownAt(view, nowMs)))).toMatchObject({
        _tag: "VersionDamaged",
        view,
      })
      const together = await stage().run(past().recordsTogether([view, "/api/none"], nowMs))
      expect([...together]).toEqual([[view, expect.objectContaining({ _tag: "VersionDamaged" })]])
      expect((await recordsAt(past(), view, nowMs - 1))?.body).toEqual(Buffer.from(long(words[0])))
    }
  })
}
