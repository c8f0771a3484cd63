import { serviceStatus } from "../../../schemas/feeds/service-status.ts"
import { itemTable } from "../../table.ts"

export default itemTable(import.meta.url, {
  feed: serviceStatus,
  listed: "open",
})
