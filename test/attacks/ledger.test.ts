import { describe, expect, it, vi } from "vitest"
import { OPEN_QUOTES_MAX, PURCHASES_LISTED_MAX, PURCHASES_PAGE_MAX, TAIL_MAX } from "../../ledger/rules.ts"
import {
  address,
  askQuote,
  CHAIN_ID,
  clientOf,
  confirm,
  confirmed,
  given,
  MINUTE_MS,
  NOON_MS,
  observed,
  transaction,
  transfer,
  word,
} from "../conformance/ledger/given.ts"

// A client with little or no money cannot hold up others.

const buyer = address("buyer")
const ask = (memo: string, client: string, more: { askedCents?: number; tail?: number } = {}) =>
  ({ _tag: "issueQuote", askedCents: 100, memoHash: word(memo), tail: 1, client: clientOf(client), ...more }) as const

describe("a stranger who", () => {
  it("opens all the quotes that may be open closes the shop until they expire, and no longer", () => {
    const scenario = given()
    for (let n = 0; n < OPEN_QUOTES_MAX; n++)
      scenario.accepted(ask(`trap ${n}`, `client ${n}`, { askedCents: 100 + (n % 500_000) }), NOON_MS)
    const open = NOON_MS + 30 * MINUTE_MS - 1
    expect(scenario.refused(ask("early", "buyer"), open)).toMatchObject({ _tag: "too_many_quotes", of: "all" })
    // Nothing else happens in the ledger meanwhile: no account has credits.
    expect(scenario.accepted(ask("late", "buyer"), open + 1)).toMatchObject({ proof: "amount" })
  })

  it("fills the tails of an amount does not make every quote of it a search", () => {
    const scenario = given()
    for (let tail = 1; tail <= TAIL_MAX; tail++)
      scenario.accepted(ask(`trap ${tail}`, `client ${Math.floor(tail / 4)}`, { tail }), NOON_MS + tail)
    const looked = vi.spyOn(scenario.state.totals, "get")
    expect(scenario.accepted(ask("buyer's", "buyer"))).toMatchObject({ proof: "signature" })
    expect(looked).not.toHaveBeenCalled()
  })

  it("pays in thousands of little transfers sees the newest, and the sums of all", () => {
    const scenario = given()
    const count = PURCHASES_LISTED_MAX + 500
    const transfers = Array.from({ length: count }, (_, position) => transfer(buyer, 20_000, { position }))
    const paid = transaction("many", transfers, { depth: "latest" })
    expect(scenario.when(confirm(paid, { signer: buyer }))).toMatchObject({ refused: { required: "safe" } })
    confirmed(scenario, confirm({ ...paid, depth: "safe" }, { signer: buyer }))
    for (const position of [0, count - 1])
      scenario.accepted({
        _tag: "observe",
        payment: { chainId: CHAIN_ID, transaction: paid.hash, position },
        seen: null,
      })
    const read = vi.spyOn(scenario.state.purchases, "get")
    const by = { account: "account" }
    const account = scenario.accepted({ _tag: "readAccount", by, before: null })
    expect(read.mock.calls).toHaveLength(PURCHASES_PAGE_MAX)
    expect(account.purchases).toHaveLength(PURCHASES_PAGE_MAX)
    expect(account.purchases.at(-1)?.payment).toBe(`${CHAIN_ID}/${paid.hash}/${count - 1}`)
    // An api process of an earlier version asks for all that are listed.
    const { purchases: listed } = scenario.accepted({ _tag: "readAccount", by })
    expect(listed).toHaveLength(PURCHASES_LISTED_MAX)
    const { purchases: page, earlier } = scenario.accepted({
      _tag: "readAccount",
      by,
      before: account.earlier ?? Number.NaN,
    })
    expect([...page, ...account.purchases]).toEqual(listed.slice(-2 * PURCHASES_PAGE_MAX))
    expect(earlier).toBe(count - 2 * PURCHASES_PAGE_MAX)
    expect(account).toMatchObject({
      balance: count - 2,
      added: count - 2,
      purchaseCount: count - 2,
      purchasedUnits: (count - 2) * 20_000,
    })
  })
})

describe("two buyers whom one exchange pays for in one transaction", () => {
  it("keep what is theirs when a reorganisation has their transfers change places", () => {
    const scenario = given()
    const exchange = address("exchange")
    const ann = { memoHash: word("ann's memo"), newAccount: "ann" }
    const ben = { memoHash: word("ben's memo"), newAccount: "ben" }
    const small = askQuote(scenario, "ann's memo", { usd: 1 }).totalUnits
    const large = askQuote(scenario, "ben's memo", { usd: 9, tail: 5 }).totalUnits
    const paid = (block: string, units: ReadonlyArray<number>) =>
      transaction(
        "batch",
        units.map((one, position) => transfer(exchange, one, { position })),
        { block: { hash: word(block), number: 34_000_000, atMs: NOON_MS }, depth: "latest", confirmations: 5 },
      )
    const before = paid("before", [small, large])
    confirmed(scenario, confirm(before, ann))
    const after = paid("after", [large, small])
    const look = (position: number) => scenario.when(observed(after, position))
    expect(look(0)).toMatchObject({ answer: { became: "reversed" } })
    expect(look(0)).toMatchObject({ answer: { became: "unchanged" } })
    expect(confirmed(scenario, confirm(after, ben))).toMatchObject({ answer: { account: "ben", credits: 450 } })
    expect(confirmed(scenario, confirm(after, ann))).toMatchObject({ answer: { account: "ann", credits: 50 } })
    expect(look(0)).toMatchObject({ answer: { became: "unchanged" } })
    const balanceOf = (account: string) => scenario.accepted({ _tag: "readAccount", by: { account } }).balance
    expect([balanceOf("ann"), balanceOf("ben")]).toEqual([50, 450])
  })
})
