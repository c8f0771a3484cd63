import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import type { Transaction } from "../../../ledger/chain.port.ts"
import {
  address,
  askQuote,
  buyer,
  byMemo,
  confirm,
  confirmed,
  debit,
  funded,
  given,
  MINUTE_MS,
  NOON_MS,
  observed,
  originOf,
  type Scenario,
  tokenOf,
  transaction,
  transfer,
  USDC,
  WALLET,
  word,
} from "./given.ts"
import { credited, elsewhere, LONG_MS, mined, PAYER, paid, scenario, UNKNOWN } from "./watched.ts"

// After a change of the wallet, a look sees other transfers of a transaction than those that were credited.

const NEW_WALLET = address("new wallet")
/** A transaction as the chain shows it once the wallet is another one. */
const shownToNew = (found: Transaction, more: Partial<Transaction> = {}): Transaction => ({
  ...found,
  wallet: NEW_WALLET,
  transfers: [],
  ...more,
})

describe("the watcher, once the settings are others", () => {
  const others = [
    ["wallet", { wallet: NEW_WALLET }],
    ["contract", { contract: address("new usdc") }],
    ["chain", { chainId: 84_532 }],
  ] as const
  for (const [what, facts] of others)
    scenario(
      `leaves a payment to the former ${what} as it is, warns once, and follows it under the former again`,
      (given) =>
        Effect.gen(function* () {
          const lines: Array<string> = []
          const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))
          const former = given.script.facts
          given.script.facts = { ...former, ...facts }
          yield* given.restart
          for (const found of [mined(shownToNew(paid({ depth: "finalized", confirmations: 700 }))), UNKNOWN]) {
            given.script.found = found
            yield* given.rounds(LONG_MS).pipe(Effect.provide(Logger.layer([logger])))
          }
          expect(given.types()).toEqual(credited)
          expect(given.doubts()).toEqual([])
          expect(given.script.looks).toBe(0)
          expect(yield* given.account).toEqual({ balance: 500, shortfall: 0, status: "credited" })
          expect(lines.filter((line) => line.startsWith("Warn"))).toEqual([
            expect.stringMatching(/^Warn 1 purchases .* Start with the former WALLET_ADDRESS/),
          ])

          given.script.facts = former
          yield* given.restart
          given.script.found = mined(paid({ depth: "finalized", confirmations: 700 }))
          yield* given.rounds(MINUTE_MS)
          expect(given.types()).toEqual([...credited, "purchase.finalised"])
        }),
    )

  scenario("does not warn without such a payment, and takes back one whose own wallet got nothing", (given) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      given.script.found = mined({ ...elsewhere(), transfers: [] })
      yield* given.rounds(MINUTE_MS).pipe(Effect.provide(Logger.layer([logger])))
      expect(given.types()).toEqual([...credited, "purchase.reversed"])
      expect(lines.filter((line) => line.includes("WALLET_ADDRESS"))).toEqual([])
    }),
  )

  scenario("has the wallet and the contract in the entry again, where a payment moved to another block", (given) =>
    Effect.gen(function* () {
      given.script.found = mined(elsewhere())
      yield* given.rounds(MINUTE_MS)
      const entries = given.memory.events("ledger").filter(({ type }) => type === "purchase.credited")
      expect(entries).toHaveLength(2)
      for (const { data } of entries) expect(data).toMatchObject({ wallet: WALLET, contract: USDC, payer: PAYER })
    }),
  )
})

describe("a confirm, once the wallet is another one", () => {
  const account = (scenario: Scenario, id = "account") =>
    scenario.accepted({ _tag: "readAccount", by: { account: id } })
  const bought = (units = 100_000_417): { readonly scenario: Scenario; readonly sent: Transaction } => {
    const scenario = given()
    askQuote(scenario, "memo", { usd: 100 })
    const sent = transaction("sent", [transfer(buyer, units)], { depth: "safe" })
    confirmed(scenario, confirm(sent, byMemo), NOON_MS + 2 * MINUTE_MS)
    return { scenario, sent }
  }

  it("stores the wallet and the contract of the settings, and an entry without them is looked at as before", () => {
    const { scenario, sent } = bought()
    expect(scenario.accepted({ _tag: "listUnfinal", after: null }).purchases).toMatchObject([
      { wallet: WALLET, contract: USDC },
    ])
    const old = given(
      ...scenario.history.map(([event, atMs]) => {
        if (event.type !== "purchase.credited") return [event, atMs] as const
        const { wallet: _wallet, contract: _contract, ...data } = event.data
        return [{ ...event, data }, atMs] as const
      }),
    )
    const [listed] = old.accepted({ _tag: "listUnfinal", after: null }).purchases
    expect(listed).not.toHaveProperty("wallet")
    expect(listed).not.toHaveProperty("contract")
    expect(old.when(observed({ ...sent, transfers: [] }))).toMatchObject({ answer: { became: "reversed" } })
  })

  it("of another transfer of the same transaction does not take back what the former wallet got", () => {
    const { scenario, sent } = bought()
    const token = funded(scenario, "mine", 1)
    const stranger = address("stranger")
    // At the position of the former payment, and at one of its own.
    const transfers = [transfer(stranger, 2_000_000), transfer(stranger, 3_000_000, { position: 1, logIndex: 9 })]
    const claim = confirm(shownToNew(sent, { transfers }), { signer: stranger, bearer: token })
    expect(scenario.when(claim)).toMatchObject({
      answer: { account: "mine", credits: 150 },
      events: [{ type: "purchase.credited", data: { payment: { position: 1 }, wallet: NEW_WALLET } }],
    })
    expect(account(scenario)).toMatchObject({ balance: 5_000, shortfall: 0, purchasedUnits: 100_000_417 })
    // Nor does the former wallet, set again, credit the first payment twice or take back the new one.
    expect(scenario.when(confirm(sent, byMemo))).toMatchObject({ answer: { credits: 5_000 }, events: [] })
    expect(account(scenario, "mine")).toMatchObject({ balance: 151 })
  })

  it("of an equal transfer elsewhere in the transaction is a payment of its own", () => {
    const { scenario, sent } = bought()
    const token = funded(scenario, "mine", 1)
    const moved = transfer(buyer, 100_000_417, { position: 3, logIndex: 20 })
    const claim = confirm(shownToNew(sent, { transfers: [moved] }), { signer: buyer, bearer: token })
    expect(scenario.when(claim)).toMatchObject({ events: [{ data: { account: "mine", payment: { position: 3 } } }] })
    expect(account(scenario)).toMatchObject({ balance: 5_000 })
  })

  it("credits an equal transfer in the place of a former one that was reversed to the same account alone", () => {
    const { scenario, sent } = bought()
    const token = funded(scenario, "mine", 1)
    scenario.accepted(observed({ ...sent, transfers: [] }))
    const shown = shownToNew(sent, { transfers: sent.transfers })
    expect(scenario.refused(confirm(shown, { signer: buyer, bearer: token }))).toMatchObject({
      _tag: "already_credited",
    })
    expect(scenario.when(confirm(shown, byMemo))).toMatchObject({
      events: [{ data: { account: "account", wallet: NEW_WALLET } }],
    })
  })

  it("finds no payment in a transaction that paid the former one, and changes nothing", () => {
    const { scenario, sent } = bought()
    expect(scenario.accepted(debit(tokenOf(`memo/${word("memo")}`, originOf(sent)), "d"))).toMatchObject({
      balance: 4_999,
    })
    expect(scenario.refused(confirm(shownToNew(sent), byMemo))).toEqual({ _tag: "no_payment" })
    expect(account(scenario)).toMatchObject({ balance: 4_999, shortfall: 0 })
  })
})
