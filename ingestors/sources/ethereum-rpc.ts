import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { LRUCache } from "lru-cache"
import { ETHEREUM_BLOCKS_MAX, EthereumBlock, ethereumTransfers } from "../../schemas/feeds/ethereum-transfers.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { ethereumRpc, ethereumSweepTerms, nodesFor } from "../providers/ethereum-rpc.ts"
import { isAhead } from "../readers/instants.ts"
import { answerOf, resultOf, rpcCall } from "../readers/json-rpc.ts"
import { listSource } from "../source.ts"
import { agreedTip, type BlockHead, headOf, reducedBlock, WireBlock } from "./ethereum-rpc/ethereum-block.ts"

/** The largest full block so far has about 2 MB; the gas limit allows some 12 MB of zeros, which is not read. */
const BLOCK_MAX_BYTES = 8 * 1024 * 1024
/** Nodes that are asked in turn for one block. */
const NODES_ASKED_MAX = 3

/** One call to a node: the head of its newest block, or a block by its hash with full transactions. */
interface BlockCall {
  readonly node: string
  readonly hash: string | null
}

/** https://ethereum.org/en/developers/docs/apis/json-rpc/#eth_getblockbyhash Null where the node does not know the block. */
const block = document({
  format: "json",
  method: "POST",
  wire: answerOf(Schema.NullOr(WireBlock)),
  url: ({ node }: BlockCall) => node,
  body: ({ hash }: BlockCall) =>
    hash === null ? rpcCall("eth_getBlockByNumber", ["latest", false]) : rpcCall("eth_getBlockByHash", [hash, true]),
  bodyBytesMax: BLOCK_MAX_BYTES,
})

const failure = (message: string): UpstreamError => new UpstreamError({ message })

const headFrom = Effect.fnUntraced(function* (
  upstream: Upstream,
  node: string,
): Effect.fn.Return<BlockHead, CollectFailed> {
  const newest = yield* Effect.flatMap(upstream.fetch(block, { node, hash: null }), resultOf)
  const head = newest === null ? null : headOf(newest)
  return head ?? (yield* Effect.fail(failure("the node names no newest block")))
})

const isBlock = Schema.is(EthereumBlock)

/** What the blocks of one poll are read with. */
interface Reader {
  readonly upstream: Upstream
  /** In the order in which they are asked. */
  readonly nodes: ReadonlyArray<string>
  readonly observedAtMs: number
  readonly known: LRUCache<string, EthereumBlock>
}

/** A block by its hash, from the first node that has it. What is answered must be what was requested, and possible. */
const blockFrom = (
  { upstream, nodes, observedAtMs }: Reader,
  { number, hash }: Pick<BlockHead, "number" | "hash">,
): Effect.Effect<EthereumBlock, CollectFailed> => {
  const read = Effect.fnUntraced(function* (node: string): Effect.fn.Return<EthereumBlock, CollectFailed> {
    const answer = yield* Effect.flatMap(upstream.fetch(block, { node, hash }), resultOf)
    const reduced = answer === null ? null : reducedBlock(answer)
    if (reduced === null) return yield* Effect.fail(failure("the node has no such block, or not the whole of it"))
    if (reduced.hash !== hash || reduced.number !== number)
      return yield* Effect.fail(failure("the node answers with another block than the requested one"))
    // Checked here, as an impossible block must not be remembered: another node may have the true one.
    if (!isBlock(reduced) || isAhead(reduced.at, observedAtMs))
      return yield* Effect.fail(failure("the node answers with an impossible block"))
    return reduced
  })
  const [first = "", ...others] = nodes
  return others
    .slice(0, NODES_ASKED_MAX - 1)
    .reduce(
      (reading, node) => reading.pipe(Effect.catch((failed) => read(node).pipe(Effect.mapError(() => failed)))),
      read(first),
    )
}

/**
 * Reads the chain from the tip downwards, each block by the hash that the one above names as its parent, so that what is
 * read is one chain whatever the nodes do meanwhile. Blocks that were read before are not read again: a hash names one
 * block for ever. A replaced block is therefore never part of the result, and its number has the block that replaced it.
 *
 * The memory is a cache and nothing else: without it, as after a start, the same blocks are read again. Reading may break off
 * before it has reached as many blocks as a payload holds. Where no block below is known either, those above are the result.
 * Otherwise the poll fails, so that blocks which were in a payload do not leave it and come back; the next poll goes on
 * from what this one has read.
 */
const chainFrom = Effect.fnUntraced(function* (
  reader: Reader,
  tip: Pick<BlockHead, "number" | "hash">,
): Effect.fn.Return<ReadonlyArray<EthereumBlock>, CollectFailed> {
  const { known } = reader
  const chain: Array<EthereumBlock> = []
  let wanted: Pick<BlockHead, "number" | "hash"> = tip
  while (chain.length < ETHEREUM_BLOCKS_MAX && wanted.number >= 0) {
    const cached = known.get(wanted.hash)
    const read = cached === undefined ? yield* Effect.result(blockFrom(reader, wanted)) : Result.succeed(cached)
    if (Result.isFailure(read)) {
      const { number } = wanted
      const isKnownBelow = known
        .values()
        .some((one) => one.number < number && one.number > tip.number - ETHEREUM_BLOCKS_MAX)
      if (chain.length > 0 && !isKnownBelow) break
      return yield* Effect.fail(read.failure)
    }
    known.set(wanted.hash, read.success)
    chain.push(read.success)
    wanted = { number: read.success.number - 1, hash: read.success.parentHash }
  }
  return chain
})

/** Collects the newest blocks from the nodes that are `asked`; `known` holds those that were read before. */
export const collectBlocks = Effect.fnUntraced(function* (
  upstream: Upstream,
  observedAtMs: number,
  known: LRUCache<string, EthereumBlock>,
  asked: ReadonlyArray<string> = nodesFor({}),
): Effect.fn.Return<ReadonlyArray<EthereumBlock>, CollectFailed> {
  const heads = yield* Effect.forEach(
    asked,
    (node) => Effect.result(headFrom(upstream, node)).pipe(Effect.map((head) => ({ node, head }))),
    { concurrency: asked.length },
  )
  const answered = heads.flatMap(({ node, head }) => (Result.isSuccess(head) ? [{ node, head: head.success }] : []))
  const failed = heads.flatMap(({ head }) => (Result.isFailure(head) ? [head.failure] : []))
  // A single node is the operator's own, and is believed.
  const tip = asked.length === 1 ? (answered[0]?.head ?? null) : agreedTip(answered.map(({ head }) => head))
  if (tip === null) return yield* Effect.fail(failed[0] ?? failure("the nodes do not agree on the newest block"))
  const supports = ({ head }: (typeof answered)[number]): boolean =>
    head.hash === tip.hash || head.parentHash === tip.hash
  const nodes = [...answered.filter(supports), ...answered.filter((one) => !supports(one))].map(({ node }) => node)
  return yield* chainFrom({ upstream, nodes, observedAtMs, known }, tip)
})

/** A memory of blocks: those of a payload, and as many that were replaced or have left it. */
export const blockMemory = (): LRUCache<string, EthereumBlock> => new LRUCache({ max: 2 * ETHEREUM_BLOCKS_MAX })

const memory = blockMemory()

export default listSource({
  name: "ethereum-rpc",
  provider: "Ethereum.blocks",
  fills: ethereumTransfers,
  access: ethereumRpc,
  every: "1 minute",
  documents: { block },
  collect: (upstream, input) => collectBlocks(upstream, input.observedAtMs, memory, nodesFor(input)),
  candidates: (blocks) => blocks,
  toItem: (one) => one,
  contentAtMs: (_, [newest]) => (newest === undefined ? null : Date.parse(newest.item.at)),
  attribution: {
    provider: "Public RPC nodes of Ethereum's main network",
    licence: "Public data of the chain; the nodes' terms of use hold for how they are asked",
    url: "https://ethereum.org/en/developers/docs/apis/json-rpc/",
  },
  terms: ethereumSweepTerms,
})
