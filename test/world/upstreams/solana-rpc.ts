import { type Params, rpcReply, unknownMethod } from "../json-rpc.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const SLOT_MS = 400
const SLOTS_IN_EPOCH = 432_000
const SAMPLE_SECONDS = 60
/** The distance in slots from the newest block to the newest final one. */
const FINAL_BEHIND = 32
/** One slot in this many has no block. */
const SKIPPED_EACH = 17

/** The newest final slot of the world's chain. */
export const slotOf = ({ nowMs }: World): number => (Math.floor(nowMs / SLOT_MS) % 2 ** 40) - FINAL_BEHIND

const epochInfo = (world: World) => {
  const absoluteSlot = slotOf(world)
  return {
    absoluteSlot,
    blockHeight: absoluteSlot - Math.floor(absoluteSlot / SKIPPED_EACH),
    epoch: Math.floor(absoluteSlot / SLOTS_IN_EPOCH),
    slotIndex: absoluteSlot % SLOTS_IN_EPOCH,
    slotsInEpoch: SLOTS_IN_EPOCH,
    transactionCount: absoluteSlot * 1_400,
  }
}

/** Samples of the last whole minutes, the newest first. */
export const samplesOf = (world: World, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const endMs = (Math.floor(world.nowMs / (SAMPLE_SECONDS * 1000)) - index) * SAMPLE_SECONDS * 1000
    const busy = world.wander("chain/tps", 3600, 900, 7 * 3_600_000, endMs)
    const numTransactions = Math.round(busy * SAMPLE_SECONDS)
    return {
      slot: Math.floor(endMs / SLOT_MS) % 2 ** 40,
      numSlots: SAMPLE_SECONDS * (1000 / SLOT_MS) - Math.floor(world.random("chain", "slots", endMs) * 4),
      numTransactions,
      numNonVoteTransactions: Math.round(numTransactions * 0.3),
      samplePeriodSecs: SAMPLE_SECONDS,
    }
  })

const results: Readonly<Record<string, (world: World, params: Params) => unknown>> = {
  getEpochInfo: epochInfo,
  getRecentPerformanceSamples: (world, [count]) => samplesOf(world, Number(count ?? 720)),
  getBlockTime: (world, [slot]) =>
    Math.floor((world.nowMs - (slotOf(world) - Number(slot) + FINAL_BEHIND) * SLOT_MS) / 1000),
}

export default simulatedUpstream({
  name: "solana-rpc",
  hosts: ["api.mainnet-beta.solana.com", "solana-rpc.publicnode.com"],
  answer: (request, world) =>
    rpcReply(request, (method, params) => {
      const result = results[method]
      return result === undefined ? unknownMethod : result(world, params)
    }),
})
