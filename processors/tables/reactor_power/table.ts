import { reactors } from "../../../schemas/feeds/reactors.ts"
import { itemTable } from "../../table.ts"

// No row of a unit that is gone: one that is missing from a report says nothing about its power.
export default itemTable(import.meta.url, {
  feed: reactors,
  now: { identity: ["unit"] },
  held: { newest: "report_date" },
})
