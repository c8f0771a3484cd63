import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeStatus } from "../../infra/parts/part.ts"
import { holdLedger } from "../../infra/roles/ledger-holder.ts"
import type { LedgerClient } from "../../ledger/client.ts"
import type { Command, Confirm } from "../../ledger/command.ts"
import { verifyLedger } from "../../ledger/verify/verify.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import {
  address,
  claimKeyHash,
  confirm,
  hashOf,
  NOON_MS,
  transaction,
  transfer,
  word,
} from "../conformance/ledger/given.ts"
import { eventually } from "../support/eventually.ts"
import { makeMemoryLog } from "../support/memory-log.ts"

// There is one writer: what makes it stumble would stop everybody.

const buyer = address("buyer")

const scoped = (): Scope.Closeable => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return scope
}
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(effect.pipe(Scope.provide(scoped())))
const submit = (ledger: LedgerClient, command: Command) => Effect.runPromise(Effect.result(ledger.submit(command)))

/** A payment whose block has a time, claimed with the token that fits. */
const claimAt = (name: string, atMs: number): Confirm => {
  const paid = transaction(name, [transfer(buyer, 1_000_000)], { block: { hash: word(name), number: 1, atMs } })
  const wanted = { claimant: `payer/${buyer}/${claimKeyHash}`, origin: `8453/${paid.hash}`, generation: 1 }
  return confirm(paid, { signer: buyer, newAccount: name, token: { ...wanted, kid: "k1", hash: hashOf(name) } })
}
const readOf = (account: string): Command => ({ _tag: "readAccount", by: { account } })

describe("a command that cannot be decided", () => {
  it("is refused by itself, and those beside it and after it are served", async () => {
    const { log } = makeMemoryLog()
    const ledger = await run(openLedger({ log, nowMs: () => NOON_MS }))
    // A time that no date can represent, as a broken provider of the chain may send it.
    const outcomes = await Promise.all(
      [claimAt("before", NOON_MS), claimAt("poison", 9e18), claimAt("beside", NOON_MS)].map((one) =>
        submit(ledger, one),
      ),
    )
    expect(outcomes.map((one) => (Result.isSuccess(one) ? "accepted" : one.failure._tag))).toEqual([
      "accepted",
      "invalid_command",
      "accepted",
    ])
    expect(await submit(ledger, readOf("beside"))).toMatchObject({ success: { answer: { balance: 50 } } })
    expect(await Effect.runPromise(verifyLedger(log))).toMatchObject({ offence: null, purchases: 2 })
  })
})

/** A log that throws an unforeseen exception, once. */
const breaking = (log: EventLog) => {
  let breaks = false
  const broken: EventLog = {
    ...log,
    claim: (...asked) =>
      Effect.map(log.claim(...asked), (writer) => ({
        ...writer,
        commit: (records) =>
          Effect.suspend(() => {
            if (!breaks) return writer.commit(records)
            breaks = false
            return Effect.die(new Error("an unforeseen exception"))
          }),
      })),
  }
  const next = () => {
    breaks = true
  }
  return { log: broken, next }
}

describe("a mistake of ours in the writer", () => {
  it("fails the waiting commands, and stops the ledger with an error", async () => {
    const { log, next } = breaking(makeMemoryLog().log)
    const ledger = await run(openLedger({ log, nowMs: () => NOON_MS }))
    next()
    expect(await submit(ledger, claimAt("one", NOON_MS))).toMatchObject({
      failure: { _tag: "billing_unavailable", reason: "unknown" },
    })
    const stopped = await Effect.runPromise(Effect.flip(ledger.stopped))
    expect(stopped).toMatchObject({ _tag: "LedgerBroken", problem: "Error: an unforeseen exception" })
    expect(await submit(ledger, readOf("one"))).toMatchObject({ failure: { reason: "stopped" } })
  })

  it("does not keep the process from holding the ledger again", async () => {
    const { log, next } = breaking(makeMemoryLog().log)
    const holder = holdLedger({ log, status: makeStatus(), nowMs: () => NOON_MS })
    const fiber = Effect.runFork(holder.run)
    onTestFinished(() => Effect.runPromise(Fiber.interrupt(fiber)))
    await eventually("the ledger is held", () => holder.active())
    next()
    expect(await submit(holder.client, claimAt("one", NOON_MS))).toMatchObject({ failure: { reason: "unknown" } })
    const outcomes = await eventually("the ledger is held again", async () => {
      const one = await submit(holder.client, claimAt("two", NOON_MS))
      return Result.isSuccess(one) ? one.success.answer : undefined
    })
    expect(outcomes).toMatchObject({ balance: 50 })
  })
})
