import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { KEPT_BODY_MAX_BYTES, RepliesUnavailable } from "../../api/premium/replies.ts"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { BillingUnavailable, type Command } from "../../ledger/client.ts"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import { eventually } from "../support/eventually.ts"
import { away, premiumScene } from "./scene.ts"

const HOUR_MS = 3_600_000
const key = { "idempotency-key": "order-66" }

describe("a call that is repeated under its Idempotency-Key", () => {
  it("gets the same bytes, free of charge, whatever has changed since", async () => {
    const { get, token, fill, moveTo, balanceOf, entries, memory } = await premiumScene()
    const mine = await token(5)
    const first = await get("/api/pro/picked?size=large", mine, key)
    expect(first.headers).not.toHaveProperty("idempotent-replayed")
    fill("/api/pro/picked", { all: ["new"] })
    await get("/api/pro/whole", mine)
    moveTo(START_MS + 23 * HOUR_MS)
    const again = await get("/api/pro/picked?size=large", mine, key)
    expect(again.statusCode).toBe(200)
    expect(again.rawPayload.equals(first.rawPayload)).toBe(true)
    expect(again.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "private, no-store",
      "idempotent-replayed": "true",
      "x-credits-charged": "0",
      "x-credits-remaining": "2",
      "x-service-receipt-id": first.json().receipt.id,
    })
    expect(await balanceOf(mine)).toBe(2)
    expect(entries().filter((type) => type === "debit.settled")).toHaveLength(2)
    // The reply was durable before the debit was settled.
    const order = memory.events("replies").map(({ subject }) => subject)
    expect(order).toEqual([memory.events("ledger").flatMap(({ data }) => debitOf(data) ?? [])[0]])
  })

  it("is a new one after 24 hours, for another account, and under another key", async () => {
    const { get, token, moveTo, balanceOf } = await premiumScene()
    const [mine, other] = [await token(9), await token(9)]
    await get("/api/pro/whole", mine, key)
    expect((await get("/api/pro/whole", other, key)).headers["idempotent-replayed"]).toBeUndefined()
    expect((await get("/api/pro/whole", mine, { "idempotency-key": "67" })).headers["x-credits-charged"]).toBe("1")
    moveTo(START_MS + 25 * HOUR_MS)
    expect((await get("/api/pro/whole", mine, key)).headers["idempotent-replayed"]).toBeUndefined()
    expect(await balanceOf(mine)).toBeGreaterThanOrEqual(6)
  })

  it("is refused with another request, and without a valid token", async () => {
    const { get, token, balanceOf } = await premiumScene()
    const mine = await token(9)
    await get("/api/pro/picked?size=large", mine, key)
    for (const url of ["/api/pro/picked?size=small", "/api/pro/picked", "/api/pro/whole"]) {
      const reply = await get(url, mine, key)
      expect([reply.statusCode, reply.json().error], url).toEqual([422, "idempotency_key_reused"])
    }
    expect((await get("/api/pro/picked?size=large", null, key)).statusCode).toBe(402)
    expect(await balanceOf(mine)).toBe(7)
  })

  it("gets a conflict with Retry-After while the first call is in flight", async () => {
    const { get, token, answerWith, balanceOf } = await premiumScene()
    const mine = await token(9)
    const [begun, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    answerWith(() =>
      Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as({ rows: [1] })),
    )
    const first = get("/api/pro/range", mine, key)
    await Effect.runPromise(Deferred.await(begun))
    const second = await get("/api/pro/range", mine, key)
    expect([second.statusCode, second.json().error]).toEqual([409, "idempotency_key_in_flight"])
    expect(second.headers["retry-after"]).toBe("1")
    await Effect.runPromise(Deferred.succeed(go, undefined))
    expect((await first).statusCode).toBe(200)
    const third = await get("/api/pro/range", mine, key)
    expect(third.rawPayload.equals((await first).rawPayload)).toBe(true)
    expect(await balanceOf(mine)).toBe(7)
  })

  it("gets a Retry-After that grows with the age of the first call, and never exceeds what the ledger leaves it", async () => {
    const { get, token, answerWith, moveTo } = await premiumScene()
    const mine = await token(9)
    const [begun, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    answerWith(() =>
      Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as({ rows: [1] })),
    )
    const first = get("/api/pro/range", mine, key)
    await Effect.runPromise(Deferred.await(begun))
    for (const [afterMs, seconds] of [
      [0, "1"],
      [4_000, "4"],
      [20_000, "20"],
      [33_000, "7"],
    ] as const) {
      moveTo(START_MS + afterMs)
      const reply = await get("/api/pro/range", mine, key)
      expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([409, seconds])
    }
    await Effect.runPromise(Deferred.succeed(go, undefined))
    expect((await first).statusCode).toBe(200)
  })

  it.each<readonly [string, Command["_tag"], boolean]>([
    ["the debit was written and its answer lost", "debit", true],
    ["the debit was lost on its way", "debit", false],
    ["the settle was lost on its way", "settle", false],
    ["the settle was written and its answer lost", "settle", true],
  ])("is usable as soon as a writer answers again: %s", async (_, lost, written) => {
    const { get, token, onCommand, ledger, balanceOf, memory } = await premiumScene({ limits: { premiumSettleMs: 0 } })
    const mine = await token(9)
    let isAway = false
    const unknown = Effect.fail(new BillingUnavailable({ reason: "unknown", retryAfterSeconds: 1 }))
    onCommand((command) => {
      if (isAway) return away
      if (command._tag !== lost) return null
      isAway = true
      return written ? Effect.andThen(ledger.submit(command), unknown) : unknown
    })
    expect((await get("/api/pro/whole", mine, key)).statusCode).toBe(503)
    expect((await get("/api/pro/whole", mine, key)).statusCode).toBe(503)
    onCommand(null)
    const again = await eventually("the key is usable", async () => {
      const reply = await get("/api/pro/whole", mine, key)
      return reply.statusCode === 200 ? reply : undefined
    })
    expect(again.body).toContain("one")
    expect(await balanceOf(mine)).toBe(8)
    const settled = memory.events("ledger").filter(({ type }) => type === "debit.settled")
    expect(settled).toHaveLength(1)
  })

  it("sent 50 times at once is charged once", async () => {
    const { get, token, balanceOf } = await premiumScene()
    const mine = await token(50)
    const replies = await Promise.all(Array.from({ length: 50 }, () => get("/api/pro/whole", mine, key)))
    const served = replies.filter(({ statusCode }) => statusCode === 200)
    expect(replies.filter(({ statusCode }) => statusCode === 409)).toHaveLength(50 - served.length)
    expect(served.filter(({ headers }) => headers["x-credits-charged"] === "1")).toHaveLength(1)
    expect(new Set(served.map(({ body }) => body)).size).toBe(1)
    expect(await balanceOf(mine)).toBe(49)
  })

  it("does not repeat a refusal or a failure of ours: it is a new attempt", async () => {
    const { get, token, answerWith, balanceOf, submit, memory } = await premiumScene()
    const mine = await token(1)
    expect((await get("/api/pro/range", mine, key)).statusCode).toBe(402)
    const account = memory.events("ledger")[0]?.subject ?? ""
    await submit({ _tag: "grant", account, credits: 8, operator: "x", reason: "x", payment: null, token: null })
    answerWith(() => Effect.fail(new HistoryUnavailable({ problem: "away" })))
    const failed = await get("/api/pro/range", mine, key)
    expect(failed.statusCode).toBe(503)
    expect(failed.json().billing).toEqual({
      credits_charged: 0,
      credits_remaining: 9,
      no_charge_reason: "internal_error",
    })
    expect(await balanceOf(mine)).toBe(9)
    answerWith(() => Effect.succeed({ rows: [1] }))
    const served = await get("/api/pro/range", mine, key)
    expect(served.headers).toMatchObject({ "x-credits-charged": "2" })
    expect(served.headers).not.toHaveProperty("idempotent-replayed")
    expect((await get("/api/pro/range", mine, key)).body).toBe(served.body)
  })

  it("repeats a reply that was free of charge as well", async () => {
    const { get, token, answerWith } = await premiumScene()
    const mine = await token(5)
    answerWith(() => Effect.succeed({ rows: [] }))
    const first = await get("/api/pro/range", mine, key)
    answerWith(() => Effect.succeed({ rows: [1] }))
    const again = await get("/api/pro/range", mine, key)
    expect(again.body).toBe(first.body)
    expect(again.headers["idempotent-replayed"]).toBe("true")
  })

  it("cannot be given a reply that was too large to be kept", async () => {
    const { get, token, fill, balanceOf, memory } = await premiumScene()
    const mine = await token(5)
    fill("/api/pro/whole", { stalled: false, list: ["x".repeat(KEPT_BODY_MAX_BYTES)] })
    expect((await get("/api/pro/whole", mine, key)).statusCode).toBe(200)
    const again = await get("/api/pro/whole", mine, key)
    expect([again.statusCode, again.json().error]).toEqual([422, "idempotency_reply_not_kept"])
    expect(await balanceOf(mine)).toBe(4)
    expect(memory.records("replies")[0]?.value?.length).toBeLessThan(1_000)
  })

  it("is answered by another process on the same log", async () => {
    const first = await premiumScene()
    const second = await premiumScene({ on: first })
    const mine = await first.token(5)
    const reply = await first.get("/api/pro/whole", mine, key)
    const again = await second.get("/api/pro/whole", mine, key)
    expect(again.headers["idempotent-replayed"]).toBe("true")
    expect(again.body).toBe(reply.body)
  })

  it("is not charged, and not answered, where its reply cannot be kept", async () => {
    const broken = Effect.fail(new RepliesUnavailable({ problem: "made so" }))
    const { get, token, balanceOf, entries } = await premiumScene({
      withReplies: () => ({ append: () => broken, get: () => broken }),
    })
    const mine = await token(5)
    const reply = await get("/api/pro/whole", mine, key)
    expect([reply.statusCode, reply.json().error]).toEqual([503, "billing_unavailable"])
    expect(reply.body).not.toContain("one")
    expect(entries()).toEqual(["credits.debited", "credits.refunded"])
    expect(await balanceOf(mine)).toBe(5)
    // Without a key nothing needs to be kept.
    expect((await get("/api/pro/whole", mine)).statusCode).toBe(200)
  })

  it("is answered with 503, and not charged, while the kept reply cannot be read", async () => {
    const first = await premiumScene()
    const mine = await first.token(5)
    await first.get("/api/pro/whole", mine, key)
    const broken = Effect.fail(new RepliesUnavailable({ problem: "made so" }))
    const second = await premiumScene({ on: first, withReplies: () => ({ append: () => broken, get: () => broken }) })
    const reply = await second.get("/api/pro/whole", mine, key)
    expect([reply.statusCode, reply.json().error]).toEqual([503, "billing_unavailable"])
    const gone = await premiumScene({
      on: first,
      withReplies: () => ({ append: () => broken, get: () => Effect.succeed("unknown" as const) }),
    })
    const lost = await gone.get("/api/pro/whole", mine, key)
    expect([lost.statusCode, lost.json().error]).toEqual([422, "idempotency_reply_not_kept"])
    expect(await first.balanceOf(mine)).toBe(4)
    await eventually(
      "the reply is there again",
      async () => (await first.get("/api/pro/whole", mine, key)).statusCode === 200,
    )
  })
})

const debitOf = (data: unknown): string | undefined =>
  typeof data === "object" && data !== null && "debit" in data ? String(data.debit) : undefined
