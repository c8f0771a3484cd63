import { ethereumTransfers } from "../../../schemas/feeds/ethereum-transfers.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "ethereum_blocks",
  feed: ethereumTransfers,
  // A block that is gone has left the window of the feed, and stands.
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            number: item.number,
            hash: item.hash,
            at: item.at,
            transactions: item.transactionCount,
            base_fee_gwei: item.baseFeeGwei,
            large_transfers: item.transfers.length + item.transfersLeftOut,
            replaces: kind === "changed",
            provider,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.observed_at),
})
