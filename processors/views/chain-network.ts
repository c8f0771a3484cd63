import { chainNetwork, chainNetworkEndpoint } from "../../schemas/feeds/chain-network.ts"
import { from, view } from "../view/view.ts"

export default view({
  endpoint: chainNetworkEndpoint,
  reads: { network: from(chainNetwork) },
  build: ({ network: { payload } }) => ({
    tps: payload.transactionsPerSecond,
    tps_avg: payload.transactionsPerSecondAverage,
    tps_non_vote: payload.nonVoteTransactionsPerSecond,
    slot: payload.slot,
    slot_ms: payload.slotMs,
    epoch: payload.epoch,
    epoch_progress_pct: payload.epochProgressPercent,
    block_height: payload.blockHeight,
    at: payload.at,
  }),
})
