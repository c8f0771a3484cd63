import { chainNetwork } from "../../../schemas/feeds/chain-network.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "chain_network",
  feed: chainNetwork,
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            observed_at: observedAt,
            at: item.at,
            slot: item.slot,
            slot_ms: item.slotMs,
            block_height: item.blockHeight,
            epoch: item.epoch,
            epoch_progress_percent: item.epochProgressPercent,
            transactions_per_second: item.transactionsPerSecond,
            transactions_per_second_average: item.transactionsPerSecondAverage,
            non_vote_transactions_per_second: item.nonVoteTransactionsPerSecond,
            provider,
          },
        ],
  partition: (row) => monthOf(row.observed_at),
})
