import { proWorldDeltasEndpoint, type worldDeltaInputs } from "../../schemas/endpoints/pro-world-deltas.ts"
import { DAILY, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { launches } from "../../schemas/feeds/launches.ts"
import { predictions } from "../../schemas/feeds/predictions.ts"
import { techNews } from "../../schemas/feeds/tech-news.ts"
import { foldedView, type Input, optionally } from "../view/view.ts"

type InputName = (typeof worldDeltaInputs)[keyof typeof worldDeltaInputs]

export default foldedView({
  endpoint: proWorldDeltasEndpoint,
  processor: "world-deltas",
  reads: {
    // Magnitude 2.5 and above: an earthquake that is revised to 4.0 is seen before and after.
    quakes: optionally(earthquakes, DAILY),
    frontPage: optionally(techNews),
    markets: optionally(predictions),
    catalogue: optionally(launches),
  } satisfies Readonly<Record<InputName, Input>>,
})
