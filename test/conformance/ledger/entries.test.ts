import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Command, Confirm } from "../../../ledger/command.ts"
import { MISSES_MIN, ORPHANS_PER_COMMAND_MAX, QUOTE_CAPS } from "../../../ledger/rules.ts"
import { FREE_ENDS_PER_DAY, TOKENS_PER_DAY } from "../../../schemas/contract/refusal.ts"
import { SISTER_FREE_ENDS_PER_DAY } from "../../../schemas/sister-rail.ts"
import {
  buyer,
  byMemo,
  CHAIN_ID,
  claimant,
  clientOf,
  confirm,
  confirmed,
  DAY_MS,
  debit,
  funded,
  given,
  hashOf,
  MINUTE_MS,
  memo,
  NOON_MS,
  observed,
  originOf,
  plainCall,
  type Scenario,
  SECOND_MS,
  tokenOf,
  transaction,
  transfer,
  word,
} from "./given.ts"

// Every entry that a caller can cause is paid for, or counted per account and day. One test for each command: a caller who
// sends it as often as it has any effect, and what that appends. README.md of the ledger holds the same table.

const MIDNIGHT_MS = Math.ceil(NOON_MS / DAY_MS) * DAY_MS
const LATE_MS = MIDNIGHT_MS - SECOND_MS

/** What a command appends: the types of its events; none where it is refused. */
const appended = (scenario: Scenario, command: Command, atMs?: number): ReadonlyArray<string> => {
  const outcome = command._tag === "confirm" ? confirmed(scenario, command, atMs) : scenario.when(command, atMs)
  return "refused" in outcome ? [] : outcome.events.map(({ type }) => type)
}
/** Entries from now on. */
const counter = ({ history }: Scenario) => {
  const before = history.length
  return () => history.length - before
}

/** A purchase of one dollar by the holder of a memo: what was paid, and the confirm that shows the memo. */
const bought = () => {
  const scenario = given()
  const paid = transaction("paid", [transfer(buyer, 1_000_000)], { call: plainCall(buyer, memo) })
  const claim: Confirm = confirm(paid, byMemo)
  const first = appended(scenario, claim, NOON_MS)
  const tokenAt = (generation: number) => tokenOf(claimant, originOf(paid), generation)
  return { scenario, paid, claim, first, tokenAt }
}
/** Revokes and confirms, as often as both are accepted; how many cycles were carried out. */
const cycle = ({ scenario, claim, tokenAt }: ReturnType<typeof bought>, from: number, times: number, atMs: number) => {
  for (let n = 0; n < times; n++) {
    const revoked = appended(scenario, { _tag: "revoke", token: tokenAt(from + n), confirmed: true }, atMs)
    const issued = appended(scenario, claim, atMs)
    if (revoked.length + issued.length < 2) return n
  }
  return times
}

const reserveFree = (scenario: Scenario, token: string, reservation: string, ends: boolean, atMs: number) => {
  const reserve = { _tag: "reserve", token, credits: 3, endpoint: "scan", reservation } as const
  if (appended(scenario, reserve, atMs).length === 0) return false
  if (ends) scenario.accepted({ _tag: "endReservation", reservation, charged: false })
  else scenario.accepted({ _tag: "refundOrphans" }, atMs + 5 * MINUTE_MS)
  return true
}

const rows: { readonly [Tag in Command["_tag"]]: readonly [string, () => void] } = {
  issueQuote: [
    "is counted by address, network and provider, whatever the account",
    () => {
      const scenario = given()
      const entries = counter(scenario)
      for (let n = 0; n < 3_000; n++)
        scenario.when(
          { _tag: "issueQuote", askedCents: 100 + n, memoHash: word(`memo ${n}`), tail: 1, client: clientOf("c") },
          NOON_MS + n * 10 * SECOND_MS,
        )
      expect(entries()).toBe(QUOTE_CAPS.address.unpaid)
    },
  ],
  confirm: [
    "is paid for by each transfer that it credits, and its tokens are ten a day for an account; the refusal says when",
    () => {
      const buying = bought()
      const { scenario, claim, first, tokenAt } = buying
      expect(first).toEqual(["purchase.credited", "token.issued"])
      expect(appended(scenario, claim)).toEqual([])
      const dust = transaction("dust", [transfer(buyer, 19_999), transfer(buyer, 1_000_000, { position: 1 })])
      expect(appended(scenario, confirm(dust, { signer: buyer, newAccount: "other" }))).toEqual([
        "purchase.credited",
        "token.issued",
      ])

      const entries = counter(scenario)
      expect(cycle(buying, 1, 100, LATE_MS)).toBe(TOKENS_PER_DAY - 1)
      expect(confirmed(scenario, claim, LATE_MS)).toEqual({
        refused: { _tag: "token_allowance_spent", retryAfterMs: SECOND_MS },
      })
      for (let n = 0; n < 100; n++) appended(scenario, claim, LATE_MS)
      expect(entries()).toBe(2 * TOKENS_PER_DAY - 1)
      expect(confirmed(scenario, claim, MIDNIGHT_MS)).toMatchObject({
        answer: { balance: 50, token: { generation: TOKENS_PER_DAY + 1 } },
      })
      expect(cycle(buying, TOKENS_PER_DAY + 1, 100, MIDNIGHT_MS)).toBe(TOKENS_PER_DAY - 1)
      expect(tokenAt(1)).not.toBe(tokenAt(2))
    },
  ],
  revoke: [
    "is one entry for each token that was issued",
    () => {
      const { scenario, tokenAt } = bought()
      const revoke = { _tag: "revoke", token: tokenAt(1), confirmed: true } as const
      expect(appended(scenario, revoke)).toEqual(["token.revoked"])
      for (let n = 0; n < 10; n++) expect(appended(scenario, revoke)).toEqual([])
    },
  ],
  debit: [
    "is paid for, or counted as a free end: then it is refused until midnight",
    () => {
      const scenario = given()
      const token = funded(scenario, "a", 3)
      const entries = counter(scenario)
      for (let n = 0; n < 500; n++)
        if (appended(scenario, debit(token, `d${n}`, { mayEndFree: true }), NOON_MS).length > 0)
          scenario.accepted({ _tag: "settle", debit: `d${n}`, noChargeReason: "empty_range" })
      expect(entries()).toBe(2 * FREE_ENDS_PER_DAY)
      for (let n = 0; n < 10; n++) appended(scenario, debit(token, `c${n}`))
      expect(entries()).toBe(2 * FREE_ENDS_PER_DAY + 3)
    },
  ],
  settle: [
    "is one entry for each debit, and a client that is gone pays once its account has no free end left",
    () => {
      const scenario = given()
      const token = funded(scenario, "a", 3)
      const entries = counter(scenario)
      let charged = 0
      for (let n = 0; n < 500; n++) {
        if (appended(scenario, debit(token, `d${n}`), NOON_MS).length === 0) continue
        const settle = { _tag: "settle", debit: `d${n}`, noChargeReason: "client_gone" } as const
        charged += scenario.accepted(settle).charged
        expect(appended(scenario, settle)).toEqual([])
      }
      expect([charged, entries()]).toEqual([3, 2 * (FREE_ENDS_PER_DAY + 3)])
    },
  ],
  refund: [
    "ends a debit that is open, once; only an operator refunds a charged one",
    () => {
      const scenario = given()
      const token = funded(scenario, "a", 3)
      scenario.accepted(debit(token, "d"))
      const release = { _tag: "refund", debit: "d", operator: null } as const
      expect(appended(scenario, release)).toEqual(["credits.refunded"])
      expect(appended(scenario, release)).toEqual([])
      scenario.accepted(debit(token, "e"))
      scenario.accepted({ _tag: "settle", debit: "e", noChargeReason: null })
      expect(appended(scenario, { ...release, debit: "e" })).toEqual([])
    },
  ],
  reserve: [
    "is paid for, or counted as a free end of the sister: then it is refused until midnight, and own calls are not",
    () => {
      const scenario = given()
      const token = funded(scenario, "a", 50)
      const entries = counter(scenario)
      let free = 0
      for (let n = 0; n < 300; n++) if (reserveFree(scenario, token, `r${n}`, true, NOON_MS)) free += 1
      expect([free, entries()]).toEqual([SISTER_FREE_ENDS_PER_DAY, 2 * SISTER_FREE_ENDS_PER_DAY])
      const more = { _tag: "reserve", token, credits: 3, endpoint: "scan", reservation: "more" } as const
      expect(scenario.refused(more, NOON_MS)).toEqual({
        _tag: "free_allowance_spent",
        retryAfterMs: MIDNIGHT_MS - NOON_MS,
      })
      expect(appended(scenario, debit(token, "own", { mayEndFree: true }))).toEqual(["credits.debited"])
      expect(appended(scenario, more, MIDNIGHT_MS)).toEqual(["credits.debited"])
    },
  ],
  endReservation: [
    "is one entry for each reservation, released ones counted; so are those that are never committed, not those that an operator refunds",
    () => {
      const scenario = given()
      const [token, other] = [funded(scenario, "a", 50), funded(scenario, "b", 50)]
      let left = 0
      for (let n = 0; n < 110; n++)
        if (reserveFree(scenario, token, `r${n}`, false, NOON_MS + n * 6 * MINUTE_MS)) left += 1
      expect(left).toBe(SISTER_FREE_ENDS_PER_DAY)
      for (let n = 0; n < 2 * SISTER_FREE_ENDS_PER_DAY; n++) {
        const reservation = `o${n}`
        const { debit: id } = scenario.accepted({
          _tag: "reserve",
          token: other,
          credits: 3,
          endpoint: "x",
          reservation,
        })
        scenario.accepted({ _tag: "endReservation", reservation, charged: true })
        expect(appended(scenario, { _tag: "endReservation", reservation, charged: true })).toEqual([])
        scenario.accepted({ _tag: "refund", debit: id, operator: { name: "jane", note: "again" } })
      }
    },
  ],
  refundOrphans: [
    "is one entry for each debit that is overdue",
    () => {
      const scenario = given()
      const token = funded(scenario, "a", 3)
      scenario.accepted(debit(token, "d"), NOON_MS)
      const orphans = { _tag: "refundOrphans" } as const
      expect(appended(scenario, orphans, NOON_MS + 5 * MINUTE_MS)).toEqual(["credits.refunded"])
      expect(appended(scenario, orphans)).toEqual([])
      expect(ORPHANS_PER_COMMAND_MAX).toBeLessThanOrEqual(1_000)
    },
  ],
  observe: [
    "follows the chain: the same facts again append nothing",
    () => {
      const { scenario, paid } = bought()
      expect(appended(scenario, observed(paid))).toEqual(["purchase.finalised"])
      expect(appended(scenario, observed(paid))).toEqual([])
    },
  ],
  doubt: [
    "follows the chain: as many misses as a reversal needs",
    () => {
      const { scenario, paid } = bought()
      const entries = counter(scenario)
      const payment = { chainId: CHAIN_ID, transaction: paid.hash, position: 0 }
      for (let n = 0; n < 100; n++) appended(scenario, { _tag: "doubt", payment, blockHash: paid.block.hash, head: 1 })
      expect(entries()).toBe(MISSES_MIN)
    },
  ],
  trust: [
    "follows the chain: one entry ends the misses",
    () => {
      const { scenario, paid } = bought()
      const look = {
        payment: { chainId: CHAIN_ID, transaction: paid.hash, position: 0 },
        blockHash: paid.block.hash,
      } as const
      expect(appended(scenario, { _tag: "trust", ...look })).toEqual([])
      appended(scenario, { _tag: "doubt", ...look, head: 1 })
      expect(appended(scenario, { _tag: "trust", ...look })).toEqual(["purchase.trusted"])
      expect(appended(scenario, { _tag: "trust", ...look })).toEqual([])
    },
  ],
  grant: [
    "names its operator",
    () => {
      const scenario = given()
      funded(scenario, "a", 3)
      expect(scenario.history.map(([event]) => event)).toMatchObject([
        { type: "credits.granted", data: { operator: "jane" } },
        { type: "token.issued", data: { opener: { by: "operator" } } },
      ])
    },
  ],
  reissue: [
    "names its operator, and is not one of the account's tokens of a day",
    () => {
      const buying = bought()
      const { scenario } = buying
      expect(cycle(buying, 1, 100, NOON_MS)).toBe(TOKENS_PER_DAY - 1)
      const reissue = { _tag: "reissue", account: "account", operator: "jane", reason: "a thief" } as const
      const asked = scenario.refused({ ...reissue, token: null })
      if (asked._tag !== "token_needed") throw new Error(asked._tag)
      const token = { ...asked.wanted, kid: "k1", hash: hashOf("reissued") }
      expect(scenario.when({ ...reissue, token })).toMatchObject({
        events: [{ type: "token.issued", data: { reissue: { operator: "jane" } } }],
      })
    },
  ],
  acceptClock: [
    "names its operator",
    () => {
      const scenario = given()
      expect(scenario.when({ _tag: "acceptClock", operator: "jane", reason: "checked" })).toMatchObject({
        events: [{ type: "clock.accepted", data: { operator: "jane" } }],
      })
    },
  ],
  listAccounts: ["appends nothing", () => reads({ _tag: "listAccounts", after: -1 })],
  readAccount: ["appends nothing", () => reads({ _tag: "readAccount", by: { account: "account" } })],
  readAttempt: [
    "appends nothing",
    () =>
      reads((token) => ({ _tag: "readAttempt", token, idempotency: { key: hashOf("key"), request: hashOf("call") } })),
  ],
  readClaimant: [
    "appends nothing",
    () => reads((token) => ({ _tag: "readClaimant", memoHash: hashOf("memo"), bearer: token })),
  ],
  listUnfinal: ["appends nothing", () => reads({ _tag: "listUnfinal", after: null })],
}

/** Holds a command to append nothing though it is accepted. */
const reads = (command: Command | ((token: string) => Command)): void => {
  const { scenario, tokenAt } = bought()
  const entries = counter(scenario)
  scenario.accepted(typeof command === "function" ? command(tokenAt(1)) : command)
  expect(entries()).toBe(0)
}

describe("what a command appends", () => {
  for (const [tag, [rule, holds]] of Object.entries(rows)) it(`${tag}: ${rule}`, holds)

  it("is written down for every command", () => {
    const readme = readFileSync(new URL("../../../ledger/README.md", import.meta.url), "utf8")
    const [, section = ""] = /## What each command appends\n([\s\S]*?)\n## /u.exec(readme) ?? []
    const named = [...section.matchAll(/^\| (`[^|]*) \|/gmu)].flatMap(([, cell = ""]) =>
      Array.from(cell.matchAll(/`(\w+)`/gu), ([, tag]) => tag),
    )
    expect(named.toSorted()).toEqual(Object.keys(rows).toSorted())
  })
})

it("a charged reservation takes one off the count of free ends, so that paid calls are not locked out by empty ones", () => {
  const scenario = given()
  const token = funded(scenario, "a", 10_000)
  for (let n = 0; n < 10 * SISTER_FREE_ENDS_PER_DAY; n++) {
    expect(reserveFree(scenario, token, `free ${n}`, true, NOON_MS)).toBe(true)
    const reservation = `paid ${n}`
    scenario.accepted({ _tag: "reserve", token, credits: 3, endpoint: "scan", reservation }, NOON_MS)
    scenario.accepted({ _tag: "endReservation", reservation, charged: true }, NOON_MS)
  }
})
