import { bitcoinNetwork } from "../../../schemas/feeds/bitcoin-network.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "bitcoin_network",
  feed: bitcoinNetwork,
  rows: ({ kind, item, provider, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            observed_at: observedAt,
            block_height: item.blockHeight,
            fee_fastest_sat_per_vb: item.feesSatPerVb.fastest,
            fee_half_hour_sat_per_vb: item.feesSatPerVb.halfHour,
            fee_hour_sat_per_vb: item.feesSatPerVb.hour,
            fee_economy_sat_per_vb: item.feesSatPerVb.economy,
            fee_minimum_sat_per_vb: item.feesSatPerVb.minimum,
            hashrate_eh_s: item.hashrateEhS,
            difficulty: item.difficulty,
            mempool_count: item.mempool.count,
            mempool_vsize_vb: item.mempool.vsizeVb,
            mempool_total_fee_sat: item.mempool.totalFeeSat,
            provider,
          },
        ],
  partition: (row) => monthOf(row.observed_at),
})
