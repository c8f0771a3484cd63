import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import {
  ChainUnavailable,
  type Transaction,
  type TransactionLookup,
  type WatchedChain,
} from "../../../ledger/chain.port.ts"
import { makeWatcher } from "../../../ledger/watch/watcher.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import {
  address,
  CHAIN_ID,
  claimKeyHash,
  confirm,
  MINUTE_MS,
  NOON_MS,
  SECOND_MS,
  tokenOf,
  transaction,
  transfer,
  USDC,
  WALLET,
  word,
} from "./given.ts"

// A ledger with one purchase, and the watcher of the chain on which it was paid.

export const PAYER = address("payer")
export const ROUND_MS = 10 * SECOND_MS
export const LONG_MS = 3 * 60 * MINUTE_MS

/** Ten dollars, five blocks deep. */
export const paid = (more: Partial<Transaction> = {}): Transaction =>
  transaction("paid", [transfer(PAYER, 10_000_000)], { confirmations: 5, depth: "latest", ...more })
/** The same payment in another block. */
export const elsewhere = (more: Partial<Transaction> = {}): Transaction =>
  paid({ block: { hash: word("another block"), number: 34_000_007, atMs: NOON_MS }, ...more })
export const mined = (found: Transaction): TransactionLookup => ({ _tag: "mined", transaction: found })
export const UNKNOWN: TransactionLookup = { _tag: "unknown" }

/** An address in another case, as the facts of a chain have it. */
const inCapitals = (text: string): string => `0x${text.slice(2).toUpperCase()}`

/** A chain that says what the test wants, and counts how often it was asked. */
export const scriptedChain = () => {
  const script = {
    found: mined(paid()) as TransactionLookup | "unavailable",
    head: 34_000_005,
    looks: 0,
    headFails: false,
    held: false,
    facts: {
      name: "Base",
      chainId: CHAIN_ID,
      contract: inCapitals(USDC),
      wallet: inCapitals(WALLET),
      trust: null,
    } as WatchedChain["facts"],
  }
  const unavailable = Effect.fail(new ChainUnavailable({ problem: "made so by a test", retryAfterSeconds: 1 }))
  const chain: Pick<WatchedChain, "facts" | "find" | "head" | "holds" | "walletUnits"> = {
    get facts() {
      return script.facts
    },
    find: () =>
      Effect.suspend(() => {
        script.looks += 1
        return script.found === "unavailable" ? unavailable : Effect.succeed(script.found)
      }),
    head: Effect.suspend(() => (script.headFails ? unavailable : Effect.succeed(script.head))),
    holds: (transaction, { hash }) =>
      Effect.sync(() => script.held && transaction === word("paid") && hash === word("block of paid")),
    walletUnits: Effect.sync(() => 12_000_000n),
  }
  return { script, chain }
}

/** A purchase of ten dollars that was just credited, and the watcher after no round. */
const scene = Effect.gen(function* () {
  const memory = makeMemoryLog()
  const clock = { nowMs: NOON_MS + 2 * MINUTE_MS }
  const { script, chain } = scriptedChain()
  const open = Effect.map(openLedger({ log: memory.log, nowMs: () => clock.nowMs }), (ledger) => ({
    ledger,
    watcher: makeWatcher({ ledger, chain }),
  }))
  let { ledger, watcher } = yield* open
  /** Another process takes the ledger over: nothing is known but what the log holds. */
  const restart = Effect.map(open, (next) => {
    ledger = next.ledger
    watcher = next.watcher
  })
  const origin = `8453/${word("paid")}`
  const claim = confirm(paid(), {
    signer: PAYER,
    token: {
      claimant: `payer/${PAYER}/${claimKeyHash}`,
      origin,
      generation: 1,
      kid: "k1",
      hash: tokenOf(PAYER, origin),
    },
  })
  yield* ledger.submit(claim)
  const isDoubt = ({ type }: { readonly type: string }) => type === "purchase.doubted" || type === "purchase.trusted"
  const doubts = () => memory.events("ledger").filter(isDoubt)
  /** What has happened, but for doubts. */
  const types = () =>
    memory
      .events("ledger")
      .filter((event) => !isDoubt(event))
      .map(({ type }) => type)
  const account = Effect.suspend(() =>
    Effect.map(
      ledger.submit({ _tag: "readAccount", by: { account: "account" } }),
      ({ answer: { balance, shortfall, purchases } }) => ({ balance, shortfall, status: purchases[0]?.status }),
    ),
  )
  /** Rounds for so long; the chain grows by a block every two seconds, unless it stands still. */
  const rounds = (ms: number, grows = true) =>
    Effect.gen(function* () {
      for (let passed = 0; passed < ms; passed += ROUND_MS) {
        clock.nowMs += ROUND_MS
        if (grows) script.head += 5
        yield* TestClock.setTime(clock.nowMs)
        yield* Effect.exit(watcher.round)
      }
    })
  yield* TestClock.setTime(clock.nowMs)
  return { script, watcher, types, doubts, account, rounds, restart, memory }
})

/** A test of the scene. */
export const scenario = (
  name: string,
  run: (given: Effect.Success<typeof scene>) => Effect.Effect<void, unknown, Scope.Scope>,
) => it.effect(name, () => Effect.scoped(Effect.flatMap(scene, run)))

/** The events of the scene's purchase. */
export const credited = ["purchase.credited", "token.issued"]
