import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { chainNetwork, TRANSACTIONS_PER_SECOND_MAX } from "../../schemas/feeds/chain-network.ts"
import { rounded } from "../../schemas/number.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { instantOrNull } from "../readers/instants.ts"
import { answerOf, resultOf, rpcCall } from "../readers/json-rpc.ts"
import { positive, within } from "../readers/numbers.ts"
import { maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://solana.com/docs/rpc/http/getrecentperformancesamples The newest first; a node that has just started has none. */
const Samples = Schema.Array(
  Schema.Struct({
    numTransactions: Schema.Natural,
    numNonVoteTransactions: maybe(Schema.Natural),
    numSlots: Schema.Natural,
    samplePeriodSecs: Schema.Natural,
  }),
).check(Schema.isMaxLength(720))
type Samples = typeof Samples.Type

/** https://solana.com/docs/rpc/http/getepochinfo */
const Epoch = Schema.Struct({
  absoluteSlot: Schema.Natural,
  blockHeight: maybe(Schema.Natural),
  epoch: Schema.Natural,
  slotIndex: Schema.Natural,
  slotsInEpoch: Schema.Natural,
})

const SAMPLES = 3

/** A node of the main network, and the slot whose block time is requested. */
interface SlotRequest {
  readonly node: string
  readonly slot: number
}

const samples = document({
  format: "json",
  method: "POST",
  wire: answerOf(Samples),
  url: (node: string) => node,
  body: rpcCall("getRecentPerformanceSamples", [SAMPLES]),
})
const epoch = document({
  format: "json",
  method: "POST",
  wire: answerOf(Epoch),
  url: (node: string) => node,
  body: rpcCall("getEpochInfo"),
})
const blockTime = document({
  format: "json",
  method: "POST",
  wire: answerOf(Schema.NullOr(Schema.Natural)),
  url: ({ node }: SlotRequest) => node,
  body: ({ slot }: SlotRequest) => rpcCall("getBlockTime", [slot]),
})

/** Nodes in the order of preference. All calls of a poll go to one node. */
const nodes = ["https://api.mainnet-beta.solana.com/", "https://solana-rpc.publicnode.com/"] as const

interface Collected {
  readonly samples: Samples
  readonly epoch: typeof Epoch.Type
  /** Seconds since the epoch; null where the node does not know the block. */
  readonly blockTime: number | null
}

const collectFrom = Effect.fnUntraced(function* (
  upstream: Upstream,
  node: string,
): Effect.fn.Return<Collected, CollectFailed> {
  const newest = yield* Effect.flatMap(upstream.fetch(samples, node), resultOf)
  const info = yield* Effect.flatMap(upstream.fetch(epoch, node), resultOf)
  const time = yield* upstream.fetch(blockTime, { node, slot: info.absoluteSlot })
  // A skipped or pruned slot has no block: an error of this call alone does not fail the poll.
  return { samples: newest, epoch: info, blockTime: "result" in time ? time.result : null }
})

/** Sum of what a sample says, over the samples; null where the samples are of no time at all. */
const perSecond = (of: Samples, count: (sample: Samples[number]) => number | null | undefined): number | null => {
  const counts = of.map(count)
  const seconds = of.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0)
  if (seconds === 0 || counts.some((one) => one === null || one === undefined)) return null
  const rate = counts.reduce<number>((sum, one) => sum + (one ?? 0), 0) / seconds
  return within(rounded(rate, 1), 0, TRANSACTIONS_PER_SECOND_MAX)
}

const slotMsOf = (of: Samples): number | null => {
  const slots = of.reduce((sum, { numSlots }) => sum + numSlots, 0)
  const ms = of.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs * 1000, 0)
  return slots === 0 ? null : positive(rounded(ms / slots, 1))
}

export default valueSource({
  name: "solana-rpc",
  provider: "Solana.network",
  fills: chainNetwork,
  every: "30 seconds",
  documents: { samples, epoch, blockTime },
  collect: (upstream) =>
    collectFrom(upstream, nodes[0]).pipe(
      Effect.catch((failed) => collectFrom(upstream, nodes[1]).pipe(Effect.mapError(() => failed))),
    ),
  normalise: (collected) => {
    const { absoluteSlot, slotIndex, slotsInEpoch, blockHeight, epoch: number } = collected.epoch
    if (slotsInEpoch === 0 || slotIndex > slotsInEpoch)
      return new UpstreamError({ message: "the epoch's slots contradict each other" })
    const of = collected.samples.slice(0, SAMPLES)
    const newest = of.slice(0, 1)
    const at = collected.blockTime === null ? null : instantOrNull(collected.blockTime * 1000)
    return {
      payload: {
        transactionsPerSecond: perSecond(newest, ({ numTransactions }) => numTransactions),
        transactionsPerSecondAverage: perSecond(of, ({ numTransactions }) => numTransactions),
        nonVoteTransactionsPerSecond: perSecond(newest, ({ numNonVoteTransactions }) => numNonVoteTransactions),
        slot: absoluteSlot,
        slotMs: slotMsOf(of),
        epoch: number,
        epochProgressPercent: rounded((slotIndex / slotsInEpoch) * 100, 2),
        // A height above the slot is impossible: each block has a slot of its own.
        blockHeight: within(blockHeight, 0, absoluteSlot),
        at,
      },
      contentAtMs: at === null ? null : Date.parse(at),
    }
  },
  attribution: {
    provider: "Public RPC nodes of Solana's main network",
    licence: "Public data of the chain; the nodes' terms of use hold for how they are asked",
    url: "https://solana.com/rpc",
  },
  terms: termsOf({
    use: "provider",
    url: "https://solana.com/rpc",
    clause: "facts of the chain; no node for production",
    sold: "yes",
  }),
})
