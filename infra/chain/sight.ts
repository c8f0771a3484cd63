import * as Effect from "effect/Effect"
import type { Hex } from "viem"
import type { TransactionSight } from "./agreement.ts"
import { ProviderFailed } from "./provider-failed.ts"
import {
  callOf,
  decodeHeader,
  decodeQuantity,
  decodeReceipt,
  decodeSent,
  readReceipt,
  type TransferFilter,
} from "./receipt.ts"
import type { Provider } from "./rpc.ts"

/** A number as JSON-RPC spells it. */
export const hexOf = (number: number): Hex => `0x${number.toString(16)}`

/** The transaction as one provider has it. */
export const sightOf = Effect.fnUntraced(function* (
  provider: Provider,
  wanted: TransferFilter,
  chainId: number,
): Effect.fn.Return<TransactionSight, ProviderFailed> {
  const undecodable = () => new ProviderFailed({ provider: provider.index, reason: "undecodable", retryAfterMs: null })
  const block = (which: string) => provider.call("eth_getBlockByNumber", [which, false], decodeHeader)
  // Nodes without this tag refuse the call: then no transaction counts as deeper than `latest`.
  const reached = (tag: string) =>
    block(tag).pipe(
      Effect.map((header) => header?.number ?? -1),
      Effect.catchTag("ProviderFailed", (failure) =>
        failure.reason === "refused" ? Effect.succeed(-1) : Effect.fail(failure),
      ),
    )
  const [receipt, head] = yield* Effect.all(
    [
      provider.call("eth_getTransactionReceipt", [wanted.hash], decodeReceipt),
      provider.call("eth_blockNumber", [], decodeQuantity),
    ],
    { concurrency: "unbounded" },
  )
  const unknown: TransactionSight = { _tag: "unknown", head }
  if (receipt === null) return unknown
  const read = readReceipt(receipt, wanted)
  if (read === "unmined") return unknown
  if (read === "inconsistent") return yield* undecodable()
  const [sent, safe, finalized] = yield* Effect.all(
    [provider.call("eth_getTransactionByHash", [wanted.hash], decodeSent), reached("safe"), reached("finalized")],
    { concurrency: "unbounded" },
  )
  // Read last: a block that is canonical now was canonical when the depth was read.
  const canonical = yield* block(hexOf(read.block.number))
  // Nodes keep receipts of orphaned blocks for a while.
  if (canonical?.hash !== read.block.hash || sent?.blockHash !== read.block.hash) return unknown
  if (sent.hash !== wanted.hash || canonical.number !== read.block.number) return yield* undecodable()
  const { number } = read.block
  return {
    _tag: "seen",
    head,
    failed: read.failed,
    transaction: {
      chainId,
      hash: wanted.hash,
      contract: wanted.contract,
      block: { ...read.block, atMs: canonical.timestamp * 1000 },
      confirmations: Math.max(1, head - number + 1),
      depth: number <= finalized ? "finalized" : number <= safe ? "safe" : "latest",
      call: callOf(sent),
      transfers: read.transfers,
    },
  }
})
