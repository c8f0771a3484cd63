import { describe, expect, it } from "vitest"
import { DEBIT_LIFE_MS } from "../../../ledger/rules.ts"
import {
  buyer,
  CHAIN_ID,
  confirm,
  DAY_MS,
  debit,
  funded,
  given,
  hashOf,
  MINUTE_MS,
  NOON_MS,
  type Scenario,
  transaction,
  transfer,
  word,
} from "./given.ts"

const settle = (id: string, noChargeReason: "empty_range" | null = null) =>
  ({ _tag: "settle", debit: id, noChargeReason }) as const
const orphans = { _tag: "refundOrphans" } as const
const account = (scenario: Scenario) => scenario.accepted({ _tag: "readAccount", by: { account: "a" } })

describe("a debit", () => {
  it("takes all of its credits or none, and exactly as many pass as the balance covers", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    const passed = Array.from({ length: 200 }, (_, n) => scenario.when(debit(token, `d${n}`)))
    expect(passed.filter((one) => "answer" in one)).toHaveLength(50)
    expect(passed.at(-1)).toEqual({
      refused: { _tag: "insufficient_credits", balance: 0, shortfall: 0, needed: 1 },
    })
    expect(account(scenario).balance).toBe(0)
  })

  it("of two credits is refused on a balance of one, and served on two", () => {
    const scenario = given()
    const token = funded(scenario, "a", 1)
    expect(scenario.when(debit(token, "d", { credits: 2 }))).toMatchObject({
      refused: { _tag: "insufficient_credits", balance: 1, needed: 2 },
    })
    expect(scenario.when(debit(token, "d"))).toMatchObject({
      answer: { debit: "d", balance: 0 },
      events: [{ type: "credits.debited", data: { account: "a", debit: "d", credits: 1, idempotency: null } }],
    })
  })

  it.each([
    ["no token", null, "missing_token"],
    ["an unknown token", hashOf("guess"), "invalid_token"],
  ])("with %s is refused", (_, token, tag) => {
    expect(given().refused(debit(token, "d"))._tag).toBe(tag)
  })

  it.each([0, -1, 1.5, Number.NaN, 2e9])("of %d credits is refused", (credits) => {
    const scenario = given()
    expect(scenario.refused(debit(funded(scenario, "a", 50), "d", { credits }))._tag).toBe("invalid_amount")
  })

  it("has an id of its own, while it is open and after", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    scenario.accepted(debit(token, "d"))
    expect(scenario.refused(debit(token, "d"))._tag).toBe("duplicate_debit")
    scenario.accepted(settle("d"))
    expect(scenario.refused(debit(token, "d"))._tag).toBe("duplicate_debit")
  })
})

describe("a settle", () => {
  it("charges what was debited, once, and says the same when it is repeated", () => {
    const scenario = given()
    scenario.accepted(debit(funded(scenario, "a", 50), "d", { credits: 2 }))
    expect(scenario.when(settle("d"))).toMatchObject({
      answer: { account: "a", charged: 2, returned: 0, balance: 48 },
      events: [{ type: "debit.settled", data: { charged: 2, returned: 0, noChargeReason: null } }],
    })
    expect(scenario.when(settle("d"))).toMatchObject({ answer: { charged: 2, balance: 48 }, events: [] })
    expect(account(scenario)).toMatchObject({ balance: 48, spent: 2 })
  })

  it("free of charge settles and returns in one event", () => {
    const scenario = given()
    scenario.accepted(debit(funded(scenario, "a", 2), "d", { credits: 2 }))
    expect(scenario.when(settle("d", "empty_range"))).toMatchObject({
      answer: { charged: 0, returned: 2, balance: 2 },
      events: [{ type: "debit.settled", data: { charged: 0, returned: 2, noChargeReason: "empty_range" } }],
    })
    expect(account(scenario)).toMatchObject({ balance: 2, spent: 0 })
  })

  it("of a debit that was refunded, or never made, is refused", () => {
    const scenario = given()
    scenario.accepted(debit(funded(scenario, "a", 50), "d"))
    scenario.accepted(orphans, NOON_MS + 5 * MINUTE_MS)
    expect(scenario.refused(settle("d"))).toEqual({ _tag: "debit_refunded" })
    expect(scenario.refused(settle("e"))).toEqual({ _tag: "unknown_debit" })
  })
})

describe("orphans", () => {
  it("are given back when a call must have been answered, not before, and not twice", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    scenario.accepted(debit(token, "old"), NOON_MS)
    scenario.accepted(debit(token, "young"), NOON_MS + 1)
    scenario.accepted(debit(token, "settled"), NOON_MS)
    scenario.accepted(settle("settled"))
    expect(scenario.accepted(orphans, NOON_MS + DEBIT_LIFE_MS - 1)).toEqual({ refunded: 0 })
    expect(scenario.when(orphans, NOON_MS + DEBIT_LIFE_MS)).toMatchObject({
      answer: { refunded: 1 },
      events: [{ type: "credits.refunded", data: { debit: "old", credits: 1, reason: "orphaned" } }],
    })
    expect(scenario.accepted(orphans, NOON_MS + DEBIT_LIFE_MS)).toEqual({ refunded: 0 })
    expect(scenario.accepted(orphans, NOON_MS + 6 * MINUTE_MS)).toEqual({ refunded: 2 - 1 })
    expect(account(scenario)).toMatchObject({ balance: 49, spent: 1 })
  })

  it("are given back in portions", () => {
    const scenario = given()
    const token = funded(scenario, "a", 1_500)
    for (let n = 0; n < 1_500; n++) scenario.accepted(debit(token, `d${n}`))
    expect(scenario.accepted(orphans, NOON_MS + DAY_MS)).toEqual({ refunded: 1_000 })
    expect(scenario.accepted(orphans)).toEqual({ refunded: 500 })
    expect(account(scenario).balance).toBe(1_500)
  })
})

describe("an Idempotency-Key", () => {
  const idempotency = { key: hashOf("key"), request: hashOf("request") }
  let calls = 0
  const keyed = (token: string, more = {}) =>
    debit(token, `call ${++calls}`, { idempotency: { ...idempotency, ...more } })
  const begun = () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    return { scenario, token, first: scenario.accepted(keyed(token)) }
  }

  it("in flight is refused, settled is replayed free of charge, refunded is a new attempt that is charged", () => {
    const { scenario, token, first } = begun()
    expect(first).toMatchObject({ balance: 49, replayed: false })
    expect(scenario.refused(keyed(token))).toEqual({ _tag: "key_in_flight", openMs: 0, dueMs: DEBIT_LIFE_MS })
    expect(scenario.refused(keyed(token), NOON_MS + 15_000)).toEqual({
      _tag: "key_in_flight",
      openMs: 15_000,
      dueMs: DEBIT_LIFE_MS - 15_000,
    })
    scenario.accepted(orphans, NOON_MS + 5 * MINUTE_MS)
    const second = scenario.accepted(keyed(token))
    expect(second).toMatchObject({ balance: 49, replayed: false })
    expect(second.debit).not.toBe(first.debit)
    scenario.accepted(settle(second.debit))
    expect(scenario.when(keyed(token))).toMatchObject({
      answer: { debit: second.debit, balance: 49, replayed: true },
      events: [],
    })
  })

  it("is held by the id of its call: sent again it is known, and its caller can release it without an answer", () => {
    const { scenario, token, first } = begun()
    const again = debit(token, first.debit, { idempotency })
    expect(scenario.refused(again)).toEqual({ _tag: "duplicate_debit" })
    scenario.accepted({ _tag: "refund", debit: first.debit, operator: null })
    expect(scenario.refused(again)).toEqual({ _tag: "duplicate_debit" })
    expect(scenario.accepted(keyed(token))).toMatchObject({ balance: 49, replayed: false })
  })

  it("of a process that is gone is free at once: its calls are given back, and no reservation of the sister", () => {
    const { scenario, token } = begun()
    scenario.accepted({ _tag: "reserve", token, credits: 3, endpoint: "scan", reservation: "r-1" })
    scenario.accepted(debit(token, "no key"))
    expect(scenario.accepted({ ...orphans, callsAreDead: true })).toEqual({ refunded: 2 })
    expect(account(scenario).balance).toBe(47)
    expect(scenario.accepted(orphans, NOON_MS + 5 * MINUTE_MS - 1)).toEqual({ refunded: 0 })
    expect(scenario.accepted(orphans, NOON_MS + 5 * MINUTE_MS)).toEqual({ refunded: 1 })
  })

  it("with another request is refused, in flight and after", () => {
    const { scenario, token, first } = begun()
    expect(scenario.refused(keyed(token, { request: hashOf("other") }))).toEqual({ _tag: "key_reused" })
    scenario.accepted(settle(first.debit))
    expect(scenario.refused(keyed(token, { request: hashOf("other") }))).toEqual({ _tag: "key_reused" })
  })

  it("belongs to its account: another account's is another", () => {
    const { scenario, first } = begun()
    const other = scenario.accepted(keyed(funded(scenario, "b", 5)))
    expect(other).toMatchObject({ account: "b", balance: 4, replayed: false })
    expect(other.debit).not.toBe(first.debit)
  })

  it("is forgotten after 24 hours, swept or not, and never meets an id that it had", () => {
    const { scenario, token, first } = begun()
    scenario.accepted(settle(first.debit))
    expect(scenario.accepted(keyed(token), NOON_MS + DAY_MS - 1).replayed).toBe(true)
    const later = scenario.accepted(keyed(token, { request: hashOf("other") }), NOON_MS + DAY_MS)
    expect(later).toMatchObject({ replayed: false, balance: 48 })
    expect(later.debit).not.toBe(first.debit)
  })

  it("can be asked about without a debit: what is due under it, or why nothing can be", () => {
    const { scenario, token, first } = begun()
    const ask = (more = {}) => ({ _tag: "readAttempt", token, idempotency: { ...idempotency, ...more } }) as const
    expect(scenario.refused(ask())).toMatchObject({ _tag: "key_in_flight" })
    expect(scenario.refused(ask({ request: hashOf("other") }))).toEqual({ _tag: "key_reused" })
    expect(scenario.when(ask({ key: hashOf("another") }))).toEqual({
      answer: { account: "a", balance: 49, replay: null },
      events: [],
    })
    scenario.accepted(settle(first.debit))
    expect(scenario.accepted(ask())).toEqual({ account: "a", balance: 49, replay: first.debit })
    expect(scenario.refused({ ...ask(), token: hashOf("nobody's") })).toEqual({ _tag: "invalid_token" })
    expect(scenario.refused({ ...ask(), token: null })).toEqual({ _tag: "missing_token" })
    expect(scenario.accepted(ask(), NOON_MS + DAY_MS)).toMatchObject({ replay: null })
  })

  it("of a refused call is not kept", () => {
    const scenario = given()
    const token = funded(scenario, "a", 1)
    scenario.accepted(debit(token, "d"))
    expect(scenario.refused(keyed(token))._tag).toBe("insufficient_credits")
    scenario.accepted({ _tag: "refund", debit: "d", operator: null })
    expect(scenario.accepted(keyed(token))).toMatchObject({ balance: 0, replayed: false })
  })
})

describe("a refund", () => {
  it("releases an open debit; of a settled one only an operator may; never twice", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    const operator = { name: "jane", note: "an outage" }
    for (const id of ["open", "settled", "free"]) scenario.accepted(debit(token, id))
    scenario.accepted(settle("settled"))
    scenario.accepted(settle("free", "empty_range"))
    expect(scenario.accepted({ _tag: "refund", debit: "open", operator: null })).toMatchObject({ credits: 1 })
    expect(scenario.refused({ _tag: "refund", debit: "settled", operator: null })).toEqual({ _tag: "debit_settled" })
    expect(scenario.refused({ _tag: "refund", debit: "free", operator })).toEqual({ _tag: "debit_settled" })
    expect(scenario.when({ _tag: "refund", debit: "settled", operator })).toMatchObject({
      answer: { credits: 1, balance: 50 },
      events: [{ data: { reason: "operator", operator: "jane", note: "an outage" } }],
    })
    for (const id of ["open", "settled"])
      expect(scenario.refused({ _tag: "refund", debit: id, operator })).toEqual({ _tag: "debit_refunded" })
    expect(scenario.refused({ _tag: "refund", debit: "never", operator })).toEqual({ _tag: "unknown_debit" })
    expect(account(scenario)).toMatchObject({ balance: 50, spent: 0 })
  })
})

describe("a grant", () => {
  const grant = { _tag: "grant", account: "a", credits: 50, operator: "jane", reason: "apology" } as const

  it("opens an account with a token, or adds to one", () => {
    const scenario = given()
    expect(scenario.refused({ ...grant, payment: null, token: null })).toMatchObject({ _tag: "token_needed" })
    funded(scenario, "a", 5)
    expect(scenario.when({ ...grant, payment: null, token: null })).toMatchObject({
      answer: { balance: 55, token: null },
      events: [{ type: "credits.granted", data: { operator: "jane", reason: "apology" } }],
    })
  })

  it("uses up the payment that it stands for: it cannot be claimed afterwards, and is granted once", () => {
    const scenario = given()
    funded(scenario, "a", 5)
    const paid = transaction("paid", [transfer(buyer, 1_000_000)])
    const payment = { chainId: CHAIN_ID, transaction: word("paid"), position: 0 }
    scenario.accepted({ ...grant, payment, token: null })
    expect(scenario.refused({ ...grant, payment, token: null })).toMatchObject({ _tag: "already_credited" })
    expect(scenario.refused(confirm(paid, { signer: buyer }))).toMatchObject({ _tag: "already_credited" })
  })
})
