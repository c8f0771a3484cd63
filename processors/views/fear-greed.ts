import { fearGreed, fearGreedData, fearGreedEndpoint } from "../../schemas/feeds/fear-greed.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: fearGreedEndpoint,
  reads: { index: from(fearGreed) },
  build: ({ index }) => fearGreedData(index.payload.items[0]),
})
