import {
  address,
  CHAIN_ID,
  confirm,
  confirmed,
  DAY_MS,
  debit,
  funded,
  given,
  MINUTE_MS,
  NOON_MS,
  plainCall,
  type Scenario,
  transaction,
  transfer,
  word,
} from "../ledger/given.ts"

const unitsOf = (n: number): number => 1_000_000 * (n + 1) + 417

const pay = (scenario: Scenario, n: number, atMs: number): void => {
  const payer = address(`payer ${n}`)
  const more = { call: plainCall(payer), depth: "safe", atMs: atMs - MINUTE_MS } as const
  const paid = transaction(`paid ${n}`, [transfer(payer, unitsOf(n))], more)
  const signedUntil = new Date(atMs + 6 * DAY_MS).toISOString().slice(0, 10)
  confirmed(scenario, confirm(paid, { signer: payer, signedUntil, newAccount: `bought-${n}` }), atMs)
}

/** The later observation of a payment: missing, in its block, or in another block. */
const observe = (scenario: Scenario, n: number, seen: { depth: "safe" | "finalized"; block: string } | null): void => {
  scenario.accepted({
    _tag: "observe",
    payment: { chainId: CHAIN_ID, transaction: word(`paid ${n}`), position: 0 },
    seen:
      seen === null
        ? null
        : {
            block: { hash: word(seen.block), number: 34_000_000, atMs: NOON_MS },
            logIndex: 7,
            payer: address(`payer ${n}`),
            units: unitsOf(n),
            namedHash: null,
            transactionUnits: unitsOf(n),
            confirmations: 100,
            depth: seen.depth,
          },
  })
}

/**
 * A ledger with every kind of entry that moves credits: purchases (one becomes final, one is reversed, one moves to another
 * block), grants, calls that are charged, free of charge, orphaned and refunded, over the end of a month.
 */
export const ledgerRun = (): Scenario => {
  const scenario = given()
  const begin = NOON_MS + 13 * DAY_MS
  const token = funded(scenario, "account-1", 100)
  for (let n = 0; n < 40; n += 1) {
    const atMs = begin + n * 60 * MINUTE_MS
    scenario.accepted(debit(token, `call-${n}`, { credits: 1 + (n % 2) }), atMs)
    if (n % 10 === 7) continue
    scenario.accepted(
      { _tag: "settle", debit: `call-${n}`, noChargeReason: n % 5 === 0 ? "empty_range" : null },
      atMs + 10,
    )
  }
  scenario.accepted({ _tag: "refundOrphans" }, begin + 41 * 60 * MINUTE_MS)
  scenario.accepted({ _tag: "refund", debit: "call-1", operator: { name: "jane", note: "a favour" } })
  const later = begin + 2 * DAY_MS
  for (const n of [1, 2, 3, 4]) pay(scenario, n, later)
  observe(scenario, 1, { depth: "finalized", block: "block of paid 1" })
  observe(scenario, 2, null)
  observe(scenario, 3, { depth: "safe", block: "another block" })
  return scenario
}
