import { reactors } from "../../../schemas/feeds/reactors.ts"
import { itemTable, monthOf } from "../../table.ts"

// No row of a unit that is gone: one that is missing from a report says nothing about its power.
export default itemTable({
  name: "reactor_power",
  feed: reactors,
  columns: ({ provider }) => ({ provider }),
  partition: (row) => monthOf(row.report_date),
})
