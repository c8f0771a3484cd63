import { bitcoinNetwork } from "../../../schemas/feeds/bitcoin-network.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: bitcoinNetwork,
  held: {},
  columns: ({ item: { feesSatPerVb: fees, mempool } }) => ({
    fee_fastest_sat_per_vb: fees.fastest,
    fee_half_hour_sat_per_vb: fees.halfHour,
    fee_hour_sat_per_vb: fees.hour,
    fee_economy_sat_per_vb: fees.economy,
    fee_minimum_sat_per_vb: fees.minimum,
    mempool_count: mempool.count,
    mempool_vsize_vb: mempool.vsizeVb,
    mempool_total_fee_sat: mempool.totalFeeSat,
  }),
})
