import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { LEDGER_WRITER } from "../../../ledger/write/session.ts"
import { serve } from "../../bench/premium-http/processes.ts"
import { endAll } from "../../bench/processes.ts"
import { runCallers } from "../../support/callers.ts"
import { eventually } from "../../support/eventually.ts"
import { booksOf } from "../../support/ledger-books.ts"
import { askPremium, receiptReader } from "../../support/premium-callers.ts"
import { open } from "../log/kafka-quiet.ts"
import type { ClusterUnderTest } from "./cluster-under-test.ts"
import type { ClusterFault } from "./faults.ts"

const CALLERS = 64
/** Calls that are served before, during and after each fault. */
const SERVED_BETWEEN = 200
const REFUSED_PAUSE_MS = 50

/** The counts of a run. */
export interface PremiumResult {
  readonly calls: number
  readonly charged: number
  /** Calls without a complete reply, or with a refusal. */
  readonly unanswered: number
}

/** Calls the premium API, whose ledger is on the cluster, while faults are applied; then compares the replies with the log. */
export const premiumUnderFaults = (
  under: ClusterUnderTest,
  run: { readonly faults: ReadonlyArray<ClusterFault>; readonly pauseMs: number },
): Effect.Effect<PremiumResult, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const cluster = under.cluster()
    const options = yield* Effect.promise(() => under.makeLog())
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => serve("premium", options)),
      (running) => Effect.promise(() => endAll([running])),
    )
    const outcomes = yield* Effect.promise(async () => {
      const call = { path: server.path, token: server.token, account: "bench", key: null }
      let served = 0
      const callers = runCallers({
        count: CALLERS,
        next: () => [call],
        ask: async (one) => {
          const outcome = await askPremium(server.address, one)
          if (outcome !== null && outcome.reply !== null) served += 1
          return outcome
        },
        isServed: ({ reply }) => reply !== null,
        pauseMs: REFUSED_PAUSE_MS,
      })
      const progress = async () => {
        const before = served
        await eventually("calls are served", () => served >= before + SERVED_BETWEEN)
      }
      try {
        for (const fault of run.faults) {
          await progress()
          await fault.apply({ cluster, prefix: options.topicPrefix, progress, pauseMs: run.pauseMs })
          await cluster.heal()
        }
        await progress()
      } finally {
        await callers.stop()
      }
      return callers.stop()
    })
    const jwks = yield* Effect.promise(async () =>
      (await fetch(new URL("/.well-known/jwks.json", server.address))).json(),
    )
    const readReceipt = yield* Effect.promise(() => receiptReader(jwks))

    const log = yield* open(options)
    // The claim waits for what the server has committed; it has answered everything.
    yield* Effect.scoped(log.claim(LEDGER_WRITER, ["ledger"])).pipe(Effect.retry({ times: 20 }))
    const books = yield* booksOf(log)
    const answered = new Set<string>()
    for (const { reply } of outcomes) {
      if (reply === null) continue
      const { entry, credits } = yield* Effect.promise(() => readReceipt(reply))
      expect({ charged: reply.charged, credits }).toEqual({ charged: 1, credits: 1 })
      const debit = entry === null ? undefined : books.debitAt(entry.accountSequence, entry.hash)
      expect(debit).toMatchObject({ made: 1, settled: 1, refunded: 0, charged: 1 })
      answered.add(debit?.id ?? "")
    }
    const charged = outcomes.filter(({ reply }) => reply !== null).length
    // Each reply has a debit of its own, and a charge without a reply belongs to a call that got none.
    expect(answered.size).toBe(charged)
    const settled = [...books.debits.values()].filter((debit) => debit.charged > 0).length
    const unanswered = outcomes.length - charged
    expect(settled - charged).toBeLessThanOrEqual(unanswered)
    for (const { made, settled, refunded } of books.debits.values())
      expect({ made, endsOnce: settled + refunded <= 1 }).toEqual({ made: 1, endsOnce: true })
    expect(yield* verifyLedger(log)).toMatchObject({ offence: null })
    return { calls: outcomes.length, charged, unanswered }
  })
