import { harnesses } from "../../../schemas/feeds/harnesses.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "harness_scores",
  feed: harnesses,
  texts: ["reasoningEffort"],
  columns: ({ parameters }) => ({ revision: parameters.revision ?? "" }),
  listed: "listed",
})
