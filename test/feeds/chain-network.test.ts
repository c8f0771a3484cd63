import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import solana from "../../ingestors/sources/solana-rpc.ts"
import chainNetworkTable from "../../processors/tables/chain_network/table.ts"
import chainNetworkView from "../../processors/views/chain-network.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared, itemGone } from "../../schemas/events/deltas.ts"
import simulated, { samplesOf, slotOf } from "../world/upstreams/solana-rpc.ts"
import { worldAt } from "../world/world.ts"
import {
  capturesAbsent,
  decodedCapture,
  normalised,
  observed,
  pollFailure,
  reading,
  refusedBy,
  shown,
  upstreamOf,
} from "./feed-test.ts"

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
    return expect(pollFailure(solana, unhealthy)).resolves.toMatchObject({ value: { message: expect.stringContaining("-32005") } })
  })
})

describe("the chain's network", () => {
  it("has null rates without samples, and without a count of votes", () => {
    expect(shownOf(collected({ samples: [] }))).toMatchObject({ tps: null, tps_avg: null, tps_non_vote: null, slot_ms: null, slot: 1_000 })
    const { numNonVoteTransactions: _, ...old } = sample()
    expect(shownOf(collected({ samples: [old] }))).toMatchObject({ tps: 3000, tps_non_vote: null })
  })
  it("never divides by zero", () => {
    expect(shownOf(collected({ samples: [sample({ samplePeriodSecs: 0, numSlots: 0 })] }))).toMatchObject({ tps: null, slot_ms: null })
    expect(refusedBy(solana, collected({ epoch: { ...collected().epoch, slotsInEpoch: 0 } }))).toBeDefined()
  })
  it("believes no rate beyond the possible, no height above the slot, and no epoch that is over", () => {
    expect(shownOf(collected({ samples: [sample({ numTransactions: 2 ** 50 })] }))).toMatchObject({ tps: null })
    expect(shownOf(collected({ epoch: { ...collected().epoch, blockHeight: 1_001 } }))).toMatchObject({ block_height: null })
    expect(refusedBy(solana, collected({ epoch: { ...collected().epoch, slotIndex: 432_001 } }))).toBeDefined()
  })
  it("is as old as its block, so that a node that stands still is seen", () => {
    const { contentAtMs } = normalised(solana, collected({ blockTime: 1_790_000_000 }), { observedAtMs: NOW_MS })
    expect(contentAtMs).toBe(1_790_000_000_000)
    expect(normalised(solana, collected({ blockTime: null }), { observedAtMs: NOW_MS }).contentAtMs).toBeNull()
  })
  it("is read from the second node where the first fails, whole", async () => {
    const world = worldAt("test", NOW_MS)
    const down = upstreamOf(simulated, world, ["api.mainnet-beta.solana.com"])
    const answer = await Effect.runPromise(solana.collect(down, { parameters: {}, key: null, observedAtMs: NOW_MS }))
    expect(answer.epoch.absoluteSlot).toBe(slotOf(world))
    const both = upstreamOf(simulated, world, ["api.mainnet-beta.solana.com", "solana-rpc.publicnode.com"])
    expect(await pollFailure(solana, both)).toMatchObject({ value: expect.any(HttpFailed) })
  })
  it("of the world is the one shown", async () => {
    const { payload, contentAtMs } = await observed(solana, simulated, NOW_MS)
    const world = worldAt("test", NOW_MS)
    const [newest] = samplesOf(world, 1)
    expect(NOW_MS - (contentAtMs ?? 0)).toBeLessThan(60_000)
    expect(shown(chainNetworkView, [reading(payload)], { nowMs: NOW_MS })).toMatchObject({
      tps: Math.round((newest?.numTransactions ?? 0) / 6) / 10,
      slot: slotOf(world),
    })
  })
  it("makes a row each time the slot has moved on", () => {
    const { payload: item } = normalised(solana, collected(), { observedAtMs: NOW_MS })
    const observedAt = new Date(NOW_MS).toISOString()
    const data = { feed: "chain-network", parameters: {}, provider: "Solana.network", key: "mainnet", item, observedAt }
    const about = { id: "1", source: "s", subject: "x", time: observedAt, data }
    const [row, ...more] = chainNetworkTable.rows(makeEvent(itemAppeared, about))
    expect(row).toEqual({
      observed_at: observedAt,
      at: "2026-11-20T12:34:55.789Z",
      slot: 1_000,
      slot_ms: 400,
      block_height: 900,
      epoch: 3,
      epoch_progress_percent: 25,
      transactions_per_second: 3_000,
      transactions_per_second_average: 3_000,
      non_vote_transactions_per_second: 1_000,
      provider: "Solana.network",
    })
    expect(more).toEqual([])
    expect(row === undefined ? null : chainNetworkTable.partition(row)).toBe("202611")
    expect(chainNetworkTable.rows(makeEvent(itemGone, about))).toEqual([])
  })
})
