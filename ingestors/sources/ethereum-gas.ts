import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { EthereumGas, ethereumGas } from "../../schemas/feeds/ethereum-gas.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { ethereumCallTerms, ethereumRpc, nodesFor } from "../providers/ethereum-rpc.ts"
import { countOf, gweiOf, Quantity } from "../readers/ethereum.ts"
import { instantOrNull } from "../readers/instants.ts"
import { answerOf, resultOf, rpcCall } from "../readers/json-rpc.ts"
import { maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { WireBlock } from "./ethereum-rpc/ethereum-block.ts"

/** The blocks that are requested; the fees are those of the newest. */
const BLOCKS = 5
const BLOCKS_ANSWERED_MAX = 1024
const PERCENTILES = [25, 50, 75] as const
/** A block is made in each slot of this length, unless its slot stays empty. */
const SLOT_MS = 12_000

/**
 * https://ethereum.org/en/developers/docs/apis/json-rpc/#eth_feehistory `baseFeePerGas` has one element more than there
 * are blocks: that of the next block. `reward` is absent where no percentiles were requested.
 */
export const WireFees = Schema.Struct({
  oldestBlock: Quantity,
  baseFeePerGas: Schema.Array(Quantity).check(Schema.isBetweenLength(1, BLOCKS_ANSWERED_MAX + 1)),
  gasUsedRatio: Schema.Array(Schema.Finite).check(Schema.isMaxLength(BLOCKS_ANSWERED_MAX)),
  reward: maybe(Schema.Array(Schema.Array(Quantity).check(Schema.isMaxLength(100)))),
})
export type WireFees = typeof WireFees.Type

const fees = document({
  format: "json",
  method: "POST",
  wire: answerOf(WireFees),
  url: (node: string) => node,
  body: rpcCall("eth_feeHistory", [`0x${BLOCKS.toString(16)}`, "latest", [...PERCENTILES]]),
})

/** The newest block without its transactions: only it says when it was made. */
const newest = document({
  format: "json",
  method: "POST",
  wire: answerOf(Schema.NullOr(WireBlock)),
  url: (node: string) => node,
  body: rpcCall("eth_getBlockByNumber", ["latest", false]),
})

interface Collected {
  readonly fees: WireFees
  /** Null where the node names no newest block. */
  readonly newest: WireBlock | null
}

const collectFrom = Effect.fnUntraced(function* (
  upstream: Upstream,
  node: string,
): Effect.fn.Return<Collected, CollectFailed> {
  const history = yield* Effect.flatMap(upstream.fetch(fees, node), resultOf)
  const block = yield* Effect.flatMap(upstream.fetch(newest, node), resultOf)
  return { fees: history, newest: block }
})

const isGas = Schema.is(EthereumGas)

export default valueSource({
  name: "ethereum-gas",
  recordedIn: "ethereum-rpc",
  provider: "Ethereum.gas",
  fills: ethereumGas,
  access: ethereumRpc,
  every: "1 minute",
  documents: { fees, newest },
  // Both calls go to one node, so that they are of one chain.
  collect: (upstream, input) => {
    const [first, ...others] = nodesFor(input)
    return others.reduce(
      (reading, node) =>
        reading.pipe(Effect.catch((failed) => collectFrom(upstream, node).pipe(Effect.mapError(() => failed)))),
      collectFrom(upstream, first),
    )
  },
  normalise: ({ fees: { oldestBlock, baseFeePerGas, gasUsedRatio, reward }, newest: block }) => {
    const oldest = countOf(oldestBlock)
    const nextBaseFee = baseFeePerGas.at(-1)
    const tips = reward?.at(-1)
    const [low, standard, fast] = tips ?? []
    if (oldest === null || baseFeePerGas.length !== gasUsedRatio.length + 1 || reward?.length !== gasUsedRatio.length)
      return new UpstreamError({ message: "the fees of the blocks do not fit together" })
    if (nextBaseFee === undefined || low === undefined || standard === undefined || fast === undefined)
      return new UpstreamError({ message: "the fees lack the tips that were requested" })
    if (tips?.length !== PERCENTILES.length || BigInt(low) > BigInt(standard) || BigInt(standard) > BigInt(fast))
      return new UpstreamError({ message: "the tips are not those of the requested percentiles" })
    const blockNumber = oldest + gasUsedRatio.length - 1
    const number = block === null ? null : countOf(block.number)
    const seconds = block === null ? null : countOf(block.timestamp)
    const at = instantOrNull(seconds === null ? null : seconds * 1000)
    if (number === null || at === null) return new UpstreamError({ message: "the node names no newest block" })
    // Fees of an older block than the newest are older by at least the slots between the two.
    const contentAtMs = Date.parse(at) - Math.max(0, number - blockNumber) * SLOT_MS
    const base = BigInt(nextBaseFee)
    const payload = {
      blockNumber,
      baseFeeGwei: gweiOf(base),
      lowGwei: gweiOf(base + BigInt(low)),
      standardGwei: gweiOf(base + BigInt(standard)),
      fastGwei: gweiOf(base + BigInt(fast)),
    }
    return isGas(payload)
      ? { payload, contentAtMs: Math.max(0, contentAtMs) }
      : new UpstreamError({ message: "the fees are out of bounds" })
  },
  attribution: {
    provider: "Public RPC nodes of Ethereum's main network",
    licence: "Public data of the chain; the nodes' terms of use hold for how they are asked",
    url: "https://ethereum.org/en/developers/docs/apis/json-rpc/",
  },
  terms: ethereumCallTerms,
})
