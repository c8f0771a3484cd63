import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { requestHashOf, tokenHashOf } from "../../ledger/client.ts"
import { anyToken, at, premiumScene } from "./scene.ts"

const accountSequenceOf = (event: { readonly data: unknown } | undefined): unknown =>
  typeof event?.data === "object" && event.data !== null && "accountSequence" in event.data
    ? event.data.accountSequence
    : undefined

describe("a charged call", () => {
  it("is debited, answered with its data, billing and receipt, and settled", async () => {
    const { get, token, balanceOf, entries, receipts, memory } = await premiumScene()
    const mine = await token(5)
    const { statusCode, headers, ...reply } = await get("/api/pro/picked?size=large", mine)
    expect(statusCode).toBe(200)
    const body = reply.json()
    expect(Object.keys(body)).toEqual(["source", "endpoint", "generated_at", "chosen", "billing", "receipt", "_meta"])
    expect(body).toMatchObject({
      source: "tidewire-pro",
      endpoint: "pro/picked",
      generated_at: at(0),
      chosen: ["a", "b", "c"],
      billing: { credits_charged: 2, credits_remaining: 3 },
      _meta: { as_of: at(0), stale: false, sources: [{ name: "Provider.things", status: "live" }] },
    })
    expect(body.billing).not.toHaveProperty("no_charge_reason")
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "private, no-store",
      "x-credits-charged": "2",
      "x-credits-remaining": "3",
      "x-service-receipt-id": body.receipt.id,
      "x-service-stale": "false",
      "x-service-as-of": at(0),
      "ratelimit-policy": '"minute";q=600;w=60',
      ratelimit: '"minute";r=599;t=60',
      "ratelimit-limit": "600",
      "ratelimit-remaining": "599",
      "ratelimit-reset": "60",
    })
    for (const name of ["etag", "last-modified", "age"]) expect(headers).not.toHaveProperty(name)
    const exposed = String(headers["access-control-expose-headers"]).toLowerCase().split(", ")
    for (const name of Object.keys(headers).filter((one) => one.startsWith("x-") || one.startsWith("ratelimit")))
      if (name !== "x-content-type-options") expect(exposed).toContain(name)
    for (const name of ["idempotent-replayed", "x-service-pricing", "retry-after", "www-authenticate"])
      expect(exposed).toContain(name)

    expect(entries()).toEqual(["credits.debited", "debit.settled"])
    expect(await balanceOf(mine)).toBe(3)
    const debited = memory.events("ledger").find(({ type }) => type === "credits.debited")
    expect(debited?.data).toMatchObject({ credits: 2, purpose: "/api/pro/picked", idempotency: null })
    const verdict = await receipts.verify(body.receipt.jws, body)
    expect(verdict).toMatchObject({
      valid: true,
      body: "matches",
      claims: {
        id: body.receipt.id,
        endpoint: "/api/pro/picked",
        requestHash: requestHashOf("GET", "/api/pro/picked", { size: "large" }),
        credits: 2,
        reason: null,
        entry: { accountSequence: accountSequenceOf(debited) },
      },
    })
  })

  it("has a receipt that counts the calls of its own account, and says nothing of those of others", async () => {
    const { get, token } = await premiumScene()
    const [mine, other] = [await token(9), await token(9)]
    const placed = async () => {
      const { receipt } = (await get("/api/pro/whole", mine)).json()
      return JSON.parse(Buffer.from(receipt.jws.split(".")[1], "base64url").toString()).ledger
    }
    const first = await placed()
    for (let call = 0; call < 5; call += 1) await get("/api/pro/whole", other)
    const second = await placed()
    // After the grant and the token: the debit, its end, and the next debit.
    expect([first, second]).toEqual([
      { account_sequence: 3, entry_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { account_sequence: 5, entry_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })

  it("selects by its parameters, and queries the history with decoded ones", async () => {
    const { get, token, answerWith } = await premiumScene()
    const mine = await token(20)
    expect((await get("/api/pro/picked", mine)).json()).toMatchObject({ chosen: ["a"] })
    expect((await get("/api/pro/whole", mine)).json()).toMatchObject({ stalled: false, list: ["one", "two"] })
    answerWith((days) => Effect.succeed({ rows: [days ?? -1] }))
    expect((await get("/api/pro/range?days=7", mine)).json()).toMatchObject({ rows: [7], generated_at: at(0) })
    expect((await get("/api/pro/range", mine)).json()).toMatchObject({ rows: [-1], _meta: { sources: [] } })
  })

  it("takes neither HEAD nor POST, declares that in OPTIONS, and ignores conditions of caches", async () => {
    const { app, get, token, entries } = await premiumScene()
    const mine = await token(5)
    for (const method of ["HEAD", "POST", "DELETE"] as const) {
      const reply = await app.inject({ method, url: "/api/pro/whole", headers: { authorization: `Bearer ${mine}` } })
      expect([reply.statusCode, reply.headers.allow], method).toEqual([405, "GET, OPTIONS"])
    }
    const preflight = await app.inject({ method: "OPTIONS", url: "/api/pro/whole" })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers["access-control-allow-methods"]).toBe("GET, OPTIONS")
    expect(preflight.headers["access-control-allow-headers"]).toContain("Idempotency-Key")
    expect(entries()).toEqual([])
    const conditional = { "if-none-match": "*", "if-modified-since": "Mon, 17 Aug 2030 20:35:00 GMT" }
    expect((await get("/api/pro/whole", mine, conditional)).statusCode).toBe(200)
  })
})

describe("a refusal", () => {
  it.each([
    ["no token", {}, "missing_token"],
    ["an empty header", { authorization: "" }, "missing_token"],
    ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }, "missing_token"],
    ["an empty credential", { authorization: "Bearer " }, "missing_token"],
    ["a token without its scheme", { authorization: anyToken() }, "missing_token"],
    ["a short token", { authorization: "Bearer svc_live_12" }, "invalid_token"],
    ["an unknown token", { authorization: `Bearer ${anyToken()}` }, "invalid_token"],
  ])("for %s links to where credits are bought", async (_, headers, error) => {
    const { app, entries } = await premiumScene({ baseUrl: "https://api.example.org" })
    const reply = await app.inject({ url: "/api/pro/whole", headers })
    const signup = "https://api.example.org/developers/agent-payments"
    expect(reply.statusCode).toBe(402)
    expect(reply.json()).toMatchObject({ error, signup, pricing: { "1_usd": "50 credits" } })
    expect(reply.headers).toMatchObject({ "x-service-pricing": signup, "cache-control": "no-store" })
    expect(entries()).toEqual([])
  })

  it("for a revoked token is `expired`", async () => {
    const { get, token, submit } = await premiumScene()
    const mine = await token(5)
    await submit({ _tag: "revoke", token: tokenHashOf(mine), confirmed: true })
    const reply = await get("/api/pro/whole", mine)
    expect([reply.statusCode, reply.json().error]).toEqual([402, "expired"])
  })

  it("for too small a balance leaves it as it is", async () => {
    const { get, token, balanceOf, entries } = await premiumScene()
    const mine = await token(1)
    const reply = await get("/api/pro/picked", mine)
    expect([reply.statusCode, reply.json().error]).toEqual([402, "insufficient_credits"])
    expect(reply.headers).not.toHaveProperty("x-credits-charged")
    expect(await balanceOf(mine)).toBe(1)
    expect(entries()).toEqual([])
  })

  it.each([
    ["/api/pro/picked?size=huge", {}, "invalid_parameter", "size"],
    ["/api/pro/picked?size=small&size=large", {}, "invalid_parameter", "size"],
    ["/api/pro/range?days=x", {}, "invalid_parameter", "days"],
    ["/api/pro/range?days=366", {}, "invalid_parameter", "days"],
    ["/api/pro/whole", { "idempotency-key": "" }, "invalid_idempotency_key", undefined],
    ["/api/pro/whole", { "idempotency-key": "two words" }, "invalid_idempotency_key", undefined],
    ["/api/pro/whole", { "idempotency-key": "x".repeat(256) }, "invalid_idempotency_key", undefined],
  ])("of %s %j comes before anything is charged", async (url, headers, error, parameter) => {
    const { get, token, entries } = await premiumScene()
    const mine = await token(5)
    const reply = await get(url, mine, headers)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error, ...(parameter === undefined ? {} : { parameter }) })
    expect(entries()).toEqual([])
  })
})

describe("many calls at once", () => {
  it("200 on a balance of 50: exactly 50 are served", async () => {
    const { get, token, balanceOf, entries } = await premiumScene()
    const mine = await token(50)
    const replies = await Promise.all(Array.from({ length: 200 }, () => get("/api/pro/whole", mine)))
    const statuses = replies.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
    expect(statuses.filter((status) => status === 402)).toHaveLength(150)
    expect(await balanceOf(mine)).toBe(0)
    expect(entries().filter((type) => type === "debit.settled")).toHaveLength(50)
    const remaining = replies.flatMap((one) => (one.statusCode === 200 ? [one.json().billing.credits_remaining] : []))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index))
    const ids = new Set(replies.flatMap((one) => one.headers["x-service-receipt-id"] ?? []))
    expect(ids.size).toBe(50)
  })
})

describe("what is counted", () => {
  it("calls of a token, within a minute", async () => {
    const { get, token, moveTo, entries } = await premiumScene({ limits: { tokenRequestsPerMinute: 2 } })
    const [mine, other] = [await token(9), await token(9)]
    for (const expected of [200, 200, 429]) expect((await get("/api/pro/whole", mine)).statusCode).toBe(expected)
    const refused = await get("/api/pro/whole", mine)
    expect(refused.json()).toMatchObject({ error: "rate_limited", retry_after_seconds: 60 })
    expect(refused.headers).toMatchObject({
      "retry-after": "60",
      "ratelimit-policy": '"minute";q=2;w=60',
      ratelimit: '"minute";r=0;t=60',
    })
    expect((await get("/api/pro/whole", other)).statusCode).toBe(200)
    expect(entries().filter((type) => type === "credits.debited")).toHaveLength(3)
    moveTo(START_MS + 60_000)
    expect((await get("/api/pro/whole", mine)).statusCode).toBe(200)
  })

  it("calls of an account, whichever of its tokens they are made with: a new token is no new share", async () => {
    const { get, token, submit, moveTo } = await premiumScene({ limits: { tokenRequestsPerMinute: 3 } })
    const first = await token(9)
    const { account } = (await submit({ _tag: "readAccount", by: { token: tokenHashOf(first) } })).answer
    const reissued = async (generation: number): Promise<string> => {
      const next = anyToken()
      const wanted = { claimant: `reissue/${account}`, origin: account, generation }
      const by = { account, operator: "test", reason: "a test" }
      await submit({ _tag: "reissue", ...by, token: { ...wanted, kid: "k1", hash: tokenHashOf(next) } })
      return next
    }
    const statusOf = async (mine: string) => (await get("/api/pro/whole", mine)).statusCode
    expect([await statusOf(first), await statusOf(first)]).toEqual([200, 200])
    const second = await reissued(2)
    expect(await statusOf(first)).toBe(402)
    const last = await get("/api/pro/whole", second)
    expect([last.statusCode, last.headers.ratelimit]).toEqual([200, '"minute";r=0;t=60'])
    expect([await statusOf(second), await statusOf(second)]).toEqual([429, 429])
    // What the ledger has not named yet is answered once, as no call asks it for the account beforehand.
    const third = await reissued(3)
    expect([await statusOf(third), await statusOf(third), await statusOf(third)]).toEqual([200, 429, 429])
    moveTo(START_MS + 60_000)
    expect([await statusOf(third), await statusOf(third)]).toEqual([200, 200])
  })

  it("calls with a good token against no limit of its client, any other against one by the minute", async () => {
    const { get, app, token } = await premiumScene({ limits: { requestsPerDay: 1, serviceRequestsPerMinute: 3 } })
    const mine = await token(50)
    // A used-up share of free requests does not block purchases.
    expect((await app.inject({ url: "/api/things" })).headers.ratelimit).toBe('"day";r=0;t=86400')
    for (let call = 0; call < 10; call += 1) expect((await get("/api/pro/whole", mine)).statusCode).toBe(200)
    for (const bad of [anyToken(), anyToken(), null])
      expect((await get("/api/pro/whole", bad)).statusCode, String(bad)).toBe(402)
    for (const bad of [anyToken(), null]) {
      const reply = await get("/api/pro/whole", bad)
      expect([reply.statusCode, reply.json().error]).toEqual([429, "rate_limited"])
    }
    expect((await app.inject({ url: "/api/things" })).statusCode).toBe(429)
    expect((await get("/api/pro/whole", mine)).statusCode).toBe(200)
  })

  it("calls and refusals, for operators, without a word of tokens", async () => {
    const { get, token, registry, fill, memory, errors } = await premiumScene()
    const mine = await token(3)
    await get("/api/pro/whole", mine)
    await get("/api/pro/whole", mine, { "idempotency-key": "k1-secret" })
    await get("/api/pro/whole", mine, { "idempotency-key": "k1-secret" })
    await get("/api/pro/picked", mine)
    await get("/api/pro/picked?size=x", mine)
    fill("/api/pro/whole", { stalled: true, list: [] })
    await get("/api/pro/whole", mine)
    await get("/api/pro/whole", null)
    const metrics = await registry.metrics()
    for (const line of [
      'tidewire_premium_calls_total{endpoint="pro_whole",outcome="charged"} 2',
      'tidewire_premium_calls_total{endpoint="pro_whole",outcome="replayed"} 1',
      'tidewire_premium_calls_total{endpoint="pro_whole",outcome="free"} 1',
      'tidewire_premium_calls_total{endpoint="pro_picked",outcome="refused"} 2',
      'tidewire_premium_refusals_total{reason="missing_token"} 1',
      'tidewire_premium_refusals_total{reason="insufficient_credits"} 1',
      'tidewire_premium_refusals_total{reason="invalid_parameter"} 1',
    ])
      expect(metrics.split("\n").filter((one) => one.startsWith("tidewire_premium"))).toContain(line)
    const everything = [
      metrics,
      JSON.stringify(errors),
      ...(["ledger", "replies"] as const).flatMap((topic) =>
        memory.records(topic).map(({ key, value }) => key + new TextDecoder().decode(value ?? new Uint8Array())),
      ),
    ].join("\n")
    for (const secret of [mine, mine.slice(9), "k1-secret"]) expect(everything).not.toContain(secret)
  })
})
