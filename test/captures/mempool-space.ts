import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import mempoolSpace from "../../ingestors/sources/mempool-space.ts"

/** https://mempool.space/docs/api/rest#get-mempool-recent The ten newest: value in satoshi, with change. */
const recent = document({
  format: "json",
  wire: Schema.Array(
    Schema.Struct({ txid: Schema.String, fee: Schema.Finite, vsize: Schema.Finite, value: Schema.Finite }),
  ),
  url: "https://mempool.space/api/mempool/recent",
})

/** A transaction in the form of another provider, https://www.blockchain.com/explorer/api/blockchain_api */
const Transaction = Schema.Struct({
  hash: Schema.String,
  fee: Schema.Finite,
  size: Schema.Finite,
  out: Schema.Array(Schema.Struct({ value: Schema.Finite })),
})
const transaction = document({
  format: "json",
  wire: Transaction,
  url: (hash: string) => `https://blockchain.info/rawtx/${hash}`,
})
const unconfirmed = document({
  format: "json",
  wire: Schema.Struct({ txs: Schema.Array(Transaction) }),
  url: "https://blockchain.info/unconfirmed-transactions?format=json",
})

export default recordedDocuments(mempoolSpace, { recent, transaction, unconfirmed })
