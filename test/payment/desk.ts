import { createHash, randomBytes, randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { onTestFinished } from "vitest"
import { prefixesOf } from "../../api/http/client.ts"
import { type Buying, type ConfirmRequest, openBuying } from "../../ledger/buying/buying.ts"
import { makePayments } from "../../ledger/buying/payments.ts"
import { type Chain, ChainUnavailable, type Transaction, type TransactionLookup } from "../../ledger/chain.port.ts"
import type { LedgerClient } from "../../ledger/client.ts"
import type { TokenKeys } from "../../ledger/token.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import { NOON_MS, SIGNED_UNTIL } from "../conformance/ledger/given.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"

export const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
export const CONTRACT = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
export const HOST = "tidewire.example"

/** A chain in memory, whose transactions tests mine by hand. */
export interface ScriptedChain {
  readonly chain: Chain
  readonly mine: (transaction: Transaction) => Transaction
  readonly revert: (hash: string) => void
  /** Every read of the chain fails with this from now on; null ends that. */
  readonly breakWith: (problem: string | null, of?: ChainUnavailable["of"]) => void
  /** Reads wait until `release`. */
  readonly hold: () => { readonly release: () => void }
  readonly finds: () => number
}

/** The signature of a wallet in this chain: a stand-in, unique for each wallet and text. */
export const signed = (wallet: string, text: string): string =>
  `0x${createHash("sha256").update(`${wallet}/${text}`).digest("hex")}`

export const makeScriptedChain = (): ScriptedChain => {
  const found = new Map<string, TransactionLookup>()
  let problem: string | null = null
  let problemOf: ChainUnavailable["of"] = "providers"
  let held: Promise<void> = Promise.resolve()
  let finds = 0
  const answer = <A>(say: () => A): Effect.Effect<A, ChainUnavailable> =>
    Effect.promise(() => held).pipe(
      Effect.andThen(
        Effect.suspend(() =>
          problem === null
            ? Effect.succeed(say())
            : Effect.fail(new ChainUnavailable({ problem, retryAfterSeconds: 7, of: problemOf })),
        ),
      ),
    )
  return {
    chain: {
      facts: { name: "Base", chainId: 8453, contract: CONTRACT, wallet: WALLET, trust: { providers: 3, agreement: 2 } },
      find: (hash) => {
        finds += 1
        return answer(() => found.get(hash) ?? { _tag: "unknown" })
      },
      signerOf: ({ text, signature, candidates }) =>
        answer(() => candidates.find((wallet) => signed(wallet, text) === signature) ?? null),
      walletUnits: Effect.succeed(0n),
    },
    mine: (transaction) => {
      found.set(transaction.hash, { _tag: "mined", transaction })
      return transaction
    },
    revert: (hash) => void found.set(hash, { _tag: "failed" }),
    breakWith: (wanted, of = "providers") => {
      problem = wanted
      problemOf = of
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return { release: resolve }
    },
    finds: () => finds,
  }
}

const keys = (current: string, ...kids: ReadonlyArray<string>): TokenKeys => ({
  current,
  keys: new Map(kids.map((kid) => [kid, createHash("sha256").update(kid).digest()])),
})

/** Keys of tokens; new tokens are made with `k1`. */
export const tokenKeys = keys("k1", "k1")
/** Keys of tokens without the current one. */
export const lostKeys = keys("k1", "k0")

/** The claim key of confirms, unless a test says otherwise. */
export const CLAIM_KEY = `tw_claim_${"0123456789abcdef".repeat(4)}`

/** A desk over a real ledger, a scripted chain and clocks that stand still until they are moved. */
export interface DeskUnderTest extends ScriptedChain {
  readonly buying: Buying
  readonly ledger: LedgerClient
  readonly memory: MemoryLog
  /** Opens another desk over the same ledger and chain. */
  readonly another: (keys: TokenKeys) => Buying
  readonly quoted: (askedCents?: number) => Promise<Effect.Success<ReturnType<Buying["quote"]>>>
  /** Confirms with these proofs and `CLAIM_KEY`; a missing member is not shown. Refusals are values. */
  readonly confirm: (
    claimed: Partial<ConfirmRequest> & { readonly txHash: string },
    desk?: Buying,
  ) => Promise<ConfirmOutcome>
  /** Confirms, and gives the token; throws where there is none. */
  readonly tokenOf: (claimed: Partial<ConfirmRequest> & { readonly txHash: string }) => Promise<string>
  /** Moves both clocks. */
  readonly pass: (ms: number) => void
}

type Confirming = ReturnType<Buying["confirm"]>
/** The outcome of a confirm: an answer, or a refusal. */
type ConfirmOutcome = Effect.Success<Confirming> | Effect.Error<Confirming>

/** Opens a desk for one test. */
export const deskUnderTest = async (): Promise<DeskUnderTest> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const memory = makeMemoryLog()
  let passedMs = 0
  const ledger = await Effect.runPromise(
    openLedger({ log: memory.log, nowMs: () => NOON_MS + passedMs }).pipe(Scope.provide(scope)),
  )
  const scripted = makeScriptedChain()
  const another = (wanted: TokenKeys) =>
    openBuying({
      ledger,
      payments: makePayments({
        ledger,
        chain: scripted.chain,
        nowMs: () => passedMs,
        wallMs: () => NOON_MS + passedMs,
      }),
      tokenKeys: wanted,
      service: HOST,
      random: (count) => randomBytes(count),
      newId: randomUUID,
      clientKey: Buffer.from("a key for clients"),
    })
  const buying = another(tokenKeys)
  const confirm: DeskUnderTest["confirm"] = async (claimed, desk = buying) => {
    const claim = {
      memo: null,
      signature: null,
      signedUntil: SIGNED_UNTIL,
      claimKey: CLAIM_KEY,
      claimKeyHash: null,
      payer: null,
      bearer: null,
      ...claimed,
    }
    return Result.merge(await Effect.runPromise(Effect.result(desk.confirm(claim))))
  }
  return {
    ...scripted,
    buying,
    ledger,
    memory,
    another,
    quoted: (askedCents = 100) => Effect.runPromise(buying.quote({ askedCents, client: prefixesOf("192.0.2.1") })),
    confirm,
    tokenOf: async (claimed) => {
      const outcome = await confirm(claimed)
      if (outcome._tag !== "credited" || outcome.token === null) throw new Error(`no token: ${JSON.stringify(outcome)}`)
      return outcome.token
    },
    pass: (ms) => {
      passedMs += ms
    },
  }
}
