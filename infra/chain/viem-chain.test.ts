import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type ChainOptions, USDC_ON_BASE } from "./chain-options.ts"
import {
  AT_BLOCK,
  BLOCK,
  chainOf,
  found,
  HASH,
  hex,
  honest,
  lines,
  metricOf,
  OTHER,
  open,
  over,
  PAYER,
  refused,
  run,
  start,
  USDC,
  type View,
  WALLET,
  word,
} from "./testing/scripted-chain.ts"
import type { Script, ScriptedReply } from "./testing/scripted-node.ts"

describe("a transaction", () => {
  it("is found with all verified facts", async () => {
    const chain = await over({})
    expect(chain.facts).toMatchObject({ name: "Base", chainId: 8453, contract: USDC_ON_BASE, wallet: WALLET })
    const transfer = { payer: PAYER, authorization: null }
    expect(await found(chain)).toEqual({
      _tag: "mined",
      transaction: {
        chainId: 8453,
        hash: HASH,
        contract: USDC,
        wallet: WALLET,
        block: { hash: BLOCK, number: AT_BLOCK, atMs: 1_761_944_761_000 },
        confirmations: 6,
        depth: "latest",
        call: { from: PAYER, to: USDC, selector: "0xa9059cbb", argument: null },
        transfers: [
          { position: 0, logIndex: 7, units: 5_000_000, ...transfer },
          { position: 1, logIndex: 8, units: 250_000, ...transfer },
        ],
      },
    })
  })
  it.each<[string, Partial<View>, object]>([
    ["unknown where no node has it", { known: false }, { _tag: "unknown" }],
    ["unknown where its block is not in the chain", { canonicalHash: OTHER }, { _tag: "unknown" }],
    ["unknown where the chain does not reach its block", { canonicalHash: null }, { _tag: "unknown" }],
    ["failed where it was reverted", { status: "0x0" }, { _tag: "failed" }],
    ["without payments where the token is another", { token: OTHER.slice(0, 42) }, { transaction: { transfers: [] } }],
    ["safe where the safe block has it", { safe: AT_BLOCK }, { transaction: { depth: "safe" } }],
    [
      "final where the final block has it",
      { finalized: AT_BLOCK, safe: AT_BLOCK },
      { transaction: { depth: "finalized" } },
    ],
    ["one deep in the newest block", { head: AT_BLOCK }, { transaction: { confirmations: 1 } }],
    ["one deep where the node has not counted it yet", { head: AT_BLOCK - 1 }, { transaction: { confirmations: 1 } }],
  ])("is %s", async (_, view, expected) => {
    expect(await found(await over(view))).toMatchObject(expected)
  })
  it("is not deeper than the latest block where a node knows no safe one", async () => {
    const unwilling = await start({ safe: AT_BLOCK }, (_, [tag]) =>
      tag === "safe"
        ? { error: { code: -32602, message: "invalid tag" } }
        : tag === "finalized"
          ? { result: null }
          : undefined,
    )
    expect(await found(await open([unwilling]))).toMatchObject({ transaction: { depth: "latest" } })
  })
  it("is unknown while transaction and receipt name different blocks", async () => {
    const between = await start({}, (method) =>
      method === "eth_getTransactionByHash"
        ? { result: { hash: HASH, blockHash: null, from: PAYER, to: null, input: "0x" } }
        : undefined,
    )
    expect(await found(await open([between]))).toEqual({ _tag: "unknown" })
  })
})

describe("several providers", () => {
  it.each<[string, Partial<View>]>([
    ["of another amount", { units: [10_000_000_000, 250_000] }],
    ["of a payment more", { units: [5_000_000, 250_000, 1] }],
    ["of a failure", { status: "0x0" }],
    ["of another block", { blockHash: OTHER, canonicalHash: OTHER }],
    ["of a great depth", { head: 1_000_000, safe: 1_000_000, finalized: 1_000_000 }],
    ["of no transaction", { known: false }],
    ["of a block that is no more", { canonicalHash: OTHER }],
    ["of another chain", { chainId: 1 }],
  ])("are not moved by one that speaks %s", async (_, lie) => {
    const truth = await found(await over({}))
    for (const views of [
      [lie, {}, {}],
      [{}, lie, {}],
    ])
      expect(await found(await over(...views))).toEqual(truth)
  })
  it("are not moved by one that invents a payment", async () => {
    const none = { known: false }
    expect(await found(await over({}, none, none))).toEqual({ _tag: "unknown" })
  })
  it.each<[string, ScriptedReply | undefined]>([
    ["hangs", "hangs"],
    ["breaks off", "breaks"],
    ["sends garbage", { status: 200, body: "<!doctype html>" }],
    ["sends nothing", { status: 200, body: "" }],
    ["sends a list", { status: 200, headers: { "content-type": "application/json" }, body: "[]" }],
    ["sends null", { status: 200, headers: { "content-type": "application/json" }, body: "null" }],
    ["sends a result of another shape", { result: { a: 1 } }],
    ["is over its rate", { error: { code: -32016, message: "over rate limit" } }],
    ["has an error", { error: { code: -32603, message: "internal error" } }],
  ])("are not held up by one that %s", async (_, said) => {
    const bad = await start({}, () => said)
    expect(await found(await open([await start(), bad, await start()]))).toMatchObject({ _tag: "mined" })
    expect(await refused(await open([bad, await start()], { callTimeoutMs: 2_000 }))).toMatchObject({
      _tag: "ChainUnavailable",
      problem: expect.stringContaining("1 of 2 providers answer, 2 are needed"),
    })
  })
  it("say nothing where they disagree", async () => {
    expect(await refused(await over({}, { units: [1] }))).toMatchObject({ _tag: "ChainUnavailable" })
    expect(await refused(await over({}, { units: [1] }, { units: [2] }))).toMatchObject({
      problem: "no 2 of 3 providers agree",
    })
  })
  it("need as many as configured", async () => {
    const lagging = await start({ known: false })
    expect(await found(await open([await start(), lagging], { agreement: 1 }))).toMatchObject({ _tag: "mined" })
    expect(await refused(await open([await start(), await start(), lagging], { agreement: 3 }))).toMatchObject({
      _tag: "ChainUnavailable",
    })
  })
  it("do not forget how far the chain was", async () => {
    const all = [await start(), await start(), await start()]
    const chain = await open(all)
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
    for (const node of all.slice(0, 2))
      node.script = chainOf({ ...honest, known: false, canonicalHash: null, head: AT_BLOCK - 50 })
    expect(await refused(chain)).toMatchObject({ _tag: "ChainUnavailable" })
    for (const node of all) node.script = chainOf({ ...honest, known: false, canonicalHash: null })
    expect(await found(chain)).toEqual({ _tag: "unknown" })
  })
  it("name a dissenter, once", async () => {
    const before = await metricOf("tidewire_chain_dissents_total", { provider: "1" })
    const chain = await over({}, { blockHash: OTHER, canonicalHash: OTHER }, {})
    await found(chain)
    await found(chain)
    expect(await metricOf("tidewire_chain_dissents_total", { provider: "1" })).toBe(before + 2)
    expect(lines.filter((line) => line.includes("contradicts") && line.includes('"provider":1'))).toHaveLength(1)
  })
})

describe("how far the chain is", () => {
  it("is what enough providers know, and remembered", async () => {
    const heads = [{ head: 1_000_000 }, { head: AT_BLOCK + 40 }, { known: false }]
    const all = await Promise.all(heads.map((view) => start(view)))
    const chain = await open(all)
    expect(await run(chain.head)).toBe(AT_BLOCK + 40)
    for (const node of all) node.script = chainOf({ ...honest, known: false })
    expect(await refused(chain)).toMatchObject({ _tag: "ChainUnavailable" })
  })
})

describe("one wrong eth_blockNumber, and honest answers after it,", () => {
  const WRONG = 2 ** 40
  /** Nodes of which the first lies about its head once, and a clock that the test moves. */
  const poisoned = async (count: number, options: Partial<ChainOptions> = {}) => {
    let lies = 0
    const liar = await start({ known: false }, (method) =>
      method === "eth_blockNumber" && lies-- > 0 ? { result: hex(WRONG) } : undefined,
    )
    const others = await Promise.all(Array.from({ length: count - 1 }, () => start({ known: false })))
    let nowMs = 0
    const chain = await open([liar, ...others], { nowMs: () => nowMs, ...options })
    return {
      chain,
      lie: () => {
        lies = 1
      },
      pass: (ms: number) => {
        nowMs += ms
      },
    }
  }

  it.each([
    ["a single provider", 1, {}],
    ["three of which one is believed", 3, { agreement: 1 }],
    ["three of which two must agree", 3, {}],
  ] as const)("change nothing for %s that was heard before", async (_, count, options) => {
    const { chain, lie, pass } = await poisoned(count, options)
    expect(await found(chain)).toEqual({ _tag: "unknown" })
    pass(10_000)
    lie()
    await run(Effect.exit(chain.head))
    expect(await found(chain)).toEqual({ _tag: "unknown" })
    expect(await run(chain.head)).toBe(honest.head)
  })

  it.each([
    ["a single provider", 1, {}],
    ["three of which one is believed", 3, { agreement: 1 }],
    ["three of which two must agree", 3, {}],
  ] as const)("are over within a minute for %s that was never heard", async (_, count, options) => {
    const { chain, lie, pass } = await poisoned(count, options)
    lie()
    await run(Effect.exit(chain.head))
    pass(60_001)
    expect(await found(chain)).toEqual({ _tag: "unknown" })
  })
})

describe("the wallet's units", () => {
  const holding =
    (units: (block: unknown) => number): Script =>
    (method, [, block]) =>
      method === "eth_call" ? { result: word(units(block)) } : undefined
  it("are those of one block which enough providers know", async () => {
    const all = [104, 105, 106].map((head) =>
      start(
        { head },
        holding((block) => Number(block) * 1_000_000),
      ),
    )
    expect(await run((await open(await Promise.all(all))).walletUnits)).toBe(105_000_000n)
  })
  it("are unavailable where providers disagree, and not changed by a single wrong one", async () => {
    const [one, two, liar] = [
      await start(
        {},
        holding(() => 5),
      ),
      await start(
        {},
        holding(() => 5),
      ),
      await start(
        {},
        holding(() => 6),
      ),
    ]
    expect(await run((await open([liar, one, two])).walletUnits)).toBe(5n)
    expect(await run(Effect.flip((await open([liar, one])).walletUnits))).toMatchObject({ _tag: "ChainUnavailable" })
  })
})
