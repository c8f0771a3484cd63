import { predictionRow, predictions, predictionsEndpoint } from "../../schemas/feeds/predictions.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: predictionsEndpoint,
  reads: { markets: from(predictions) },
  build: ({ markets }) => markets.payload.items.map(predictionRow),
})
