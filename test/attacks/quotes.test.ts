import { describe, expect, it } from "vitest"
import { prefixesOf } from "../../api/http/client.ts"
import { lastDayOf } from "../../ledger/model/claims.ts"
import { OPEN_QUOTES_MAX, TAIL_MAX, TOTAL_HELD_MS } from "../../ledger/rules.ts"
import type { QuoteClient } from "../../schemas/events/ledger.ts"
import {
  askQuote,
  buyer,
  byMemo,
  confirm,
  confirmed,
  DAY_MS,
  given,
  MINUTE_MS,
  NOON_MS,
  SECOND_MS,
  transaction,
  transfer,
  word,
} from "../conformance/ledger/given.ts"

// What strangers can do with quotes alone: they cost nothing, and each takes a total away from everyone else.

const THOUSAND = 1_000
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0")
const many = (of: (n: number) => string): ReadonlyArray<QuoteClient> =>
  Array.from({ length: THOUSAND }, (_, n) => prefixesOf(of(n)))

const honest = prefixesOf("198.51.100.7")

/** A ledger, and a stranger who asks from some addresses. */
const attackFrom = (clients: ReadonlyArray<QuoteClient>) => {
  const scenario = given()
  let count = 0
  const ask = (client: QuoteClient, askedCents: number, atMs: number) => {
    count += 1
    // Any multiplier that has no divisor in common with the number of tails meets each of them.
    const tail = 1 + ((count * 7_919) % TAIL_MAX)
    return scenario.when({ _tag: "issueQuote", askedCents, memoHash: word(`memo ${count}`), tail, client }, atMs)
  }
  /** Each address asks until it is refused, or until `enough` says so of what it got. */
  const round = (atMs: number, centsOf: (nth: number) => number, enough: (proof: string) => boolean = () => false) => {
    for (const client of clients)
      for (let nth = 0; ; nth++) {
        const outcome = ask(client, centsOf(nth), atMs)
        if ("refused" in outcome || enough(outcome.answer.proof)) break
      }
  }
  return { scenario, ask, round }
}

/** The most that may be open at once: all ask as often as they may, for as long as a quote is open. */
const openAtOnce = (clients: ReadonlyArray<QuoteClient>): number => {
  const { scenario, round } = attackFrom(clients)
  for (let minute = 0; minute < 30; minute++) round(NOON_MS + minute * MINUTE_MS, (nth) => 200 + nth)
  return scenario.state.openQuotes
}

/** The totals of one dollar that they hold after a week of asking for nothing else, and what a buyer is given then. */
const heldOfOneDollar = (clients: ReadonlyArray<QuoteClient>) => {
  const { scenario, ask, round } = attackFrom(clients)
  for (let day = 0; day < 7; day++)
    round(
      NOON_MS + day * DAY_MS,
      () => 100,
      (proof) => proof === "signature",
    )
  const held = [...scenario.state.totals.entries()].length
  const buyers = ask(honest, 100, NOON_MS + 7 * DAY_MS)
  return { held, proof: "answer" in buyers ? buyers.answer.proof : "refused" }
}

describe("what a stranger can do with quotes, from", () => {
  it.each([
    // Addresses of the attack; the most open at once; tails of one dollar held after a week; what a buyer is given then.
    ["2 addresses", [prefixesOf("203.0.113.1"), prefixesOf("192.0.2.1")], 40, 8, "amount"],
    ["1,000 addresses of one /48", many((n) => `20010db80001${hex(n, 4)}/64`), 60, 16, "amount"],
    ["1,000 addresses of one /24 and more", many((n) => `10.7.${n >> 8}.${n & 255}`), 240, 64, "amount"],
    ["1,000 networks of one /32", many((n) => `20010db8${hex(n, 4)}0001/64`), 1_000, 256, "amount"],
    ["1,000 addresses of 1,000 providers", many((n) => `${20 + (n >> 8)}.${n & 255}.1.1`), 20_000, 4_000, "amount"],
  ] as const)("%s", (_, clients, open, held, proof) => {
    expect(openAtOnce(clients)).toBe(open)
    expect(heldOfOneDollar(clients)).toEqual({ held, proof })
    // A fifth of the shop, and less than half of an amount: buyers are served, and a mistyped tail more likely names none.
    expect(open).toBeLessThan(OPEN_QUOTES_MAX)
    expect(held * 2).toBeLessThan(TAIL_MAX)
  })

  it("one address that never pays: 200 entries of the ledger in the window of a total; a refusal writes none", () => {
    const { scenario, round } = attackFrom([prefixesOf("203.0.113.1")])
    for (let hour = 0; hour < 9 * 24; hour++) round(NOON_MS + hour * 60 * MINUTE_MS, (nth) => 100 + nth)
    expect(scenario.history).toHaveLength(400)
    expect([...scenario.state.clients.entries()].length).toBe(3)
    // Long after it, what was counted for the limits is forgotten.
    for (let day = 1; day <= 3; day++)
      scenario.accepted(
        { _tag: "issueQuote", askedCents: 100, memoHash: word(`late ${day}`), tail: 1, client: honest },
        NOON_MS + (30 + day) * DAY_MS,
      )
    expect([...scenario.state.clients.entries()].map(([key]) => key).sort()).toEqual(Object.values(honest).sort())
    expect([...scenario.state.shares.entries()]).toHaveLength(3)
    expect([...scenario.state.amounts.entries()]).toHaveLength(1)
  })
})

describe("a quick buyer", () => {
  it("whose block is stamped some seconds before the quote that it pays has his credits by the memo", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const paid = transaction("quick", [transfer(buyer, totalUnits)], { atMs: NOON_MS - 12 * SECOND_MS })
    expect(confirmed(scenario, confirm(paid, byMemo), NOON_MS + MINUTE_MS)).toMatchObject({ answer: { credits: 50 } })
  })

  it("is no thief: who waits until the total of a victim is free, draws its tail and claims the old payment has nothing", () => {
    // The victim pays at these times after the window of the quote: too late for the amount to name it.
    for (const lateMs of [SECOND_MS, 20 * SECOND_MS, DAY_MS, 7 * DAY_MS]) {
      const scenario = given()
      const { totalUnits } = askQuote(scenario, "victim's", { client: "victim" })
      const paidAtMs = NOON_MS + 30 * MINUTE_MS + TOTAL_HELD_MS + lateMs
      const paid = transaction("late", [transfer(buyer, totalUnits)], { atMs: paidAtMs })
      const drawn = scenario.accepted(
        { _tag: "issueQuote", askedCents: 100, memoHash: word("thief's"), tail: 417, client: honest },
        paidAtMs + 5 * SECOND_MS,
      )
      expect(drawn.totalUnits).toBe(totalUnits)
      expect(scenario.refused(confirm(paid, { memoHash: word("thief's") }))).toEqual({ _tag: "payer_proof_required" })
      // Older than 30 s it is not the thief's either, however long the total was free.
      const older = transaction("older", [transfer(buyer, totalUnits)], { atMs: paidAtMs - 40 * SECOND_MS })
      expect(scenario.refused(confirm(older, { memoHash: word("thief's") }))).toEqual({ _tag: "payer_proof_required" })
      const signed = { signer: buyer, signedUntil: lastDayOf(paidAtMs) }
      expect(confirmed(scenario, confirm(paid, signed))).toMatchObject({ answer: { credits: 50 } })
    }
  })
})

describe("a buyer", () => {
  it("who pays counts for no limit: an office of buyers behind one address goes on", () => {
    const { scenario, ask } = attackFrom([])
    for (let n = 0; n < 300; n++) {
      const atMs = NOON_MS + n * MINUTE_MS
      const memoHash = word(`bought ${n}`)
      const quoted = scenario.accepted(
        { _tag: "issueQuote", askedCents: 100, memoHash, tail: 1 + n, client: honest },
        atMs,
      )
      expect(quoted.proof).toBe("amount")
      const paid = transaction(`paid ${n}`, [transfer(word("payer").slice(0, 42), quoted.totalUnits)], { atMs })
      confirmed(scenario, confirm(paid, { memoHash, newAccount: `account ${n}` }))
    }
    expect(ask(honest, 100, NOON_MS + 300 * MINUTE_MS)).toMatchObject({ answer: { proof: "amount" } })
  })

  it("whose amount has more than half of its tails taken is asked to sign, and another amount is as before", () => {
    const { scenario, ask } = attackFrom([])
    const clientsOf = (n: number) => prefixesOf(`${20 + (n >> 8)}.${n & 255}.1.1`)
    for (let n = 0; n < 5_000; n++)
      expect(ask(clientsOf(Math.floor(n / 4)), 100, NOON_MS)).toMatchObject({ answer: { proof: "amount" } })
    const totals = new Set([...scenario.state.totals.entries()].map(([totalUnits]) => totalUnits))
    expect(totals.size).toBe(5_000)
    expect(ask(honest, 100, NOON_MS + DAY_MS)).toMatchObject({ answer: { proof: "signature", totalUnits: 1_000_000 } })
    expect(ask(honest, 101, NOON_MS + DAY_MS)).toMatchObject({ answer: { proof: "amount" } })
    expect(ask(honest, 100, NOON_MS + 9 * DAY_MS)).toMatchObject({ answer: { proof: "amount" } })
  })
})
