import { harnesses } from "../../../schemas/feeds/harnesses.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: harnesses,
  now: { identity: ["revision", "model", "harness", "reasoning_effort"] },
})
