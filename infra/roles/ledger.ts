import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Chain, WatchedChain } from "../../ledger/chain.port.ts"
import type { LedgerClient } from "../../ledger/client.ts"
import { watchChain } from "../../ledger/watch/watcher.ts"
import { type LedgerClock, machineClocks, makeLedgerClock } from "../../ledger/write/clock.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { ChainMisconfigured } from "../chain/chain-options.ts"
import type { Settings } from "../config/settings.ts"
import type { Status } from "../parts/part.ts"
import { loadSecrets, type Secrets, type SecretsUnusable } from "../secrets/secrets.ts"
import { openLmdbState, STATE_FOLDER } from "../state/lmdb-state.ts"
import { closeDirectory, holdDirectory } from "../system/data-directory.ts"
import { holdLedger, type LedgerHolder } from "./ledger-holder.ts"
import { witnessChain } from "./witnesses.ts"

/** Opens the chain on which credits are paid, for the scope; null without a wallet, as then nothing is sold. */
export const openChainOf = (settings: Settings): Effect.Effect<WatchedChain | null, ChainMisconfigured, Scope.Scope> =>
  Effect.gen(function* () {
    const { walletAddress, baseRpcUrls, rpcAgreement } = settings
    if (walletAddress === null) return null
    // Loaded on use: the library is large.
    const { ChainMisconfigured } = yield* Effect.promise(() => import("../chain/chain-options.ts"))
    const { openChain } = yield* Effect.promise(() => import("../chain/viem-chain.ts"))
    const chain = yield* openChain({
      rpcUrls: baseRpcUrls ?? [],
      wallet: walletAddress,
      ...(rpcAgreement === null ? {} : { agreement: rpcAgreement }),
    }).pipe(
      // The problem does not name the settings.
      Effect.mapError(
        ({ problem }) =>
          new ChainMisconfigured({ problem: `WALLET_ADDRESS, BASE_RPC_URLS, RPC_AGREEMENT: ${problem}` }),
      ),
    )
    yield* logTrust(chain.facts.trust)
    return chain
  })

/** Logs how many providers must agree on a payment. A single trusted provider could have any payment credited. */
const logTrust = (trust: Chain["facts"]["trust"]): Effect.Effect<void> => {
  const { providers = 0, agreement = 0 } = trust ?? {}
  return agreement === 1
    ? Effect.logWarning(
        `one provider of the chain is trusted alone (${providers} in BASE_RPC_URLS, RPC_AGREEMENT 1): any payment that it reports is credited. Three independent providers tolerate one that lies`,
      )
    : Effect.logInfo(`a payment is credited when ${agreement} of ${providers} providers of the chain agree on it`)
}

/**
 * The facts of the chain that quotes contain, for a process that verifies no payments; null without a wallet. Needs no
 * provider of the chain.
 */
export const chainFactsOf = ({
  walletAddress,
  baseRpcUrls,
  rpcAgreement,
}: Settings): Effect.Effect<Chain["facts"] | null, ChainMisconfigured> =>
  Effect.gen(function* () {
    if (walletAddress === null) return null
    const { ChainMisconfigured, factsOf } = yield* Effect.promise(() => import("../chain/chain-options.ts"))
    return (
      factsOf({ wallet: walletAddress, rpcUrls: baseRpcUrls ?? [], agreement: rpcAgreement ?? undefined }) ??
      (yield* new ChainMisconfigured({ problem: "WALLET_ADDRESS: it is not an address, or its checksum is wrong" }))
    )
  })

/** The secrets of the paid parts. `directory`: DATA_DIR if this process holds its lock, and may create missing secrets. */
export const secretsOf = (settings: Settings, directory: string | null): Effect.Effect<Secrets, SecretsUnusable> =>
  loadSecrets({
    directory,
    environment: {
      TOKEN_KEYS: settings.tokenKeys ?? undefined,
      RECEIPT_KEYS: settings.receiptKeys ?? undefined,
      CLIENT_HASH_KEY: settings.clientHashKey ?? undefined,
    },
  })

/**
 * The data folder of a ledger process; null if it is not writable or locked by another process. It holds only a cache, so
 * the process runs without it.
 */
export const directoryOf = ({ dataDirectory }: Settings): Effect.Effect<string | null, never, Scope.Scope> =>
  holdDirectory(dataDirectory).pipe(
    Effect.andThen(Effect.forkScoped(closeDirectory(dataDirectory))),
    Effect.as(dataDirectory),
    Effect.catch((error) =>
      Effect.as(Effect.logInfo(`the state of the ledger is kept in memory alone: ${error.message}`), null),
    ),
  )

/** Follows the chain while the ledger is held. Without a provider, credits can still be spent. */
const followChain = (chain: WatchedChain, status: Status) => {
  const part = status.part("ledger", "chain", { optional: () => true })
  part.set({ state: "standby" })
  return (ledger: LedgerClient) =>
    watchChain({
      ledger,
      chain,
      report: (problem) => part.set(problem === null ? { state: "active" } : { state: "waiting", reason: problem }),
    }).pipe(Effect.ensuring(Effect.sync(() => part.set({ state: "standby" }))))
}

/** Opens the clock of entries. An untrusted clock is logged, and the ledger is not ready. */
const openClock = (status: Status, witnessExpected: () => boolean): Effect.Effect<LedgerClock> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const part = status.part("ledger", "writer")
    return makeLedgerClock({
      clocks: machineClocks,
      witnessExpected,
      changed: (reason, basis) => {
        part.hinder("clock", reason === null ? null : `the clock: ${reason}`)
        const line =
          reason === null
            ? Effect.logInfo("the clock of the ledger is trusted").pipe(Effect.annotateLogs({ by: basis }))
            : Effect.logWarning("the clock of the ledger is not trusted: nothing is written").pipe(
                Effect.annotateLogs({ reason }),
              )
        Effect.runForkWith(context)(line)
      },
    })
  })

/** Holds the ledger for the scope whenever it is this process's turn, and follows the chain while it does. */
export const startLedger = (options: {
  readonly log: EventLog
  readonly status: Status
  /** Null if the service sells nothing. */
  readonly chain: WatchedChain | null
  /** DATA_DIR if this process holds its lock: the cached state makes a start fold only newer entries. */
  readonly directory: string | null
  /** LEDGER_OPERATOR_SECRET, whose newest one seals the cached state; null without one. */
  readonly stateSecrets: ReadonlyArray<string> | null
  /** As in the holder. */
  readonly servesAlone?: boolean
  /** One of the machine's by default, which witnesses confirm. */
  readonly clock?: LedgerClock
}): Effect.Effect<LedgerHolder & { readonly clock: LedgerClock }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, status, chain, directory, stateSecrets, servesAlone = false } = options
    const state =
      directory === null
        ? undefined
        : yield* openLmdbState({ path: join(directory, STATE_FOLDER), secrets: stateSecrets ?? [] })
    // The clock does not wait for an unreachable chain; the next look tries it again.
    let chainIsWitness = chain !== null
    const clock = options.clock ?? (yield* openClock(status, () => chainIsWitness))
    const beside = (ledger: LedgerClient) =>
      chain === null
        ? Effect.never
        : Effect.all(
            [
              followChain(chain, status)(ledger),
              witnessChain({
                chain,
                clock,
                wallMs: machineClocks.wallMs,
                onLook: (isWitness) => {
                  chainIsWitness = isWitness
                  // Submitted so that the ledger reads its clock now.
                  return Effect.ignore(ledger.submit({ _tag: "refundOrphans" }))
                },
              }),
            ],
            { concurrency: "unbounded" },
          ).pipe(Effect.andThen(Effect.never))
    const holder = holdLedger({ log, status, state, clock, servesAlone, beside })
    yield* Effect.forkScoped(holder.run)
    return { ...holder, clock }
  })
