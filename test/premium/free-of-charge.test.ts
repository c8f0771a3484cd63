import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { type Command, tokenHashOf } from "../../ledger/client.ts"
import { FREE_ENDS_PER_DAY, PremiumFailure } from "../../schemas/contract/refusal.ts"
import { HistoryRefused, HistoryUnavailable } from "../../schemas/ports/history.ts"
import { anyToken, at, away, premiumScene } from "./scene.ts"

const DAY_MS = 24 * 60 * 60_000
const MIDNIGHT_MS = Math.ceil(START_MS / DAY_MS) * DAY_MS

describe("a call that is free of charge before any debit", () => {
  it.each([
    ["stalled_monitor", { stalled: true, list: ["old"] }, 300_000, 0],
    ["stale_sources", { stalled: false, list: ["old"] }, 1_000, 2_000],
    // What the endpoint itself declares comes first.
    ["stalled_monitor", { stalled: true, list: ["old"] }, 1_000, 2_000],
  ])("%s: is served at balance 0, and not debited", async (reason, data, freshForMs, laterMs) => {
    const { get, token, fill, moveTo, entries, receipts, store } = await premiumScene()
    const mine = await token(0)
    const before = entries().length
    fill("/api/pro/whole", data, freshForMs)
    await store.settled()
    moveTo(START_MS + laterMs)
    const { statusCode, headers, ...reply } = await get("/api/pro/whole", mine)
    expect(statusCode).toBe(200)
    const body = reply.json()
    expect(body).toMatchObject({
      list: ["old"],
      billing: { credits_charged: 0, credits_remaining: 0, no_charge_reason: reason },
    })
    expect(headers).toMatchObject({ "x-credits-charged": "0", "x-credits-remaining": "0" })
    expect(entries().length).toBe(before)
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { credits: 0, reason, entry: null },
    })
  })

  it("is charged while one source is fresh", async () => {
    const { get, token, store, moveTo } = await premiumScene()
    const source = { name: "A.a", status: "live" as const, fetched_at: at(0), latency_ms: 1 }
    const never = { ...source, name: "C.c", status: null, fetched_at: null, latency_ms: null, staleAfter: null }
    const freshness = (lateMs: number) => ({
      v: 1 as const,
      asOf: at(0),
      staleAfter: at(1_000),
      sources: [
        { ...source, staleAfter: at(1_000) },
        { ...source, name: "B.b", status: "error" as const, staleAfter: at(lateMs) },
        never,
      ],
    })
    store.update("/api/pro/whole", { freshness: freshness(60_000) })
    moveTo(START_MS + 5_000)
    const mine = await token(5)
    const charged = await get("/api/pro/whole", mine)
    expect(charged.headers).toMatchObject({ "x-credits-charged": "1", "x-service-stale": "true" })
    expect(charged.json()._meta.sources.map((one: { status: string }) => one.status)).toEqual(["stale", "error", null])
    moveTo(START_MS + 61_000)
    expect((await get("/api/pro/whole", mine)).json().billing.no_charge_reason).toBe("stale_sources")
  })

  it("replies that there is no data yet", async () => {
    const { get, token, store, receipts } = await premiumScene()
    store.update("/api/pro/picked", { body: null })
    const mine = await token(5)
    const { statusCode, headers, ...reply } = await get("/api/pro/picked", mine)
    const body = reply.json()
    expect(statusCode).toBe(200)
    expect(body).toMatchObject({
      generated_at: null,
      chosen: [],
      billing: { credits_charged: 0, credits_remaining: 5, no_charge_reason: "warming" },
      _meta: { warming: true, stale: true, sources: [{ name: "Provider.things" }] },
    })
    expect(headers).toMatchObject({ "retry-after": "5", "x-credits-charged": "0" })
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({ valid: true })
    store.update("/api/pro/picked", { freshness: null })
    expect((await get("/api/pro/picked", mine)).json()).toMatchObject({ chosen: [], _meta: { sources: [] } })
  })

  it("still needs a valid token of an account in the ledger", async () => {
    const { get, token, fill, onCommand } = await premiumScene()
    fill("/api/pro/whole", { stalled: true, list: [] })
    expect((await get("/api/pro/whole", anyToken())).json().error).toBe("invalid_token")
    const mine = await token(1)
    onCommand(() => away)
    expect((await get("/api/pro/whole", mine)).json().error).toBe("billing_unavailable")
  })
})

describe("what a call that is free of charge before any debit asks of the ledger", () => {
  it("is the account without its purchases, which may be many", async () => {
    const { get, token, fill, onCommand } = await premiumScene()
    fill("/api/pro/whole", { stalled: true, list: [] })
    const mine = await token(1)
    const commands: Array<Command> = []
    onCommand((command) => {
      commands.push(command)
      return null
    })
    expect((await get("/api/pro/whole", mine)).statusCode).toBe(200)
    expect(commands).toEqual([{ _tag: "readAccount", by: { token: tokenHashOf(mine) }, purchases: false }])
  })
})

describe("a call that is free of charge by its outcome", () => {
  it("finds nothing: needs the balance, and gives it back", async () => {
    const { get, token, answerWith, entries, balanceOf, memory, receipts } = await premiumScene()
    answerWith(() => Effect.succeed({ rows: [] }))
    const poor = await token(1)
    expect((await get("/api/pro/range", poor)).statusCode).toBe(402)
    const mine = await token(5)
    const { statusCode, ...reply } = await get("/api/pro/range", mine)
    const body = reply.json()
    expect(statusCode).toBe(200)
    expect(body).toMatchObject({
      rows: [],
      billing: { credits_charged: 0, credits_remaining: 5, no_charge_reason: "empty_range" },
    })
    expect(entries()).toEqual(["credits.debited", "debit.settled"])
    expect(memory.events("ledger").at(-1)?.data).toMatchObject({
      charged: 0,
      returned: 2,
      noChargeReason: "empty_range",
    })
    expect(await balanceOf(mine)).toBe(5)
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { credits: 0, reason: "empty_range", entry: null },
    })
  })

  it("so often that the allowance of the day is spent is refused until midnight UTC, and other calls are not", async () => {
    const { get, token, answerWith, entries, moveTo } = await premiumScene()
    answerWith((days) => Effect.succeed({ rows: days === 1 ? [1] : [] }))
    const mine = await token(50)
    for (let n = 0; n < FREE_ENDS_PER_DAY; n++)
      expect((await get(`/api/pro/range?days=${n + 2}`, mine)).json().billing.no_charge_reason).toBe("empty_range")
    const written = entries().length
    for (const days of [1, 2]) {
      const { statusCode, headers, ...reply } = await get(`/api/pro/range?days=${days}`, mine)
      expect([statusCode, reply.json().error]).toEqual([429, "free_allowance_spent"])
      const seconds = (MIDNIGHT_MS - START_MS) / 1000
      expect([headers["retry-after"], reply.json().retry_after_seconds]).toEqual([String(seconds), seconds])
    }
    expect(entries().length).toBe(written)
    expect((await get("/api/pro/whole", mine)).headers["x-credits-charged"]).toBe("1")
    expect((await get("/api/pro/range?days=1", await token(2))).headers["x-credits-charged"]).toBe("2")
    moveTo(MIDNIGHT_MS)
    expect((await get("/api/pro/range?days=1", mine)).headers["x-credits-charged"]).toBe("2")
  })

  it.each([
    ["the code fails", "/api/pro/picked", Effect.succeed({ rows: [1] }), 500, "internal_error"],
    [
      "the history is away",
      "/api/pro/range",
      Effect.fail(new HistoryUnavailable({ problem: "secret" })),
      503,
      "history_unavailable",
    ],
    [
      "the history refuses",
      "/api/pro/range",
      Effect.fail(new HistoryRefused({ code: 62, problem: "secret" })),
      500,
      "internal_error",
    ],
    [
      "the history has no such table yet",
      "/api/pro/range",
      Effect.fail(new HistoryRefused({ code: 60, problem: "secret" })),
      503,
      "history_unavailable",
    ],
    [
      "the history has no such database yet",
      "/api/pro/range",
      Effect.fail(new HistoryRefused({ code: 81, problem: "secret" })),
      503,
      "history_unavailable",
    ],
    ["the query is wrong", "/api/pro/range", Effect.die(new Error("secret")), 500, "internal_error"],
    ["the history does not answer", "/api/pro/range", Effect.never, 503, "history_unavailable"],
  ])("%s", async (_, url, rows, status, error) => {
    const { get, token, fill, answerWith, entries, balanceOf, memory, receipts, errors } = await premiumScene({
      limits: { premiumContentMs: 100 },
    })
    fill("/api/pro/picked", { all: ["broken"] })
    answerWith(() => rows)
    const mine = await token(5)
    const { statusCode, headers, ...reply } = await get(url, mine)
    const body = reply.json()
    expect(statusCode).toBe(status)
    expect(Schema.is(PremiumFailure)(body)).toBe(true)
    expect(body).toMatchObject({
      status,
      error,
      endpoint: url.slice(5),
      billing: { credits_charged: 0, credits_remaining: 5, no_charge_reason: "internal_error" },
    })
    expect(headers).toMatchObject({
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "private, no-store",
      "x-credits-charged": "0",
      "x-service-receipt-id": body.receipt.id,
    })
    expect(headers["retry-after"]).toBe(status === 503 ? "5" : undefined)
    expect(JSON.stringify(body)).not.toContain("secret")
    expect(errors).toHaveLength(1)
    // What stands prepared is selected before the debit: where that fails, nothing was taken.
    expect(entries()).toEqual(url === "/api/pro/picked" ? [] : ["credits.debited", "debit.settled"])
    if (url !== "/api/pro/picked")
      expect(memory.events("ledger").at(-1)?.data).toMatchObject({ returned: 2, noChargeReason: "internal_error" })
    expect(await balanceOf(mine)).toBe(5)
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { credits: 0, reason: "internal_error", entry: null },
    })
  })

  it("whose own condition fails is answered with 500, before anything is debited", async () => {
    const { get, token, fill, entries, errors } = await premiumScene()
    const mine = await token(5)
    fill("/api/pro/whole", null)
    const reply = await get("/api/pro/whole", mine)
    expect([reply.statusCode, reply.json().error]).toEqual([500, "internal_error"])
    expect(errors).toHaveLength(1)
    expect(entries()).toEqual([])
  })

  it("has no history to query", async () => {
    const { get, token, balanceOf } = await premiumScene({ withoutHistory: true })
    const mine = await token(5)
    const reply = await get("/api/pro/range", mine)
    expect([reply.statusCode, reply.json().error]).toEqual([503, "history_unavailable"])
    expect(await balanceOf(mine)).toBe(5)
  })
})
