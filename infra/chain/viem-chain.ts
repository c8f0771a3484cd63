import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { encodeFunctionData, erc20Abi, getAddress, type Hex, hashMessage, isAddress } from "viem"
import type { Chain, ChainUnavailable, WatchedChain } from "../../ledger/chain.port.ts"
import { askProviders, judge, reachedBy } from "./agreement.ts"
import {
  BASE_CHAIN_ID,
  ChainMisconfigured,
  type ChainOptions,
  majorityOf,
  problemOf,
  USDC_ON_BASE,
} from "./chain-options.ts"
import { type HeadMemory, makeHeadMemory } from "./head-memory.ts"
import { ProviderFailed } from "./provider-failed.ts"
import { makeQuorum, type Quorum } from "./quorum.ts"
import { decodeContents, decodeHeader, decodeQuantity, decodeWord } from "./receipt.ts"
import { openProvider } from "./rpc.ts"
import { hexOf, sightOf } from "./sight.ts"
import { contractSigned, type Random, recoveredFrom, signatureOf, unsignedLike } from "./signature.ts"

/** Contracts that are asked for one signature; further candidates are tried by ECDSA alone. */
const CONTRACTS_ASKED_MAX = 8

/** An opened chain: its facts, its providers, and the newest block that enough of them have reached. */
interface OpenChain {
  readonly facts: Chain["facts"]
  readonly quorum: Quorum
  readonly heads: HeadMemory
  readonly random: Random
  readonly nowMs: () => number
}

const findIn = ({ facts, quorum, heads, nowMs }: OpenChain, hash: string): ReturnType<Chain["find"]> =>
  Effect.gen(function* () {
    const { providers, agreement } = quorum
    const wanted = { hash, contract: facts.contract.toLowerCase(), wallet: facts.wallet.toLowerCase() }
    const heard = yield* askProviders(
      providers,
      (provider) => sightOf(provider, wanted, facts.chainId),
      (answers) => judge(answers, agreement, heads.at(nowMs())).found !== null,
    )
    const { found, head, dissenters } = judge(heard.answers, agreement, heads.at(nowMs()))
    if (head !== null) heads.note(head, nowMs())
    yield* quorum.warnDissent(dissenters)
    return found === null ? yield* quorum.unavailable(heard) : found
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
      (provider) => provider.call("eth_getBlockByNumber", ["latest", false], decodeHeader),
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
        const contents = yield* provider.call("eth_getBlockByNumber", [hexOf(block.number), false], decodeContents)
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
