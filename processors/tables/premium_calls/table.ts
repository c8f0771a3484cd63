import { tableView } from "../../table.ts"
import creditEntries from "../credit_entries/table.ts"

export default tableView(import.meta.url, { over: creditEntries })
