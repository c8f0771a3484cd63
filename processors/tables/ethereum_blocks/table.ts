import { ethereumTransfers } from "../../../schemas/feeds/ethereum-transfers.ts"
import { itemTable } from "../../table.ts"

// No row of a block that is gone: it has left the window of the feed, and stands.
export default itemTable(import.meta.url, {
  feed: ethereumTransfers,
  columns: ({ kind, item }) => ({
    transactions: item.transactionCount,
    large_transfers: item.transfers.length + item.transfersLeftOut,
    replaces: kind === "changed",
  }),
})
