import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { UpstreamError } from "../../ingestors/document.ts"
import { ethereumNodes } from "../../ingestors/providers/ethereum-rpc.ts"
import { agreedTip, reducedBlock, type WireBlock } from "../../ingestors/sources/ethereum-rpc/ethereum-block.ts"
import ethereumRpc, { blockMemory, collectBlocks } from "../../ingestors/sources/ethereum-rpc.ts"
import largeTransfers from "../../processors/tables/large_transfers/table.ts"
import proExchangeFlows from "../../processors/views/pro-exchange-flows.ts"
import proWhales from "../../processors/views/pro-whales.ts"
import { ETHEREUM_BLOCKS_MAX, type EthereumBlock, ethereumTransfers } from "../../schemas/feeds/ethereum-transfers.ts"
import { hashOf, hasReplaced, madeAtMs, numberAt, SLOT_MS, tipAt } from "../world/ethereum.ts"
import simulated, { isLagging, LAG_BLOCKS, LAGGING_HOST, tipOf } from "../world/upstreams/ethereum-rpc.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const hash = (digit: string): string => `0x${digit.repeat(64)}`
const address = (digit: string): string => `0x${digit.repeat(40)}`

const item: EthereumBlock = {
  number: 7,
  hash: hash("7"),
  parentHash: hash("6"),
  at: "2026-11-20T12:34:47.000Z",
  transactionCount: 150,
  baseFeeGwei: 1.5,
  transfers: [{ hash: hash("a"), from: address("1"), to: null, valueEth: 5.25 }],
  transfersLeftOut: 0,
}
const row = {
  feed: "ethereum-transfers",
  chain: "ethereum",
  at: "2026-11-20T12:34:47.000Z",
  hash: hash("a"),
  amount: 5.25,
  sender: address("1"),
  receiver: "",
  fee_sat: null,
  vsize_vb: null,
  block_number: 7,
  block_hash: hash("7"),
  provider: PROVIDER,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: ethereumTransfers,
  polls: [
    polled({
      source: ethereumRpc,
      world: simulated,
      freeText: false,
      breakRow: ([newest = item, ...others]) => [{ ...newest, hash: "0x" }, ...others],
      refused: [
        ["no block at all", [], /must not be empty/],
        ["a block of next year", [{ ...item, at: "2027-11-20T12:34:47.000Z" }], /cannot be read/],
      ],
    }),
  ],
  views: [proWhales, proExchangeFlows],
  table: largeTransfers,
  rows: [
    { kind: "appeared", item, makes: row },
    { kind: "changed", item, makes: row },
    { kind: "gone", item, makes: null },
  ],
})

/** Collects from the world as one process does that remembers nothing else. */
const collectAt = (atMs: number, known = blockMemory(), unreachable: ReadonlyArray<string> = []) =>
  Effect.runPromise(collectBlocks(upstreamOf(simulated, worldAt("test", atMs), { unreachable }), atMs, known))

describe.skipIf(capturesAbsent)("captured blocks", () => {
  const block = (document: string, file: string): WireBlock => {
    const wire = decodedCapture<WireBlock | { readonly result: WireBlock }>(ethereumRpc, document, file)
    return "result" in wire ? wire.result : wire
  }
  it("of September 2022 has 58 transactions, none of them of 5 ether", () => {
    // By hand: 0x18e5cb091 wei = 6.683406481 gwei; the largest transfer is of 1.10446976 ether.
    expect(reducedBlock(block("blockResult", "block-15571241-full-transactions-result-only.json"))).toEqual({
      number: 15_571_241,
      hash: "0x1850b014065b23d804ecf71a8a4691d076ca87c2e6fb8fe81ee20a4d8e884c24",
      parentHash: "0x5b6edff14df30aa779157e2e563e44ab78bb599f2924e9229746fb462b16b57e",
      at: "2022-09-20T00:52:23.000Z",
      transactionCount: 58,
      baseFeeGwei: 6.683,
      transfers: [],
      transfersLeftOut: 0,
    })
  })
  it("of May 2024 moves 163.049251916387603007 ether in one transaction, cut to millionths", () => {
    const file = "get-block-by-number-19900000-full-30-of-147-transactions-2024-05.json"
    expect(reducedBlock(block("block", file))).toMatchObject({
      number: 19_900_000,
      at: "2024-05-18T23:06:23.000Z",
      transactionCount: 30,
      baseFeeGwei: 2.885,
      transfers: [
        {
          hash: "0x2273c13d32e8224676a75c82d0061952bee6050a65cede919524fbb4704727cc",
          from: "0xb55dba9fe9039791d2fd563e595d6161b522ddbf",
          to: "0xde5cfa9c342d9b43ffd7c06f02d99c6ab9b9c99c",
          valueEth: 163.049251,
        },
      ],
    })
  })
  it("of hashes only has a head, and is not a block without transfers", () => {
    const hashesOnly = block("block", "get-block-by-number-latest-hashes-only-2025-03-26.json")
    expect(Number(hashesOnly.number)).toBe(22_130_747)
    expect(reducedBlock(hashesOnly)).toBeNull()
  })
})

const wire = (members: Partial<WireBlock> = {}): WireBlock => ({
  number: "0x7",
  hash: hash("7"),
  parentHash: hash("6"),
  timestamp: "0x66490000",
  transactions: [],
  ...members,
})
const sends = (wei: bigint, members: object = {}) => ({
  hash: hash("b"),
  from: address("1"),
  to: address("2"),
  value: `0x${wei.toString(16)}`,
  ...members,
})
const ETHER = 10n ** 18n

describe("a block", () => {
  it("keeps transfers of exactly 5 ether, and none of a wei less", () => {
    const transfers = reducedBlock(wire({ transactions: [sends(5n * ETHER - 1n), sends(5n * ETHER)] }))?.transfers
    expect(transfers?.map(({ valueEth }) => valueEth)).toEqual([5])
  })
  it("cuts below a millionth, so that no transfer is shown above what it moves", () => {
    expect(reducedBlock(wire({ transactions: [sends(100n * ETHER - 1n)] }))?.transfers[0]?.valueEth).toBe(99.999999)
  })
  it("reads addresses in any case, contract creations, and old blocks without a base fee", () => {
    const checksummed = "0xDe5CfA9c342D9B43ffD7c06F02d99C6aB9B9C99c"
    const { to: _, ...creation } = sends(6n * ETHER, { hash: hash("c") })
    const block = reducedBlock(wire({ transactions: [sends(7n * ETHER, { from: checksummed }), creation] }))
    expect(block?.baseFeeGwei).toBeNull()
    expect(block?.transfers.map(({ from, to }) => [from, to])).toEqual([
      [checksummed.toLowerCase(), address("2")],
      [address("1"), null],
    ])
  })
  it("holds the 200 largest transfers and counts the others", () => {
    const transactions = Array.from({ length: 203 }, (_, index) =>
      sends(BigInt(5 + index) * ETHER, { hash: `0x${index.toString(16).padStart(64, "0")}` }),
    )
    const block = reducedBlock(wire({ transactions }))
    expect(block?.transfers).toHaveLength(200)
    expect([block?.transfers[0]?.valueEth, block?.transfers[199]?.valueEth]).toEqual([207, 8])
    expect(block?.transfersLeftOut).toBe(3)
  })
  it("is none with a number or a time beyond what can be counted", () => {
    expect(reducedBlock(wire({ number: `0x${"f".repeat(40)}` }))).toBeNull()
    expect(reducedBlock(wire({ timestamp: `0x${"f".repeat(20)}` }))).toBeNull()
  })
})

describe("the tip", () => {
  const head = (number: number, own: string, parent: string) => ({ number, hash: hash(own), parentHash: hash(parent) })
  it.each([
    ["nodes with one newest block agree on it", [head(9, "9", "8"), head(9, "9", "8")], { number: 9, hash: hash("9") }],
    [
      "a node one block ahead supports its parent",
      [head(9, "9", "8"), head(8, "8", "7")],
      { number: 8, hash: hash("8") },
    ],
    [
      "one that lags far behind changes nothing",
      [head(9, "9", "8"), head(9, "9", "8"), head(3, "3", "2")],
      { number: 9, hash: hash("9") },
    ],
    [
      "one that runs ahead alone is not believed",
      [head(99, "f", "e"), head(9, "9", "8"), head(9, "9", "8")],
      { number: 9, hash: hash("9") },
    ],
    [
      "of two blocks of one height the one of more nodes is it",
      [head(9, "9", "8"), head(9, "9", "8"), head(9, "a", "8")],
      { number: 9, hash: hash("9") },
    ],
    [
      "of two blocks with equal support their parent is it",
      [head(9, "9", "8"), head(9, "9", "8"), head(9, "a", "8"), head(9, "a", "8")],
      { number: 8, hash: hash("8") },
    ],
    ["a single node is not believed", [head(9, "9", "8")], null],
    ["nodes far apart do not agree", [head(9, "9", "8"), head(5, "5", "4")], null],
    ["no node, no tip", [], null],
  ] as const)("%s", (_, heads, tip) => {
    expect(agreedTip(heads)).toEqual(tip)
    expect(agreedTip([...heads].reverse())).toEqual(tip)
  })
})

describe("the chain", () => {
  it("is the newest 25 blocks, each the parent of the one above", async () => {
    const blocks = await collectAt(NOW_MS)
    expect(blocks).toHaveLength(ETHEREUM_BLOCKS_MAX)
    expect(blocks[0]?.number).toBe(tipAt(worldAt("test", NOW_MS)).number)
    for (const [at, block] of blocks.slice(1).entries()) {
      expect(block.hash).toBe(blocks[at]?.parentHash)
      expect(block.number).toBe((blocks[at]?.number ?? 0) - 1)
    }
    expect(blocks.some(({ transfers }) => transfers.length > 0)).toBe(true)
  })
  it("is read on from what is known: a minute later five blocks, and none twice", async () => {
    const known = blockMemory()
    await collectAt(NOW_MS, known)
    const asked: Array<string> = []
    const world = upstreamOf(simulated, worldAt("test", NOW_MS + 60_000))
    const counting = {
      ...world,
      fetch: ((document, input) => {
        const body = document.body(input) ?? ""
        if (body.includes("eth_getBlockByHash")) asked.push(body)
        return world.fetch(document, input)
      }) as typeof world.fetch,
    }
    const blocks = await Effect.runPromise(collectBlocks(counting, NOW_MS + 60_000, known))
    expect(asked).toHaveLength(5)
    expect(blocks).toEqual(await collectAt(NOW_MS + 60_000))
  })
  it("has the block that replaced another in its place, whether or not the one before is remembered", async () => {
    const slot = numberAt(NOW_MS)
    const number = Array.from({ length: 16 }, (_, index) => slot + index).find(hasReplaced) ?? 0
    const [before, after] = [madeAtMs(number) + 5_000, madeAtMs(number + 1) + 5_000]
    const known = blockMemory()
    const [replaced] = await collectAt(before, known)
    expect(replaced?.hash).toBe(hashOf(worldAt("test", before), { number, version: "replaced" }))
    for (const memory of [known, blockMemory()]) {
      const blocks = await collectAt(after, memory)
      const stands = blocks.find((block) => block.number === number)
      expect(stands?.hash).toBe(hashOf(worldAt("test", after), { number, version: "stands" }))
      expect(stands?.transactionCount).toBeGreaterThan(replaced?.transactionCount ?? 0)
    }
  })
  it("does not fall back with a node that lags, and does without any one node", async () => {
    const atMs =
      Array.from({ length: 40 }, (_, minute) => NOW_MS + minute * 60_000).find((ms) =>
        isLagging(worldAt("test", ms)),
      ) ?? 0
    const world = worldAt("test", atMs)
    expect(tipOf(world, LAGGING_HOST).number).toBe(tipAt(world).number - LAG_BLOCKS)
    for (const node of ethereumNodes) {
      const blocks = await collectAt(atMs, blockMemory(), [new URL(node).host])
      expect(blocks[0]?.number ?? 0).toBeGreaterThanOrEqual(tipAt(world).number - 1)
      expect(blocks).toHaveLength(ETHEREUM_BLOCKS_MAX)
    }
  })
  it("is not believed from one node alone", async () => {
    const [, ...others] = ethereumNodes
    const unreachable = others.map((node) => new URL(node).host)
    await expect(collectAt(NOW_MS, blockMemory(), unreachable)).rejects.toThrow()
  })
  it("is as old as its newest block, so that frozen nodes become stale", async () => {
    const { contentAtMs } = await observed(ethereumRpc, simulated, NOW_MS)
    expect(NOW_MS - (contentAtMs ?? 0)).toBeLessThan(2 * SLOT_MS)
  })
})

describe("an answer", () => {
  type Fetch = ReturnType<typeof upstreamOf>["fetch"]
  /** The world, in which the whole blocks that nodes answer with are changed. */
  const changing = (change: (block: WireBlock, number: number) => WireBlock | null) => {
    let asked = 0
    const world = upstreamOf(simulated, worldAt("test", NOW_MS))
    const fetch = ((document, input) =>
      Effect.map(world.fetch(document, input), (answer) => {
        if (!document.body(input)?.includes("eth_getBlockByHash")) return answer
        const { result } = answer as { readonly result: WireBlock }
        return { ...(answer as object), result: change(result, asked++) } as never
      })) as Fetch
    return { ...world, fetch }
  }
  const collected = (upstream: ReturnType<typeof changing>, known = blockMemory()) =>
    Effect.runPromiseExit(collectBlocks(upstream, NOW_MS, known))

  it.each([
    ["another block than the requested one", (block: WireBlock) => ({ ...block, hash: hash("f") })],
    ["another number", (block: WireBlock) => ({ ...block, number: "0x1" })],
    ["hashes instead of transactions", (block: WireBlock) => ({ ...block, transactions: [hash("f")] })],
    ["nothing", () => null],
    ["an impossible base fee", (block: WireBlock) => ({ ...block, baseFeePerGas: `0x${"f".repeat(64)}` })],
    ["more ether than there is", (block: WireBlock) => ({ ...block, transactions: [sends(2n ** 200n)] })],
    ["a time far ahead", (block: WireBlock) => ({ ...block, timestamp: "0xffffffff" })],
  ])("with %s is refused, and never remembered", async (_, change) => {
    const known = blockMemory()
    const exit = await collected(changing(change), known)
    expect(Exit.findErrorOption(exit)).toMatchObject({ value: expect.any(UpstreamError) })
    expect(known.size).toBe(0)
    // A single node that answers so is passed over.
    expect(
      Exit.isSuccess(
        await collected(
          changing((block, at) => (at === 0 ? change(block) : block)),
          known,
        ),
      ),
    ).toBe(true)
  })
  it("that breaks off gives the blocks above where none below is known, and the next poll goes on", async () => {
    const breaking = () => changing((block, at) => (at < 10 ? block : null))
    const known = blockMemory()
    for (const length of [10, 20, 25]) {
      const exit = await collected(breaking(), known)
      expect(Exit.isSuccess(exit) ? exit.value.length : 0).toBe(length)
    }
    // Blocks of ten minutes before are below all of a payload.
    const older = blockMemory()
    await collectAt(NOW_MS - 600_000, older)
    expect(Exit.isSuccess(await collected(breaking(), older))).toBe(true)
  })
  it("that breaks off above blocks that are known fails the poll, which loses nothing", async () => {
    const known = blockMemory()
    await collectAt(NOW_MS - 240_000, known)
    const before = known.size
    expect(
      Exit.isFailure(
        await collected(
          changing((block, at) => (at < 10 ? block : null)),
          known,
        ),
      ),
    ).toBe(true)
    expect(known.size).toBe(before + 10)
    const after = await collected(
      changing((block) => block),
      known,
    )
    expect(Exit.isSuccess(after) ? after.value.length : 0).toBe(ETHEREUM_BLOCKS_MAX)
  })
})

it("refuses a payload with an unreadable block, whose transfers would be missing without a word", () => {
  expect(refusedBy(ethereumRpc, [item, { ...item, number: 6, hash: "0x6" }], { observedAtMs: NOW_MS })).toBeDefined()
})
