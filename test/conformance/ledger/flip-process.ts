import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import { hashOf } from "./given.ts"

// A ledger in a process of its own, over a log and a state in the directories of its first two arguments. It funds as many
// accounts as its third says, where they are not there yet, reads each, and writes their balances. What was kept may be
// damaged so that the process dies of it.

const [path = "", statePath = "", accounts = ""] = process.argv.slice(2)

/** The token of the n-th account. */
const tokenOf = (n: number): string => hashOf(`token of account ${n}`)

const fund = (n: number) => {
  const account = `account ${n}`
  const token = { claimant: `grant/${account}`, origin: account, generation: 1, kid: "k1", hash: tokenOf(n) }
  return {
    _tag: "grant",
    account,
    credits: 1_000 + n,
    operator: "jane",
    reason: "a test",
    payment: null,
    token,
  } as const
}

const balances = Effect.gen(function* () {
  const log = yield* openLmdbLog({ path })
  const ends = yield* log.end("ledger")
  const ledger = yield* openLedger({
    log,
    state: yield* openLmdbState({ path: statePath }),
    stateLimits: { heldMax: 2 },
  })
  const numbers = Array.from({ length: Number(accounts) }, (_, n) => n)
  if (ends === 0) yield* Effect.forEach(numbers, (n) => ledger.submit(fund(n)), { concurrency: "unbounded" })
  return yield* Effect.forEach(numbers, (n) =>
    Effect.map(ledger.submit({ _tag: "readAccount", by: { token: tokenOf(n) } }), ({ answer }) => answer.balance),
  )
})

const held = await Effect.runPromise(Effect.scoped(balances).pipe(Effect.provide(Logger.layer([]))))
process.stdout.write(JSON.stringify(held))
