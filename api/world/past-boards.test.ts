import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { isView } from "../../schemas/contract/endpoint-kinds.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { World, worldEndpoint } from "../../schemas/endpoints/world.ts"
import { instant } from "../../schemas/event.ts"
import { endpoints } from "../../schemas/registry.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { scriptedPast } from "../testing/scripted-past.ts"
import { shownOf } from "./layout.ts"

const MINUTE_MS = 60_000
const FIRST_MS = START_MS - 60 * MINUTE_MS
const SETTLED_MS = START_MS - 2 * MINUTE_MS
const THEN_MS = START_MS - 30 * MINUTE_MS
const then = instant(THEN_MS)
const shown = shownOf(endpoints)
const kept = shown.filter(({ endpoint }) => hasPast(endpoint))

/** A service whose views were those of the contract's examples an hour ago, and have nothing now. */
const scene = async (options: Partial<ApiOptions> = {}) => {
  const past = scriptedPast()
  past.settle(SETTLED_MS)
  const api = await apiUnderTest({ endpoints, past: past.source, ...options })
  for (const { endpoint, key } of kept) past.version(key, FIRST_MS, endpoint.example, { freshForMs: 40 * MINUTE_MS })
  const ask = (at: string, headers: Record<string, string> = {}) =>
    api.app.inject({ url: `${worldEndpoint.path}?at=${encodeURIComponent(at)}`, headers })
  const worldAt = async (at: string): Promise<World> => {
    const { statusCode, body } = await ask(at)
    expect([statusCode, statusCode === 200 ? "" : body]).toEqual([200, ""])
    return Schema.decodeUnknownSync(World)(JSON.parse(body))
  }
  return { ...api, past, ask, worldAt }
}

const tileOf = ({ tiles }: World, name: string) => tiles.find((one) => one.name === name)

describe("the board of an earlier instant", () => {
  it("holds what was known then, each tile judged then", async () => {
    const { past, worldAt } = await scene()
    past.version("/api/earthquake", THEN_MS + 1, {})
    const world = await worldAt(then)
    expect([world.generated_at, world.at]).toEqual([then, { requested: then, known_at: then, cursor: null }])
    expect(tileOf(world, "earthquake")).toMatchObject({
      value: "M 4.6",
      as_of: instant(FIRST_MS),
      status: "live",
      stale: false,
      reason: null,
    })
    expect(
      world.tiles
        .filter(({ value }) => value === null)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(
      shown
        .filter((one) => !kept.includes(one))
        .map(({ endpoint }) => endpoint.name)
        .sort(),
    )
    // The promise of then has ended twenty minutes ago, which nothing of then knew.
    const later = await worldAt(instant(SETTLED_MS))
    expect(tileOf(later, "fear_greed")).toMatchObject({
      status: "stale",
      stale_after: instant(FIRST_MS + 40 * MINUTE_MS),
    })
    const present = Schema.decodeUnknownSync(World)(
      JSON.parse((await (await scene()).app.inject({ url: worldEndpoint.path })).body),
    )
    expect([present.at, tileOf(present, "earthquake")?.status]).toEqual([undefined, "warming"])
  })

  it("says of a tile why what was known cannot be shown, and never shows the present", async () => {
    const { past, worldAt } = await scene()
    past.version("/api/fear-greed", FIRST_MS + 1, { value: 69, label: "Greed" }, { source: "Provider.gone" })
    past.withdraw("Provider.gone")
    const lateFirst = scriptedPast()
    lateFirst.settle(SETTLED_MS)
    const late = await apiUnderTest({ endpoints, past: lateFirst.source })
    late.fill("/api/forex", shown.find(({ key }) => key === "/api/forex")?.endpoint.example)
    lateFirst.version("/api/forex", THEN_MS + 1, {})
    lateFirst.version("/api/earthquake", FIRST_MS, kept.find(({ key }) => key === "/api/earthquake")?.endpoint.example)
    const world = JSON.parse((await late.app.inject({ url: `${worldEndpoint.path}?at=${then}` })).body) as World
    expect(tileOf(world, "forex")).toMatchObject({
      value: null,
      as_of: null,
      status: "unknown",
      reason: `before_history: its past begins at ${instant(THEN_MS + 1)}`,
    })
    expect(tileOf(world, "earthquake")).toMatchObject({ status: "stale", value: "M 4.6" })
    expect(tileOf(await worldAt(then), "fear_greed")).toMatchObject({
      value: null,
      status: "unknown",
      reason: "withdrawn: it may no longer be shown",
    })
    for (const { known } of world.marks) expect(known).toBe(false)
  })

  it("refuses the instants that the interface of programs refuses, in the same words", async () => {
    const { ask, app } = await scene()
    for (const [at, status, error] of [
      ["2026-08-17T20:00", 400, "invalid_at"],
      ["2026-08-17", 400, "invalid_at"],
      [instant(START_MS + 1), 400, "future_instant"],
      [instant(SETTLED_MS + 1), 400, "not_settled"],
      [instant(FIRST_MS - 1), 404, "before_history"],
    ] as const) {
      const own = await ask(at)
      const { message: _, ...problem } = own.json()
      const other = await app.inject({ url: `/api/forex?at=${encodeURIComponent(at)}` })
      const { message: __, ...expected } = other.json()
      expect([own.statusCode, problem.error, problem]).toEqual([status, error, expected])
    }
    expect((await ask(then, { "last-event-id": "1" })).json().error).toBe("conflicting_places")
    const without = await apiUnderTest({ endpoints })
    expect((await without.app.inject({ url: `${worldEndpoint.path}?at=${then}` })).json().error).toBe("not_configured")
  })

  it("is made once for an instant, whatever spells it, and reads its views together", async () => {
    const { ask, past, app } = await scene()
    const [first, other] = await Promise.all([ask(then), ask(then.replace("Z", "+00:00"))])
    expect(other.body).toBe(first.body)
    expect(past.reads()).toBe(1)
    const again = await ask(then, { "if-none-match": String(first.headers.etag) })
    expect([again.statusCode, past.reads()]).toEqual([304, 1])
    expect(first.headers).toMatchObject({
      "cache-control": "public, max-age=86400",
      "memento-datetime": new Date(THEN_MS).toUTCString(),
      link: `<${worldEndpoint.path}>; rel="original"`,
    })
    // `now` names another instant each time.
    const now = await app.inject({ url: `${worldEndpoint.path}?at=now` })
    expect([now.json().at.known_at, now.headers["cache-control"]]).toEqual([instant(SETTLED_MS), "no-cache"])
  })

  it("counts as eight past replies of its client, and a refused one as none", async () => {
    const { ask, app } = await scene({ limits: { pastRepliesPerMinute: 9 } })
    expect((await ask(then)).statusCode).toBe(200)
    const refused = await ask(instant(THEN_MS + 1))
    expect([refused.statusCode, refused.json().error]).toEqual([429, "rate_limited"])
    expect((await ask(then)).statusCode).toBe(200)
    expect((await app.inject({ url: `/api/forex?at=${then}` })).statusCode).toBe(200)
    expect((await app.inject({ url: `/api/fear-greed?at=${then}` })).statusCode).toBe(429)
  })

  it("is refused while the history is away; a damaged version is one tile, and such a board is kept nowhere", async () => {
    const { ask, past, worldAt, errors } = await scene()
    past.fail("unavailable")
    const away = await ask(then)
    expect([away.statusCode, away.json().error, away.headers["retry-after"]]).toEqual([503, "past_unavailable", "2"])
    past.fail("not")
    past.record("/api/forex", FIRST_MS + 1, "{")
    const damaged = await ask(then)
    expect(damaged.headers["cache-control"]).toBe("no-store")
    expect(tileOf(damaged.json(), "forex")).toMatchObject({
      status: "unknown",
      reason: "past_unavailable: its past cannot be read at the moment",
    })
    expect(tileOf(damaged.json(), "earthquake")?.status).toBe("live")
    expect(errors).toContainEqual({ cause: expect.stringContaining("/api/forex") })
    const reads = past.reads()
    await worldAt(then)
    expect(past.reads()).toBe(reads + 1)
  })

  it("is of every view that has a tile", () => {
    expect(shown.map(({ endpoint }) => endpoint.name).sort()).toEqual(
      endpoints
        .filter(isView)
        .flatMap(({ glance, name }) => (glance === null ? [] : [name]))
        .sort(),
    )
    expect(kept.length).toBeGreaterThan(20)
  })
})
