import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import ethereumGasSource, { type WireFees } from "../../ingestors/sources/ethereum-gas.ts"
import { views } from "../../processors/registry.ts"
import { ethereumGas } from "../../schemas/feeds/ethereum-gas.ts"
import { baseFeeOf, tipAt } from "../world/ethereum.ts"
import simulated from "../world/upstreams/ethereum-gas.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof ethereumGasSource.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const newest = (number: string, timestamp = "0x67e3e34b") => ({
  number,
  hash: hash("1"),
  parentHash: hash("0"),
  timestamp,
  transactions: [],
})
const fees = (members: Partial<WireFees> = {}): WireFees => ({
  oldestBlock: "0x3",
  baseFeePerGas: ["0x3b9aca00", "0x3b9aca00", "0x77359400"],
  gasUsedRatio: [0.5, 1],
  reward: [
    ["0x1", "0x2", "0x3"],
    ["0x0", "0x5f5e100", "0x3b9aca00"],
  ],
  ...members,
})
const collected = (members: Partial<WireFees> = {}, number = "0x4"): Collected => ({
  fees: fees(members),
  newest: newest(number),
})

const item = { blockNumber: 4, baseFeeGwei: 2, lowGwei: 2, standardGwei: 2.1, fastGwei: 3 }

feedTest({
  feed: ethereumGas,
  polls: [
    polled({
      source: ethereumGasSource,
      world: simulated,
      freeText: false,
      breakRow: null,
      refused: [
        ["fees without those of the next block", collected({ baseFeePerGas: ["0x1", "0x1"] }), /do not fit/],
        ["an answer without tips", collected({ reward: null }), /do not fit/],
        ["tips of other percentiles", collected({ reward: [["0x1"], ["0x1"]] }), /lack the tips/],
        ["tips of one percentile more", collected({ reward: [[], ["0x1", "0x2", "0x3", "0x4"]] }), /not those/],
        ["tips that fall", collected({ reward: [[], ["0x3", "0x2", "0x1"]] }), /not those/],
        ["an answer of a node without a newest block", { fees: fees(), newest: null }, /newest block/],
        ["impossible fees", collected({ baseFeePerGas: ["0x1", "0x1", `0x${"f".repeat(60)}`] }), /out of bounds/],
        ["no blocks", collected({ gasUsedRatio: [], baseFeePerGas: ["0x1"], reward: [] }), /lack the tips/],
      ],
    }),
  ],
  views: views.filter(({ reads }) => Object.values(reads).some(({ feed }) => feed === ethereumGas)),
  rows: [
    {
      kind: "changed",
      item,
      makes: {
        observed_at: OBSERVED_AT,
        block_number: 4,
        base_fee_gwei: 2,
        low_gwei: 2,
        standard_gwei: 2.1,
        fast_gwei: 3,
        provider: PROVIDER,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured fees", () => {
  const captured = (document: string, file: string): WireFees => {
    const wire = decodedCapture<WireFees | { readonly result: WireFees }>(ethereumGasSource, document, file)
    return "result" in wire ? wire.result : wire
  }
  it("of five blocks before London are tips alone: base fees are 0, the newest tips are equal", () => {
    const file = "fee-history-5-blocks-percentiles-25-50-75-pre-london-block-6838912.json"
    // By hand: the oldest block 0x685a7c is 6838908; 0x165affe40 wei is 6.001 gwei.
    const answer = { fees: captured("fees", file), newest: newest("0x685a80") }
    expect(normalised(ethereumGasSource, answer).payload).toEqual({
      blockNumber: 6_838_912,
      baseFeeGwei: 0,
      lowGwei: 6.001,
      standardGwei: 6.001,
      fastGwei: 6.001,
    })
  })
  it("of other percentiles, or of none, are refused: they are not what was asked for", () => {
    const one = captured("fees", "fee-history-7-blocks-1-percentile-block-20500000-2024-08.json")
    expect(refusedBy(ethereumGasSource, { fees: one, newest: newest("0x138ce20") })?.message).toMatch(/lack the tips/)
    const none = captured("feesResult", "fee-history-result-only-block-0xdee807.json")
    expect(refusedBy(ethereumGasSource, { fees: none, newest: newest("0xdee810") })?.message).toMatch(/do not fit/)
  })
  it("of August 2024 would ask 0.869 gwei in the next block", () => {
    const one = captured("fees", "fee-history-7-blocks-1-percentile-block-20500000-2024-08.json")
    const tips = one.baseFeePerGas.slice(1).map(() => ["0x0", "0x0", "0x3b9aca00"])
    const { payload } = normalised(ethereumGasSource, { fees: { ...one, reward: tips }, newest: newest("0x138ce20") })
    // By hand: 0x33c4460f wei, the last of the eight base fees, is 0.868501007 gwei.
    expect(payload).toMatchObject({ blockNumber: 20_500_000, baseFeeGwei: 0.869, fastGwei: 1.869 })
  })
})

describe("the price of gas", () => {
  it("is the next block's base fee and the newest block's tips on it, by hand", () => {
    expect(normalised(ethereumGasSource, collected())).toEqual({ payload: item, contentAtMs: 0x67e3e34b * 1000 })
  })
  it("is as old as its block: twelve seconds for each block that the newest one is above it", () => {
    const at = (number: string) => normalised(ethereumGasSource, collected({}, number)).contentAtMs
    expect(at("0x5")).toBe(0x67e3e34b * 1000 - 12_000)
    expect(at("0x36")).toBe(0x67e3e34b * 1000 - 600_000)
    expect(at("0x3")).toBe(0x67e3e34b * 1000)
  })
  it("comes from the next node where one answers with an error, both calls from the same", async () => {
    const world = worldAt("test", NOW_MS)
    const upstream = upstreamOf(simulated, world, { unreachable: ["ethereum-rpc.publicnode.com", "eth.merkle.io"] })
    const answer = await Effect.runPromise(
      ethereumGasSource.collect(upstream, { parameters: {}, key: null, observedAtMs: NOW_MS }),
    )
    expect(Number(answer.newest?.number)).toBe(tipAt(world).number)
  })
  it("of the world is the one shown", async () => {
    const world = worldAt("test", NOW_MS)
    const { payload, contentAtMs } = await observed(ethereumGasSource, simulated, NOW_MS)
    expect(payload.baseFeeGwei).toBeCloseTo(Number(baseFeeOf(world, payload.blockNumber + 1)) / 1e9, 3)
    expect(payload.fastGwei).toBeGreaterThan(payload.lowGwei)
    expect(NOW_MS - (contentAtMs ?? 0)).toBeLessThan(60_000)
  })
})
