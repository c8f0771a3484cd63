import { type ChainNetwork, chainNetwork, chainNetworkEndpoint } from "../../schemas/feeds/chain-network.ts"
import { changesOf, from, view } from "../view/view.ts"

const chainNetworkData = (network: ChainNetwork) => ({
  tps: network.transactionsPerSecond,
  tps_avg: network.transactionsPerSecondAverage,
  tps_non_vote: network.nonVoteTransactionsPerSecond,
  slot: network.slot,
  slot_ms: network.slotMs,
  epoch: network.epoch,
  epoch_progress_pct: network.epochProgressPercent,
  block_height: network.blockHeight,
  at: network.at,
})

export default view({
  endpoint: chainNetworkEndpoint,
  reads: { network: from(chainNetwork) },
  changes: [changesOf(chainNetwork, chainNetworkData)],
  build: ({ network }) => chainNetworkData(network.payload),
})
