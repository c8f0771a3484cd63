import { type FearGreed, type FearGreedData, fearGreed, fearGreedEndpoint } from "../../schemas/feeds/fear-greed.ts"
import { changesOf, from, view } from "../view/view.ts"

/** The index of one day as replies state it. */
export const fearGreedData = ({ value, label }: FearGreed): FearGreedData => ({ value, label })

export default view({
  endpoint: fearGreedEndpoint,
  reads: { index: from(fearGreed) },
  changes: [changesOf(fearGreed, fearGreedData)],
  build: ({ index }) => fearGreedData(index.payload.items[0]),
})
