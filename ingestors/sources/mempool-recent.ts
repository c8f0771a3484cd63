import * as Schema from "effect/Schema"
import {
  BITCOIN_SUPPLY_MAX_SAT,
  BITCOIN_TRANSFER_MAX_VB,
  BITCOIN_TRANSFER_MIN_BTC,
  BITCOIN_TRANSFERS_MAX,
  bitcoinTransfers,
  SAT_PER_BTC,
} from "../../schemas/feeds/bitcoin-transfers.ts"
import { document, UpstreamError } from "../document.ts"
import { notOurs } from "../poll/read.ts"
import { mempoolSpace } from "../providers/mempool-space.ts"
import { within } from "../readers/numbers.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://mempool.space/docs/api/rest#get-mempool-recent The last ten transactions that the node learnt of. */
const Transaction = Schema.Struct({
  txid: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  /** Satoshi, the sum of the outputs. */
  value: Schema.Natural,
  fee: maybe(Schema.Finite),
  /** Virtual bytes; may have a fraction. */
  vsize: maybe(Schema.Finite),
})

const recent = document({
  format: "json",
  wire: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(BITCOIN_TRANSFERS_MAX)),
  url: "https://mempool.space/api/mempool/recent",
})

const SAT_MIN = BITCOIN_TRANSFER_MIN_BTC * SAT_PER_BTC

export default listSource({
  name: "mempool-recent",
  recordedIn: "mempool-space",
  provider: "MempoolSpace.recent",
  fills: bitcoinTransfers,
  access: mempoolSpace,
  every: "10 seconds",
  documents: { recent },
  collect: (upstream) => upstream.fetch(recent, undefined),
  // An empty list is refused: only a node that is starting knows no transaction.
  rows: (transactions) =>
    transactions.length === 0 ? new UpstreamError({ message: "the node shows no transaction" }) : transactions,
  row: Transaction,
  toItem: ({ txid, value, fee, vsize }) =>
    value < SAT_MIN
      ? notOurs
      : {
          txid,
          valueBtc: value / SAT_PER_BTC,
          feeSat: Number.isInteger(fee) ? within(fee, 0, BITCOIN_SUPPLY_MAX_SAT) : null,
          vsizeVb: vsize === 0 ? null : within(vsize, 0, BITCOIN_TRANSFER_MAX_VB),
        },
  facts: (transactions) => ({ shown: transactions.length }),
  contentAtMs: () => null,
  attribution: {
    provider: "mempool.space",
    licence: "Public data of the chain; the API's terms of service hold for how it is asked",
    url: "https://mempool.space/docs/api/rest",
  },
  terms: termsOf({ use: "provider", url: "https://mempool.space/terms-of-service" }),
})
