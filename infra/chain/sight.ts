import * as Effect from "effect/Effect"
import type { Hex } from "viem"
import type { Transaction } from "../../ledger/chain.port.ts"
import type { TransactionSight } from "./agreement.ts"
import {
  callOf,
  decodeQuantity,
  decodeSent,
  headerReading,
  type ReceiptRead,
  receiptReading,
  type TransferFilter,
  tokenLogsIn,
  tokenLogsReading,
} from "./receipt.ts"
import type { Lane, Provider } from "./rpc.ts"
import { ProviderFailed } from "./rpc-http.ts"

/** A number as JSON-RPC spells it. */
export const hexOf = (number: number): Hex => `0x${number.toString(16)}`

/** What a transaction did in its block. It follows from the hash of that block, so it is read once. */
export interface BlockFacts extends ReceiptRead {
  readonly call: Transaction["call"]
}

/** How a transaction is looked at. */
export interface SightOptions {
  readonly chainId: number
  /** The lane in which its receipt is read. */
  readonly lane: Extract<Lane, "quick" | "large">
  /** What enough providers agreed on before; it is used where its block is still the one at that height. */
  readonly known: BlockFacts | null
}

const failedAs = (provider: Provider, reason: ProviderFailed["reason"]) =>
  new ProviderFailed({ provider: provider.index, reason, retryAfterMs: null })

const sentOf = (provider: Provider, { hash }: TransferFilter, lane: Lane) =>
  Effect.flatMap(provider.call("eth_getTransactionByHash", [hash], decodeSent, lane), (sent) =>
    sent === null || sent.hash === hash ? Effect.succeed(sent) : Effect.fail(failedAs(provider, "undecodable")),
  )

/**
 * The receipt's facts by the logs of the token alone, which nothing beside the payment can enlarge. They prove what they hold,
 * as a failed transaction has no logs; that nothing was paid they do not prove, as providers answer with an empty list for
 * blocks that they have not indexed.
 */
const readByLogs = Effect.fnUntraced(function* (
  provider: Provider,
  wanted: TransferFilter,
): Effect.fn.Return<ReceiptRead | null, ProviderFailed> {
  const sent = yield* sentOf(provider, wanted, "large")
  const hash = sent?.blockHash ?? null
  const number = sent?.blockNumber ?? null
  if (hash === null || number === null) return null
  const asked = [tokenLogsIn(hash, wanted.contract)]
  const transfers = yield* provider.read("eth_getLogs", asked, tokenLogsReading(wanted, hash), "large")
  if (transfers.length === 0) return yield* failedAs(provider, "too_large")
  return { failed: false, block: { hash, number }, transfers }
})

const UNREAD: ReadonlySet<ProviderFailed["reason"]> = new Set(["too_large", "cut", "timeout", "refused"])

/** The facts of a receipt; a large one is read as a stream, or by the token's logs where a provider does not send it whole. */
const readReceipt = (
  provider: Provider,
  wanted: TransferFilter,
  lane: SightOptions["lane"],
): Effect.Effect<ReceiptRead | null, ProviderFailed> => {
  const whole = provider.read("eth_getTransactionReceipt", [wanted.hash], receiptReading(wanted), lane)
  if (lane === "quick") return whole
  return Effect.catchTag(whole, "ProviderFailed", (failure) =>
    UNREAD.has(failure.reason)
      ? Effect.catchTag(readByLogs(provider, wanted), "ProviderFailed", () =>
          Effect.fail(failedAs(provider, "too_large")),
        )
      : Effect.fail(failure),
  )
}

/** The transaction as one provider has it. */
export const sightOf = Effect.fnUntraced(function* (
  provider: Provider,
  wanted: TransferFilter,
  { chainId, lane, known }: SightOptions,
): Effect.fn.Return<TransactionSight, ProviderFailed> {
  const block = (which: string) => provider.read("eth_getBlockByNumber", [which, false], headerReading)
  // Nodes without this tag refuse the call: then no transaction counts as deeper than `latest`.
  const reached = (tag: string) =>
    block(tag).pipe(
      Effect.map((header) => header?.number ?? -1),
      Effect.catchTag("ProviderFailed", (failure) =>
        failure.reason === "refused" ? Effect.succeed(-1) : Effect.fail(failure),
      ),
    )
  const [read, head] = yield* Effect.all(
    [
      known === null ? readReceipt(provider, wanted, lane) : Effect.succeed(known),
      provider.call("eth_blockNumber", [], decodeQuantity),
    ],
    { concurrency: "unbounded" },
  )
  const unknown: TransactionSight = { _tag: "unknown", head }
  if (read === null) return unknown
  const { hash, number } = read.block
  const callIn = Effect.map(sentOf(provider, wanted, lane), (sent) => (sent?.blockHash === hash ? callOf(sent) : null))
  const [call, safe, finalized] = yield* Effect.all(
    [known === null ? callIn : Effect.succeed(known.call), reached("safe"), reached("finalized")],
    { concurrency: "unbounded" },
  )
  // Read last: a block that is canonical now was canonical when the depth was read.
  const canonical = yield* block(hexOf(number))
  const stands = canonical?.hash === hash
  if (!stands && known !== null) return yield* sightOf(provider, wanted, { chainId, lane, known: null })
  // Nodes keep receipts of orphaned blocks for a while.
  if (!stands || call === null) return unknown
  if (canonical.number !== number) return yield* failedAs(provider, "undecodable")
  return {
    _tag: "seen",
    head,
    failed: read.failed,
    transaction: {
      chainId,
      hash: wanted.hash,
      contract: wanted.contract,
      wallet: wanted.wallet,
      block: { hash, number, atMs: canonical.timestamp * 1000 },
      confirmations: Math.max(1, head - number + 1),
      depth: number <= finalized ? "finalized" : number <= safe ? "safe" : "latest",
      call,
      transfers: read.transfers,
    },
  }
})
