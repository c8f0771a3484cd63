import { tableView } from "../../table.ts"
import prices from "../prices/table.ts"

export default tableView(import.meta.url, { over: prices })
