import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Command } from "../../../ledger/command.ts"
import type { StateStore } from "../../../ledger/state-store.port.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { foldLedger, stateRebuilds } from "../../../ledger/write/fold-log.ts"
import type { Ledger, LedgerOptions } from "../../../ledger/write/session.ts"
import { makeStateKeeper, startPosition, stateTables } from "../../../ledger/write/state-cache.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import {
  type CommitFailed,
  type EventLog,
  type FencedWriter,
  LogFull,
  LogUnavailable,
  OutcomeUnknown,
} from "../../../schemas/ports/event-log.ts"
import { makeMemoryLog } from "../../support/memory-log.ts"
import { debit, hashOf } from "./given.ts"
import { contentsOf, makeMemoryStore } from "./kept.ts"

const token = hashOf("token of a")
const grant = (credits: number): Command => ({
  _tag: "grant",
  account: "a",
  credits,
  operator: "jane",
  reason: "for a test",
  payment: null,
  token: { claimant: "grant/a", origin: "a", generation: 1, kid: "k1", hash: token },
})
const read: Command = { _tag: "readAccount", by: { account: "a" } }

type Committing = ReturnType<FencedWriter["commit"]>

/** A log whose next commits do what is asked of them. */
const faulty = (log: EventLog) => {
  const faults: Array<(commit: Committing) => Committing> = []
  const wrapped: EventLog = {
    ...log,
    claim: (writer, topics) =>
      Effect.map(log.claim(writer, topics), (claimed) => ({
        ...claimed,
        commit: (records) =>
          Effect.suspend(() => {
            const fault = faults.shift()
            return fault === undefined ? claimed.commit(records) : fault(claimed.commit(records))
          }),
      })),
  }
  return { log: wrapped, faults }
}

const lostReply = (commit: Committing) =>
  Effect.andThen(commit, Effect.fail(new OutcomeUnknown({ writer: "ledger", cause: "the reply was lost" })))
const lostRequest = () => Effect.fail(new OutcomeUnknown({ writer: "ledger", cause: "the request was lost" }))

/** Everything is written at once that may be, and next to nothing stays in memory. */
const stateLimits = { writeEveryMs: -1, heldMax: 1 }

const countRebuilds = Effect.promise(async () =>
  (await stateRebuilds.get()).values.reduce((sum, { value }) => sum + value, 0),
)

/** What was kept is what the log says up to there, never more. */
const expectKept = (log: EventLog, store: StateStore) =>
  Effect.gen(function* () {
    const keeper = makeStateKeeper(yield* store.hold(stateTables))
    const base = keeper?.base ?? startPosition
    const { state, tail } = yield* foldLedger(log, base.offset + 1)
    expect(base.sequence).toBeGreaterThan(0)
    expect(tail).toEqual({ sequence: base.sequence, hash: base.hash })
    expect(keeper && contentsOf(keeper.state)).toEqual(contentsOf(state))
  })

describe.each<readonly [string, () => StateStore | undefined]>([
  ["in memory", () => undefined],
  ["kept in a store", () => makeMemoryStore().store],
])("the writer of the ledger, its state %s", (_, makeState) => {
  const withLedger = <A, E>(
    use: (
      ledger: Ledger,
      memory: ReturnType<typeof makeMemoryLog>,
      faults: ReturnType<typeof faulty>["faults"],
    ) => Effect.Effect<A, E, Scope.Scope>,
    options: Partial<LedgerOptions> = {},
  ) =>
    Effect.gen(function* () {
      const memory = makeMemoryLog()
      const { log, faults } = faulty(memory.log)
      const state = makeState()
      const rebuilds = yield* countRebuilds
      const result = yield* Effect.scoped(
        Effect.gen(function* () {
          const ledger = yield* openLedger({ log, state, stateLimits, ...options })
          return yield* use(ledger, memory, faults)
        }),
      )
      expect(yield* verifyLedger(memory.log)).toMatchObject({ offence: null })
      if (state !== undefined) yield* expectKept(memory.log, state)
      // What the log may not hold is never kept: else it would not be of use now and then.
      expect(yield* countRebuilds).toBe(rebuilds)
      return result
    })

  it.live("refunds any number of overdue debits in commits of bounded size, before anything else is decided", () => {
    let clockMs = Date.now()
    return withLedger(
      (ledger, memory) =>
        Effect.gen(function* () {
          const open = 21_000
          yield* ledger.submit(grant(open))
          yield* Effect.all(
            Array.from({ length: open }, (_, n) => ledger.submit(debit(token, `d${n}`))),
            { concurrency: 5_000, discard: true },
          )
          clockMs += 60_000
          const before = memory.commits.length
          expect((yield* ledger.submit(read)).answer).toMatchObject({ balance: open })
          expect(memory.commits.slice(before).map(({ length }) => length)).toEqual([10_000, 10_000, 1_000])
        }),
      { nowMs: () => clockMs },
    )
  })

  it.live("answers 200 debits at once on 50 credits with 50, in groups", () =>
    withLedger((ledger, memory) =>
      Effect.gen(function* () {
        yield* ledger.submit(grant(50))
        const exits = yield* Effect.all(
          Array.from({ length: 200 }, (_, n) => Effect.exit(ledger.submit(debit(token, `d${n}`)))),
          { concurrency: "unbounded" },
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(50)
        expect(memory.commits.length).toBeLessThan(10)
        expect((yield* ledger.submit(read)).answer).toMatchObject({ balance: 0 })
      }),
    ),
  )

  it.live("returns the entries that it wrote, each chained to the one before", () =>
    withLedger((ledger, memory) =>
      Effect.gen(function* () {
        const granted = yield* ledger.submit(grant(2))
        const debited = yield* ledger.submit(debit(token, "d"))
        expect(granted.entries.map(({ sequence }) => sequence)).toEqual([1, 2])
        expect(debited.entries).toEqual([
          { sequence: 3, accountSequence: 3, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ])
        yield* ledger.submit({ _tag: "settle", debit: "d", noChargeReason: null })
        const data = memory.events("ledger").map((event) => event.data)
        expect(data[3]).toMatchObject({ sequence: 4, accountSequence: 4, previousHash: debited.entries[0]?.hash })
      }),
    ),
  )

  it.live("answers from the log after a lost reply: done once, and answered so", () =>
    withLedger((ledger, memory, faults) =>
      Effect.gen(function* () {
        yield* ledger.submit(grant(5))
        faults.push(lostReply)
        expect((yield* ledger.submit(debit(token, "d"))).answer).toMatchObject({ balance: 4 })
        expect((yield* ledger.submit(read)).answer).toMatchObject({ balance: 4 })
        expect(memory.events("ledger").filter(({ type }) => type === "credits.debited")).toHaveLength(1)
      }),
    ),
  )

  it.live("decides again when a request was lost", () =>
    withLedger((ledger, memory, faults) =>
      Effect.gen(function* () {
        yield* ledger.submit(grant(5))
        faults.push(lostRequest)
        expect((yield* ledger.submit(debit(token, "d"))).answer).toMatchObject({ balance: 4 })
        expect(memory.events("ledger").filter(({ type }) => type === "credits.debited")).toHaveLength(1)
      }),
    ),
  )

  it.live.each<readonly [CommitFailed["_tag"], CommitFailed, number]>([
    ["OutcomeUnknown", new OutcomeUnknown({ writer: "ledger", cause: "the reply was lost" }), 1],
    // As often as it is tried again.
    ["LogUnavailable", new LogUnavailable({ problem: "made so by a test", cause: null }), 50],
    ["LogFull", new LogFull({ problem: "made so by a test" }), 50],
  ])("takes a slow append for a proof: no other one follows, whose %s would undo it", ([, failure, times]) =>
    withLedger(
      (ledger, memory, faults) =>
        Effect.gen(function* () {
          yield* ledger.submit(grant(5))
          const before = memory.commits.length
          faults.push((commit) => Effect.delay(commit, "50 millis"))
          faults.push(...Array.from({ length: times }, () => () => Effect.fail(failure)))
          const [granted, asked] = yield* Effect.all([ledger.submit(grant(100)), ledger.submit(read)], {
            concurrency: "unbounded",
          })
          expect([granted.answer, asked.answer]).toMatchObject([{ balance: 105 }, { balance: 105 }])
          expect(memory.commits.slice(before)).toMatchObject([[{ topic: "ledger" }]])
          // None of them was met.
          expect(faults.splice(0)).toHaveLength(times)
          expect((yield* ledger.submit(read)).answer).toMatchObject({ balance: 105 })
          expect(memory.events("ledger").filter(({ type }) => type === "credits.granted")).toHaveLength(2)
        }),
      { proofMaxMs: 10 },
    ),
  )

  it.live("refuses while nothing can be written, forgets what was not, and goes on", () =>
    withLedger((ledger, memory) =>
      Effect.gen(function* () {
        yield* ledger.submit(grant(5))
        memory.failWith(new LogUnavailable({ problem: "made so by a test", cause: null }))
        const failed = yield* Effect.flip(ledger.submit(debit(token, "d")))
        expect(failed).toMatchObject({ _tag: "billing_unavailable", reason: "log" })
        memory.failWith(null)
        expect((yield* ledger.submit(read)).answer).toMatchObject({ balance: 5 })
        expect((yield* ledger.submit(debit(token, "d"))).answer).toMatchObject({ balance: 4 })
      }),
    ),
  )

  it.live("stops when another one takes over, and answers neither debits nor questions", () =>
    withLedger(
      (ledger, memory) =>
        Effect.gen(function* () {
          yield* ledger.submit(grant(5))
          const successor = yield* openLedger({ log: memory.log })
          yield* successor.submit(debit(token, "theirs"))
          expect(yield* Effect.flip(ledger.submit(read))).toMatchObject({ reason: "unknown" })
          expect(yield* Effect.flip(ledger.stopped)).toMatchObject({ _tag: "Fenced" })
          expect(yield* Effect.flip(ledger.submit(debit(token, "ours")))).toMatchObject({ reason: "stopped" })
          expect((yield* successor.submit(read)).answer).toMatchObject({ balance: 4 })
        }),
      { proofMaxMs: -1 },
    ),
  )

  it.live("keeps nothing of a group that it was not let write", () =>
    withLedger((ledger, memory) =>
      Effect.gen(function* () {
        yield* ledger.submit(grant(5))
        yield* openLedger({ log: memory.log })
        expect(yield* Effect.flip(ledger.submit(debit(token, "ours")))).toMatchObject({ reason: "unknown" })
        expect(yield* Effect.flip(ledger.stopped)).toMatchObject({ _tag: "Fenced" })
      }),
    ),
  )

  it.live("answers a question without an append only while the claim was just proved", () =>
    withLedger(
      (ledger, memory) =>
        Effect.gen(function* () {
          yield* ledger.submit(grant(5))
          const before = memory.commits.length
          yield* ledger.submit(read)
          yield* Effect.flip(ledger.submit(debit("0".repeat(64), "d")))
          expect(memory.commits.length).toBe(before)
        }),
      { proofMaxMs: 600_000 },
    ),
  )

  it.live("proves its claim with an empty append when the proof is old", () =>
    withLedger(
      (ledger, memory) =>
        Effect.gen(function* () {
          yield* ledger.submit(grant(5))
          const before = memory.commits.length
          yield* ledger.submit(read)
          expect(memory.commits.slice(before)).toEqual([[]])
        }),
      { proofMaxMs: -1 },
    ),
  )

  it.live("refuses what exceeds its queue, at once", () =>
    withLedger(
      (ledger) =>
        Effect.gen(function* () {
          yield* ledger.submit(grant(50))
          const exits = yield* Effect.all(
            Array.from({ length: 20 }, (_, n) => Effect.exit(ledger.submit(debit(token, `d${n}`)))),
            { concurrency: "unbounded" },
          )
          const failures = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [] : [Exit.findErrorOption(exit)]))
          expect(failures).toHaveLength(12)
          expect(failures[0]).toMatchObject({ value: { reason: "overloaded", retryAfterSeconds: 1 } })
        }),
      { queueCommandsMax: 8 },
    ),
  )

  it.live("gives back what was not settled in time, before anything else, and by itself when idle", () => {
    let nowMs = Date.parse("2026-08-17T12:00:00.000Z")
    return withLedger(
      (ledger, memory) =>
        Effect.gen(function* () {
          yield* ledger.submit(grant(5))
          yield* ledger.submit(debit(token, "old"))
          nowMs += 6 * 60_000
          const late = yield* Effect.flip(ledger.submit({ _tag: "settle", debit: "old", noChargeReason: null }))
          expect(late).toEqual({ _tag: "debit_refunded" })
          yield* ledger.submit(debit(token, "idle"))
          nowMs += 6 * 60_000
          const refunds = Effect.sync(() => memory.events("ledger").filter(({ type }) => type === "credits.refunded"))
          const seen = yield* refunds.pipe(
            Effect.repeat({ until: (all) => all.length === 2 }),
            Effect.timeout("20 seconds"),
          )
          expect(seen).toHaveLength(2)
        }),
      { nowMs: () => nowMs, lookEveryMs: 10 },
    )
  })

  it.live("folds what it wrote when it is opened again, and refuses those who wait when it is closed", () =>
    Effect.gen(function* () {
      const memory = makeMemoryLog()
      const state = makeState()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const ledger = yield* openLedger({ log: memory.log, state })
          yield* ledger.submit(grant(5))
          yield* ledger.submit(debit(token, "d"))
        }),
      )
      const pending = yield* Effect.scoped(
        Effect.gen(function* () {
          const ledger = yield* openLedger({ log: memory.log, state })
          expect((yield* ledger.submit(read)).answer).toMatchObject({ balance: 4 })
          return yield* Effect.forkDetach(Effect.flip(ledger.submit(debit(token, "e"))), { startImmediately: true })
        }),
      )
      expect(yield* Fiber.join(pending)).toMatchObject({ _tag: "billing_unavailable" })
    }),
  )
})
