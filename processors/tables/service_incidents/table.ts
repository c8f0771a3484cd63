import { serviceStatus } from "../../../schemas/feeds/service-status.ts"
import { itemTable } from "../../table.ts"

export default itemTable({
  name: "service_incidents",
  feed: serviceStatus,
  texts: ["stage", "impact", "url"],
  columns: ({ parameters }) => ({ service: parameters.service ?? "" }),
  listed: "open",
})
