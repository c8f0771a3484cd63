import { predictions, yesAndNo } from "../../../schemas/feeds/predictions.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "prediction_markets",
  feed: predictions,
  without: ["outcomes"],
  texts: ["url"],
  columns: ({ item }) => ({
    outcomes: item.outcomes.map(({ name }) => name),
    probabilities: item.outcomes.map(({ probability }) => probability),
    yes_probability: yesAndNo(item)?.yes ?? null,
  }),
  listed: "listed",
})
