import { tableView } from "../../table.ts"
import purchases from "../purchases/table.ts"

export default tableView(import.meta.url, { over: purchases })
