import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import solana from "../../ingestors/sources/solana-rpc.ts"
import chainNetworkView from "../../processors/views/chain-network.ts"
import { chainNetwork } from "../../schemas/feeds/chain-network.ts"
import { rounded } from "../../schemas/number.ts"
import simulated, { samplesOf, slotOf } from "../world/upstreams/solana-rpc.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof solana.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

const sample = (members: object = {}) => ({
  numTransactions: 180_000,
  numNonVoteTransactions: 60_000,
  numSlots: 150,
  samplePeriodSecs: 60,
  ...members,
})
const collected = (members: Partial<Collected> = {}): Collected => ({
  samples: [sample()],
  epoch: { absoluteSlot: 1_000, blockHeight: 900, epoch: 3, slotIndex: 108_000, slotsInEpoch: 432_000 },
  blockTime: NOW_MS / 1000 - 1,
  ...members,
})
const shownOf = (of: Collected) =>
  shown(chainNetworkView, [reading(normalised(solana, of, { observedAtMs: NOW_MS }).payload)], { nowMs: NOW_MS })

const item = {
  transactionsPerSecond: 3_000,
  transactionsPerSecondAverage: 2_900.5,
  nonVoteTransactionsPerSecond: null,
  slot: 1_000,
  slotMs: 400,
  epoch: 3,
  epochProgressPercent: 25,
  blockHeight: 900,
  at: "2026-11-20T12:34:55.000Z",
}

feedTest({
  feed: chainNetwork,
  glances: {
    chain_network: [3750, "transactions/s", "1,087 without votes, epoch 837 at 17%"],
  },
  polls: [
    polled({
      source: solana,
      world: simulated,
      freeText: false,
      breakRow: null,
      refused: [
        ["an epoch without slots", collected({ epoch: { ...collected().epoch, slotsInEpoch: 0 } }), /contradict/],
        ["an epoch that is over", collected({ epoch: { ...collected().epoch, slotIndex: 432_001 } }), /contradict/],
      ],
    }),
  ],
  views: [chainNetworkView],
  rows: [
    {
      kind: "changed",
      item,
      makes: {
        observed_at: OBSERVED_AT,
        at: "2026-11-20T12:34:55.000Z",
        slot: 1_000,
        slot_ms: 400,
        block_height: 900,
        epoch: 3,
        epoch_progress_percent: 25,
        transactions_per_second: 3_000,
        transactions_per_second_average: 2_900.5,
        non_vote_transactions_per_second: null,
        provider: PROVIDER,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured answers of a node", () => {
  const result = <Result>(document: string, file: string): Result =>
    decodedCapture<{ readonly result: Result }>(solana, document, file).result
  const captured = (): Collected => ({
    samples: result<Collected["samples"]>("samples", "get-recent-performance-samples-437-mainnet-2025-08.json"),
    epoch: result<Collected["epoch"]>("epoch", "get-epoch-info-mainnet-2025-08-22.json"),
    blockTime: null,
  })
  it("give 3,750.2 transactions a second, 3,697.0 over three minutes, slots of 393 ms", () => {
    expect(shownOf(captured())).toEqual({
      tps: 3750.2,
      tps_avg: 3697,
      tps_non_vote: 1086.5,
      slot: 361657817,
      slot_ms: 393,
      epoch: 837,
      epoch_progress_pct: 17.09,
      block_height: 339837864,
      at: null,
    })
  })
  it("of an hour before give the rates of that hour", () => {
    const { samples, ...others } = captured()
    // By hand: samples 60 to 62 of the file.
    const hour = samples.slice(60, 63)
    const transactions = hour.reduce((sum, { numTransactions }) => sum + numTransactions, 0)
    expect(shownOf({ ...others, samples: hour })).toMatchObject({
      tps: Math.round((hour[0]?.numTransactions ?? 0) / 6) / 10,
      tps_avg: Math.round(transactions / 18) / 10,
    })
  })
  it("of an error are an error, not a network without transactions", () => {
    const refusal = { jsonrpc: "2.0", error: { code: -32005, message: "Node is unhealthy" }, id: 1 }
    const real = upstreamOf(simulated, worldAt("test", NOW_MS))
    const unhealthy = { ...real, fetch: () => Effect.succeed(refusal as never) }
    return expect(pollFailure(solana, unhealthy)).resolves.toMatchObject({
      value: { message: expect.stringContaining("-32005") },
    })
  })
})

describe("the chain's network", () => {
  it("has null rates without samples, and without a count of votes", () => {
    expect(shownOf(collected({ samples: [] }))).toMatchObject({
      tps: null,
      tps_avg: null,
      tps_non_vote: null,
      slot_ms: null,
      slot: 1_000,
    })
    const { numNonVoteTransactions: _, ...old } = sample()
    expect(shownOf(collected({ samples: [old] }))).toMatchObject({ tps: 3000, tps_non_vote: null })
  })
  it("never divides by zero", () => {
    expect(shownOf(collected({ samples: [sample({ samplePeriodSecs: 0, numSlots: 0 })] }))).toMatchObject({
      tps: null,
      slot_ms: null,
    })
    expect(refusedBy(solana, collected({ epoch: { ...collected().epoch, slotsInEpoch: 0 } }))).toBeDefined()
  })
  it("believes no rate beyond the possible, no height above the slot, and no epoch that is over", () => {
    expect(shownOf(collected({ samples: [sample({ numTransactions: 2 ** 50 })] }))).toMatchObject({ tps: null })
    expect(shownOf(collected({ epoch: { ...collected().epoch, blockHeight: 1_001 } }))).toMatchObject({
      block_height: null,
    })
    expect(refusedBy(solana, collected({ epoch: { ...collected().epoch, slotIndex: 432_001 } }))).toBeDefined()
  })
  it("is as old as its block, so that a node that has stopped becomes stale", () => {
    const { contentAtMs } = normalised(solana, collected({ blockTime: 1_790_000_000 }), { observedAtMs: NOW_MS })
    expect(contentAtMs).toBe(1_790_000_000_000)
    expect(normalised(solana, collected({ blockTime: null }), { observedAtMs: NOW_MS }).contentAtMs).toBeNull()
  })
  it("is read from the second node where the first fails, whole", async () => {
    const world = worldAt("test", NOW_MS)
    const down = upstreamOf(simulated, world, { unreachable: ["api.mainnet-beta.solana.com"] })
    const answer = await Effect.runPromise(solana.collect(down, { parameters: {}, key: null, observedAtMs: NOW_MS }))
    expect(answer.epoch.absoluteSlot).toBe(slotOf(world))
    const both = upstreamOf(simulated, world, { unreachable: [...simulated.hosts] })
    expect(await pollFailure(solana, both)).toMatchObject({ value: expect.any(HttpFailed) })
  })
  it("of the world is the one shown", async () => {
    const { payload, contentAtMs } = await observed(solana, simulated, NOW_MS)
    const world = worldAt("test", NOW_MS)
    const [newest] = samplesOf(world, 1)
    expect(NOW_MS - (contentAtMs ?? 0)).toBeLessThan(60_000)
    expect(shown(chainNetworkView, [reading(payload)], { nowMs: NOW_MS })).toMatchObject({
      tps: rounded((newest?.numTransactions ?? 0) / 60, 1),
      slot: slotOf(world),
    })
  })
})
