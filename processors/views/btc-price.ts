import { bitcoinPrice, bitcoinPriceData, bitcoinPriceEndpoint } from "../../schemas/feeds/bitcoin-price.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: bitcoinPriceEndpoint,
  reads: { bitcoin: from(bitcoinPrice) },
  build: ({ bitcoin }) => bitcoinPriceData(bitcoin.payload),
})
