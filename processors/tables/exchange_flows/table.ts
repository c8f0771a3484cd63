import { ethereumTransfers } from "../../../schemas/feeds/ethereum-transfers.ts"
import { exchangeLabels } from "../../../schemas/labels/exchange-labels.ts"
import { table } from "../../table.ts"
import { legsOf } from "../../views/pro-exchange-flows/exchange-flows.ts"

export default table(import.meta.url, {
  feed: ethereumTransfers,
  now: {
    identity: ["exchange", "hash", "direction"],
    stands: "block_hash IN (SELECT hash FROM ethereum_blocks_now)",
  },
  rows: ({ kind, item: block, observedAt }) =>
    kind === "gone"
      ? []
      : block.transfers.flatMap((transfer) =>
          legsOf(transfer, exchangeLabels).map(({ exchange, direction, counterparty }) => ({
            exchange,
            at: block.at,
            hash: transfer.hash,
            direction,
            amount_eth: transfer.valueEth,
            counterparty: counterparty ?? "",
            sender: transfer.from,
            receiver: transfer.to ?? "",
            block_number: block.number,
            block_hash: block.hash,
            observed_at: observedAt,
          })),
        ),
})
