import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import type { BillingUnavailable, Refusal } from "../../../ledger/refusal.ts"
import type { Ledger } from "../../../ledger/write/session.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { type AdapterSpec, openAdapter } from "../log/harness.ts"
import { debit, hashOf } from "./given.ts"
import { STATE_SECRETS } from "./kept.ts"

// The ledger in a process of its own, for tests that kill or stop it: opens the log and the state of the spec in its argument, and the
// ledger on request. It writes synchronously, so that its last line is complete even if it is killed next.

/** What the process opens: its log, and where it keeps its state; in memory where that is null. */
export interface LedgerSpec {
  readonly log: AdapterSpec
  readonly statePath: string | null
}

/** A command to the process, one JSON object a line. */
export type LedgerOrder =
  | { readonly do: "open" }
  /** Callers that debit one credit and settle it, again and again, until they are refused or the ledger has stopped. */
  | { readonly do: "pump"; readonly prefix: string; readonly callers: number }

/** What the process says, one JSON object a line. */
export type LedgerReport =
  | { readonly said: "ready" }
  | { readonly said: "opened" }
  | { readonly said: "debited" | "settled"; readonly id: string; readonly sequence: number }
  | { readonly said: "failed"; readonly id: string; readonly error: string }
  | { readonly said: "stopped"; readonly error: string }

/** The account that all callers spend from, and its token. */
export const ACCOUNT = "a"
export const TOKEN = hashOf("token of a")

const REFUSED_PAUSE_MS = 100

const say = (report: LedgerReport) => writeSync(1, `${JSON.stringify(report)}\n`)

const pump = async (ledger: Ledger, prefix: string, callers: number) => {
  let next = 0
  /** Whether the call was served. One that was refused because the log is away is followed by another, after a while. */
  const call = async (id: string): Promise<boolean> => {
    const debited = await Effect.runPromise(Effect.result(ledger.submit(debit(TOKEN, id))))
    if (Result.isFailure(debited)) return goesOn(id, debited.failure)
    say({ said: "debited", id, sequence: debited.success.entries[0]?.sequence ?? -1 })
    const settled = await Effect.runPromise(
      Effect.result(ledger.submit({ _tag: "settle", debit: id, noChargeReason: null })),
    )
    if (Result.isFailure(settled)) return goesOn(id, settled.failure)
    say({ said: "settled", id, sequence: settled.success.entries[0]?.sequence ?? -1 })
    return true
  }
  const goesOn = async (id: string, error: Refusal | BillingUnavailable): Promise<boolean> => {
    say({ said: "failed", id, error: error._tag })
    if (error._tag !== "billing_unavailable" || error.reason === "stopped") return false
    await sleep(REFUSED_PAUSE_MS)
    return true
  }
  const caller = async () => {
    while (await call(`${prefix}-${next++}`));
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

const main = async () => {
  const { log: spec, statePath }: LedgerSpec = JSON.parse(process.argv[2] ?? "")
  const scope = Scope.makeUnsafe()
  const log = await Effect.runPromise(openAdapter(spec).pipe(Scope.provide(scope)))
  const state =
    statePath === null
      ? undefined
      : await Effect.runPromise(openLmdbState({ path: statePath, secrets: STATE_SECRETS }).pipe(Scope.provide(scope)))
  let ledger: Ledger | undefined
  say({ said: "ready" })
  for await (const line of createInterface({ input: process.stdin })) {
    const order: LedgerOrder = JSON.parse(line)
    if (order.do === "open") {
      ledger = await Effect.runPromise(
        openLedger({ log, state, stateLimits: { writeEveryMs: 1, heldMax: 2 } }).pipe(Scope.provide(scope)),
      )
      Effect.runFork(
        ledger.stopped.pipe(Effect.catch((error) => Effect.sync(() => say({ said: "stopped", error: error._tag })))),
      )
      say({ said: "opened" })
    } else if (ledger !== undefined) void pump(ledger, order.prefix, order.callers)
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
}

if (import.meta.main) await main()
