import { describe, expect, it } from "vitest"
import type { Transaction } from "../../../ledger/chain.port.ts"
import { lastDayOf } from "../../../ledger/model/claims.ts"
import { TOTAL_HELD_MS } from "../../../ledger/rules.ts"
import {
  address,
  askQuote,
  buyer,
  byMemo,
  CHAIN_ID,
  claimant,
  claimKeyHash,
  clientOf,
  confirm,
  confirmed,
  DAY_MS,
  debit,
  funded,
  given,
  MINUTE_MS,
  memo,
  NOON_MS,
  originOf,
  plainCall,
  SECOND_MS,
  tokenOf,
  transaction,
  transfer,
  WALLET,
  word,
} from "./given.ts"

describe("a quote", () => {
  it("is the asked amount and a unique tail, for 30 minutes", () => {
    const scenario = given()
    const outcome = scenario.when({
      _tag: "issueQuote",
      askedCents: 150,
      memoHash: memo,
      tail: 417,
      client: clientOf("c"),
    })
    expect(outcome).toEqual({
      answer: { totalUnits: 1_500_417, credits: 75, proof: "amount", expiresAtMs: NOON_MS + 30 * MINUTE_MS },
      events: [
        {
          type: "quote.issued",
          data: {
            memoHash: memo,
            askedUnits: 1_500_000,
            totalUnits: 1_500_417,
            proof: "amount",
            expiresAt: "2026-08-17T12:30:00.000Z",
            client: clientOf("c"),
          },
        },
      ],
    })
    expect(askQuote(scenario, "other", { usd: 1.5 }).totalUnits).toBe(1_500_418)
    expect(askQuote(scenario, "last", { usd: 1.5, tail: 9_999 }).totalUnits).toBe(1_509_999)
    expect(askQuote(scenario, "around", { usd: 1.5, tail: 9_999 }).totalUnits).toBe(1_500_001)
  })

  it.each([99, 1_000_001, 100.5, Number.NaN])("is refused for %d cents", (askedCents) => {
    const refused = given().refused({ _tag: "issueQuote", askedCents, memoHash: memo, tail: 1, client: clientOf("c") })
    expect(refused).toEqual({ _tag: "invalid_amount" })
  })

  it("is refused for a memo that has one", () => {
    const scenario = given()
    askQuote(scenario, "memo")
    expect(
      scenario.when({ _tag: "issueQuote", askedCents: 100, memoHash: memo, tail: 5, client: clientOf("x") }),
    ).toEqual({
      refused: { _tag: "memo_in_use" },
    })
  })

  it("is given 10 times a minute and 20 times open to a client; a paid one is open no more", () => {
    const scenario = given()
    const ask = (n: number, atMs: number, client = "c") =>
      scenario.when(
        { _tag: "issueQuote", askedCents: 100 + n, memoHash: word(`memo ${n}`), tail: n, client: clientOf(client) },
        atMs,
      )
    for (let n = 1; n <= 10; n++) expect(ask(n, NOON_MS + n)).toHaveProperty("answer")
    expect(ask(11, NOON_MS + 40_000)).toEqual({
      refused: { _tag: "too_many_quotes", of: "client", retryAfterMs: 20_000 },
    })
    expect(ask(99, NOON_MS + 40_000, "another")).toHaveProperty("answer")
    for (let n = 11; n <= 20; n++) expect(ask(n, NOON_MS + 61_000 + n)).toHaveProperty("answer")
    expect(ask(21, NOON_MS + 5 * MINUTE_MS)).toEqual({
      refused: { _tag: "too_many_quotes", of: "client", retryAfterMs: 26 * MINUTE_MS },
    })
    confirmed(scenario, confirm(transaction("t", [transfer(buyer, 1_030_003)]), { memoHash: word("memo 3") }))
    expect(ask(21, NOON_MS + 5 * MINUTE_MS)).toHaveProperty("answer")
    expect(ask(22, NOON_MS + 5 * MINUTE_MS)).toHaveProperty("refused")
    // Nothing else happens in the ledger meanwhile: the limit ends by the time alone.
    expect(ask(22, NOON_MS + 31 * MINUTE_MS)).toHaveProperty("answer")
  })

  it("is given 200 times within the window of its total to a client that pays none", () => {
    const scenario = given()
    const ask = (n: number, atMs: number) =>
      scenario.when(
        { _tag: "issueQuote", askedCents: 100 + n, memoHash: word(`memo ${n}`), tail: 1, client: clientOf("c") },
        atMs,
      )
    for (let n = 0; n < 200; n++) expect(ask(n, NOON_MS + 4 * n * MINUTE_MS)).toHaveProperty("answer")
    const refused = ask(200, NOON_MS + DAY_MS)
    expect(refused).toMatchObject({ refused: { _tag: "too_many_quotes", of: "client" } })
    const waitMs = "refused" in refused && "retryAfterMs" in refused.refused ? refused.refused.retryAfterMs : 0
    expect(ask(200, NOON_MS + DAY_MS + waitMs - 1)).toHaveProperty("refused")
    expect(ask(200, NOON_MS + DAY_MS + waitMs)).toHaveProperty("answer")
    expect(waitMs).toBeLessThan(8 * DAY_MS)
  })
})

describe("open quotes", () => {
  it("are counted until each is paid or expires, and once where it is paid after that", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    askQuote(scenario, "other", { tail: 5 })
    expect(scenario.state.openQuotes).toBe(2)
    const paid = transaction("paid", [transfer(buyer, totalUnits)])
    askQuote(scenario, "later", { tail: 6 })
    scenario.accepted(
      { _tag: "issueQuote", askedCents: 100, memoHash: word("last"), tail: 7, client: clientOf("c") },
      NOON_MS + DAY_MS,
    )
    expect(scenario.state.openQuotes).toBe(1)
    confirmed(scenario, confirm(paid, byMemo), NOON_MS + DAY_MS)
    expect(scenario.state.openQuotes).toBe(1)
  })
})

describe("a confirm", () => {
  it("credits what was transferred, and issues a token that the caller made; again it says the same and writes nothing", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const paid = transaction("paid", [transfer(buyer, totalUnits)])
    expect(scenario.refused(confirm(paid, byMemo))).toEqual({
      _tag: "token_needed",
      wanted: { claimant, origin: originOf(paid), generation: 1 },
    })
    const first = confirmed(scenario, confirm(paid, byMemo))
    expect(first).toMatchObject({
      answer: { account: "account", credits: 50, balance: 50, provisional: false, token: { claimant, kid: "k1" } },
      events: [
        {
          type: "purchase.credited",
          data: {
            payment: { chainId: CHAIN_ID, transaction: paid.hash, position: 0 },
            units: totalUnits,
            evidence: "amount",
            memoHash: memo,
            claimant,
          },
        },
        { type: "token.issued", data: { tokenHash: tokenOf(claimant, originOf(paid)), generation: 1 } },
      ],
    })
    const again = scenario.when(confirm(paid, byMemo))
    expect(again).toMatchObject({ answer: { ...("answer" in first ? first.answer : {}) }, events: [] })
  })

  it.each([
    [999_999, { refused: { _tag: "too_small", units: 999_999 } }],
    [1_000_000, { answer: { credits: 50 } }],
    [1_019_999, { answer: { credits: 50 } }],
    [1_020_000, { answer: { credits: 51 } }],
    [7_777_777, { answer: { credits: 388 } }],
  ])("of %d units credits them rounded down, and less than a dollar not at all", (units, outcome) => {
    const paid = transaction("paid", [transfer(buyer, units)], { call: plainCall(buyer, memo) })
    expect(confirmed(given(), confirm(paid, byMemo))).toMatchObject(outcome)
  })

  it("credits late payments, and payments without a quote, at the same rate", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const late = transaction("late", [transfer(buyer, totalUnits)], { atMs: NOON_MS + 6 * DAY_MS })
    expect(confirmed(scenario, confirm(late, byMemo), NOON_MS + 60 * DAY_MS)).toMatchObject({ answer: { credits: 50 } })
    const without = transaction("without", [transfer(buyer, 3_000_000)])
    const shown = { signer: buyer, signedUntil: lastDayOf(NOON_MS + 60 * DAY_MS), newAccount: "b" }
    expect(confirmed(scenario, confirm(without, shown))).toMatchObject({
      answer: { account: "b", credits: 150, token: { claimant: `payer/${buyer}/${claimKeyHash}` } },
    })
  })

  it("says that a quote expired only when it did, and no payment of it is known", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const expiresMs = NOON_MS + 30 * MINUTE_MS
    expect(scenario.refused(confirm(null, byMemo), expiresMs - 1)).toEqual({ _tag: "no_payment" })
    expect(scenario.refused(confirm(null, byMemo), expiresMs)).toEqual({ _tag: "expired", of: "quote" })
    confirmed(scenario, confirm(transaction("late", [transfer(buyer, totalUnits)]), byMemo), expiresMs + 1)
    expect(scenario.refused(confirm(null, byMemo))).toEqual({ _tag: "no_payment" })
  })

  it("waits for 5 blocks up to 20 dollars, and above for a safe one", () => {
    const shown = { signer: buyer }
    const at = (units: number, confirmations: number, depth: "latest" | "safe") =>
      confirmed(given(), confirm(transaction("p", [transfer(buyer, units)], { confirmations, depth }), shown))
    expect(at(20_000_000, 4, "latest")).toEqual({ refused: { _tag: "pending", confirmations: 4, required: 5 } })
    expect(at(20_000_000, 5, "latest")).toMatchObject({ answer: { credits: 1_000, provisional: true } })
    expect(at(20_000_001, 500, "latest")).toMatchObject({ refused: { required: "safe" } })
    expect(at(20_000_001, 500, "safe")).toMatchObject({ answer: { credits: 1_000, provisional: false } })
    const split = transaction("s", [transfer(buyer, 15e6), transfer(buyer, 15e6, { position: 1 })], { depth: "latest" })
    expect(confirmed(given(), confirm(split, shown))).toMatchObject({ refused: { required: "safe" } })
  })

  it("credits every transfer of a transaction once, and adds a second payment with the same memo to its account", () => {
    const scenario = given()
    const authorization = { authorizer: buyer, nonce: memo }
    const split = transaction("split", [
      transfer(buyer, 600_000, { authorization }),
      transfer(buyer, 600_000, { position: 3, authorization }),
      transfer(address("stranger"), 0, { position: 5 }),
    ])
    expect(confirmed(scenario, confirm(split, byMemo))).toMatchObject({ answer: { credits: 60, balance: 60 } })
    const twice = transaction("twice", [transfer(buyer, 1_000_000)], { call: plainCall(buyer, memo) })
    expect(confirmed(scenario, confirm(twice, { ...byMemo, newAccount: "unused" }))).toMatchObject({
      answer: { account: "account", credits: 50, balance: 110, token: { origin: originOf(split), generation: 1 } },
    })
  })

  it("gives each of several quotes that one transaction pays to its own memo", () => {
    const scenario = given()
    const totals = ["a", "b"].map((name, n) => askQuote(scenario, name, { tail: 10 + n }).totalUnits)
    const paid = transaction(
      "batch",
      totals.map((units, position) => transfer(buyer, units, { position })),
    )
    for (const name of ["a", "b"])
      expect(confirmed(scenario, confirm(paid, { memoHash: word(name), newAccount: name }))).toMatchObject({
        answer: { account: name, credits: 50, purchases: [{ payment: expect.any(String) }] },
      })
    expect(scenario.refused(confirm(paid, { signer: buyer }))._tag).toBe("already_credited")
  })

  it("adds to the bearer's account, and then is that bearer's alone", () => {
    const scenario = given()
    const bearer = funded(scenario, "mine", 5)
    const paid = transaction("paid", [transfer(buyer, 1_000_000)], { call: plainCall(buyer, memo) })
    const toBearer = confirm(paid, { ...byMemo, bearer })
    expect(scenario.when(toBearer)).toMatchObject({
      answer: { account: "mine", credits: 50, balance: 55, token: null },
    })
    expect(scenario.when(toBearer)).toMatchObject({ answer: { credits: 50, balance: 55 }, events: [] })
    expect(scenario.refused(confirm(paid, byMemo))).toMatchObject({ _tag: "already_credited" })
    expect(scenario.refused(confirm(paid, { signer: buyer }))).toMatchObject({ _tag: "already_credited" })
    const other = funded(scenario, "other", 1)
    expect(scenario.refused(confirm(paid, { ...byMemo, bearer: other }))).toMatchObject({ _tag: "already_credited" })
  })

  it("stands where it was first claimed, by the memo or by its payer; the other one is shown the way back", () => {
    const paid = transaction("paid", [transfer(buyer, 1_000_000)], { call: plainCall(buyer, memo) })
    const byPayer = { signer: buyer }
    const ways = [
      [byMemo, byPayer, { by: "memo", shown: memo, bearer: false }],
      [byPayer, byMemo, { by: "payer", shown: buyer, bearer: false }],
    ] as const
    for (const [first, other, opener] of ways) {
      const scenario = given()
      const given1 = confirmed(scenario, confirm(paid, first))
      expect(scenario.refused(confirm(paid, other))).toEqual({ _tag: "already_credited", opener })
      expect(scenario.when(confirm(paid, first))).toMatchObject({
        answer: "answer" in given1 ? given1.answer : {},
        events: [],
      })
      expect(scenario.refused(confirm(paid, { memoHash: word("other") }))).toEqual({ _tag: "payer_proof_required" })
    }
  })

  it("with hex in upper case, or a name too long, is refused before anything is written", () => {
    const scenario = given()
    const paid = transaction("paid", [transfer(buyer.toUpperCase(), 1_000_000)])
    expect(confirmed(scenario, confirm(paid, { signer: buyer.toUpperCase() }))).toEqual({
      refused: { _tag: "invalid_command" },
    })
    const token = funded(scenario, "a", 5)
    expect(scenario.refused(debit(token, "d".repeat(129)))).toEqual({ _tag: "invalid_command" })
  })

  it("takes the signed nonce over calldata, calldata over the amount, and the amount over the signature", () => {
    const scenario = given()
    for (const [n, name] of ["nonce", "calldata", "amount"].entries()) askQuote(scenario, name, { tail: 1 + n })
    const authorization = { authorizer: buyer, nonce: word("nonce") }
    const call = plainCall(buyer, word("calldata"))
    const evidenceOf = (name: string, paid: Transaction) =>
      confirmed(scenario, confirm(paid, { memoHash: word(name), signer: buyer, newAccount: paid.hash }))
    expect(
      evidenceOf("nonce", transaction("1", [transfer(buyer, 1_000_003, { authorization })], { call })),
    ).toMatchObject({ events: [{ data: { evidence: "authorization", memoHash: word("nonce") } }, {}] })
    expect(evidenceOf("calldata", transaction("2", [transfer(buyer, 1_000_003)], { call }))).toMatchObject({
      events: [{ data: { evidence: "calldata", memoHash: word("calldata") } }, {}],
    })
    expect(evidenceOf("amount", transaction("3", [transfer(buyer, 1_000_003)]))).toMatchObject({
      events: [{ data: { evidence: "amount", memoHash: word("amount") } }, {}],
    })
    expect(evidenceOf("said", transaction("4", [transfer(buyer, 1_000_000)]))).toMatchObject({
      events: [{ data: { evidence: "signature", memoHash: word("said") } }, {}],
    })
    const random = { authorizer: buyer, nonce: word("drawn by a wallet") }
    expect(
      evidenceOf("amount", transaction("5", [transfer(buyer, 1_000_003, { authorization: random })])),
    ).toMatchObject({ events: [{ data: { evidence: "amount" } }] })
  })

  it("counts a quote from 30 s before it, as blocks lag our clock, and never earlier", () => {
    const scenario = given()
    const ask = { _tag: "issueQuote", askedCents: 100, memoHash: memo, tail: 417, client: clientOf("c") } as const
    scenario.accepted(ask, NOON_MS + 700)
    const inBlock = (name: string, atMs: number) =>
      confirmed(scenario, confirm(transaction(name, [transfer(buyer, 1_000_417)], { atMs }), byMemo))
    expect(inBlock("31 s earlier", NOON_MS - 30 * SECOND_MS)).toMatchObject({
      refused: { _tag: "payer_proof_required" },
    })
    expect(inBlock("29 s earlier", NOON_MS - 29 * SECOND_MS)).toMatchObject({ answer: { credits: 50 } })
    expect(inBlock("same second", NOON_MS)).toMatchObject({ answer: { credits: 50 } })
  })

  it.each([
    [SECOND_MS, false],
    [TOTAL_HELD_MS + 30 * SECOND_MS, false],
    [TOTAL_HELD_MS + 31 * SECOND_MS, true],
  ])(
    "counts no block before a quote whose total was free for %i ms, unless that is 7 days and 30 s",
    (freeMs, counts) => {
      const scenario = given()
      const ask = { _tag: "issueQuote", askedCents: 100, tail: 417, client: clientOf("c") } as const
      scenario.accepted({ ...ask, memoHash: word("earlier") }, NOON_MS)
      const issuedMs = NOON_MS + 30 * MINUTE_MS + TOTAL_HELD_MS + freeMs
      expect(scenario.accepted({ ...ask, memoHash: memo }, issuedMs)).toMatchObject({ totalUnits: 1_000_417 })
      const inBlock = (atMs: number) =>
        "answer" in confirmed(scenario, confirm(transaction(`${atMs}`, [transfer(buyer, 1_000_417)], { atMs }), byMemo))
      expect([inBlock(issuedMs - SECOND_MS), inBlock(issuedMs)]).toEqual([counts, true])
    },
  )

  it("after a revoke gives a token of the next generation, for what is left", () => {
    const scenario = given()
    const paid = transaction("paid", [transfer(buyer, 1_000_000)], { call: plainCall(buyer, memo) })
    confirmed(scenario, confirm(paid, byMemo))
    const first = tokenOf(claimant, originOf(paid))
    scenario.accepted(debit(first, "d"))
    scenario.accepted({ _tag: "revoke", token: first, confirmed: false })
    expect(scenario.refused({ _tag: "revoke", token: first, confirmed: false })).toEqual({
      _tag: "expired",
      of: "token",
    })
    expect(scenario.refused(debit(first, "e"))).toEqual({ _tag: "expired", of: "token" })
    expect(confirmed(scenario, confirm(paid, byMemo))).toMatchObject({
      answer: { balance: 49, token: { claimant, origin: originOf(paid), generation: 2 } },
      events: [{ type: "token.issued" }],
    })
    expect(scenario.accepted(debit(tokenOf(claimant, originOf(paid), 2), "e"))).toMatchObject({ balance: 48 })
    expect(scenario.refused(debit(first, "f"))).toEqual({ _tag: "expired", of: "token" })
  })
})

describe("a transfer from the wallet to itself", () => {
  it("is no payment: not by its memo, its amount, nor the wallet's signature", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const named = { authorization: { authorizer: WALLET, nonce: memo } }
    for (const [name, more] of [
      ["named", named],
      ["plain", {}],
    ] as const) {
      const own = transaction(name, [transfer(WALLET, totalUnits, more)])
      expect(scenario.refused(confirm(own, byMemo))).toEqual({ _tag: "no_payment" })
      expect(scenario.refused(confirm(own, { signer: WALLET }))).toEqual({ _tag: "no_payment" })
    }
    const both = transaction("both", [transfer(WALLET, 7_000_000), transfer(buyer, totalUnits, { position: 1 })])
    expect(confirmed(scenario, confirm(both, byMemo))).toMatchObject({ answer: { credits: 50 } })
  })
})
