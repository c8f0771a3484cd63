import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readyQueries } from "../../../infra/roles/provenance.ts"
import { tables } from "../../../processors/registry.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import { instanceKey, type Parameters } from "../../../schemas/feed.ts"
import { openWorldHistory, type ResultRow, type WorldHistory } from "../../support/world-history.ts"
import { startEmbedded } from "./embedded.ts"
import type { Engine } from "./harness.ts"
import { questions } from "./now-questions.ts"
import { figuresOf, STALE_FEED, tenAnswers } from "./ten-questions.ts"

const BEGIN_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000
/** Between these instants of the world things appear, are revised, and go. */
const INSTANTS_MS = [0, 0.3, 2, 9, 31].map((hours) => BEGIN_MS + hours * HOUR_MS)
const END_MS = INSTANTS_MS.at(-1) ?? BEGIN_MS
/** Before the end bitcoin is polled so often, and so many times. */
const PRICE_EVERY_MS = HOUR_MS / 6
const PRICES = 20

const itemTypes: ReadonlyArray<string> = [itemAppeared.type, itemChanged.type, itemGone.type]

/** Whether a row says what was, and never what holds now: a day of bitcoin. */
const isPast = ({ period }: ResultRow): boolean => period === "day"

/** Rows of any order, as texts. */
const asSet = (rows: ReadonlyArray<ResultRow>): ReadonlyArray<string> =>
  rows.map((row) => JSON.stringify(Object.values(row))).sort()

describe("what holds now, in the simulated world", () => {
  const scope = Scope.makeUnsafe()
  let engine: Engine
  let world: WorldHistory
  beforeAll(async () => {
    engine = await startEmbedded()
    world = await openWorldHistory(engine.options, "now", (effect) => Effect.runPromise(Scope.provide(effect, scope)))
    for (const atMs of INSTANTS_MS) {
      if (atMs === END_MS)
        for (let before = PRICES; before > 0; before -= 1)
          await world.pollAt(atMs - before * PRICE_EVERY_MS, (feed) => feed === "btc-price")
      await world.pollAt(atMs, (feed) => atMs !== END_MS || feed !== STALE_FEED)
    }
  })

  /** The answer to a question that is asked now, at the instant of the world. */
  const answerOf = (sql: string) => {
    const now = `toDateTime64('${new Date(world.nowMs()).toISOString().slice(0, -1).replace("T", " ")}', 3, 'UTC')`
    return world.query(sql.replaceAll(/\bNOW\b|\bnow\(\)/g, now))
  }

  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await engine.stop()
  })

  it.for(questions)("$view answers as $reply", async ({ sql, reply, rows, isWindow }) => {
    const answer = await answerOf(sql)
    const expected = asSet(rows(world.reply(reply).data as never))
    if (isWindow === true) expect(expected.length).toBeGreaterThan(0)
    expect(asSet(answer)).toEqual(isWindow === true ? expect.arrayContaining([...expected]) : expected)
  })

  it.for(tenAnswers)("one of ten questions: $title", async ({ title, columns, expected }) => {
    const { sql = "" } = readyQueries().find((one) => one.title.startsWith(title)) ?? {}
    expect(sql.split("\n").length).toBeLessThanOrEqual(5)
    const found = expected(world)
    expect(found.length).toBeGreaterThan(0)
    const figures = figuresOf(await answerOf(sql), columns)
    // Of the stalest feeds one was left out of the polls; the others have one age.
    expect(title.startsWith("The stalest") ? figures.slice(0, 1) : figures).toEqual(found)
  })

  const ofSeries = tables.filter(({ held }) => held !== null)

  it.for(ofSeries)(
    "$name has, of every row of its series, from when until when it was observed to hold",
    async ({ name }) => {
      const latest = await world.query(
        `SELECT event_id FROM ${name}_held WHERE next_at IS NULL AND event_id NOT IN (SELECT event_id FROM ${name}_now)`,
      )
      expect(latest).toEqual([])
      const unsure = `held_until IS NULL OR held_until < held_from OR next_at < held_until`
      const [row] = await world.query(
        `SELECT countIf(next_at IS NULL) > 0 AS ends, countIf(${unsure}) AS unsure
       FROM ${name}_held`,
      )
      expect(row).toMatchObject({ ends: 1, unsure: 0 })
    },
  )

  const ofItems = tables.filter(({ types, now }) => now !== null && types.some(({ type }) => itemTypes.includes(type)))

  it.for(ofItems)("$name has one row now for each item of its feeds that stands", async (table) => {
    // The latest change of each item, by the identity that its feed declares, and the rows that it makes.
    const latest = new Map<string, { readonly id: string; readonly rows: number }>()
    for (const event of world.events()) {
      const made = (itemTypes.includes(event.type) ? table.rows(event) : []).filter((row) => !isPast(row))
      if (made.length === 0) continue
      const data = event.data as { readonly feed: string; readonly parameters: Parameters; readonly key: string }
      const { feed, parameters, key } = data
      latest.set(JSON.stringify([instanceKey(feed, parameters), key]), {
        id: event.id,
        rows: event.type === itemGone.type ? 0 : made.length,
      })
    }
    const answer = await world.query(`SELECT event_id FROM ${table.name}_now`)
    const expected = [...latest.values()].flatMap(({ id, rows }) => Array.from({ length: rows }, () => id))
    expect(answer.map(({ event_id }) => String(event_id)).sort()).toEqual(expected.sort())
  })
})
