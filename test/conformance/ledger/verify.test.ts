import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe } from "vitest"
import { evolve } from "../../../ledger/model/decider.ts"
import {
  type EventData,
  entryHash,
  event,
  firstTail,
  isIntact,
  type LedgerEvent,
  makeEntry,
  type Tail,
} from "../../../ledger/model/entry.ts"
import { initialState } from "../../../ledger/model/state.ts"
import { type Anchor, verifyLedger } from "../../../ledger/verify/verify.ts"
import type { Opener } from "../../../schemas/events/ledger.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { buyer, CHAIN_ID, claimant, claimKeyHash, hashOf, MINUTE_MS, memo, NOON_MS, word } from "./given.ts"

const account = "a"
const payment = { chainId: CHAIN_ID, transaction: word("paid"), position: 0 }
const credited = (units: number, credits: number): LedgerEvent =>
  event("purchase.credited", {
    account,
    payment,
    payer: buyer,
    units,
    credits,
    block: { hash: word("block"), number: 1, at: "2026-08-17T12:00:00.000Z" },
    logIndex: 0,
    evidence: "amount",
    memoHash: memo,
    namedHash: null,
    claimant,
    provisional: true,
  })
const issued = (opener: Opener, of = account, reissue: EventData<"token.issued">["reissue"] = null): LedgerEvent =>
  event("token.issued", {
    account: of,
    tokenHash: hashOf(`${of} ${opener.by} ${reissue === null}`),
    kid: "k1",
    generation: 1,
    claimant,
    origin: "o",
    opener,
    reissue,
  })
const byMemo: Opener = { by: "memo", memoHash: memo }
const byPayer: Opener = { by: "payer", payer: buyer, claimKeyHash, chainId: CHAIN_ID, transaction: payment.transaction }
const claimedBy = (other: LedgerEvent, more: Partial<EventData<"purchase.credited">>): LedgerEvent =>
  other.type === "purchase.credited" ? event(other.type, { ...other.data, ...more }) : other
const bought = credited(1_000_000, 50)
const granted = (credits: number, of: typeof payment | null = null): LedgerEvent =>
  event("credits.granted", { account, credits, operator: "jane", reason: "a test", payment: of })
const debited = (debit: string, credits = 1): LedgerEvent =>
  event("credits.debited", { account, debit, credits, purpose: "/x", idempotency: null })
const settled = (debit: string, charged = 1, returned = 0): LedgerEvent =>
  event("debit.settled", { account, debit, charged, returned, noChargeReason: null })
const refunded = (debit: string, credits = 1): LedgerEvent =>
  event("credits.refunded", { account, debit, credits, reason: "orphaned", operator: null, note: null })
const reversed = (taken: number, shortfall: number): LedgerEvent =>
  event("purchase.reversed", { account, payment, blockHash: word("block"), taken, shortfall })
const finalised = event("purchase.finalised", { account, payment, blockHash: word("block") })

type Timed = LedgerEvent | readonly [LedgerEvent, number]

/** A ledger of these events with a valid chain: only their content can be wrong. */
const sealedAs = (events: ReadonlyArray<Timed>): ReadonlyArray<LogRecord & { readonly value: Uint8Array }> => {
  const state = initialState()
  let tail: Tail = firstTail
  return events.map((timed, index) => {
    const [one, atMs] = "type" in timed ? [timed, NOON_MS] : timed
    evolve(state, one, atMs)
    const entry = makeEntry(one, tail, state, `test/${index}`, atMs)
    tail = entry.tail
    return entry.record
  })
}

const verified = (records: ReadonlyArray<LogRecord>, anchor?: Anchor) =>
  Effect.gen(function* () {
    const { log } = makeMemoryLog()
    const writer = yield* Effect.scoped(log.claim("ledger", ["ledger"]))
    yield* writer.commit(records)
    return yield* verifyLedger(log, anchor)
  })

const good: ReadonlyArray<Timed> = [
  credited(1_000_000, 50),
  debited("served", 2),
  debited("free"),
  debited("orphan"),
  settled("served", 2),
  settled("free", 0, 1),
  reversed(47, 3),
  [refunded("orphan"), NOON_MS + 5 * MINUTE_MS],
  [credited(1_000_000, 50), NOON_MS + 5 * MINUTE_MS],
  [finalised, NOON_MS + 5 * MINUTE_MS],
  [granted(5), NOON_MS + 5 * MINUTE_MS],
]

describe("the proof of the ledger", () => {
  it.effect("holds for what may happen, and says what it has counted", () =>
    Effect.gen(function* () {
      expect(yield* verified(sealedAs(good))).toMatchObject({
        entries: 11,
        accounts: 1,
        purchases: 1,
        balance: 53,
        shortfall: 0,
        offence: null,
      })
      expect(yield* verified([])).toMatchObject({ entries: 0, tail: firstTail, offence: null })
    }),
  )

  it.effect.each<readonly [string, ReadonlyArray<Timed>, string]>([
    ["a balance below zero", [granted(1), debited("x", 2)], "has balance -1"],
    ["a payment that is credited twice", [credited(1_000_000, 50), credited(1_000_000, 50)], "is credited already"],
    ["a payment that is granted and credited", [granted(5, payment), credited(1_000_000, 50)], "is credited already"],
    ["credits that the amount does not buy", [credited(1_000_000, 51)], "is not 51 credits"],
    ["a debit that is made twice", [granted(9), debited("x"), settled("x"), debited("x")], "was made before"],
    ["a debit that is settled twice", [granted(9), debited("x"), settled("x"), settled("x")], "is not open"],
    [
      "a debit that is settled after its refund",
      [granted(9), debited("x"), refunded("x"), settled("x")],
      "is not open",
    ],
    ["a settle of more than was debited", [granted(9), debited("x"), settled("x", 1, 1)], "for another amount"],
    ["a refund of more than was debited", [granted(9), debited("x"), refunded("x", 2)], "is not to refund"],
    ["a refund of what was never debited", [granted(9), refunded("x")], "is not to refund"],
    ["a reversal of another amount", [credited(1_000_000, 50), reversed(49, 0)], "for another amount"],
    ["a reversal of what is final", [credited(1_000_000, 50), finalised, reversed(50, 0)], "does not stand"],
    ["a shortfall beside a balance", [credited(1_000_000, 50), reversed(40, 10)], "a balance beside a shortfall"],
    [
      "a debit that is open beyond its time",
      [granted(9), debited("x"), [granted(1), NOON_MS + 7 * MINUTE_MS]],
      "debit x is open beyond its time",
    ],
    ["an opener that changes by itself", [bought, issued(byMemo), issued({ by: "operator" })], "changed"],
    ["an opener that is not who bought", [bought, issued(byPayer)], "was not opened by who claimed"],
    ["an opener of two accounts", [bought, issued(byMemo), issued(byMemo, "b")], "has opened another account"],
    [
      "a purchase that changes its account",
      [bought, reversed(50, 0), claimedBy(bought, { account: "b" })],
      `belonged to account ${account}`,
    ],
    [
      "a purchase that changes its claimant",
      [bought, reversed(50, 0), claimedBy(bought, { claimant: `payer/${buyer}/${claimKeyHash}` })],
      `claimed by ${claimant}`,
    ],
    [
      "a purchase of another claimant than the opener",
      [granted(5), issued({ by: "operator" }), bought],
      "did not open account",
    ],
    [
      "a purchase that another account's bearer claimed",
      [granted(5), issued({ by: "operator" }), claimedBy(bought, { claimant: "bearer/b" })],
      "is claimed by bearer/b",
    ],
    ["time that goes back", [granted(1), [granted(1), NOON_MS - 1]], "before that of the entry before"],
  ])("names %s", ([, events, problem]) =>
    Effect.gen(function* () {
      const { offence } = yield* verified(sealedAs(events))
      expect(offence).toMatchObject({ sequence: events.length, offset: events.length - 1 })
      expect(offence?.problem).toContain(problem)
    }),
  )

  it.effect("holds for an opener that an operator replaced, and for what was claimed before and after", () =>
    Effect.gen(function* () {
      const reissued = issued({ by: "operator" }, account, { operator: "jane", reason: "the memo leaked" })
      const again = claimedBy(bought, { account: "b", payment: { ...payment, position: 1 } })
      const events = [bought, issued(byMemo), reissued, reversed(50, 0), bought, again, issued(byMemo, "b")]
      expect(yield* verified(sealedAs(events))).toMatchObject({ offence: null, accounts: 2 })
    }),
  )

  it.effect("names the entry of any changed bit", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(7), async (which, where, bit) => {
          const records = sealedAs(good)
          const index = which % records.length
          const changed = records.map((record, place) => {
            const value = Uint8Array.from(record.value)
            const at = where % value.length
            if (place === index) value[at] = (value[at] ?? 0) ^ (1 << bit)
            expect(isIntact(value)).toBe(place !== index)
            return { ...record, value }
          })
          const { offence } = await Effect.runPromise(verified(changed))
          expect(offence?.sequence).toBe(index + 1)
        }),
        { numRuns: 500 },
      ),
    ),
  )

  it.effect("names the gap where an entry was taken out, put in twice, or replaced by a sound one", () =>
    Effect.gen(function* () {
      const records = sealedAs(good)
      const without = yield* verified(records.filter((_, index) => index !== 4))
      expect(without.offence).toMatchObject({ sequence: 5, problem: "its sequence is 6" })
      const twice = yield* verified(records.flatMap((one, index) => (index === 4 ? [one, one] : [one])))
      expect(twice.offence).toMatchObject({ sequence: 6, problem: "its sequence is 5" })
      const other = sealedAs([...good.slice(0, 4), settled("served", 2), settled("orphan", 0, 1), ...good.slice(6)])
      const replaced = yield* verified(records.map((one, index) => (index === 5 ? (other[5] ?? one) : one)))
      expect(replaced.offence).toMatchObject({ sequence: 7 })
      expect(replaced.offence?.problem).toContain("does not follow from the bytes of entry 6")
    }),
  )

  it.effect("detects a ledger that was cut off, or rewritten, by a later entry", () =>
    Effect.gen(function* () {
      const records = sealedAs(good)
      const { tail } = yield* verified(records)
      const cut = records.slice(0, -1)
      expect((yield* verified(cut)).offence).toBeNull()
      expect((yield* verified(cut, tail)).offence).toMatchObject({ sequence: 11, problem: "entry 11 is missing" })
      const anew = sealedAs([...good.slice(0, -1), [granted(6), NOON_MS + 5 * MINUTE_MS]])
      expect((yield* verified(anew)).offence).toBeNull()
      expect((yield* verified(anew, tail)).offence).toMatchObject({ sequence: 11 })
      expect((yield* verified(records, { sequence: 5, hash: hashOf("other") })).offence).toMatchObject({ sequence: 5 })
      expect(yield* verified(records, firstTail)).toMatchObject({ anchored: 0, offence: null })
    }),
  )

  it.effect("detects the same by the receipt of a buyer, which knows no place but that in its own account", () =>
    Effect.gen(function* () {
      const records = sealedAs(good)
      const { tail } = yield* verified(records)
      const anchor = { accountSequence: 11, hash: tail.hash }
      expect(yield* verified(records, anchor)).toMatchObject({ anchored: 11, offence: null })
      const earlier = { accountSequence: 5, hash: entryHash(records[4]?.value ?? new Uint8Array()) }
      expect(yield* verified(records, earlier)).toMatchObject({ anchored: 5, offence: null })
      const anew = sealedAs([...good.slice(0, -1), [granted(6), NOON_MS + 5 * MINUTE_MS]])
      for (const other of [records.slice(0, -1), anew])
        expect(yield* verified(other, anchor)).toMatchObject({
          anchored: null,
          offence: { problem: `the entry of SHA-256 ${tail.hash} is missing` },
        })
    }),
  )
})
