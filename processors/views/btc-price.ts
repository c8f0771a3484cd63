import {
  type BitcoinPrice,
  type BitcoinPriceData,
  bitcoinPriceEndpoint,
  btcPrice,
} from "../../schemas/feeds/btc-price.ts"
import { changesOf, from, view } from "../view/view.ts"

/** A price as replies state it. One Tether counts as one dollar. */
export const bitcoinPriceData = ({
  price,
  change24hPercent,
  high24h,
  low24h,
  volume24h,
}: BitcoinPrice): BitcoinPriceData => ({
  price_usd: price,
  change_24h_percent: change24hPercent,
  high_24h: high24h,
  low_24h: low24h,
  volume_24h_usd: volume24h,
})

export default view({
  endpoint: bitcoinPriceEndpoint,
  reads: { bitcoin: from(btcPrice) },
  changes: [changesOf(btcPrice, bitcoinPriceData)],
  build: ({ bitcoin }) => bitcoinPriceData(bitcoin.payload),
})
