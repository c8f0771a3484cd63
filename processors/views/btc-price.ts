import { bitcoinPriceData, bitcoinPriceEndpoint, btcPrice } from "../../schemas/feeds/btc-price.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: bitcoinPriceEndpoint,
  reads: { bitcoin: from(btcPrice) },
  build: ({ bitcoin }) => bitcoinPriceData(bitcoin.payload),
})
