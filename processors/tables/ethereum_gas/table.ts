import { ethereumGas } from "../../../schemas/feeds/ethereum-gas.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "ethereum_gas",
  feed: ethereumGas,
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            observed_at: observedAt,
            block_number: item.blockNumber,
            base_fee_gwei: item.baseFeeGwei,
            low_gwei: item.lowGwei,
            standard_gwei: item.standardGwei,
            fast_gwei: item.fastGwei,
            provider,
          },
        ],
  partition: (row) => monthOf(row.observed_at),
})
