import { randomBytes } from "node:crypto"
import { Clock, Effect, Schema, type Scope } from "effect"
import { Counter } from "prom-client"
import { encodeFunctionData, erc20Abi, getAddress, type Hex, hashMessage, isAddress } from "viem"
import type { Chain, ChainUnavailable, WatchedChain } from "../../ledger/chain.port.ts"
import { agreed, type Heard, hear, judge, reachedBy, type Sight, unavailable } from "./agreement.ts"
import { makeHeadMemory } from "./head-memory.ts"
import {
  callOf,
  decodeContents,
  decodeHeader,
  decodeQuantity,
  decodeReceipt,
  decodeSent,
  decodeWord,
  readReceipt,
} from "./receipt.ts"
import { openProvider, type Provider, ProviderFailed } from "./rpc.ts"
import { contractSigned, type Random, recoveredFrom, signatureOf, unsignedLike } from "./signature.ts"

/** USDC on Base. */
export const USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** The chain id of Base. */
export const BASE_CHAIN_ID = 8453

const PROVIDERS_MAX = 16
/** Contracts that are asked for one signature; payers beyond are asked only by ECDSA. */
const CONTRACTS_ASKED_MAX = 8
/** Dissent of one provider is told this often at most. */
const DISSENT_TOLD_MS = 60_000

const dissents = new Counter({
  name: "tidewire_chain_dissents_total",
  help: "Answers of a provider (its place in the list, from 0) which contradicted what the others agreed on",
  labelNames: ["provider"],
})

/** The chain is configured in a way that cannot work. Names no URL: they hold keys. */
export class ChainMisconfigured extends Schema.TaggedError<ChainMisconfigured>()("ChainMisconfigured", {
  problem: Schema.String,
}) {
  override get message() {
    return this.problem
  }
}

/** What a chain is opened with. */
export interface ChainOptions {
  /** JSON-RPC providers, http or https; no two may be the same. A user and password in them become a header. */
  readonly rpcUrls: ReadonlyArray<string>
  /** The address that is paid to. */
  readonly wallet: string
  readonly chainId?: number | undefined
  /** The address of USDC. */
  readonly contract?: string | undefined
  readonly name?: string | undefined
  /** How many providers must say the same; more than half of them by default. */
  readonly agreement?: number | undefined
  /** Random bytes for signatures that nobody has made. */
  readonly random?: Random | undefined
  /** How long one call may take. */
  readonly callTimeoutMs?: number | undefined
  /** The monotonic clock, in milliseconds. */
  readonly nowMs?: (() => number) | undefined
}

const isProviderUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:")
}

const problemOf = ({ rpcUrls, wallet, contract, agreement }: ChainOptions): string | null => {
  const wrong = rpcUrls.findIndex((url) => !isProviderUrl(url))
  if (rpcUrls.length === 0 || rpcUrls.length > PROVIDERS_MAX) return `1 to ${PROVIDERS_MAX} RPC URLs are needed`
  if (wrong >= 0) return `RPC URL ${wrong} (from 0) is not an http or https URL`
  // The same provider named twice would agree with itself.
  if (new Set(rpcUrls.map((url) => new URL(url).href)).size < rpcUrls.length) return "an RPC URL is named twice"
  if (!isAddress(wallet)) return "the wallet is not an address, or its checksum is wrong"
  if (contract !== undefined && !isAddress(contract))
    return "the USDC contract is not an address, or its checksum is wrong"
  if (agreement !== undefined && !(Number.isInteger(agreement) && agreement >= 1 && agreement <= rpcUrls.length))
    return `the agreement must be a whole number from 1 to ${rpcUrls.length}, the number of RPC URLs`
  return null
}

const majorityOf = (providers: number): number => Math.floor(providers / 2) + 1

/** What payments are asked for on, with addresses in checksum case; null where the wallet is no address. */
export const factsOf = ({
  wallet,
  contract = USDC_ON_BASE,
  chainId = BASE_CHAIN_ID,
  name = "Base",
  rpcUrls = [],
  agreement = majorityOf(rpcUrls.length),
}: Pick<ChainOptions, "wallet" | "contract" | "chainId" | "name" | "agreement"> &
  Partial<Pick<ChainOptions, "rpcUrls">>): Chain["facts"] | null =>
  isAddress(wallet)
    ? {
        name,
        chainId,
        contract: getAddress(contract),
        wallet: getAddress(wallet),
        trust: rpcUrls.length === 0 ? null : { providers: rpcUrls.length, agreement },
      }
    : null

const hexOf = (number: number): Hex => `0x${number.toString(16)}`

/** How one provider sees a transaction. */
const look = (
  provider: Provider,
  wanted: { readonly hash: string; readonly contract: string; readonly wallet: string },
  chainId: number,
): Effect.Effect<Sight, ProviderFailed> =>
  Effect.gen(function* () {
    const undecodable = () =>
      new ProviderFailed({ provider: provider.index, reason: "undecodable", retryAfterMs: null })
    const block = (which: string) => provider.call("eth_getBlockByNumber", [which, false], decodeHeader)
    // Nodes that do not know this tag refuse the call: then nothing is deeper than the latest block.
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
    const unknown: Sight = { _tag: "unknown", head }
    if (receipt === null) return unknown
    const read = readReceipt(receipt, wanted)
    if (read === "unmined") return unknown
    if (read === "inconsistent") return yield* undecodable()
    const [sent, safe, finalized] = yield* Effect.all(
      [provider.call("eth_getTransactionByHash", [wanted.hash], decodeSent), reached("safe"), reached("finalized")],
      { concurrency: "unbounded" },
    )
    // Asked for last: what stands in the chain now stood there when its depth was read.
    const canonical = yield* block(hexOf(read.block.number))
    // Nodes keep receipts of blocks that are no more in the chain for a while.
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

/**
 * Opens the chain over JSON-RPC providers, none of which has to answer yet. What `agreement` of them say alike is believed:
 * one that lies alone changes nothing, one that is behind or silent holds nothing up while enough others answer, and
 * where they disagree nothing is said. Fails only for options that can never work.
 */
export const openChain = (options: ChainOptions): Effect.Effect<WatchedChain, ChainMisconfigured, Scope.Scope> =>
  Effect.gen(function* () {
    const problem = problemOf(options)
    if (problem !== null) return yield* new ChainMisconfigured({ problem })
    const { rpcUrls, chainId = BASE_CHAIN_ID, agreement = majorityOf(rpcUrls.length) } = options
    const random = options.random ?? randomBytes
    const facts = {
      name: options.name ?? "Base",
      chainId,
      contract: getAddress(options.contract ?? USDC_ON_BASE),
      wallet: getAddress(options.wallet),
      trust: { providers: rpcUrls.length, agreement },
    }
    const [contract, wallet] = [facts.contract.toLowerCase(), facts.wallet.toLowerCase()]
    const providers = yield* Effect.forEach(rpcUrls, (url, index) =>
      openProvider({ index, url, chainId, callTimeoutMs: options.callTimeoutMs }),
    )
    const dissentToldMs = new Map<number, number>()
    const nowMs = options.nowMs ?? (() => performance.now())
    const heads = makeHeadMemory()

    const refuse = (heard: Heard<unknown>): ChainUnavailable => unavailable(heard, providers.length, agreement)

    const tellDissent = (dissenters: ReadonlyArray<number>) =>
      Effect.forEach(
        dissenters,
        (provider) =>
          Effect.gen(function* () {
            dissents.inc({ provider: String(provider) })
            const nowMs = yield* Clock.currentTimeMillis
            const toldMs = dissentToldMs.get(provider)
            if (toldMs !== undefined && nowMs - toldMs < DISSENT_TOLD_MS) return
            dissentToldMs.set(provider, nowMs)
            yield* Effect.logWarning("a provider contradicts what the others agree on").pipe(
              Effect.annotateLogs({ provider }),
            )
          }),
        { discard: true },
      )

    /** What enough providers say alike, where all that counts is one value. */
    const ask = <A>(question: (provider: Provider) => Effect.Effect<A, ProviderFailed>) =>
      Effect.gen(function* () {
        const heard = yield* hear(providers, question, (answers) => agreed(answers, agreement) !== null)
        const answer = agreed(heard.answers, agreement)
        return answer === null ? yield* refuse(heard) : answer.value
      })

    const find: Chain["find"] = (hash) =>
      Effect.gen(function* () {
        const heard = yield* hear(
          providers,
          (provider) => look(provider, { hash, contract, wallet }, chainId),
          (answers) => judge(answers, agreement, heads.at(nowMs())).found !== null,
        )
        const { found, head, dissenters } = judge(heard.answers, agreement, heads.at(nowMs()))
        if (head !== null) heads.note(head, nowMs())
        yield* tellDissent(dissenters)
        return found === null ? yield* refuse(heard) : found
      })

    const signerOf: Chain["signerOf"] = ({ text, signature: shownSignature, candidates }) =>
      Effect.gen(function* () {
        const signature = signatureOf(shownSignature)
        if (signature === null) return null
        const recovered = yield* recoveredFrom(text, signature)
        if (recovered !== null && candidates.includes(recovered)) return recovered
        const shown = { hash: hashMessage(text), signature }
        const unsigned = unsignedLike(shown, random)
        const contracts = [...new Set(candidates)].slice(0, CONTRACTS_ASKED_MAX).filter((one) => isAddress(one))
        // Side by side: a payer may be a contract of somebody else's that takes its time, or says what it likes.
        const said = yield* Effect.forEach(
          contracts,
          (one) => Effect.result(ask((provider) => contractSigned(provider, one, shown, unsigned))),
          { concurrency: "unbounded" },
        )
        const accepted = contracts.filter((_, at) => said[at]?._tag === "Success" && said[at].success)
        if (accepted.length > 0) return accepted.length === 1 ? (accepted[0] ?? null) : null
        const failed = said.find((one) => one._tag === "Failure")
        return failed === undefined ? null : yield* failed.failure
      })

    const balanceCall = {
      to: contract,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [facts.wallet] }),
    }
    const newest: WatchedChain["head"] = Effect.gen(function* () {
      const heard = yield* hear(
        providers,
        (provider) => provider.call("eth_blockNumber", [], decodeQuantity),
        (answers) => answers.length >= agreement,
      )
      const head = reachedBy(
        heard.answers.map(({ value }) => value),
        agreement,
      )
      if (head === null) return yield* refuse(heard)
      heads.note(head, nowMs())
      return head
    })

    const headAtMs: WatchedChain["headAtMs"] = Effect.gen(function* () {
      const heard = yield* hear(
        providers,
        (provider) => provider.call("eth_getBlockByNumber", ["latest", false], decodeHeader),
        (answers) => answers.filter(({ value }) => value !== null).length >= agreement,
      )
      const times = heard.answers.flatMap(({ value }) => (value === null ? [] : [value.timestamp]))
      const reached = reachedBy(times, agreement)
      return reached === null ? yield* refuse(heard) : reached * 1000
    })

    // All are asked for the same block: heads differ, and so do balances at them.
    const walletUnits: Chain["walletUnits"] = Effect.gen(function* () {
      const head = yield* newest
      return BigInt(yield* ask((provider) => provider.call("eth_call", [balanceCall, hexOf(head)], decodeWord)))
    })

    const holds: WatchedChain["holds"] = (transaction, block) =>
      ask((provider) =>
        Effect.gen(function* () {
          const there = yield* provider.call("eth_getBlockByNumber", [hexOf(block.number), false], decodeContents)
          // Who has no block of this number at all says nothing of what stands in it.
          if (there === null)
            return yield* new ProviderFailed({ provider: provider.index, reason: "refused", retryAfterMs: null })
          return there.hash === block.hash && there.transactions.includes(transaction)
        }),
      )

    return { facts, find, signerOf, walletUnits, head: newest, headAtMs, holds }
  })
