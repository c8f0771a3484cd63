import { join } from "node:path"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { foldLedger } from "../../../ledger/write/fold-log.ts"
import { makeStateKeeper, stateTables } from "../../../ledger/write/state-cache.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { debit, hashOf } from "./given.ts"
import { contentsOf } from "./kept.ts"

// A ledger of some accounts whose state is cached on disk.

export const ACCOUNTS = 40
export const tokenOf = (n: number): string => hashOf(`token of account ${n}`)
/** The file of the cache. */
export const FILE = "data.mdb"

/** Debits each account once, with ids of a prefix. */
export const spend = (log: EventLog, path: string, prefix: string, secrets?: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const state = yield* openLmdbState({ path, secrets })
      const ledger = yield* openLedger({ log, state, stateLimits: { heldMax: 2 } })
      for (let n = 0; n < ACCOUNTS; n++) yield* ledger.submit(debit(tokenOf(n), `${prefix}-${n}`))
      return yield* Effect.forEach(
        Array.from({ length: ACCOUNTS }, (_, n) => n),
        (n) =>
          Effect.map(ledger.submit({ _tag: "readAccount", by: { token: tokenOf(n) } }), ({ answer }) => answer.balance),
      )
    }),
  )

/** A ledger of some accounts, with its state kept in a directory. */
const funded = (log: EventLog, path: string, secrets?: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const state = yield* openLmdbState({ path, secrets })
      const ledger = yield* openLedger({ log, state })
      for (let n = 0; n < ACCOUNTS; n++) {
        const account = `account ${n}`
        const token = { claimant: `grant/${account}`, origin: account, generation: 1, kid: "k1", hash: tokenOf(n) }
        const grant = { credits: 1_000 + n, operator: "jane", reason: "a test", payment: null, token }
        yield* ledger.submit({ _tag: "grant", account, ...grant })
      }
    }),
  )

export const balances = (debits: number) => Array.from({ length: ACCOUNTS }, (_, n) => 1_000 + n - debits)

/** What the store holds equals the pure fold of the log up to where it stands. Gives where that is. */
export const expectSame = (log: EventLog, path: string, secrets?: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* openLmdbState({ path, secrets })
      const keeper = makeStateKeeper(yield* store.hold(stateTables))
      const { state } = yield* foldLedger(log, (keeper?.base?.offset ?? -1) + 1)
      expect(keeper && contentsOf(keeper.state)).toEqual(contentsOf(state))
      return keeper?.base?.sequence
    }),
  )

/** Runs with what is logged at hand. */
export const listening = <A, E, R>(use: (said: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  return use(said).pipe(Effect.provide(Logger.layer([logger])))
}

/** A funded ledger on a log in memory, whose cache lies in a directory of its own. */
export const sceneWith = Effect.fnUntraced(function* (secrets?: ReadonlyArray<string>) {
  const directory = yield* scopedDirectory
  const path = join(directory, "state")
  const { log } = makeMemoryLog()
  yield* funded(log, path, secrets)
  return { directory, path, file: join(path, FILE), log }
})
