import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { insertsOf, readSlice, targetsOf } from "../../../processors/history/targets.ts"
import { tables } from "../../../processors/registry.ts"
import type { History } from "../../../schemas/ports/history.ts"
import { eventReader } from "../../../schemas/registry.ts"
import { startEmbedded } from "./embedded.ts"
import type { Engine } from "./harness.ts"
import { answersOf, BEGIN_MS, derivedRecords, END_MS, FRESH_MS, knownAt, MONTH_MS, polled } from "./held-log.ts"

const HOUR_MS = 3_600_000
/** Half hours, two minutes past: until an hour after the last poll. */
const INSTANTS_MS = Array.from(
  { length: (2 * (END_MS + HOUR_MS - BEGIN_MS)) / HOUR_MS },
  (_, step) => BEGIN_MS + (step * HOUR_MS) / 2 + 120_000,
)

/** The views that are asked: how a thing and its value are spelled there. */
const VIEWS = [
  { view: "fear_greed_held", feed: "fear-greed", thing: "'index'", value: "value" },
  {
    view: "funding_rates_held",
    feed: "funding-rates",
    thing: "concat(venue, ' ', symbol)",
    value: "annualized_percent",
  },
  { view: "weather_observations_held", feed: "weather", thing: "toString(asked_latitude)", value: "temperature_c" },
] as const

const Known = Schema.Struct({
  at: Schema.String,
  thing: Schema.String,
  value: Schema.Number,
  observed: Schema.NullOr(Schema.Boolean),
})
type Known = typeof Known.Type

const iso = (ms: number): string => new Date(ms).toISOString()
const literal = (ms: number): string => `toDateTime64('${iso(ms).slice(0, -1).replace("T", " ")}', 3, 'UTC')`
const asSet = (rows: ReadonlyArray<Known>): ReadonlyArray<string> =>
  rows.map(({ at, thing, value, observed }) => `${at} ${thing} ${value} ${observed}`).sort()

describe("when values were observed to hold", () => {
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Scope.provide(effect.pipe(Effect.provideService(References.MinimumLogLevel, "None")), scope))
  let engine: Engine
  let history: History
  beforeAll(async () => {
    engine = await startEmbedded()
    history = await run(openClickHouse(engine.options))
    await run(history.prepare)
    const stored = (await derivedRecords()).map(({ key, value }, offset) => ({ offset, key, value }))
    const { entries, stop } = await run(readSlice(eventReader, stored))
    expect(stop).toBeNull()
    const names = ["feed_probes", ...VIEWS.map(({ view }) => view.replace(/_held$/, ""))]
    for (const target of targetsOf(tables.filter(({ name }) => names.includes(name))))
      if (target.topic === "deltas")
        for (const one of insertsOf(target.name, entries.flatMap(target.rows)))
          await run(history.insert({ table: target.table, ...one }))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await engine.stop()
  })

  /** What a view says of these instants. */
  const asked = ({ view, thing, value }: (typeof VIEWS)[number], instantsMs: ReadonlyArray<number>) =>
    run(
      history.query(
        `SELECT at, ${thing} AS thing, ${value} AS value, at <= held_until AS observed
         FROM (SELECT arrayJoin([${instantsMs.map(literal).join(", ")}]) AS at) AS instants
         JOIN ${view} ON held_from <= at
         WHERE ifNull(next_at > at, true)`,
        Schema.Struct({ ...Known.fields, observed: Schema.NullOr(Schema.Union([Schema.Boolean, Schema.Number])) }),
      ),
    ).then((rows) => rows.map((row) => ({ ...row, observed: row.observed === null ? null : Boolean(row.observed) })))

  /** What the polls say of these instants. Whether the value was observed is null for places that are fetched on request only. */
  const byHand = (feed: string, instantsMs: ReadonlyArray<number>): ReadonlyArray<Known> =>
    polled
      .filter((one) => one.feed === feed)
      .flatMap((one) =>
        instantsMs.flatMap((ms) => {
          const known = knownAt(one, ms)
          return Object.entries(known?.values ?? {}).map(([thing, value]) => ({
            at: iso(ms),
            thing,
            value,
            observed: one.onRequestMs === null ? (known?.isObserved ?? null) : null,
          }))
        }),
      )

  it.for(VIEWS)("$view says at every instant what was known, and whether it was observed", async (one) => {
    const expected = byHand(one.feed, INSTANTS_MS)
    // All that can be said is said of some instant.
    expect(new Set(expected.map(({ observed }) => observed)).size).toBeGreaterThan(1)
    expect(asSet(await asked(one, INSTANTS_MS))).toEqual(asSet(expected))
  })

  it("says for how long a value was observed, to five minutes at each gap", async () => {
    const [index] = polled
    const answers = index === undefined ? [] : answersOf(index)
    const pairs = answers.flatMap((answer, at) => {
      const next = answers[at + 1]
      return next === undefined ? [] : [{ from: answer.atMs, until: next.atMs, value: answer.values.index }]
    })
    for (const value of [61, 56]) {
      const own = pairs.filter((pair) => pair.value === value)
      const byPolls = own
        .filter(({ from, until }) => until - from <= FRESH_MS)
        .reduce((sum, { from, until }) => sum + until - from, 0)
      const [row] = await run(
        history.query(
          `SELECT sum(dateDiff('millisecond', held_from, held_until)) AS ms, count() AS spans,
                  uniqExact(event_id) AS rows FROM fear_greed_held WHERE value = ${value}`,
          Schema.Struct({ ms: Schema.Number, spans: Schema.Number, rows: Schema.Number }),
        ),
      )
      expect(row).toMatchObject({ spans: 2, rows: 1 })
      expect(byPolls - (row?.ms ?? 0)).toBeGreaterThanOrEqual(0)
      expect(byPolls - (row?.ms ?? 0)).toBeLessThanOrEqual(2 * 300_000)
    }
  })

  it("has no row of a day that was corrected, nor of days before the newest", async () => {
    const days = await run(history.query("SELECT DISTINCT day FROM fear_greed_held ORDER BY day", Schema.Unknown))
    expect(days).toEqual([{ day: "2026-09-30" }, { day: "2026-10-01" }])
    const all = await run(history.query("SELECT count() AS rows FROM fear_greed", Schema.Unknown))
    expect(all).toEqual([{ rows: 5 }])
  })

  it("says NULL of what was before the verdicts that are kept, and nothing of rows that are not", async () => {
    await run(history.execute("ALTER TABLE feed_probes DROP PARTITION '202609'"))
    for (const one of VIEWS) {
      const expected = byHand(one.feed, INSTANTS_MS).map((row) => {
        const instance = polled.find((other) => other.feed === one.feed && row.thing in other.values(BEGIN_MS))
        const last = instance === undefined ? null : knownAt(instance, Date.parse(row.at))
        return last !== null && last.atMs < MONTH_MS ? { ...row, observed: null } : row
      })
      expect(asSet(await asked(one, INSTANTS_MS))).toEqual(asSet(expected))
    }
    await run(history.execute("ALTER TABLE funding_rates DROP PARTITION '202609'"))
    const left = await asked(VIEWS[1], INSTANTS_MS)
    const changedInMonth = ["binance BTC", "okx ETH"]
    expect([...new Set(left.map(({ thing }) => thing))].sort()).toEqual(changedInMonth)
  })
})
