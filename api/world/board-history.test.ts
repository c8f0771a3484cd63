import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hasPast } from "../../schemas/contract/past.ts"
import { WorldHistory, worldHistoryEndpoint } from "../../schemas/endpoints/world-history.ts"
import { instant } from "../../schemas/event.ts"
import { endpoints } from "../../schemas/registry.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { scriptedPast } from "../testing/scripted-past.ts"
import { waitFor } from "../testing/wait-for.ts"
import { gridOf } from "./board-history.ts"
import { shownOf } from "./layout.ts"

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const FIRST_MS = START_MS - 60 * MINUTE_MS
const SETTLED_MS = START_MS - 2 * MINUTE_MS
const kept = shownOf(endpoints).filter(({ endpoint }) => hasPast(endpoint))

/** A service that knew 68 of fear and greed for half an hour, and 69 from then on. */
const scene = async (options: Partial<ApiOptions> = {}) => {
  const past = scriptedPast()
  past.settle(SETTLED_MS)
  for (const { endpoint, key } of kept) past.version(key, FIRST_MS, endpoint.example, { freshForMs: DAY_MS })
  past.version("/api/fear-greed", FIRST_MS + 1, { value: 68, label: "Greed" }, { freshForMs: DAY_MS })
  past.version("/api/fear-greed", START_MS - 30 * MINUTE_MS, { value: 69, label: "Greed" }, { freshForMs: DAY_MS })
  const api = await apiUnderTest({ endpoints, past: past.source, ...options })
  const ask = (range?: string, headers: Record<string, string> = {}) =>
    api.app.inject({ url: `${worldHistoryEndpoint.path}${range === undefined ? "" : `?range=${range}`}`, headers })
  const history = async (range?: string): Promise<WorldHistory> => {
    const { statusCode, body } = await ask(range)
    expect([statusCode, statusCode === 200 ? "" : body]).toEqual([200, ""])
    return Schema.decodeUnknownSync(WorldHistory)(JSON.parse(body))
  }
  /** The history once every board of it is read. */
  const complete = async (range?: string): Promise<WorldHistory> => {
    await waitFor(async () => expect((await history(range)).complete).toBe(true))
    return history(range)
  }
  return { ...api, past, ask, history, complete }
}

describe("the instants of a history", () => {
  it("are few, at equal steps of the clock, settled, and within the past and the range", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 * DAY_MS }),
        fc.integer({ min: 0, max: DAY_MS * 20_000 }),
        fc.constantFrom(DAY_MS, 7 * DAY_MS, 30 * DAY_MS),
        (lengthMs, settledMs, rangeMs) => {
          const firstMs = settledMs - lengthMs
          const { stepMs, instantsMs } = gridOf({ firstMs, settledMs }, rangeMs)
          expect(instantsMs.length).toBeLessThanOrEqual(61)
          for (const [at, ms] of instantsMs.entries()) {
            expect([Math.abs(ms % stepMs), ms >= firstMs, ms >= settledMs - rangeMs, ms <= settledMs]).toEqual([
              0,
              true,
              true,
              true,
            ])
            if (at > 0) expect(ms - (instantsMs[at - 1] ?? 0)).toBe(stepMs)
          }
          // Nothing of a step is left out at either end.
          if (lengthMs >= 2 * stepMs) expect(settledMs - (instantsMs.at(-1) ?? 0)).toBeLessThan(stepMs)
        },
      ),
    )
  })

  it("are those of minutes after some minutes, of half hours after a day, and none before there is a past", () => {
    const of = (minutes: number, rangeMs = DAY_MS) =>
      gridOf({ firstMs: START_MS - minutes * MINUTE_MS, settledMs: START_MS }, rangeMs).stepMs / MINUTE_MS
    expect([of(5), of(61), of(600), of(3_000), of(60_000, 7 * DAY_MS), of(60_000, 30 * DAY_MS)]).toEqual([
      1, 5, 15, 30, 180, 720,
    ])
    expect([of(60_000, 365 * DAY_MS), of(365 * 1_440, 365 * DAY_MS)]).toEqual([1_440, 11_520])
    expect(gridOf(null, DAY_MS).instantsMs).toEqual([])
  })
})

describe("GET /world-history.json", () => {
  it("holds what each tile with a number said at each instant", async () => {
    const { complete, app } = await scene()
    const history = await complete()
    expect(history).toMatchObject({ range: "24h", first: instant(FIRST_MS), step_seconds: 60 })
    expect(history.instants.length).toBe(59)
    const numbers = history.tiles.find(({ name }) => name === "fear_greed")
    expect(numbers?.unit).toBe("of 100")
    const expected = history.instants.map((at) => (Date.parse(at) < START_MS - 30 * MINUTE_MS ? 68 : 69))
    // The very first instant is that of the example.
    expect(numbers?.values.slice(1)).toEqual(expected.slice(1))
    const at = history.instants.at(-1) ?? ""
    const board = (await app.inject({ url: `/world.json?at=${at}` })).json()
    for (const { name, value, unit } of board.tiles) {
      const own = history.tiles.find((tile) => tile.name === name)
      expect([name, own?.values.at(-1), own?.unit ?? null]).toEqual([
        name,
        typeof value === "number" ? value : undefined,
        typeof value === "number" ? unit : null,
      ])
    }
  })

  it("reads each board once, for all ranges and all clients, and counts none of them against a client", async () => {
    const { complete, past, ask, app } = await scene({ limits: { pastRepliesPerMinute: 8 } })
    const { instants } = await complete()
    const reads = past.reads()
    expect(reads).toBe(instants.length)
    expect((await complete("30d")).instants).toEqual(instants)
    expect(past.reads()).toBe(reads)
    const { headers } = await ask()
    expect((await ask(undefined, { "if-none-match": String(headers.etag) })).statusCode).toBe(304)
    // A board of the slider is there then, and the share of the client as well.
    for (const at of instants) expect((await app.inject({ url: `/world.json?at=${at}` })).statusCode).toBe(200)
    expect(past.reads()).toBe(reads)
    expect((await app.inject({ url: `/world.json?at=${instant(FIRST_MS + 90_500)}` })).statusCode).toBe(200)
  })

  it("offers nothing while nothing is known or settled, and something as soon as it is", async () => {
    const { history, complete, past, moveTo } = await scene()
    past.settle(null)
    expect(await history()).toMatchObject({ first: null, complete: true, instants: [], tiles: [] })
    past.settle(SETTLED_MS)
    moveTo(START_MS + 1_000)
    expect((await complete()).instants.length).toBe(59)
  })

  it("says why it holds nothing: the past cannot be read, or none is kept; and refuses another range", async () => {
    const { ask, history, past, complete } = await scene()
    past.fail("unavailable")
    const nothing = { instants: [], tiles: [], complete: false }
    expect(await history()).toMatchObject({ ...nothing, reason: "past_unavailable" })
    // What is not complete is held by no cache, and has the headers of its contract alone.
    const { headers } = await ask()
    expect([headers["cache-control"], headers.etag, headers["retry-after"]]).toEqual(["no-store", undefined, undefined])
    past.fail("not")
    expect((await complete()).reason).toBe(null)
    const other = await ask("99y")
    expect([other.statusCode, other.json().error]).toEqual([400, "invalid_parameter"])
    const without = await apiUnderTest({ endpoints })
    const none = await without.app.inject({ url: worldHistoryEndpoint.path })
    expect(none.json()).toMatchObject({ ...nothing, reason: "not_configured" })
  })

  it("holds no number of what an operator has taken out, although it held it before", async () => {
    const { complete, past, moveTo } = await scene()
    const valuesOf = ({ tiles }: WorldHistory) => tiles.find(({ name }) => name === "fear_greed")?.values ?? []
    expect(valuesOf(await complete())).toContain(68)
    past.purge("/api/fear-greed", FIRST_MS, START_MS - 30 * MINUTE_MS)
    moveTo(START_MS + 11_000)
    await waitFor(async () => expect(valuesOf(await complete())).not.toContain(68))
    expect(valuesOf(await complete())).toContain(69)
  })
})
