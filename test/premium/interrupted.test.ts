import { request } from "node:http"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { BillingUnavailable, type Command } from "../../ledger/client.ts"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import { eventually } from "../support/eventually.ts"
import { anyToken, away, premiumScene } from "./scene.ts"

const MINUTE_MS = 60_000
const unknown = Effect.fail(new BillingUnavailable({ reason: "unknown", retryAfterSeconds: 1 }))

/** A query that reports its start, and waits until it is released. */
const held = () => {
  const [begun, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  return {
    rows: () => Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as({ rows: [7] })),
    begun: () => Effect.runPromise(Deferred.await(begun)),
    go: () => Effect.runPromise(Deferred.succeed(go, undefined)),
  }
}

describe("a ledger that is away", () => {
  it("refuses premium calls with 503, and leaves free ones alone", async () => {
    const { app, get, token, onCommand } = await premiumScene()
    const mine = await token(5)
    onCommand(() => away)
    const reply = await get("/api/pro/whole", mine)
    expect(reply.statusCode).toBe(503)
    expect(reply.json()).toMatchObject({
      error: "billing_unavailable",
      signup: expect.stringMatching(/^http:\/\/[^/]+\/developers\/agent-payments$/),
      pricing: {},
    })
    expect(reply.headers).toMatchObject({ "retry-after": "5", "cache-control": "no-store" })
    expect(reply.headers).toHaveProperty("x-service-pricing")
    expect((await app.inject({ url: "/api/things" })).statusCode).toBe(200)
    onCommand(null)
    expect((await get("/api/pro/whole", mine)).statusCode).toBe(200)
  })

  it("is the same without any billing", async () => {
    const { app, get } = await premiumScene({ billing: null })
    const reply = await get("/api/pro/whole", anyToken())
    expect([reply.statusCode, reply.json().error]).toEqual([503, "billing_unavailable"])
    expect(reply.headers).toHaveProperty("retry-after")
    expect((await app.inject({ url: "/api/things" })).statusCode).toBe(200)
  })

  it("and never answers: 503 in time, and the debit is released as soon as the ledger answers", async () => {
    const { get, token, onCommand, balanceOf } = await premiumScene({
      limits: { premiumAnswerMs: 3_000 },
    })
    const mine = await token(5)
    onCommand(({ _tag }) => (_tag === "settle" ? Effect.never : _tag === "refund" ? away : null))
    const reply = await get("/api/pro/whole", mine)
    expect([reply.statusCode, reply.json().error]).toEqual([503, "billing_unavailable"])
    expect(reply.body).not.toContain("one")
    expect(await balanceOf(mine)).toBe(4)
    onCommand(null)
    await eventually("the debit is released", async () => (await balanceOf(mine)) === 5)
  })
})

describe("a settle", () => {
  it("that is refused, as the debit was given back meanwhile: 503 without data", async () => {
    const { get, token, answerWith, moveTo, submit, balanceOf, entries } = await premiumScene()
    const mine = await token(5)
    const { rows, begun, go } = held()
    answerWith(rows)
    const call = get("/api/pro/range", mine)
    await begun()
    moveTo(START_MS + 6 * MINUTE_MS)
    await submit({ _tag: "refundOrphans" })
    await go()
    const reply = await call
    expect([reply.statusCode, reply.json().error]).toEqual([503, "billing_unavailable"])
    expect(reply.body).not.toContain("rows")
    expect(reply.headers).toHaveProperty("retry-after")
    expect(entries()).toEqual(["credits.debited", "credits.refunded"])
    expect(await balanceOf(mine)).toBe(5)
  })

  it("of unknown outcome is repeated, and charged once", async () => {
    const { get, token, onCommand, ledger, balanceOf, entries } = await premiumScene()
    const mine = await token(5)
    const settles: Array<Command> = []
    onCommand((command) => {
      if (command._tag !== "settle") return null
      settles.push(command)
      // It is written, and the answer is lost, twice.
      return settles.length < 3 ? Effect.andThen(ledger.submit(command), unknown) : null
    })
    const reply = await get("/api/pro/whole", mine)
    expect(reply.statusCode).toBe(200)
    expect(settles).toHaveLength(3)
    expect(entries()).toEqual(["credits.debited", "debit.settled"])
    expect(await balanceOf(mine)).toBe(4)
  })

  it("that stays unknown ends in 503 without data, and its debit is released", async () => {
    const { get, token, onCommand, balanceOf, errors } = await premiumScene({ limits: { premiumSettleMs: 300 } })
    const mine = await token(5)
    onCommand((command) => (command._tag === "settle" ? unknown : null))
    const reply = await get("/api/pro/whole", mine)
    expect([reply.statusCode, reply.json().error]).toEqual([503, "billing_unavailable"])
    expect(reply.body).not.toContain("one")
    expect(errors).toHaveLength(1)
    onCommand(null)
    await eventually("the debit is released", async () => (await balanceOf(mine)) === 5)
  })
})

describe("a client that goes away in the midst", () => {
  const leave = async (headers: Record<string, string>) => {
    const scene = await premiumScene()
    const mine = await scene.token(5)
    const { rows, begun, go } = held()
    scene.answerWith(rows)
    const port = await scene.listen()
    const call = request({
      port,
      host: "127.0.0.1",
      path: "/api/pro/range",
      headers: { authorization: `Bearer ${mine}`, ...headers },
    })
    const closed = new Promise((resolve) => call.on("close", resolve).on("error", resolve))
    call.end()
    await begun()
    call.destroy()
    await closed
    await eventually("the server has seen it", async () => {
      const open = await new Promise((resolve) => scene.app.server.getConnections((_, count) => resolve(count)))
      return open === 0
    })
    await go()
    return { ...scene, mine }
  }

  it("is not charged", async () => {
    const { mine, balanceOf, entries } = await leave({})
    await eventually("the debit has ended", () => entries().length === 2)
    expect(entries()).toEqual(["credits.debited", "debit.settled"])
    expect(await balanceOf(mine)).toBe(5)
  })

  it("finds the reply under its key", async () => {
    const { mine, balanceOf, entries, get } = await leave({ "idempotency-key": "later" })
    await eventually("the debit has ended", () => entries().length === 2)
    expect(entries()).toEqual(["credits.debited", "debit.settled"])
    const reply = await get("/api/pro/range", mine, { "idempotency-key": "later" })
    expect(reply.json()).toMatchObject({ rows: [7], billing: { credits_charged: 2, credits_remaining: 3 } })
    expect(reply.headers["idempotent-replayed"]).toBe("true")
    expect(await balanceOf(mine)).toBe(3)
  })
})

describe("any sequence of calls", () => {
  it("no debit stays open, no balance is wrong, and no answer is without a reason", async () => {
    const scene = await premiumScene({
      limits: { premiumSettleMs: 0, tokenRequestsPerMinute: 1_000_000, requestsPerDay: 1_000_000_000 },
    })
    const mine = await scene.token(100_000)
    const text = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom("small", "large", "up", "1", "366", "-0", "NaN"),
    )
    const name = fc.oneof(fc.constantFrom("size", "days", "order", "__proto__"), fc.string({ maxLength: 8 }))
    const url = fc
      .tuple(
        fc.constantFrom("/api/pro/whole", "/api/pro/picked", "/api/pro/range"),
        fc.array(fc.tuple(name, text), { maxLength: 3 }),
      )
      .map(
        ([path, pairs]) =>
          `${path}?${pairs.map((pair) => pair.map((one) => encodeURIComponent(one.toWellFormed())).join("=")).join("&")}`,
      )
    const visible = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 30,
    })
    const authorization = fc.oneof(
      { weight: 6, arbitrary: fc.constant(`Bearer ${mine}`) },
      { weight: 1, arbitrary: visible },
      { weight: 1, arbitrary: fc.constant(`Bearer ${anyToken()}`) },
    )
    const key = fc.option(fc.oneof(fc.constantFrom("a", "b", "c"), visible))
    const fate = fc.constantFrom("well", "well", "nothing", "failure", "unsettled", "undebited")
    let served = 0
    await fc.assert(
      fc.asyncProperty(url, authorization, key, fate, async (path, bearer, sent, what) => {
        scene.answerWith(() =>
          what === "failure"
            ? Effect.fail(new HistoryUnavailable({ problem: "so" }))
            : Effect.succeed({ rows: what === "nothing" ? [] : [1] }),
        )
        scene.onCommand((command) =>
          (what === "unsettled" && command._tag === "settle") || (what === "undebited" && command._tag === "debit")
            ? unknown
            : null,
        )
        const headers = { authorization: bearer, ...(sent === null ? {} : { "idempotency-key": sent }) }
        const reply = await scene.app.inject({ url: path, headers })
        const body = reply.json()
        expect([200, 400, 402, 409, 422, 503]).toContain(reply.statusCode)
        if (reply.statusCode >= 500) expect(["failure", "unsettled", "undebited"]).toContain(what)
        if (reply.statusCode === 200) {
          served += 1
          expect(await scene.receipts.verify(body.receipt.jws, body)).toMatchObject({ valid: true, body: "matches" })
        } else expect(body.error).toMatch(/^[a-z_]+$/)
        expect(reply.headers["cache-control"]).toContain("no-store")
      }),
      { numRuns: 300 },
    )
    expect(served).toBeGreaterThan(20)
    scene.onCommand(null)
    scene.moveTo(START_MS + 6 * MINUTE_MS)
    await scene.submit({ _tag: "refundOrphans" })
    const debits = new Map<string, Array<string>>()
    let charged = 0
    for (const { type, data } of scene.memory.events("ledger")) {
      const entry = data as { debit?: string; charged?: number }
      if (entry.debit !== undefined) debits.set(entry.debit, [...(debits.get(entry.debit) ?? []), type])
      charged += entry.charged ?? 0
    }
    for (const [debit, ends] of debits) expect(ends, debit).toHaveLength(2)
    expect(await scene.balanceOf(mine)).toBe(100_000 - charged)
  })
})
