import { simulatedUpstream, type WorldReply } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const BLOCK_MS = 600_000
const EPOCH_BLOCKS = 2_016
const EXA = 1e18
/** Two to the power of 32: hashes for a block at difficulty 1. */
const HASHES_AT_ONE = 2 ** 32

/** The height of the world's newest block. */
export const tipHeightOf = ({ nowMs }: World): number => Math.floor(nowMs / BLOCK_MS) % 10_000_000

/** The hashrate of the world, exahashes a second. */
const hashrateAt = (world: World, atMs: number): number => world.wander("bitcoin/hashrate", 900, 120, 60 * DAY_MS, atMs)

const difficultyOf = (world: World): number => {
  const epoch = Math.floor(tipHeightOf(world) / EPOCH_BLOCKS)
  return (hashrateAt(world, epoch * EPOCH_BLOCKS * BLOCK_MS) * EXA * (BLOCK_MS / 1000)) / HASHES_AT_ONE
}

/** What a place in the next block costs, satoshi a virtual byte; below 1 at quiet times. */
const nextBlockFee = (world: World): number =>
  Math.max(0.3, world.wander("bitcoin/fee", 3, 3.5, 11 * HOUR_MS) + world.wander("bitcoin/fee/minute", 0, 0.5, 600_000))

const decimals = (value: number): number => Math.round(value * 1000) / 1000

const fees = (world: World, form: (fee: number) => number) => {
  const fastest = nextBlockFee(world)
  return {
    fastestFee: form(fastest),
    halfHourFee: form(Math.max(0.2, fastest * 0.6)),
    hourFee: form(Math.max(0.2, fastest * 0.4)),
    economyFee: form(0.2),
    minimumFee: form(0.1),
  }
}

const mempool = (world: World) => {
  const count = Math.round(world.wander("bitcoin/mempool", 40_000, 30_000, 2 * DAY_MS))
  const vsize = Math.round(count * (300 + 80 * world.random("vsize", Math.floor(world.nowMs / BLOCK_MS))))
  const fee = nextBlockFee(world)
  return {
    count,
    vsize,
    total_fee: Math.round(vsize * fee * 0.5),
    fee_histogram: [
      [decimals(fee), Math.round(vsize / 4)],
      [1.0, Math.round(vsize / 2)],
    ],
  }
}

const hashrate = (world: World) => {
  const today = Math.floor(world.nowMs / DAY_MS)
  const difficulty = difficultyOf(world)
  const epochHeight = Math.floor(tipHeightOf(world) / EPOCH_BLOCKS) * EPOCH_BLOCKS
  return {
    hashrates: [2, 1, 0].map((ago) => ({
      timestamp: ((today - ago) * DAY_MS) / 1000,
      avgHashrate: hashrateAt(world, (today - ago) * DAY_MS) * EXA,
    })),
    difficulty: [{ time: Math.floor(world.nowMs / 1000) - 3600, height: epochHeight, difficulty, adjustment: 1.01 }],
    currentHashrate: hashrateAt(world, world.nowMs) * EXA,
    currentDifficulty: difficulty,
  }
}

/** An older version of the service runs for an hour of each day, which knows whole fees only. */
export const isOldVersion = ({ nowMs }: World): boolean => Math.floor(nowMs / HOUR_MS) % 24 === 3

const answers: Readonly<Record<string, (world: World) => WorldReply | null>> = {
  "/api/v1/fees/precise": (world) => (isOldVersion(world) ? null : { body: fees(world, decimals) }),
  "/api/v1/fees/recommended": (world) => ({ body: fees(world, Math.ceil) }),
  "/api/mempool": (world) => ({ body: mempool(world) }),
  "/api/v1/mining/hashrate/3d": (world) => ({ body: hashrate(world) }),
  "/api/blocks/tip/height": (world) => ({ body: String(tipHeightOf(world)) }),
}

export default simulatedUpstream({
  name: "mempool-space",
  hosts: ["mempool.space"],
  answer: ({ path }, world) => answers[path]?.(world) ?? null,
})
