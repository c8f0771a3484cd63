import { createHash } from "node:crypto"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

/** A transaction each 150 ms, as on a usual day: ten of them are the last second and a half. */
const EVERY_MS = 150
const SHOWN = 10
/** Of ten that follow one another one is large, so that each answer shows one. */
const LARGE_REMAINDER = 3
const SAT_PER_BTC = 1e8

const transactionOf = (world: World, number: number) => {
  const random = (label: string) => world.random("bitcoin/transaction", number, label)
  const vsize = 110 + Math.floor(random("size") * 1_200) / 4
  const btc = number % SHOWN === LARGE_REMAINDER ? 10 + 900 * random("value") ** 4 : 9 * random("value") ** 6
  return {
    txid: createHash("sha256").update(`${world.seed}/bitcoin/${number}`).digest("hex"),
    fee: Math.ceil(vsize * (0.2 + 12 * random("rate") ** 3)),
    vsize,
    value: Math.floor(btc * SAT_PER_BTC),
  }
}

/** The last ten transactions that the node learnt of, the newest first. */
export const recentOf = (world: World) =>
  Array.from({ length: SHOWN }, (_, index) => transactionOf(world, Math.floor(world.nowMs / EVERY_MS) - index))

export default simulatedUpstream({
  name: "mempool-recent",
  hosts: ["mempool.space"],
  answer: ({ path }, world) => (path === "/api/mempool/recent" ? { body: recentOf(world) } : null),
})
