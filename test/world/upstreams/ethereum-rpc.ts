import { blockOfHash, feeHistoryOf, tipAt, type WorldBlock, wireBlockOf } from "../ethereum.ts"
import { type Params, RpcError, rpcReply, unknownMethod } from "../json-rpc.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

/** The host that lags behind the others for ten minutes of each twenty. */
export const LAGGING_HOST = "cloudflare-eth.com"
export const LAG_BLOCKS = 6
const LAG_PERIOD_MS = 10 * 60_000
/** The host that is a block behind for a part of each block's time, as a block takes its time to reach it. */
const SLOW_HOST = "eth.merkle.io"

export const isLagging = ({ nowMs }: World): boolean => Math.floor(nowMs / LAG_PERIOD_MS) % 2 === 0

const behind = (world: World, host: string): number => {
  if (host === LAGGING_HOST) return isLagging(world) ? LAG_BLOCKS : 0
  return host === SLOW_HOST ? world.nowMs % 2 : 0
}

/** The newest block that a host shows. */
export const tipOf = (world: World, host: string): WorldBlock => {
  const lag = behind(world, host)
  return lag === 0 ? tipAt(world) : { number: tipAt(world).number - lag, version: "stands" }
}

const resultOf = (world: World, host: string, method: string, params: Params): unknown => {
  const tip = tipOf(world, host)
  switch (method) {
    case "eth_getBlockByNumber":
      return params[0] === "latest" ? wireBlockOf(world, tip, params[1] === true) : null
    case "eth_getBlockByHash": {
      const block = blockOfHash(world, String(params[0]))
      return block === null || block.number > tip.number ? null : wireBlockOf(world, block, params[1] === true)
    }
    case "eth_feeHistory":
      return host === LAGGING_HOST
        ? new RpcError(-32603, "Internal error")
        : feeHistoryOf(world, Number(params[0]), params[2] as ReadonlyArray<number>)
    default:
      return unknownMethod
  }
}

export default simulatedUpstream({
  name: "ethereum-rpc",
  hosts: ["ethereum-rpc.publicnode.com", "eth.merkle.io", "eth.drpc.org", LAGGING_HOST],
  answer: (request, world) => rpcReply(request, (method, params) => resultOf(world, request.host, method, params)),
})
