import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LRUCache } from "lru-cache"
import { encodeFunctionData, erc20Abi, getAddress, type Hex, hashMessage, isAddress } from "viem"
import { type Chain, ChainUnavailable, type TransactionLookup, type WatchedChain } from "../../ledger/chain.port.ts"
import { type Flights, makeFlights } from "../../schemas/flights.ts"
import { askProviders, judge, makeQuorum, type Quorum, reachedBy } from "./agreement.ts"
import {
  BASE_CHAIN_ID,
  ChainMisconfigured,
  type ChainOptions,
  majorityOf,
  problemOf,
  USDC_ON_BASE,
} from "./chain-options.ts"
import { contentsReading, decodeQuantity, decodeWord, headerReading } from "./receipt.ts"
import { openProvider } from "./rpc.ts"
import { isUnread, ProviderFailed } from "./rpc-http.ts"
import { type BlockFacts, hexOf, type SightOptions, sightOf } from "./sight.ts"
import { contractSigned, type Random, recoveredFrom, signatureOf, unsignedLike } from "./signature.ts"

/** How long a head is remembered once no answer reaches it: as long as a provider may lag. */
export const HEAD_REMEMBERED_MS = 60_000
/** Block time of Base. A head that rises faster counts only for the answer that states it. */
const BLOCK_MS = 2_000

/**
 * The newest block that enough providers have reached within a minute. Providers behind it cannot show that a transaction
 * is missing. One wrong number must not outlive its answer, so the memory rises no faster than the chain, and it expires
 * once no answer reaches it.
 */
interface HeadMemory {
  /** The remembered head; 0 without one. */
  readonly at: (nowMs: number) => number
  /** Records a head that enough providers have reached. Times are monotonic. */
  readonly note: (head: number, nowMs: number) => void
}

/** Makes an empty memory. */
export const makeHeadMemory = (): HeadMemory => {
  let reached = { head: 0, atMs: Number.NEGATIVE_INFINITY }
  const at = (nowMs: number): number => (nowMs - reached.atMs > HEAD_REMEMBERED_MS ? 0 : reached.head)
  return {
    at,
    note: (head, nowMs) => {
      const known = at(nowMs)
      if (head < known) return
      const grown = known + Math.ceil((nowMs - reached.atMs) / BLOCK_MS)
      reached = { head: known === 0 ? head : Math.min(head, grown), atMs: nowMs }
    },
  }
}

/** Contracts that are asked for one signature; further candidates are tried by ECDSA alone. */
const CONTRACTS_ASKED_MAX = 8

/** How long a large receipt may be read, how long its caller waits for that, and the retry that is proposed then. */
const LARGE_TOTAL_MS = 60_000
const LARGE_WAIT_MS = 4_000
const LARGE_RETRY_MS = 5_000
/** How long a receipt that could not be read whole is not asked for again. */
const LARGE_PAUSE_MS = 15_000
/** Large receipts that are read or waiting; more are refused at once. */
const LARGE_READS_MAX = 64
/** Transactions that are known to be large, though not read yet. */
const LARGE_KNOWN_MAX = 10_000
/** Transactions, and transfers in them, whose agreed facts are remembered. */
const REMEMBERED_MAX = 50_000

/** An opened chain: its facts, its providers, and what it remembers. */
interface OpenChain {
  readonly facts: Chain["facts"]
  readonly quorum: Quorum
  readonly heads: HeadMemory
  /** By transaction: the facts that enough providers agreed on. They hold while their block is in the chain. */
  readonly remembered: LRUCache<string, BlockFacts>
  /** Transactions that were too large for the quick lane, and when their receipts may be read again. */
  readonly large: LRUCache<string, number>
  readonly largeReads: Flights<TransactionLookup, ChainUnavailable>
  readonly random: Random
  readonly nowMs: () => number
}

/** One look at a transaction by all providers; agreed facts are remembered. Null, with the failures, where they give none. */
const lookIn = Effect.fnUntraced(function* (
  { facts, quorum, heads, remembered, nowMs }: OpenChain,
  hash: string,
  lane: SightOptions["lane"],
) {
  const { providers, agreement } = quorum
  const wanted = { hash, contract: facts.contract.toLowerCase(), wallet: facts.wallet.toLowerCase() }
  const sight = { chainId: facts.chainId, lane, known: remembered.get(hash) ?? null }
  const heard = yield* askProviders(
    providers,
    (provider) => sightOf(provider, wanted, sight),
    (answers) => judge(answers, agreement, heads.at(nowMs())).found !== null,
    lane === "large" ? LARGE_TOTAL_MS : undefined,
  )
  const { found, head, dissenters } = judge(heard.answers, agreement, heads.at(nowMs()))
  if (head !== null) heads.note(head, nowMs())
  yield* quorum.warnDissent(dissenters)
  if (found?._tag === "mined") {
    const { block, call, transfers } = found.transaction
    remembered.set(hash, { failed: false, block, call, transfers })
  } else if (found !== null) remembered.delete(hash)
  return { found, heard }
})

const notReadYet = (problem: string, waitMs: number = LARGE_RETRY_MS) =>
  new ChainUnavailable({ of: "receipt", problem, retryAfterSeconds: Math.ceil(waitMs / 1000) })

/**
 * Finds a transaction: in the quick lane first, and once its receipt was seen to be large in the lane of large ones, where
 * the reading goes on when its caller has left.
 */
const findIn = (chain: OpenChain, hash: string): ReturnType<Chain["find"]> =>
  Effect.gen(function* () {
    const { quorum, large, largeReads, nowMs } = chain
    const pausedMs = (large.get(hash) ?? 0) - nowMs()
    if (pausedMs > 0) return yield* notReadYet("it could not be read whole lately", pausedMs)
    if (!large.has(hash)) {
      const { found, heard } = yield* lookIn(chain, hash, "quick")
      if (found !== null) return found
      if (!heard.failures.some(isUnread)) return yield* quorum.unavailable(heard, "receipt")
      large.set(hash, 0)
    }
    const reading = Effect.gen(function* () {
      const { found, heard } = yield* lookIn(chain, hash, "large")
      if (found === null) {
        large.set(hash, nowMs() + LARGE_PAUSE_MS)
        return yield* quorum.unavailable(heard, "receipt")
      }
      // Its agreed facts are remembered now, so that the next look costs no more than that of a small one.
      large.delete(hash)
      return found
    })
    return yield* largeReads
      .ask(hash, () => reading)
      .pipe(
        Effect.timeoutOrElse({
          duration: LARGE_WAIT_MS,
          orElse: () => Effect.fail(notReadYet("it is large, and still being read")),
        }),
      )
  })

const signerIn = (
  { quorum, random }: OpenChain,
  { text, signature: signatureText, candidates }: Parameters<Chain["signerOf"]>[0],
): ReturnType<Chain["signerOf"]> =>
  Effect.gen(function* () {
    const signature = signatureOf(signatureText)
    if (signature === null) return null
    const recovered = yield* recoveredFrom(text, signature)
    if (recovered !== null && candidates.includes(recovered)) return recovered
    const shown = { hash: hashMessage(text), signature }
    const unsigned = unsignedLike(shown, random)
    const contracts = [...new Set(candidates)].slice(0, CONTRACTS_ASKED_MAX).filter((one) => isAddress(one))
    // Concurrently: a candidate may be a stranger's contract, which is slow on purpose or answers differently each time.
    const answers = yield* Effect.forEach(
      contracts,
      (one) => Effect.result(quorum.ask((provider) => contractSigned(provider, one, shown, unsigned))),
      { concurrency: "unbounded" },
    )
    const accepted = contracts.filter((_, at) => answers[at]?._tag === "Success" && answers[at].success)
    if (accepted.length > 0) return accepted.length === 1 ? (accepted[0] ?? null) : null
    const failed = answers.find((one) => one._tag === "Failure")
    return failed === undefined ? null : yield* failed.failure
  })

const headIn = ({ quorum, heads, nowMs }: OpenChain): WatchedChain["head"] =>
  Effect.gen(function* () {
    const { providers, agreement } = quorum
    const heard = yield* askProviders(
      providers,
      (provider) => provider.call("eth_blockNumber", [], decodeQuantity),
      (answers) => answers.length >= agreement,
    )
    const head = reachedBy(
      heard.answers.map(({ value }) => value),
      agreement,
    )
    if (head === null) return yield* quorum.unavailable(heard)
    heads.note(head, nowMs())
    return head
  })

const headAtMsIn = ({ quorum }: OpenChain): WatchedChain["headAtMs"] =>
  Effect.gen(function* () {
    const { providers, agreement } = quorum
    const heard = yield* askProviders(
      providers,
      (provider) => provider.read("eth_getBlockByNumber", ["latest", false], headerReading),
      (answers) => answers.filter(({ value }) => value !== null).length >= agreement,
    )
    const times = heard.answers.flatMap(({ value }) => (value === null ? [] : [value.timestamp]))
    const reached = reachedBy(times, agreement)
    return reached === null ? yield* quorum.unavailable(heard) : reached * 1000
  })

/** All providers are asked for the balance at the same block, as their heads differ. */
const walletUnitsIn = (chain: OpenChain): Effect.Effect<bigint, ChainUnavailable> => {
  const { contract, wallet } = chain.facts
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [wallet as Hex] })
  const balanceCall = { to: contract.toLowerCase(), data }
  return Effect.gen(function* () {
    const head = yield* headIn(chain)
    return BigInt(
      yield* chain.quorum.ask((provider) => provider.call("eth_call", [balanceCall, hexOf(head)], decodeWord)),
    )
  })
}

const holdsIn =
  ({ quorum }: OpenChain): WatchedChain["holds"] =>
  (transaction, block) =>
    quorum.ask((provider) =>
      Effect.gen(function* () {
        const contents = yield* provider.read(
          "eth_getBlockByNumber",
          [hexOf(block.number), false],
          contentsReading(transaction),
        )
        // A provider without a block of this number has no evidence about its contents.
        if (contents === null)
          return yield* new ProviderFailed({ provider: provider.index, reason: "refused", retryAfterMs: null })
        return contents.hash === block.hash && contents.transactions.includes(transaction)
      }),
    )

/**
 * Opens the chain over JSON-RPC providers, none of which has to answer yet. A fact is accepted when `agreement` providers
 * state it alike: one false answer alone changes nothing, a lagging or silent provider delays nothing while enough others
 * answer, and disagreement is `ChainUnavailable`. Fails only for options that can never work.
 */
export const openChain = Effect.fnUntraced(function* (
  options: ChainOptions,
): Effect.fn.Return<WatchedChain, ChainMisconfigured, Scope.Scope> {
  const problem = problemOf(options)
  if (problem !== null) return yield* new ChainMisconfigured({ problem })
  const { rpcUrls, chainId = BASE_CHAIN_ID, agreement = majorityOf(rpcUrls.length) } = options
  const facts = {
    name: options.name ?? "Base",
    chainId,
    contract: getAddress(options.contract ?? USDC_ON_BASE),
    wallet: getAddress(options.wallet),
    trust: { providers: rpcUrls.length, agreement },
  }
  const providers = yield* Effect.forEach(rpcUrls, (url, index) =>
    openProvider({ index, url, chainId, callTimeoutMs: options.callTimeoutMs }),
  )
  const chain: OpenChain = {
    facts,
    quorum: makeQuorum(providers, agreement),
    heads: makeHeadMemory(),
    remembered: new LRUCache({
      maxSize: REMEMBERED_MAX,
      sizeCalculation: ({ transfers }) => 1 + transfers.length,
    }),
    large: new LRUCache({ max: LARGE_KNOWN_MAX }),
    largeReads: makeFlights({
      limit: { countMax: LARGE_READS_MAX, full: () => notReadYet("too many large ones are being read") },
    }),
    random: options.random ?? randomBytes,
    nowMs: options.nowMs ?? (() => performance.now()),
  }
  return {
    facts,
    find: (hash) => findIn(chain, hash),
    signerOf: (request) => signerIn(chain, request),
    walletUnits: walletUnitsIn(chain),
    head: headIn(chain),
    headAtMs: headAtMsIn(chain),
    holds: holdsIn(chain),
  }
})
