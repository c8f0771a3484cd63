import { bitcoinTransfers } from "../../../schemas/feeds/bitcoin-transfers.ts"
import { ethereumTransfers } from "../../../schemas/feeds/ethereum-transfers.ts"
import type { Row } from "../../../schemas/ports/history.ts"
import { table } from "../../table.ts"

interface TransferRow extends Row {
  readonly observed_at: string
}

export default table(import.meta.url, {
  feeds: [bitcoinTransfers, ethereumTransfers],
  now: {
    identity: ["chain", "hash"],
    stands: "chain != 'ethereum' OR block_hash IN (SELECT hash FROM ethereum_blocks_now)",
  },
  rows: (change): ReadonlyArray<TransferRow> => {
    // What is gone has left the window of its feed, and happened all the same.
    if (change.kind === "gone") return []
    const { provider, observedAt } = change
    if (change.feed === "bitcoin-transfers") {
      const { txid, valueBtc, feeSat, vsizeVb } = change.item
      return [
        {
          feed: change.feed,
          chain: "bitcoin",
          at: observedAt,
          hash: txid,
          amount: valueBtc,
          sender: "",
          receiver: "",
          fee_sat: feeSat,
          vsize_vb: vsizeVb,
          block_number: null,
          block_hash: "",
          provider,
          observed_at: observedAt,
        },
      ]
    }
    const block = change.item
    return block.transfers.map(({ hash, from, to, valueEth }) => ({
      feed: change.feed,
      chain: "ethereum",
      at: block.at,
      hash,
      amount: valueEth,
      sender: from,
      receiver: to ?? "",
      fee_sat: null,
      vsize_vb: null,
      block_number: block.number,
      block_hash: block.hash,
      provider,
      observed_at: observedAt,
    }))
  },
})
