import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { BillingUnavailable, type LedgerClient, tokenHashOf } from "../../ledger/client.ts"
import { verifyLedger } from "../../ledger/verify/verify.ts"
import { PremiumPaymentRequired } from "../../schemas/contract/refusal.ts"
import { MINUTE_MS, NOON_MS } from "../conformance/ledger/given.ts"
import { railScene, TOKEN } from "./scene.ts"

const asked = { token: TOKEN, cost: 3, endpoint: "scan/domain", reservation_id: "r-1" }
const charge = { reservation_id: "r-1", no_charge: false }
const release = { reservation_id: "r-1", no_charge: true }

describe("the rail of the sister", () => {
  it("reserves, and charges what it reserved", async () => {
    const { ask, balance, memory } = await railScene()
    expect(await ask("validate", asked)).toMatchObject({
      status: 200,
      body: {
        valid: true,
        reservation_id: "r-1",
        credits_reserved: 3,
        credits_remaining: 47,
        expires_at: new Date(NOON_MS + 5 * MINUTE_MS).toISOString(),
      },
      headers: { "cache-control": "no-store", "content-type": "application/json; charset=utf-8" },
    })
    expect(await ask("commit", charge)).toMatchObject({
      status: 200,
      body: { reservation_id: "r-1", credits_charged: 3, credits_remaining: 47 },
    })
    expect(await balance()).toBe(47)
    expect(memory.events("ledger").map(({ type }) => type)).toEqual([
      ...["credits.granted", "token.issued", "credits.granted", "token.issued"],
      ...["credits.debited", "debit.settled"],
    ])
    expect(await Effect.runPromise(verifyLedger(memory.log))).toMatchObject({ offence: null, balance: 97 })
  })

  it("releases what costs nothing", async () => {
    const { ask, balance } = await railScene()
    await ask("validate", asked)
    expect((await ask("commit", release)).body).toMatchObject({ credits_charged: 0, credits_remaining: 50 })
    expect(await balance()).toBe(50)
  })

  it("answers a repeated request with the bytes of its first answer, and carries it out once", async () => {
    const { ask, balance, pass, memory } = await railScene()
    const first = await ask("validate", asked)
    const all = await Promise.all(Array.from({ length: 20 }, () => ask("validate", asked)))
    await ask("validate", { ...asked, reservation_id: "r-2" })
    const ended = await ask("commit", charge)
    const ends = await Promise.all(Array.from({ length: 20 }, () => ask("commit", charge)))
    pass(10 * MINUTE_MS)
    all.push(await ask("validate", asked))
    ends.push(await ask("commit", charge))
    expect(new Set(all.map(({ text }) => text))).toEqual(new Set([first.text]))
    expect(new Set(ends.map(({ text }) => text))).toEqual(new Set([ended.text]))
    expect(ended.body).toMatchObject({ credits_remaining: 44 })
    // The second one was not committed: its credits are back.
    expect(await balance()).toBe(47)
    expect(memory.events("ledger").filter(({ type }) => type === "credits.debited")).toHaveLength(2)
  })

  it.each([
    ["cost", { cost: 4 }],
    ["endpoint", { endpoint: "scan" }],
    ["token", { token: `svc_live_${"8".repeat(64)}` }],
    ["token, which is missing", { token: null }],
  ])("refuses a reservation with another %s: 422", async (_, other) => {
    const { ask, balance } = await railScene()
    await ask("validate", asked)
    expect(await ask("validate", { ...asked, ...other })).toMatchObject({
      status: 422,
      body: { error: "reservation_reused" },
    })
    expect(await balance(`svc_live_${"8".repeat(64)}`)).toBe(50)
  })

  it("ends a reservation in one way: 422 for the other, 409 after its return, 404 without one", async () => {
    const { ask, balance, pass } = await railScene()
    await ask("validate", asked)
    await ask("commit", charge)
    expect(await ask("commit", release)).toMatchObject({ status: 422, body: { error: "reservation_reused" } })
    await ask("validate", { ...asked, reservation_id: "r-2" })
    pass(5 * MINUTE_MS)
    for (const no_charge of [true, false])
      expect(await ask("commit", { reservation_id: "r-2", no_charge })).toMatchObject({
        status: 409,
        body: { error: "reservation_returned" },
      })
    expect(await ask("commit", { reservation_id: "r-3", no_charge: false })).toMatchObject({
      status: 404,
      body: { error: "unknown_reservation" },
    })
    expect(await balance()).toBe(47)
  })

  it("refuses in the words of the contract, with the terms of buying for the sister's caller", async () => {
    const { ask, ledger, balance } = await railScene()
    const refusals = {
      missing_token: { ...asked, token: null },
      invalid_token: { ...asked, token: `svc_live_${"9".repeat(64)}` },
      insufficient_credits: { ...asked, cost: 51 },
    }
    for (const [error, body] of Object.entries(refusals)) {
      const refused = await ask("validate", body)
      expect(refused).toMatchObject({ status: 402, body: { error, signup: expect.stringMatching(/^https:/) } })
      expect(Schema.is(PremiumPaymentRequired)(refused.body)).toBe(true)
    }
    for (const token of ["", "svc_live_", "Bearer x", TOKEN.toUpperCase(), `${TOKEN} `])
      expect(await ask("validate", { ...asked, token })).toMatchObject({
        status: 402,
        body: { error: "invalid_token" },
      })
    // No refusal was remembered: the same reservation is made once it can be.
    expect(await ask("validate", asked)).toMatchObject({ status: 200 })
    expect(await balance()).toBe(47)
    await Effect.runPromise(ledger.submit({ _tag: "revoke", token: tokenHashOf(TOKEN), confirmed: true }))
    expect(await ask("validate", { ...asked, reservation_id: "r-2" })).toMatchObject({
      status: 402,
      body: { error: "expired", reason: "token_revoked" },
    })
  })

  it.each<[string, "validate" | "commit", object | string, string]>([
    ["null", "validate", "null", "malformed_body"],
    ["a list", "commit", [charge], "malformed_body"],
    ["cost 0", "validate", { ...asked, cost: 0 }, "invalid_parameter"],
    ["cost 101", "validate", { ...asked, cost: 101 }, "invalid_parameter"],
    ["cost 1.5", "validate", { ...asked, cost: 1.5 }, "invalid_parameter"],
    ["cost as text", "validate", { ...asked, cost: "3" }, "invalid_parameter"],
    ["a token that is no text", "validate", { ...asked, token: 7 }, "invalid_parameter"],
    ["an empty endpoint", "validate", { ...asked, endpoint: "" }, "invalid_parameter"],
    ["an endpoint in capitals", "validate", { ...asked, endpoint: "Scan" }, "invalid_parameter"],
    ["an endpoint of two lines", "validate", { ...asked, endpoint: "scan\n" }, "invalid_parameter"],
    ["an endpoint of 81 characters", "validate", { ...asked, endpoint: "x".repeat(81) }, "invalid_parameter"],
    ["no reservation", "validate", { ...asked, reservation_id: undefined }, "missing_parameter"],
    ["an empty reservation", "validate", { ...asked, reservation_id: "" }, "invalid_parameter"],
    ["a reservation of 101 characters", "validate", { ...asked, reservation_id: "r".repeat(101) }, "invalid_parameter"],
    ["a reservation with a slash", "commit", { ...charge, reservation_id: "../r-1" }, "invalid_parameter"],
    ["no decision about the charge", "commit", { reservation_id: "r-1" }, "missing_parameter"],
    ["a decision that is no boolean", "commit", { ...charge, no_charge: "false" }, "invalid_parameter"],
  ])("refuses %s: 400", async (_, operation, body, error) => {
    const { ask, memory } = await railScene()
    const before = memory.records("ledger").length
    expect(await ask(operation, body)).toMatchObject({ status: 400, body: { error } })
    expect(memory.records("ledger")).toHaveLength(before)
  })

  it.each(["", "{", "svc_live_"])("refuses %j, which is no JSON: 400", async (text) => {
    const { ask } = await railScene()
    expect(await ask("validate", text)).toMatchObject({ status: 400, body: { reason: "malformed" } })
  })

  it("takes the longest endpoint and reservation, and the cost of 1", async () => {
    const { ask } = await railScene()
    const largest = {
      token: TOKEN,
      cost: 1,
      endpoint: "a/9-".repeat(20),
      reservation_id: "Ab.9_-".repeat(20).slice(0, 100),
    }
    expect(await ask("validate", largest)).toMatchObject({ status: 200, body: { credits_remaining: 49 } })
    expect(await ask("commit", { reservation_id: largest.reservation_id, no_charge: false })).toMatchObject({
      status: 200,
    })
  })

  it("says that a ledger is away, and that the same request may be repeated: it is carried out once", async () => {
    let isLost = true
    const losing = (ledger: LedgerClient): LedgerClient => ({
      submit: (command) =>
        Effect.flatMap(ledger.submit(command), (answer) =>
          isLost
            ? Effect.fail(new BillingUnavailable({ reason: "unknown", retryAfterSeconds: 2 }))
            : Effect.succeed(answer),
        ),
    })
    const { ask, balance } = await railScene({}, losing)
    expect(await ask("validate", asked)).toMatchObject({
      status: 503,
      body: { error: "billing_unavailable", retry_after_seconds: 2 },
      headers: { "retry-after": "2" },
    })
    isLost = false
    expect(await ask("validate", asked)).toMatchObject({ status: 200, body: { credits_remaining: 47 } })
    isLost = true
    expect(await ask("commit", charge)).toMatchObject({ status: 503 })
    isLost = false
    expect(await ask("commit", charge)).toMatchObject({ status: 200, body: { credits_charged: 3 } })
    expect(await balance()).toBe(47)
  })

  it("hides a fault of its own, and reports it without the token", async () => {
    const failing = (): LedgerClient => ({ submit: () => Effect.die(new Error("a defect")) })
    const { ask, faults } = await railScene({}, failing)
    const { status, text } = await ask("validate", asked)
    expect({ status, error: JSON.parse(text).error }).toEqual({ status: 500, error: "internal_error" })
    expect(text).not.toContain("defect")
    expect(faults.map(String)).toEqual(["Error: a defect"])
    expect(JSON.stringify(faults) + faults.map((one) => (one instanceof Error ? one.stack : "")).join()).not.toContain(
      TOKEN,
    )
  })
})
