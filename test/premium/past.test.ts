import { request } from "node:http"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { ApiOptions } from "../../api/routes/route.ts"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { scriptedPast } from "../../api/testing/scripted-past.ts"
import { requestHashOf } from "../../ledger/client.ts"
import { instant } from "../../schemas/event.ts"
import { eventually } from "../support/eventually.ts"
import { away, premiumScene } from "./scene.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const THEN_MS = START_MS - 30 * MINUTE_MS
const FIRST_MS = THEN_MS - MINUTE_MS
const SETTLED_MS = START_MS - 2 * MINUTE_MS
const then = instant(THEN_MS)
const location = (path: string, query = "") => `${path}?at=${encodeURIComponent(then)}${query}`

const scene = async (options: Partial<ApiOptions> = {}) => {
  const past = scriptedPast()
  past.settle(SETTLED_MS)
  past.version("/api/pro/whole", FIRST_MS, { stalled: false, list: ["then"] })
  past.version("/api/pro/picked", FIRST_MS, { all: ["x", "y"] })
  const made = await premiumScene({ past: past.source, ...options })
  const { memory } = made
  const debits = () => memory.events("ledger").filter(({ type }) => type === "credits.debited").length
  return { ...made, past, debits }
}

describe("a premium reply of the past", () => {
  it("is what was known then, at the price of today, with a receipt that names its address", async () => {
    const { get, token, receipts, past } = await scene()
    const cursor = past.change(3, THEN_MS)
    const mine = await token(9)
    const reply = await get("/api/pro/picked?at=2026-08-17T22:05:00%2B02:00&size=large", mine)
    expect(reply.statusCode).toBe(200)
    const body = reply.json()
    expect(body).toMatchObject({
      chosen: ["x", "y"],
      generated_at: instant(FIRST_MS),
      billing: { credits_charged: 2, credits_remaining: 7 },
      _meta: { as_of: instant(FIRST_MS), stale: false, at: { requested: then, known_at: then, cursor } },
    })
    expect(reply.headers).toMatchObject({
      "x-credits-charged": "2",
      "cache-control": "private, no-store",
      "content-location": location("/api/pro/picked", "&size=large"),
      "memento-datetime": new Date(THEN_MS).toUTCString(),
      link: '</api/pro/picked?size=large>; rel="original"',
    })
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      body: "matches",
      claims: { requestHash: requestHashOf("GET", "/api/pro/picked", { at: then, size: "large" }), credits: 2 },
    })
  })

  it("is paid once a day by an account, however its instant and its parameters are written", async () => {
    const { get, token, past, receipts, balanceOf, debits, memory } = await scene()
    const cursor = past.change(3, THEN_MS)
    const mine = await token(9)
    const first = await get(`/api/pro/picked?at=${then}`, mine)
    expect(first.json().billing).toEqual({ credits_charged: 2, credits_remaining: 7 })
    for (const [query, named] of [
      [`at=${then}`, {}],
      [`at=${then}&size=small`, { size: "small" }],
      ["size=small&at=2026-08-17T20:05:00Z", { size: "small" }],
      ["at=2026-08-17T22:05:00%2B02:00&unknown=1", { unknown: "1" }],
      [`at=${cursor}`, {}],
    ] as const) {
      const again = await get(`/api/pro/picked?${query}`, mine)
      expect([again.statusCode, again.headers["x-credits-charged"]], query).toEqual([200, "0"])
      const { billing, receipt, _meta, ...data } = again.json()
      const { billing: _, receipt: __, _meta: meta, ...before } = first.json()
      expect(data).toEqual(before)
      expect({ ..._meta, at: null }).toEqual({ ...meta, at: null })
      expect(billing).toEqual({ credits_charged: 0, credits_remaining: 7, no_charge_reason: "paid_today" })
      expect(await receipts.verify(receipt.jws, again.json())).toMatchObject({
        valid: true,
        claims: {
          credits: 0,
          reason: "paid_today",
          requestHash: requestHashOf("GET", "/api/pro/picked", { ...named, at: then }),
        },
      })
    }
    expect([await balanceOf(mine), debits()]).toEqual([7, 1])
    // It can be made again: it is not stored.
    expect(memory.events("replies")).toEqual([])
  })

  it("is paid again for another address, by another account, and on another day", async () => {
    const { get, token, balanceOf, moveTo } = await scene()
    const [mine, other] = [await token(20), await token(20)]
    const chargedFor = async (url: string, by: string) => Number((await get(url, by)).headers["x-credits-charged"])
    const url = `/api/pro/picked?at=${then}`
    expect(await chargedFor(url, mine)).toBe(2)
    expect(await chargedFor(url, other)).toBe(2)
    expect(await chargedFor(`${url}&size=large`, mine)).toBe(2)
    expect(await chargedFor(`/api/pro/picked?at=${instant(THEN_MS + 1)}`, mine)).toBe(2)
    expect(await chargedFor(`/api/pro/whole?at=${then}`, mine)).toBe(1)
    expect(await chargedFor("/api/pro/picked", mine)).toBe(2)
    expect(await chargedFor("/api/pro/picked", mine)).toBe(2)
    moveTo(Date.parse("2026-08-17T23:59:59.999Z"))
    expect(await chargedFor(url, mine)).toBe(0)
    moveTo(Date.parse("2026-08-18T00:00:00.000Z"))
    expect(await chargedFor(url, mine)).toBe(2)
    expect(await chargedFor(url, mine)).toBe(0)
    expect(await balanceOf(mine)).toBe(20 - 2 - 2 - 2 - 1 - 2 - 2 - 2)
  })

  it("sent 30 times at once is charged once, and every call is served", async () => {
    const { get, token, balanceOf, debits } = await scene()
    const mine = await token(2)
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        get(`/api/pro/picked?at=${then}${index % 2 === 0 ? "" : "&size=small"}`, mine),
      ),
    )
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(replies.map(() => 200))
    expect(replies.filter(({ headers }) => headers["x-credits-charged"] === "2")).toHaveLength(1)
    expect([await balanceOf(mine), debits()]).toEqual([0, 1])
  })

  it("is repeated at balance 0, and refused without credits before it was paid", async () => {
    const { get, token, balanceOf, debits } = await scene()
    const [mine, poor] = [await token(2), await token(1)]
    expect((await get(`/api/pro/picked?at=${then}`, mine)).statusCode).toBe(200)
    expect(await balanceOf(mine)).toBe(0)
    expect((await get(`/api/pro/picked?at=${then}`, mine)).json()).toMatchObject({ chosen: ["x"] })
    const refused = await get(`/api/pro/picked?at=${then}`, poor)
    expect([refused.statusCode, refused.json().error]).toEqual([402, "insufficient_credits"])
    expect([await balanceOf(poor), debits()]).toEqual([1, 1])
  })

  it("that is larger than what is stored of replies can be repeated all day", async () => {
    const { get, token, past, balanceOf } = await scene()
    const list = Array.from({ length: 3 }, (_, index) => String(index).repeat(500_000))
    past.version("/api/pro/whole", FIRST_MS + 1, { stalled: false, list })
    const mine = await token(5)
    const first = await get(`/api/pro/whole?at=${then}`, mine)
    expect(first.rawPayload.length).toBeGreaterThan(1024 * 1024)
    for (let call = 0; call < 3; call += 1) {
      const again = await get(`/api/pro/whole?at=${then}`, mine)
      expect([again.statusCode, again.headers["x-credits-charged"]]).toEqual([200, "0"])
      expect(again.json().list).toEqual(list)
    }
    expect(await balanceOf(mine)).toBe(4)
  })

  it("that was free of charge then is free of charge", async () => {
    const { get, token, past, balanceOf, debits, moveTo } = await scene()
    const mine = await token(5)
    const staleAtMs = FIRST_MS + 5 * MINUTE_MS
    const reasonAt = async (path: string, ms: number) =>
      (await get(`${path}?at=${instant(ms)}`, mine)).json().billing.no_charge_reason
    expect(await reasonAt("/api/pro/picked", staleAtMs)).toBe("stale_sources")
    past.version("/api/pro/picked", staleAtMs + 1, { all: [] })
    expect(await reasonAt("/api/pro/picked", staleAtMs + 1)).toBe("empty_range")
    past.version("/api/pro/whole", staleAtMs + 1, { stalled: true, list: [] })
    expect(await reasonAt("/api/pro/whole", staleAtMs + 1)).toBe("stalled_monitor")
    past.cold("/api/pro/whole", staleAtMs + 2)
    expect(await reasonAt("/api/pro/whole", staleAtMs + 2)).toBe("warming")
    expect([await balanceOf(mine), debits()]).toEqual([5, 0])
    // What is stale today was fresh then, and is charged.
    moveTo(START_MS + DAY_MS)
    expect(await reasonAt("/api/pro/picked", THEN_MS - 1)).toBeUndefined()
    expect(await balanceOf(mine)).toBe(3)
  })
})

describe("a premium call for the past with an Idempotency-Key of its own", () => {
  const key = { "idempotency-key": "order-66" }

  it("follows the rules of the key, and not those of the day", async () => {
    const { get, token, balanceOf } = await scene()
    const mine = await token(20)
    const url = `/api/pro/picked?at=${then}`
    const first = await get(url, mine, key)
    const again = await get(url, mine, key)
    expect(again.body).toBe(first.body)
    expect(again.headers).toMatchObject({
      "idempotent-replayed": "true",
      "x-credits-charged": "0",
      "content-location": location("/api/pro/picked", "&size=small"),
    })
    // The same address under another text is another request, as ever.
    expect((await get(`${url}&size=small`, mine, key)).json().error).toBe("idempotency_key_reused")
    expect((await get(url, mine)).headers["x-credits-charged"]).toBe("2")
    expect((await get(url, mine, { "idempotency-key": "67" })).headers["x-credits-charged"]).toBe("2")
    expect(await balanceOf(mine)).toBe(14)
  })

  it("repeats the reply of now, whatever now has become, and its receipt names the instant", async () => {
    const { get, token, past, receipts, moveTo } = await scene()
    const mine = await token(20)
    past.version("/api/pro/whole", FIRST_MS + 1, { stalled: false, list: ["then"] }, { freshForMs: DAY_MS })
    const first = await get("/api/pro/whole?at=now", mine, key)
    past.settle(START_MS)
    moveTo(START_MS + MINUTE_MS)
    const again = await get("/api/pro/whole?at=now", mine, key)
    expect(again.body).toBe(first.body)
    const { receipt, _meta } = first.json()
    expect(_meta.at).toMatchObject({ requested: "now", known_at: instant(SETTLED_MS) })
    expect(again.headers["content-location"]).toBe(first.headers["content-location"])
    expect(await receipts.verify(receipt.jws, first.json())).toMatchObject({
      claims: { requestHash: requestHashOf("GET", "/api/pro/whole", { at: instant(SETTLED_MS) }) },
    })
  })
})

describe("a client that asks for the past and leaves", () => {
  /** Sends a call on a connection of its own, which `leave` cuts. */
  const sendTo = (port: number, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const asked = request({ host: "127.0.0.1", port, path: `/api/pro/whole?at=${then}`, headers })
    asked.on("error", () => {})
    asked.end()
    return { leave: () => void asked.destroy() }
  }

  it("pays for its reply, and may have it for the rest of the day", async () => {
    const { get, token, listen, ledger, onCommand, balanceOf, debits } = await scene()
    const mine = await token(9)
    const { leave } = sendTo(await listen(), mine)
    onCommand((command) => {
      if (command._tag !== "debit") return null
      return Effect.tap(ledger.submit(command), () => Effect.sync(leave))
    })
    await eventually("the call is settled", async () => debits() === 1)
    onCommand(null)
    expect((await get(`/api/pro/whole?at=${then}`, mine)).json()).toMatchObject({
      list: ["then"],
      billing: { credits_charged: 0, credits_remaining: 8, no_charge_reason: "paid_today" },
    })
    expect([await balanceOf(mine), debits()]).toEqual([8, 1])
  })

  it("pays nothing where it left while it waited for the same call, and that one failed", async () => {
    const { get, token, listen, onCommand, balanceOf, debits } = await scene({ limits: { premiumSettleMs: 0 } })
    const mine = await token(9)
    const go = Deferred.makeUnsafe<void>()
    let tries = 0
    onCommand(({ _tag }) => {
      if (_tag === "debit") tries += 1
      return _tag === "settle" ? Effect.andThen(Deferred.await(go), away) : null
    })
    const first = get(`/api/pro/whole?at=${then}`, mine)
    await eventually("the first is debited", async () => debits() === 1)
    const { leave } = sendTo(await listen(), mine)
    await eventually("the second waits", async () => tries > 2)
    leave()
    await eventually("the second has ended", async () => {
      const before = tries
      await new Promise((resolve) => setTimeout(resolve, 400))
      return tries === before
    })
    await Effect.runPromise(Deferred.succeed(go, undefined))
    expect((await first).statusCode).toBe(503)
    await eventually("the first is given back", async () => (await balanceOf(mine)) === 9)
    expect(debits()).toBe(1)
  })
})

describe("a premium call for a past that there is not", () => {
  it("is refused before any debit", async () => {
    const { get, token, past, balanceOf, debits } = await scene()
    const mine = await token(5)
    for (const [url, status, error] of [
      [`/api/pro/range?at=${then}`, 404, "no_history"],
      ["/api/pro/range?at=x", 404, "no_history"],
      ["/api/pro/whole?at=x", 400, "invalid_at"],
      ["/api/pro/whole?at=2026-08-17", 400, "invalid_at"],
      [`/api/pro/whole?at=${then}&at=${then}`, 400, "invalid_at"],
      [`/api/pro/whole?at=${instant(START_MS + 1)}`, 400, "future_instant"],
      [`/api/pro/whole?at=${instant(START_MS)}`, 400, "not_settled"],
      [`/api/pro/whole?at=${instant(FIRST_MS - 1)}`, 404, "before_history"],
      ["/api/pro/whole?at=aaaaaaaa.000000000007", 400, "future_cursor"],
      [`/api/pro/picked?size=huge&at=${then}`, 400, "invalid_parameter"],
    ] as const) {
      const reply = await get(url, mine)
      expect([reply.statusCode, reply.json().error], url).toEqual([status, error])
    }
    expect((await get(`/api/pro/whole?at=${then}`, mine, { "last-event-id": "1" })).json().error).toBe(
      "conflicting_places",
    )
    past.fail("unavailable")
    const unread = await get(`/api/pro/whole?at=${then}`, mine)
    expect([unread.statusCode, unread.json().error, unread.headers["retry-after"]]).toEqual([
      503,
      "past_unavailable",
      "2",
    ])
    past.fail("not")
    past.withdraw("Provider.things")
    expect((await get(`/api/pro/whole?at=${then}`, mine)).json().error).toBe("withdrawn")
    expect([await balanceOf(mine), debits()]).toEqual([5, 0])
  })

  it("is refused without a token, before the history is read", async () => {
    const { get, past } = await scene()
    expect((await get(`/api/pro/whole?at=${then}`, null)).json().error).toBe("missing_token")
    expect(past.reads()).toBe(0)
  })
})

describe("a premium reply of the past whose call fails", () => {
  it("is not paid: the next call is a new attempt", async () => {
    const { get, token, past, balanceOf } = await scene()
    const mine = await token(9)
    past.version("/api/pro/picked", FIRST_MS + 1, { all: ["broken"] })
    const failed = await get(`/api/pro/picked?at=${then}`, mine)
    expect([failed.statusCode, failed.json().billing.no_charge_reason]).toEqual([500, "internal_error"])
    expect(await balanceOf(mine)).toBe(9)
  })

  it("is given back where its settle was lost, and charged once when it is asked again", async () => {
    const { get, token, onCommand, balanceOf } = await scene({ limits: { premiumSettleMs: 0 } })
    const mine = await token(9)
    onCommand(({ _tag }) => (_tag === "settle" || _tag === "refund" ? away : null))
    expect((await get(`/api/pro/whole?at=${then}`, mine)).statusCode).toBe(503)
    onCommand(null)
    const again = await get(`/api/pro/whole?at=${then}`, mine)
    expect(again.statusCode).toBe(200)
    expect(await balanceOf(mine)).toBe(8)
  })

  it("waits no longer than any call for one that does not end", async () => {
    const { get, token, ledger, onCommand, balanceOf } = await scene({ limits: { premiumAnswerMs: 300 } })
    const mine = await token(9)
    onCommand((command) => (command._tag === "settle" ? Effect.never : null))
    const replies = await Promise.all([get(`/api/pro/whole?at=${then}`, mine), get(`/api/pro/whole?at=${then}`, mine)])
    expect(replies.map((reply) => [reply.statusCode, reply.json().error])).toEqual([
      [503, "billing_unavailable"],
      [503, "billing_unavailable"],
    ])
    onCommand((command) => ledger.submit(command))
    expect((await get(`/api/pro/whole?at=${then}`, mine)).statusCode).toBe(200)
    expect(await balanceOf(mine)).toBe(8)
  })
})
