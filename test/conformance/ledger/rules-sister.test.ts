import { describe, expect, it } from "vitest"
import type { EndReservation, Reserve } from "../../../ledger/command.ts"
import { SISTER_FREE_ENDS_PER_DAY } from "../../../schemas/sister-rail.ts"
import { DAY_MS, debit, funded, given, hashOf, MINUTE_MS, NOON_MS, type Scenario } from "./given.ts"

const LIFE_MS = 5 * MINUTE_MS
const reserve = (token: string | null, more: Partial<Reserve> = {}): Reserve => ({
  _tag: "reserve",
  token,
  credits: 3,
  endpoint: "scan/domain",
  reservation: "r-1",
  ...more,
})
const end = (charged: boolean, reservation = "r-1"): EndReservation => ({
  _tag: "endReservation",
  reservation,
  charged,
})
const orphans = { _tag: "refundOrphans" } as const
const account = (scenario: Scenario, id = "a") => scenario.accepted({ _tag: "readAccount", by: { account: id } })
const begun = (credits = 50) => {
  const scenario = given()
  const token = funded(scenario, "a", credits)
  return { scenario, token, first: scenario.accepted(reserve(token)) }
}

describe("a reservation of the sister", () => {
  it("is a debit of the sister's endpoint, which is charged once", () => {
    const scenario = given()
    const token = funded(scenario, "a", 50)
    expect(scenario.when(reserve(token))).toMatchObject({
      answer: { debit: "sister/20682/r-1", account: "a", balance: 47, expiresAtMs: NOON_MS + LIFE_MS },
      events: [{ type: "credits.debited", data: { account: "a", credits: 3, purpose: "sister:scan/domain" } }],
    })
    expect(scenario.when(end(true))).toMatchObject({
      answer: { account: "a", charged: 3, balance: 47 },
      events: [{ type: "debit.settled", data: { charged: 3, returned: 0, noChargeReason: null } }],
    })
    expect(account(scenario)).toMatchObject({ balance: 47, spent: 3, spentBySister: 3 })
  })

  it("is released free of charge, once, and leaves the allowance of the account's own calls alone", () => {
    const { scenario, token } = begun()
    expect(scenario.when(end(false))).toMatchObject({
      answer: { charged: 0, balance: 50 },
      events: [{ type: "credits.refunded", data: { credits: 3, reason: "released" } }],
    })
    expect(scenario.when(end(false))).toMatchObject({ answer: { charged: 0, balance: 50 }, events: [] })
    for (let n = 1; n < SISTER_FREE_ENDS_PER_DAY; n++) {
      scenario.accepted(reserve(token, { reservation: `free-${n}` }))
      scenario.accepted(end(false, `free-${n}`))
    }
    expect(scenario.refused(reserve(token, { reservation: "more" }))._tag).toBe("free_allowance_spent")
    scenario.accepted(debit(token, "d", { mayEndFree: true }))
    expect(account(scenario)).toMatchObject({ balance: 49, spent: 0, spentBySister: 0 })
  })

  it("has the first answers again, whatever happened meanwhile, and writes nothing for them", () => {
    const { scenario, token, first } = begun()
    const same = { answer: first, events: [] }
    scenario.accepted(debit(token, "other", { credits: 20 }))
    expect(scenario.when(reserve(token))).toEqual(same)
    const ended = scenario.accepted(end(true))
    expect(ended).toEqual({ account: "a", charged: 3, balance: 27 })
    scenario.accepted(debit(token, "another", { credits: 20 }))
    scenario.accepted({ _tag: "revoke", token, confirmed: true })
    expect(scenario.when(reserve(token))).toEqual(same)
    expect(scenario.when(end(true), NOON_MS + LIFE_MS)).toEqual({ answer: ended, events: [] })
    expect(scenario.when(reserve(token), NOON_MS + DAY_MS - 1)).toEqual(same)
  })

  it.each([
    ["cost", { credits: 4 }],
    ["endpoint", { endpoint: "scan" }],
    ["token", { token: hashOf("token of b") }],
    ["token, which is missing", { token: null }],
  ])("is refused with another %s", (_, more) => {
    const { scenario, token } = begun()
    funded(scenario, "b", 50)
    expect(scenario.refused(reserve(token, more))).toEqual({ _tag: "key_reused" })
    expect(account(scenario, "b").balance).toBe(50)
  })

  it("belongs to the sister: an Idempotency-Key of the same text is another one", () => {
    const { scenario, token } = begun()
    const idempotency = { key: hashOf("r-1"), request: hashOf("request") }
    expect(scenario.accepted(debit(token, "x", { idempotency }))).toMatchObject({ balance: 46, replayed: false })
  })

  it("ends in one way: another end is refused, and so is any after its return", () => {
    const { scenario, token } = begun()
    scenario.accepted(end(true))
    expect(scenario.refused(end(false))).toEqual({ _tag: "key_reused" })
    scenario.accepted(reserve(token, { reservation: "r-2" }))
    scenario.accepted(end(false, "r-2"))
    expect(scenario.refused(end(true, "r-2"))).toEqual({ _tag: "key_reused" })
    scenario.accepted(reserve(token, { reservation: "r-3" }))
    expect(scenario.accepted(orphans, NOON_MS + LIFE_MS)).toEqual({ refunded: 1 })
    for (const charged of [true, false]) expect(scenario.refused(end(charged, "r-3"))._tag).toBe("debit_refunded")
    expect(scenario.refused(end(true, "r-4"))).toEqual({ _tag: "unknown_debit" })
    expect(account(scenario)).toMatchObject({ balance: 47, spentBySister: 3 })
  })

  it("of 0, 101 or 1.5 credits, of an unknown token and beyond the balance is refused, and made later", () => {
    const scenario = given()
    const token = funded(scenario, "a", 2)
    for (const credits of [0, -1, 1.5, 101, Number.NaN])
      expect(scenario.refused(reserve(token, { credits }))._tag).toBe("invalid_amount")
    expect(scenario.refused(reserve(null))._tag).toBe("missing_token")
    expect(scenario.refused(reserve(hashOf("guess")))._tag).toBe("invalid_token")
    expect(scenario.refused(reserve(token))).toMatchObject({ _tag: "insufficient_credits", balance: 2, needed: 3 })
    funded(scenario, "b", 50)
    expect(scenario.accepted(reserve(hashOf("token of b")))).toMatchObject({ account: "b", balance: 47 })
  })

  it("is an operator's to refund: open ones are over then, charged ones keep their answer", () => {
    const { scenario, token, first } = begun()
    const byHand = (id: string) =>
      ({ _tag: "refund", debit: id, operator: { name: "jane", note: "a mistake" } }) as const
    const ended = scenario.accepted(end(true))
    scenario.accepted(byHand(first.debit))
    expect(scenario.accepted(end(true))).toEqual(ended)
    expect(account(scenario)).toMatchObject({ balance: 50, spent: 0, spentBySister: 0 })
    const second = scenario.accepted(reserve(token, { reservation: "r-2" }))
    scenario.accepted(byHand(second.debit))
    expect(scenario.refused(end(true, "r-2"))).toEqual({ _tag: "debit_refunded" })
    expect(account(scenario).balance).toBe(50)
  })

  it("is forgotten after a day, and may then be made again; a refund of the first leaves the second alone", () => {
    const { scenario, token, first } = begun()
    scenario.accepted(end(true))
    const second = scenario.accepted(reserve(token, { credits: 5 }), NOON_MS + DAY_MS)
    expect(second).toMatchObject({ debit: "sister/20683/r-1", balance: 42 })
    const operator = { name: "jane", note: "a mistake" }
    scenario.accepted({ _tag: "refund", debit: first.debit, operator })
    expect(scenario.accepted(end(true))).toEqual({ account: "a", charged: 5, balance: 45 })
    scenario.accepted(debit(token, "later"), NOON_MS + 3 * DAY_MS)
    expect(scenario.refused(end(true))).toEqual({ _tag: "unknown_debit" })
    expect([...scenario.state.reservations.entries()]).toEqual([])
    expect([...scenario.state.reservationOrder.entries()]).toEqual([])
  })

  it("is made by no other command: a debit of its purpose is refused", () => {
    const { scenario, token } = begun()
    expect(scenario.refused(debit(token, "d", { purpose: "sister:scan" }))).toEqual({ _tag: "invalid_command" })
  })
})
