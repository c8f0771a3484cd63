import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TABLES } from "../../processors/ddl.ts"
import { tables, tableViews } from "../../processors/registry.ts"
import { eventsTable, type Table } from "../../processors/table.ts"
import creditEntries, { pseudonymOf } from "../../processors/tables/credit_entries/table.ts"
import { archivedTopics } from "../../processors/tables/events/table.ts"
import purchases from "../../processors/tables/purchases/table.ts"
import { itemGone } from "../../schemas/events/deltas.ts"
import { ledgerEventTypes, purchaseCredited } from "../../schemas/events/ledger.ts"
import type { Row } from "../../schemas/ports/history.ts"
import { eventReader } from "../../schemas/registry.ts"
import {
  address,
  askQuote,
  confirm,
  confirmed,
  debit,
  funded,
  given,
  hashOf,
  NOON_MS,
  plainCall,
  type Scenario,
  transaction,
  transfer,
  word,
} from "../conformance/ledger/given.ts"
import { commandOf, type Step, steps } from "../conformance/ledger/moves.ts"
import { ledgerRecords } from "../support/ledger-records.ts"

const rowsOf = (table: Table, { history }: Pick<Scenario, "history">): ReadonlyArray<Row> =>
  ledgerRecords(history).flatMap(({ value }) => table.rows(Result.getOrThrow(eventReader.readEvent(value))))

const play = (run: ReadonlyArray<Step>): Scenario => {
  const scenario = given()
  const debits: Array<string> = []
  let nowMs = NOON_MS
  for (const [index, { move, afterMs }] of run.entries()) {
    nowMs += afterMs
    const command = commandOf(
      move,
      (account) => scenario.state.accounts.get(account)?.token?.hash ?? hashOf("none"),
      (nth) => debits[nth % Math.max(1, debits.length)] ?? "none",
      `debit ${index}`,
    )
    const outcome = command._tag === "confirm" ? confirmed(scenario, command, nowMs) : scenario.when(command, nowMs)
    if ("answer" in outcome && "debit" in outcome.answer) debits.push(String(outcome.answer.debit))
  }
  return scenario
}

describe("the tables of the ledger", () => {
  it("take their events from the ledger, and so does no other", () => {
    const ofLedger = tables.filter(({ topic }) => topic === "ledger").map(({ name }) => name)
    expect(ofLedger).toEqual(["credit_entries", "purchases"])
  })

  it("add up to what was bought and what every account has spent, whatever happens", () => {
    let moved = 0
    fc.assert(
      fc.property(steps, (run) => {
        const scenario = play(run)
        const entries = rowsOf(creditEntries, scenario)
        const bought = rowsOf(purchases, scenario)
        moved += entries.length + bought.length
        const sum = (rows: ReadonlyArray<Row>) => rows.reduce((total, { credits }) => total + Number(credits), 0)
        const accounts = Array.from(scenario.state.accounts.entries(), ([, account]) => account)
        for (const { id, added, balance, shortfall } of accounts) {
          const own = entries.filter(({ account }) => account === pseudonymOf(id))
          // What was added is in no entry of the table.
          expect(added + sum(own)).toBe(balance - shortfall)
        }
        const granted = scenario.history.reduce(
          (total, [event]) => (event.type === "credits.granted" ? total + event.data.credits : total),
          0,
        )
        expect(sum(bought)).toBe(accounts.reduce((total, { added }) => total + added, 0) - granted)
        // What ends a debit names it, and never gives back more than it took.
        for (const id of new Set(entries.map((row) => row.debit).filter((one) => one !== ""))) {
          const own = entries.filter((row) => row.debit === id).map((row) => [row.type, Number(row.credits)] as const)
          const [[first, taken] = ["", 0], ...ends] = own
          expect(first).toBe("credits.debited")
          expect(ends.filter(([type]) => type === "credits.debited")).toEqual([])
          expect(ends.reduce((left, [, credits]) => left + credits, taken)).toBeLessThanOrEqual(0)
        }
      }),
      { numRuns: 300 },
    )
    expect(moved).toBeGreaterThan(100)
  })

  const payer = address("payer")
  const makeScenario = () => {
    const scenario = given()
    const token = funded(scenario, "account-1", 10)
    const key = { key: hashOf("a key"), request: hashOf("a request") }
    scenario.accepted(debit(token, "unused", { credits: 2, purpose: "/api/pro/x", idempotency: key }))
    scenario.accepted(debit(token, "debit-2"))
    scenario.accepted({ _tag: "settle", debit: "debit-2", noChargeReason: "empty_range" })
    scenario.accepted(debit(token, "debit-3"))
    scenario.accepted({ _tag: "refund", debit: "debit-3", operator: { name: "jane", note: "Alice complained" } })
    const paid = transaction("paid", [transfer(payer, 1_000_417)], { call: plainCall(payer, word("a memo")) })
    askQuote(scenario, "a memo")
    const claimed = confirmed(scenario, confirm(paid, { memoHash: word("a memo"), newAccount: "account-2" }))
    expect(claimed).toHaveProperty("answer")
    return scenario
  }

  it("hold every movement with its reason", () => {
    const entries = rowsOf(creditEntries, makeScenario())
    expect(
      entries.map(({ account, type, credits, purpose, reason }) => [account, type, credits, purpose, reason]),
    ).toEqual([
      [pseudonymOf("account-1"), "credits.debited", -2, "/api/pro/x", ""],
      [pseudonymOf("account-1"), "credits.debited", -1, "/api/pro/briefing", ""],
      [pseudonymOf("account-1"), "debit.settled", 1, "", "empty_range"],
      [pseudonymOf("account-1"), "credits.debited", -1, "/api/pro/briefing", ""],
      [pseudonymOf("account-1"), "credits.refunded", 1, "", "operator"],
    ])
    expect(entries[2]).toMatchObject({ debit: "debit-2", at: "2026-08-17T12:00:00.000Z" })
    expect(rowsOf(purchases, makeScenario())).toMatchObject([
      {
        status: "credited",
        chain_id: 8453,
        transaction: word("paid"),
        position: 0,
        units: 1_000_417,
        credits: 50,
        evidence: "calldata",
        is_provisional: false,
        block_number: 34_000_000,
      },
    ])
  })

  it("join no wallet with a call: a payment names no account, and what an account calls names no payment", () => {
    const scenario = makeScenario()
    // The account that has paid calls too.
    const { hash = "none" } = scenario.state.accounts.get("account-2")?.token ?? {}
    scenario.accepted(debit(hash, "debit-4"))
    const texts = (rows: ReadonlyArray<Row>) =>
      new Set(
        rows.flatMap((row) =>
          Object.entries(row).flatMap(([column, value]) => (column !== "at" && value !== "" ? [String(value)] : [])),
        ),
      )
    const [called, bought] = [rowsOf(creditEntries, scenario), rowsOf(purchases, scenario)]
    expect(called.filter(({ account }) => account === pseudonymOf("account-2"))).toHaveLength(1)
    expect(bought).toHaveLength(1)
    expect([...texts(called)].filter((text) => texts(bought).has(text))).toEqual([])
    // Neither the operator's name of an account, nor places in its entries, whose gaps would show when it was credited.
    for (const row of [...called, ...bought]) {
      expect(JSON.stringify(row)).not.toMatch(/account-\d/)
      expect(Object.keys(row).filter((column) => column.endsWith("sequence"))).toEqual([])
    }
  })

  it("are the only ones of it: the archive, which analysts read too, holds neither the ledger nor stored replies or states", () => {
    expect([...archivedTopics].sort()).toEqual(["deltas", "observations", "quarantine", "usage", "versions"])
  })

  it("hold nothing that leads to a secret, a payer or a person", () => {
    const scenario = makeScenario()
    const rows = JSON.stringify([rowsOf(creditEntries, scenario), rowsOf(purchases, scenario)])
    const log = ledgerRecords(scenario.history)
      .map(({ value }) => new TextDecoder().decode(value))
      .join("\n")
    const tokens = [...scenario.state.accounts.entries()].map(([, { token }]) => token?.hash ?? "none")
    for (const secret of [word("a memo"), ...tokens, payer, "jane", "Alice", hashOf("a request"), "memo/", "payer/"]) {
      // The log holds the searched values: otherwise this test could not fail.
      if (secret !== "payer/") expect(log).toContain(secret)
      expect(rows).not.toContain(secret)
    }
  })

  it("have a row for every kind of event of a call", () => {
    const quiet = [
      "clock.accepted",
      "quote.issued",
      // What was bought is in the table of purchases, which names no account; what an operator granted is in none.
      "credits.granted",
      "purchase.credited",
      "purchase.reversed",
      "purchase.doubted",
      "purchase.trusted",
      "purchase.finalised",
      "token.issued",
      "token.revoked",
    ]
    expect(creditEntries.types.map(({ type }) => type).sort()).toEqual(
      ledgerEventTypes
        .map(({ type }) => type)
        .filter((type) => !quiet.includes(type))
        .sort(),
    )
  })
})

describe("a table of several types", () => {
  it("is of one topic", () => {
    const file = new URL("purchases/table.ts", TABLES).href
    const declare = (types: Parameters<typeof eventsTable>[1]["types"]) => () =>
      eventsTable(file, { types, rows: () => [] })
    expect(declare([])).toThrow(TypeError)
    expect(declare([purchaseCredited, itemGone])).toThrow("the events of the table purchases are not of one topic")
  })
})

describe("views over tables", () => {
  it("are over a table that there is, and are no table themselves", () => {
    expect(tableViews.map(({ name }) => name)).toEqual([
      "feed_reliability_daily",
      "premium_calls",
      "prices_1d",
      "prices_1h",
      "prices_1m",
      "purchases_now",
    ])
    for (const { name, over } of tableViews) {
      expect(tables).toContain(over)
      expect(tables.map((table) => table.name)).not.toContain(name)
    }
  })
})
