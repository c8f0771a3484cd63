import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Chain, WatchedChain } from "../../ledger/chain.port.ts"
import type { LedgerClient } from "../../ledger/client.ts"
import { watchChain } from "../../ledger/watch/watcher.ts"
import { type LedgerClock, machineClocks, makeLedgerClock } from "../../ledger/write/clock.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { ChainMisconfigured } from "../chain/chain-options.ts"
import { witnessChain } from "../clock/chain-witness.ts"
import { closeDirectory, holdDirectory } from "../config/data-directory.ts"
import type { Settings } from "../config/settings.ts"
import { holdLedger, type LedgerHolder } from "../ledger/holder.ts"
import { loadSecrets, type Secrets, type SecretsUnusable } from "../secrets/secrets.ts"
import { openLmdbState, STATE_FOLDER } from "../state/lmdb-state.ts"
import type { Status } from "./status.ts"

/** The chain on which credits are paid, for the scope; null where the settings name no wallet: nothing can be bought. */
export const openChainOf = (settings: Settings): Effect.Effect<WatchedChain | null, ChainMisconfigured, Scope.Scope> =>
  Effect.gen(function* () {
    const { walletAddress, baseRpcUrls, rpcAgreement } = settings
    if (walletAddress === null) return null
    // Loaded only where it is used: it is a large library.
    const { ChainMisconfigured } = yield* Effect.promise(() => import("../chain/chain-options.ts"))
    const { openChain } = yield* Effect.promise(() => import("../chain/viem-chain.ts"))
    const chain = yield* openChain({
      rpcUrls: baseRpcUrls ?? [],
      wallet: walletAddress,
      ...(rpcAgreement === null ? {} : { agreement: rpcAgreement }),
    }).pipe(
      // It names none of the variables.
      Effect.mapError(
        ({ problem }) =>
          new ChainMisconfigured({ problem: `WALLET_ADDRESS, BASE_RPC_URLS, RPC_AGREEMENT: ${problem}` }),
      ),
    )
    yield* logTrust(chain.facts.trust)
    return chain
  })

/** Logs who is believed about payments: one provider alone can have anything credited. */
const logTrust = (trust: Chain["facts"]["trust"]): Effect.Effect<void> => {
  const { providers = 0, agreement = 0 } = trust ?? {}
  return agreement === 1
    ? Effect.logWarning(
        `one provider of the chain is trusted alone (${providers} in BASE_RPC_URLS, RPC_AGREEMENT 1): what it says of a payment is credited. Three that do not depend on each other bear the lies of one`,
      )
    : Effect.logInfo(`a payment is believed when ${agreement} of ${providers} providers of the chain say the same`)
}

/**
 * What payments are asked for on, for a process that verifies none itself; null where the settings name no wallet. It
 * needs no provider of the chain.
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

/** The secrets of the money. `directory`: DATA_DIR where this process holds it, and may make what is missing. */
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
 * The data folder of a process of the one role: it keeps nothing there that it needs, so it goes on without where it may
 * not write, or another process was first.
 */
export const directoryOf = ({ dataDirectory }: Settings): Effect.Effect<string | null, never, Scope.Scope> =>
  holdDirectory(dataDirectory).pipe(
    Effect.andThen(Effect.forkScoped(closeDirectory(dataDirectory))),
    Effect.as(dataDirectory),
    Effect.catch((error) =>
      Effect.as(Effect.logInfo(`the state of the ledger is kept in memory alone: ${error.message}`), null),
    ),
  )

/** Follows the chain while the ledger is held. Credits are spent all the same while no provider answers. */
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

/** The clock of entries: its doubts are logged, and keep the ledger from being ready. */
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
            ? Effect.logInfo("the clock of the ledger is believed").pipe(Effect.annotateLogs({ by: basis }))
            : Effect.logWarning("the clock of the ledger is not believed: nothing is written").pipe(
                Effect.annotateLogs({ reason }),
              )
        Effect.runForkWith(context)(line)
      },
    })
  })

/** Holds the ledger for the scope whenever it is this process's turn, and follows its payments on the chain meanwhile. */
export const startLedger = (options: {
  readonly log: EventLog
  readonly status: Status
  /** Null where nothing can be bought: then nothing has to be followed. */
  readonly chain: WatchedChain | null
  /** DATA_DIR where this process holds it: there the state is kept, so that a start folds only what is newer. */
  readonly directory: string | null
}): Effect.Effect<LedgerHolder & { readonly clock: LedgerClock }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, status, chain, directory } = options
    const state = directory === null ? undefined : yield* openLmdbState({ path: join(directory, STATE_FOLDER) })
    // A chain that cannot be asked is not waited for: the next look asks it again.
    let chainIsWitness = chain !== null
    const clock = yield* openClock(status, () => chainIsWitness)
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
                  // The ledger reads its clock when it is asked something.
                  return Effect.ignore(ledger.submit({ _tag: "refundOrphans" }))
                },
              }),
            ],
            { concurrency: "unbounded" },
          ).pipe(Effect.andThen(Effect.never))
    const holder = holdLedger({ log, status, state, clock, beside })
    yield* Effect.forkScoped(holder.run)
    return { ...holder, clock }
  })
