import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { register } from "prom-client"
import { toEventSelector } from "viem"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Chain, WatchedChain } from "../../ledger/chain.port.ts"
import { type ChainOptions, USDC_ON_BASE } from "./chain-options.ts"
import { type Script, type ScriptedNode, type ScriptedReply, startScriptedNode } from "./scripted-node.ts"
import { openChain } from "./viem-chain.ts"

const USDC = USDC_ON_BASE.toLowerCase()
const WALLET = `0x${"22".repeat(20)}`
const PAYER = `0x${"11".repeat(20)}`
const HASH = `0x${"ab".repeat(32)}`
const BLOCK = `0x${"bc".repeat(32)}`
const OTHER = `0x${"de".repeat(32)}`
const KEY = "apikey5f3759df"
const TRANSFER = toEventSelector("event Transfer(address indexed from, address indexed to, uint256 value)")
const AT_BLOCK = 100

const hex = (number: number) => `0x${number.toString(16)}`
const word = (value: string | number) =>
  `0x${(typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0")}`

/** A chain in which one transaction pays 5,000,000 units and 250,000 units, six blocks deep. */
const honest = {
  chainId: 8453,
  head: AT_BLOCK + 5,
  safe: AT_BLOCK - 1,
  finalized: AT_BLOCK - 10,
  units: [5_000_000, 250_000] as ReadonlyArray<number>,
  token: USDC,
  status: "0x1",
  known: true,
  /** The hash of the block in receipt and transaction, and of the block that is in the chain there. */
  blockHash: BLOCK,
  canonicalHash: BLOCK as string | null,
}
type View = typeof honest

const chainOf = (view: View): Script => {
  const block = (number: number, hash = OTHER) => ({
    result: { hash, number: hex(number), timestamp: "0x690524b9", transactions: [] },
  })
  return (method, [first]): ScriptedReply | undefined => {
    if (method === "eth_chainId") return { result: hex(view.chainId) }
    if (method === "eth_blockNumber") return { result: hex(view.head) }
    if (method === "eth_getBlockByNumber") {
      if (first === "safe") return block(view.safe)
      if (first === "finalized") return block(view.finalized)
      if (first === hex(AT_BLOCK))
        return view.canonicalHash === null ? { result: null } : block(AT_BLOCK, view.canonicalHash)
    }
    if (!view.known || first !== HASH) return method.startsWith("eth_getTransaction") ? { result: null } : undefined
    const { blockHash } = view
    if (method === "eth_getTransactionByHash")
      return {
        result: {
          hash: HASH,
          blockHash,
          blockNumber: hex(AT_BLOCK),
          from: PAYER,
          to: USDC,
          input: "0xa9059cbb",
          type: "0x7e",
        },
      }
    if (method !== "eth_getTransactionReceipt") return undefined
    const logs = view.units.map((units, position) => ({
      address: view.token,
      topics: [TRANSFER, word(PAYER), word(WALLET)],
      data: word(units),
      logIndex: hex(7 + position),
      blockHash,
      transactionHash: HASH,
      removed: false,
    }))
    return { result: { transactionHash: HASH, blockHash, blockNumber: hex(AT_BLOCK), status: view.status, logs } }
  }
}

let scope: Scope.Closeable
let nodes: Array<ScriptedNode>
let lines: Array<string>

beforeEach(() => {
  scope = Scope.makeUnsafe()
  nodes = []
  lines = []
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await Promise.all(nodes.map((node) => node.close()))
})

const start = async (view: Partial<View> = {}, first: Script = () => undefined): Promise<ScriptedNode> => {
  const script = chainOf({ ...honest, ...view })
  const node = await startScriptedNode((method, parameters) => first(method, parameters) ?? script(method, parameters))
  nodes.push(node)
  return node
}
const collector = Logger.make((options) => {
  lines.push(Logger.formatJson.log(options))
})
const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provide(Logger.layer([collector]))))
const open = (asked: ReadonlyArray<ScriptedNode>, options: Partial<ChainOptions> = {}): Promise<WatchedChain> =>
  run(
    openChain({
      rpcUrls: asked.map(({ url }) => `${url}/v2/${KEY}`),
      wallet: WALLET,
      callTimeoutMs: 2_000,
      ...options,
    }).pipe(Effect.provideService(Scope.Scope, scope)),
  )
const over = async (...views: ReadonlyArray<Partial<View>>): Promise<WatchedChain> =>
  open(await Promise.all(views.map((view) => start(view))))
const found = async (chain: Chain) => run(chain.find(HASH))
const refused = async (chain: Chain) => run(Effect.flip(chain.find(HASH)))
const metricOf = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> => {
  const metric = await register.getSingleMetric(name)?.get()
  const matching = (metric?.values ?? []).filter(({ labels: has }) =>
    Object.entries(labels).every(([key, value]) => has[key] === value),
  )
  return matching.reduce((sum, { value }) => sum + value, 0)
}

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
    for (const node of all.slice(0, 2)) node.script = chainOf({ ...honest, known: false, head: AT_BLOCK - 50 })
    expect(await refused(chain)).toMatchObject({ _tag: "ChainUnavailable" })
    for (const node of all) node.script = chainOf({ ...honest, known: false })
    expect(await found(chain)).toEqual({ _tag: "unknown" })
  })
  it("name a dissenter, once", async () => {
    const before = await metricOf("tidewire_chain_dissents_total", { provider: "1" })
    const chain = await over({}, { units: [1] }, {})
    await found(chain)
    await found(chain)
    expect(await metricOf("tidewire_chain_dissents_total", { provider: "1" })).toBe(before + 2)
    expect(lines.filter((line) => line.includes("contradicts") && line.includes('"provider":1'))).toHaveLength(1)
  })
})

describe("a provider", () => {
  it("of another chain is not used, and logged once", async () => {
    const foreign = await start({ chainId: 1 })
    const chain = await open([foreign])
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 wrong_chain") })
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 wrong_chain") })
    expect(foreign.asked.map(({ method }) => method)).toEqual(["eth_chainId"])
    expect(lines.filter((line) => line.includes("another chain"))).toHaveLength(1)
  })
  it("need not answer when the chain is opened, and is asked for its chain again when it comes back", async () => {
    const node = await start({}, () => "breaks")
    const chain = await open([node])
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 unreachable") })
    node.script = chainOf(honest)
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
    node.script = () => "breaks"
    await refused(chain)
    node.script = chainOf({ ...honest, chainId: 1 })
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 wrong_chain") })
  })
  it("is asked for its chain only once while it answers", async () => {
    const node = await start()
    const chain = await open([node])
    await found(chain)
    await found(chain)
    expect(node.asked.filter(({ method }) => method === "eth_chainId")).toHaveLength(1)
  })
  it("that sends Retry-After is not called for that time, and callers get it", async () => {
    const node = await start({}, () => ({ status: 429, headers: { "retry-after": "17" } }))
    const chain = await open([node])
    expect(await refused(chain)).toMatchObject({ retryAfterSeconds: 17 })
    const later = await refused(chain)
    expect(later.retryAfterSeconds).toBeGreaterThan(0)
    expect(later.problem).toContain("1 rate_limited")
    expect(node.asked).toHaveLength(1)
  })
  it("that stumbles is asked again, a few times", async () => {
    let stumbles = 2
    const node = await start({}, () => (stumbles-- > 0 ? { status: 503 } : undefined))
    expect(await found(await open([node]))).toMatchObject({ _tag: "mined" })
    const down = await start({}, () => ({ status: 503 }))
    await refused(await open([down]))
    expect(down.asked).toHaveLength(3)
  })
  it("is not believed when it answers more than any answer has", async () => {
    const node = await start({}, (method) =>
      method === "eth_chainId" ? { result: "0x2105" } : { status: 200, body: " ".repeat(9 * 1024 * 1024) },
    )
    expect(await refused(await open([node]))).toMatchObject({ problem: expect.stringContaining("1 too_large") })
  })
  it("does not lead elsewhere", async () => {
    const target = await start()
    const node = await start({}, () => ({ status: 307, headers: { location: target.url } }))
    await refused(await open([node]))
    expect(target.asked).toEqual([])
  })
  it("does not leak its key in errors, logs or metrics", async () => {
    const failing: ReadonlyArray<Script> = [
      () => "breaks",
      () => "hangs",
      () => ({ status: 500, body: KEY }),
      () => ({ status: 401, body: KEY }),
      () => ({ error: { code: -32000, message: `no such key: ${KEY}` } }),
      () => ({ result: KEY }),
      chainOf({ ...honest, chainId: 1 }),
    ]
    for (const script of failing) {
      const failure = await refused(await open([await start({}, script)], { callTimeoutMs: 100 }))
      lines.push(JSON.stringify(failure), failure.message, failure.stack ?? "", String(failure.cause))
    }
    const all = [...lines, await register.metrics()].join("\n")
    expect(all).toContain("wrong_chain")
    expect(all).not.toContain(KEY)
    expect(all).not.toContain("127.0.0.1")
  })
  it("is counted by what it answers", async () => {
    const count = (outcome: string) => metricOf("tidewire_chain_requests_total", { provider: "0", outcome })
    const [ok, refusedBefore] = [await count("ok"), await count("refused")]
    await found(await over({}))
    await refused(await open([await start({}, () => ({ status: 403 }))]))
    expect(await count("ok")).toBe(ok + 7)
    expect(await count("refused")).toBe(refusedBefore + 1)
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
