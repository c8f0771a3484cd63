import { predictions, yesAndNo } from "../../../schemas/feeds/predictions.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: predictions,
  held: {},
  columns: ({ item }) => ({
    outcomes: item.outcomes.map(({ name }) => name),
    probabilities: item.outcomes.map(({ probability }) => probability),
    yes_probability: yesAndNo(item)?.yes ?? null,
  }),
})
