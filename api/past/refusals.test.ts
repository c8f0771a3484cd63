import { describe, expect, it, vi } from "vitest"
import { isPremium, isView } from "../../schemas/contract/endpoint-kinds.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { stocksEndpoint } from "../../schemas/endpoints/stocks.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { endpoints as whole } from "../../schemas/registry.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, contract, START_MS } from "../testing/api-under-test.ts"
import { undocumentedBy } from "../testing/documented.ts"
import { SCRIPTED_LOG, scriptedPast } from "../testing/scripted-past.ts"

const MINUTE_MS = 60_000
const FIRST_MS = START_MS - 60 * MINUTE_MS
const SETTLED_MS = START_MS - 2 * MINUTE_MS
const then = instant(START_MS - 30 * MINUTE_MS)
const watermark = instant(SETTLED_MS)

const scene = async (options: Partial<ApiOptions> = {}) => {
  const past = scriptedPast()
  past.settle(SETTLED_MS)
  const api = await apiUnderTest({ past: past.source, ...options })
  const undocumented = undocumentedBy(options.endpoints ?? contract)
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const reply = await api.app.inject({ url, headers })
    expect(undocumented("GET", url, reply) ?? [], url).toEqual([])
    return reply
  }
  past.version("/api/things", FIRST_MS, { items: ["then"] })
  api.fill("/api/things", { items: ["now"] })
  return { ...api, past, get }
}

const refusalOf = ({ statusCode, ...reply }: { readonly statusCode: number; json(): { readonly error: string } }) => {
  const { error } = reply.json()
  return [statusCode, error]
}

describe("an instant that is none", () => {
  it.each([
    ["without a zone", "2026-08-17T20:00:00"],
    ["empty", ""],
    ["a word", "yesterday"],
    ["a number", "1787000000"],
    ["a month", "2026-08"],
    ["a day that is not in its month", "2026-02-30T00:00:00Z"],
    ["an hour that is not in its day", "2026-08-17T25:00:00Z"],
    ["with a blank", "2026-08-17 20:00:00Z"],
    ["a cursor cut short", "k7f2qdxa.00000000104"],
    ["a long text", "2".repeat(600)],
    ["with a NUL", `${then}\0`],
  ])("is refused: %s", async (_, text) => {
    const { get, past } = await scene()
    const reply = await get(`/api/things?at=${encodeURIComponent(text)}`)
    expect(reply.json()).toMatchObject({ status: 400, error: "invalid_at", parameter: "at" })
    expect(reply.json()).not.toHaveProperty("allowed")
    expect(reply.headers["cache-control"]).toBe("no-store")
    expect(past.reads()).toBe(0)
  })

  it("is refused with the two instants that a day could mean", async () => {
    const { get } = await scene()
    expect((await get("/api/things?at=2026-08-16")).json()).toMatchObject({
      status: 400,
      error: "invalid_at",
      parameter: "at",
      allowed: ["2026-08-16T00:00:00.000Z", "2026-08-17T00:00:00.000Z"],
    })
  })

  it("is refused twice, also where both are the same, and beside Last-Event-ID, also where it is kept", async () => {
    const { get } = await scene()
    expect((await get(`/api/things?at=${then}`)).statusCode).toBe(200)
    expect(refusalOf(await get(`/api/things?at=${then}&at=${then}`))).toEqual([400, "invalid_at"])
    expect(refusalOf(await get(`/api/things?at=${then}`, { "last-event-id": "1" }))).toEqual([
      400,
      "conflicting_places",
    ])
    expect((await get("/api/things", { "last-event-id": "1" })).statusCode).toBe(200)
  })

  it("comes after the other parameters", async () => {
    const { get } = await scene()
    expect((await get("/api/climate/choices?size=huge&at=x")).json()).toMatchObject({ parameter: "size" })
    expect((await get("/api/climate/warnings?format=xml&at=x")).json()).toMatchObject({ parameter: "format" })
  })
})

describe("an instant that is not settled", () => {
  it("is refused in the future, and above the watermark with it", async () => {
    const { get, past } = await scene()
    expect(refusalOf(await get(`/api/things?at=${instant(START_MS + 1)}`))).toEqual([400, "future_instant"])
    for (const ms of [START_MS, SETTLED_MS + 1])
      expect((await get(`/api/things?at=${instant(ms)}`)).json()).toMatchObject({
        status: 400,
        error: "not_settled",
        parameter: "at",
        watermark,
      })
    expect((await get(`/api/things?at=${watermark}`)).statusCode).toBe(200)
    const cursor = past.change(9, SETTLED_MS + 1)
    expect((await get(`/api/things?at=${cursor}`)).json()).toMatchObject({ error: "not_settled", watermark })
  })

  it("is any, while a fold has said nothing", async () => {
    const { get, past } = await scene()
    past.settle(null)
    for (const at of [then, "now"])
      expect((await get(`/api/things?at=${at}`)).json()).toMatchObject({ error: "not_settled", watermark: null })
  })

  it("is refused as a cursor of another log, or ahead of this one", async () => {
    const { get, past } = await scene()
    expect(refusalOf(await get(`/api/things?at=${SCRIPTED_LOG}.000000000001`))).toEqual([400, "future_cursor"])
    past.change(7, FIRST_MS)
    expect(refusalOf(await get("/api/things?at=aaaaaaaa.000000000007"))).toEqual([400, "other_log"])
    expect(refusalOf(await get(`/api/things?at=${SCRIPTED_LOG}.000000000008`))).toEqual([400, "future_cursor"])
    expect((await get(`/api/things?at=${SCRIPTED_LOG}.000000000007`)).statusCode).toBe(200)
  })
})

describe("a reply without a past", () => {
  it("is refused before its first version, with when that was", async () => {
    const { get } = await scene()
    expect((await get(`/api/things?at=${instant(FIRST_MS - 1)}`)).json()).toMatchObject({
      status: 404,
      error: "before_history",
      parameter: "at",
      first: instant(FIRST_MS),
    })
    expect((await get(`/api/digest?at=${then}`)).json()).toMatchObject({ error: "before_history", first: null })
  })

  it("is refused as a cursor of before the first change that is held, with when the reply's past begins", async () => {
    const { get, past } = await scene()
    past.change(7, FIRST_MS)
    for (const ordinal of ["000000000006", "000000000001"])
      expect((await get(`/api/things?at=${SCRIPTED_LOG}.${ordinal}`)).json()).toMatchObject({
        status: 404,
        error: "before_history",
        parameter: "at",
        first: instant(FIRST_MS),
      })
    expect((await get(`/api/digest?at=${SCRIPTED_LOG}.000000000006`)).json()).toMatchObject({ first: null })
    expect((await get(`/api/things?at=${SCRIPTED_LOG}.000000000007`)).statusCode).toBe(200)
  })

  it("is refused, and never the present: what is fetched on request, counts callers, or asks the history", async () => {
    const { app } = await apiUnderTest({ endpoints: whole, past: scriptedPast().source })
    const without = whole.filter((one): boolean => isView(one) && !isPremium(one) && !hasPast(one))
    expect(without.map(({ path }) => path)).toContain("/api/ai-stats")
    expect(without.map(({ path }) => path)).toContain("/api/weather")
    for (const { path, parameters } of without) {
      const required = Object.entries(parameters).map(([name, { example }]) => [name, example] as const)
      const url = instanceKey(path, { ...Object.fromEntries(required), at: then })
      expect(refusalOf(await app.inject({ url })), url).toEqual([404, "no_history"])
    }
  })

  it("of an endpoint on demand is refused for what does not stand ready", async () => {
    const past = scriptedPast()
    past.settle(SETTLED_MS)
    const { app } = await apiUnderTest({ endpoints: whole, past: past.source })
    past.version(stocksEndpoint.path, FIRST_MS, stocksEndpoint.example)
    const reply = await app.inject({ url: `${stocksEndpoint.path}?at=${then}` })
    expect(reply.json()).toMatchObject({ data: stocksEndpoint.example, _meta: { at: { known_at: then } } })
    const other = instanceKey(stocksEndpoint.path, { symbols: "ZZZZ", at: then })
    expect(refusalOf(await app.inject({ url: other }))).toEqual([404, "no_history"])
  })

  it("is refused where the installation keeps none", async () => {
    const { get } = await scene({ past: null })
    expect(refusalOf(await get(`/api/things?at=${then}`))).toEqual([404, "not_configured"])
    expect((await get("/api/things")).statusCode).toBe(200)
  })

  it("is refused where one of its sources may no longer be shown", async () => {
    const { get, past } = await scene()
    past.version("/api/things", FIRST_MS + 1, { items: ["elsewhere"] }, { source: "Provider.gone" })
    past.withdraw("Provider.gone")
    expect(refusalOf(await get(`/api/things?at=${then}`))).toEqual([404, "withdrawn"])
    expect((await get(`/api/things?at=${instant(FIRST_MS)}`)).statusCode).toBe(200)
  })
})

describe("what an operator has taken out", () => {
  it("is refused between its instants, also where it is kept in memory, and no other reply is", async () => {
    const { get, past, moveTo } = await scene()
    past.version("/api/climate/warnings", FIRST_MS, { land: [], sea: [] })
    const [from, to] = [START_MS - 40 * MINUTE_MS, START_MS - 20 * MINUTE_MS]
    const ask = async (ms: number, path = "/api/things") => (await get(`${path}?at=${instant(ms)}`)).statusCode
    expect(await ask(from)).toBe(200)
    past.purge("/api/things", from, to)
    // It is known after some seconds, to the request behind the first one.
    moveTo(START_MS + 11_000)
    await ask(from)
    await vi.waitFor(async () => expect(await ask(from)).toBe(404))
    expect(refusalOf(await get(`/api/things?at=${instant(from)}`))).toEqual([404, "withdrawn"])
    expect(await Promise.all([from - 1, from, to - 1, to].map((ms) => ask(ms)))).toEqual([200, 404, 404, 200])
    expect(await ask(from, "/api/climate/warnings")).toBe(200)
  })

  it("is refused at once where this process knows of it, also what is kept in memory", async () => {
    let known = 0
    const { get, past } = await scene()
    Object.assign(past.source, { purgesOfFeeds: () => known })
    expect((await get(`/api/things?at=${then}`)).statusCode).toBe(200)
    past.purge("/api/things", Date.parse(then), Date.parse(then) + 1)
    expect((await get(`/api/things?at=${then}`)).statusCode).toBe(200)
    known = 1
    expect(refusalOf(await get(`/api/things?at=${then}`))).toEqual([404, "withdrawn"])
  })

  it("is refused where the history does not hold it any more, too", async () => {
    const { get, past } = await scene()
    past.purge("/api/things", Date.parse(then) - 1, Date.parse(then) + 1)
    past.fail("damaged")
    expect(refusalOf(await get(`/api/things?at=${then}`))).toEqual([404, "withdrawn"])
  })
})

describe("a history that cannot be read", () => {
  it.each(["unavailable", "damaged", "never"] as const)("is a 503 with Retry-After, and is logged: %s", async (how) => {
    const { get, past, errors } = await scene({ limits: { pastReadMs: 20 } })
    past.fail(how)
    const reply = await get(`/api/things?at=${then}`)
    expect(reply.json()).toMatchObject({ status: 503, error: "past_unavailable", retry_after_seconds: 2 })
    expect(reply.headers).toMatchObject({ "retry-after": "2", "cache-control": "no-store" })
    expect(errors).toEqual([{ cause: expect.any(String) }])
    past.fail("not")
    expect((await get(`/api/things?at=${then}`)).statusCode).toBe(200)
  })

  it("is also one that holds what this release cannot read", async () => {
    const { get, past } = await scene()
    past.record("/api/things", FIRST_MS + 1, '{"v":99}')
    expect(refusalOf(await get(`/api/things?at=${then}`))).toEqual([503, "past_unavailable"])
  })

  it("is no excuse for a fault of our own, which is a 500 as ever", async () => {
    const { get, past, errors } = await scene()
    past.version("/api/climate/warnings", FIRST_MS, { land: [], sea: [] })
    const reply = await get(`/api/climate/warnings?at=${then}&event=broken`)
    expect(refusalOf(reply)).toEqual([500, "internal_error"])
    expect(reply.body).not.toContain("secret")
    expect(errors).toHaveLength(1)
  })

  it("keeps what was read", async () => {
    const { get, past } = await scene()
    await get(`/api/things?at=${then}`)
    past.fail("unavailable")
    expect((await get(`/api/things?at=${then}`)).statusCode).toBe(200)
  })

  it("takes no more reads than it can, and refuses those beyond", async () => {
    const { get, past } = await scene({ limits: { pastReadMs: 200, pastRepliesPerMinute: 10_000 } })
    past.fail("never")
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => get(`/api/things?at=${instant(FIRST_MS + index)}`)),
    )
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
    expect(past.reads()).toBe(0)
  })
})

describe("the share of a client", () => {
  it("counts the replies that are not kept, and refuses those beyond it", async () => {
    const { get, moveTo } = await scene({ limits: { pastRepliesPerMinute: 4 } })
    const ask = (index: number) => get(`/api/things?at=${instant(FIRST_MS + index)}`)
    const replies = []
    for (let index = 0; index < 6; index += 1) replies.push(await ask(index))
    const served = replies.filter(({ statusCode }) => statusCode === 200)
    expect(served.length).toBeGreaterThan(0)
    expect(served.length).toBeLessThanOrEqual(4)
    const refused = replies.at(-1)
    expect(refused?.json()).toMatchObject({ status: 429, error: "rate_limited" })
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0)
    expect((await ask(0)).statusCode).toBe(200)
    moveTo(START_MS + MINUTE_MS)
    expect((await ask(5)).statusCode).toBe(200)
  })
})
