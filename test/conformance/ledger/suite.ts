import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { openLmdbState } from "../../../infra/state/lmdb-state.ts"
import { readEntry } from "../../../ledger/model/entry.ts"
import { initialState } from "../../../ledger/model/state.ts"
import { verifyLedger } from "../../../ledger/verify/verify.ts"
import { foldLedger } from "../../../ledger/write/fold-log.ts"
import { LEDGER_WRITER } from "../../../ledger/write/session.ts"
import { makeStateKeeper, startPosition, stateTables } from "../../../ledger/write/state-cache.ts"
import { openLedger } from "../../../ledger/write/writer.ts"
import type { LedgerEntry } from "../../../schemas/events/ledger.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { spawnScript } from "../../support/script-process.ts"
import { DEADLINE_MS, type MakeHarness, openAdapter, rounds, until } from "../log/harness.ts"
import { debit, MINUTE_MS } from "./given.ts"
import { contentsOf, STATE_SECRETS } from "./kept.ts"
import { ACCOUNT, type LedgerOrder, type LedgerReport, type LedgerSpec, TOKEN } from "./ledger-process.ts"

const CRASH_ROUNDS = rounds(3)
const CALLERS = 64
/** Rounds of one log: each proves all that stands there, so that many would take as long as the square of their number. */
const LOG_ROUNDS = 20
/** Settled calls that a round waits for before it kills: each another number, so that kills fall at various moments. */
const settledBeforeKill = (round: number): number => 30 + ((round * 137) % 500)

interface LedgerProcess {
  readonly send: (order: LedgerOrder) => void
  readonly reports: ReadonlyArray<LedgerReport>
  readonly said: (said: LedgerReport["said"], count?: number) => Effect.Effect<void>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Effect.Effect<void>
}

const spawnLedger = (spec: LedgerSpec): Effect.Effect<LedgerProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const reports: Array<LedgerReport> = []
    const child = yield* spawnScript(new URL("ledger-process.ts", import.meta.url), spec, (line) => {
      // A log line of the process is not a report.
      if (line.startsWith("{")) reports.push(JSON.parse(line))
    })
    const ledger: LedgerProcess = {
      send: child.send,
      reports,
      said: (said, count = 1) =>
        until(
          `${count} x ${said}`,
          Effect.sync(() => reports.filter((report) => report.said === said).length >= count),
        ),
      signal: child.signal,
      exited: until("the end of the process", Effect.sync(child.hasEnded)),
    }
    yield* ledger.said("ready")
    return ledger
  })

/**
 * Waits until a ledger has said something so often, beside one that is stopped. Stopped in the midst of a commit, that
 * one may hold the embedded log's one lock: while nothing moves, it goes on for a moment.
 */
const saidBeside = (
  working: LedgerProcess,
  stopped: LedgerProcess,
  kind: LedgerReport["said"],
  times: number,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    let before = -1
    for (;;) {
      yield* Effect.sleep("300 millis")
      const count = working.reports.filter(({ said }) => said === kind).length
      if (count >= times) return
      const moves = count > before
      before = count
      if (moves) continue
      stopped.signal("SIGCONT")
      yield* Effect.sleep("3 millis")
      stopped.signal("SIGSTOP")
    }
  })

/** A directory for the state of one process; null where it is to stay in memory. */
const makeStatePath = (kept: boolean): Effect.Effect<string | null, never, Scope.Scope> =>
  kept ? scopedDirectory : Effect.succeed(null)

/**
 * What a process has kept is sealed, equals the pure fold up to where it stands, and says so. Gives where that is. The store
 * cannot be held where its digest is another.
 */
const expectKeptState = (log: EventLog, path: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* openLmdbState({ path, secrets: STATE_SECRETS })
      const keeper = makeStateKeeper(yield* store.hold(stateTables))
      const base = keeper?.base ?? startPosition
      const { state, tail } = yield* foldLedger(log, base.offset + 1)
      expect(contentsOf(keeper?.state ?? initialState())).toEqual(contentsOf(state))
      expect(tail).toEqual({ sequence: base.sequence, hash: base.hash })
      return base.sequence
    }),
  )

/** Opens the ledger here, with a clock that stands some time ahead. */
const openAhead = (log: EventLog, aheadMs: number, statePath: string | null) =>
  Effect.gen(function* () {
    const state = statePath === null ? undefined : yield* openLmdbState({ path: statePath, secrets: STATE_SECRETS })
    return yield* openLedger({ log, state, nowMs: () => Date.now() + aheadMs })
  })

const fund = (log: EventLog, credits: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const ledger = yield* openLedger({ log })
      yield* ledger.submit({
        _tag: "grant",
        account: ACCOUNT,
        credits,
        operator: "jane",
        reason: "for a test",
        payment: null,
        token: { claimant: `grant/${ACCOUNT}`, origin: ACCOUNT, generation: 1, kid: "k1", hash: TOKEN },
      })
    }),
  )

/**
 * Every entry. The ledger is claimed first: what its last writer has committed may take a moment to be seen by who only
 * reads, and a claim waits for it.
 */
const entriesOf = (log: EventLog) =>
  Effect.scoped(log.claim(LEDGER_WRITER, ["ledger"])).pipe(
    Effect.retry({ times: 20 }),
    Effect.andThen(log.read("ledger", 0).pipe(Stream.runCollect)),
    Effect.map((batches) =>
      batches.flatMap(({ records }) => records.map(({ value }) => Result.getOrThrow(readEntry(value)))),
    ),
  )

/** How often each debit was made, settled and refunded. */
const countDebits = (entries: ReadonlyArray<LedgerEntry>) => {
  const counts = new Map<string, { debited: number; settled: number; refunded: number }>()
  for (const { type, data } of entries) {
    if (type !== "credits.debited" && type !== "debit.settled" && type !== "credits.refunded") continue
    const count = counts.get(data.debit) ?? { debited: 0, settled: 0, refunded: 0 }
    counts.set(data.debit, count)
    if (type === "credits.debited") count.debited += 1
    else if (type === "debit.settled") count.settled += 1
    else count.refunded += 1
  }
  return counts
}

const expectVerified = (log: EventLog) =>
  Effect.gen(function* () {
    expect(yield* verifyLedger(log)).toMatchObject({ offence: null })
  })

/** What was answered stands in the log exactly once, and nothing stands there twice. */
const expectKept = (log: EventLog, reports: ReadonlyArray<LedgerReport>) =>
  Effect.gen(function* () {
    const counts = countDebits(yield* entriesOf(log))
    for (const [id, { debited, settled, refunded }] of counts)
      expect({ id, debited, ended: settled + refunded > 1 }).toEqual({ id, debited: 1, ended: false })
    for (const report of reports) {
      if (report.said === "settled") expect(counts.get(report.id)).toEqual({ debited: 1, settled: 1, refunded: 0 })
      if (report.said === "debited") expect(counts.get(report.id)?.debited).toBe(1)
    }
    yield* expectVerified(log)
    return counts
  })

/** Options of a run of the suite. */
export interface SuiteOptions {
  /** Why this engine cannot run here: the suite is then skipped, under a name that says so. */
  readonly missing?: string | undefined
  /** Whether processes keep their state on disk. */
  readonly keepsState?: boolean
}

/** Holds the ledger's writer, over a log, to what it promises. */
export const ledgerConformance = (name: string, makeHarness: MakeHarness, options: SuiteOptions = {}): void => {
  const { missing, keepsState = false } = options
  describeUnless(missing, `ledger on ${name}`, () => {
    it.live("serves exactly 50 of 200 parallel debits on a balance of 50", () =>
      Effect.gen(function* () {
        const log = yield* openAdapter((yield* makeHarness).adapter)
        yield* fund(log, 50)
        const ledger = yield* openLedger({ log })
        const exits = yield* Effect.all(
          Array.from({ length: 200 }, (_, n) => Effect.exit(ledger.submit(debit(TOKEN, `d${n}`)))),
          { concurrency: "unbounded" },
        )
        const refusals = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [] : [Exit.findErrorOption(exit)]))
        expect(refusals).toHaveLength(150)
        for (const refusal of refusals) expect(refusal).toMatchObject({ value: { _tag: "insufficient_credits" } })
        const { answer } = yield* ledger.submit({ _tag: "readAccount", by: { token: TOKEN } })
        expect(answer).toMatchObject({ balance: 0 })
        yield* expectVerified(log)
      }),
    )

    it.live(
      `killed at any moment under ${CALLERS} callers, has settled once what it answered, and gives back the rest (${CRASH_ROUNDS} rounds)`,
      () =>
        Effect.gen(function* () {
          let kept = 0
          const begin = Effect.gen(function* () {
            const harness = yield* makeHarness
            yield* Effect.scoped(Effect.flatMap(openAdapter(harness.adapter), (log) => fund(log, 10_000_000)))
            return { ...harness, statePath: yield* makeStatePath(keepsState), reports: [] as LedgerReport[] }
          })
          let life = yield* begin
          for (let round = 0; round < CRASH_ROUNDS; round++) {
            if (round > 0 && round % LOG_ROUNDS === 0) life = yield* begin
            const { adapter, restartEngine, statePath, reports } = life
            const child = yield* spawnLedger({ log: adapter, statePath })
            child.send({ do: "open" })
            yield* child.said("opened")
            child.send({ do: "pump", prefix: `${round}`, callers: CALLERS })
            yield* child.said("settled", settledBeforeKill(round))
            const engineKilled = restartEngine !== undefined && round % 3 === 1
            if (engineKilled) {
              yield* restartEngine
              // It rides out the outage, or stops with an error; the log is authoritative.
              const before = child.reports.filter(({ said }) => said === "settled").length
              yield* until(
                "calls after the engine's restart",
                Effect.sync(
                  () =>
                    child.reports.filter(({ said }) => said === "settled").length >= before + CALLERS ||
                    child.reports.some(({ said }) => said === "stopped"),
                ),
              )
            }
            child.signal("SIGKILL")
            yield* child.exited
            reports.push(...child.reports)
            const errors = child.reports.flatMap((report) => (report.said === "failed" ? [report.error] : []))
            // What waits too long behind a slow engine is refused, which charges nothing.
            expect(errors.filter((error) => error !== "billing_unavailable")).toEqual([])
            yield* Effect.scoped(
              Effect.gen(function* () {
                const log = yield* openAdapter(adapter)
                yield* expectKept(log, reports)
                if (statePath !== null) kept = Math.max(kept, yield* expectKeptState(log, statePath))
                const ledger = yield* openAhead(log, (round + 1) * 6 * MINUTE_MS, statePath)
                const { answer } = yield* ledger.submit({ _tag: "readAccount", by: { account: ACCOUNT } })
                const counts = yield* expectKept(log, reports)
                let settledCalls = 0
                for (const { settled, refunded } of counts.values()) {
                  expect(settled + refunded).toBe(1)
                  settledCalls += settled
                }
                expect(answer).toMatchObject({ balance: 10_000_000 - settledCalls, spent: settledCalls })
              }),
            )
          }
          if (keepsState) expect(kept).toBeGreaterThan(0)
        }),
      DEADLINE_MS + CRASH_ROUNDS * 20_000,
    )

    for (const [name, isFrozen] of [
      ["taken over while it works, stops; each call was answered by one of the two", false],
      ["stopped, taken over and woken up, answers nothing that the log does not say", true],
    ] as const)
      it.live(
        name,
        () =>
          Effect.gen(function* () {
            const { adapter } = yield* makeHarness
            const log = yield* openAdapter(adapter)
            yield* fund(log, 10_000_000)
            const spawned = Effect.flatMap(makeStatePath(keepsState), (statePath) =>
              spawnLedger({ log: adapter, statePath }),
            )
            const [first, second] = [yield* spawned, yield* spawned]
            first.send({ do: "open" })
            yield* first.said("opened")
            first.send({ do: "pump", prefix: "first", callers: CALLERS })
            yield* first.said("settled", 50)
            if (isFrozen) first.signal("SIGSTOP")
            second.send({ do: "open" })
            yield* isFrozen ? saidBeside(second, first, "opened", 1) : second.said("opened")
            second.send({ do: "pump", prefix: "second", callers: CALLERS })
            if (isFrozen) {
              yield* saidBeside(second, first, "settled", 100)
              first.signal("SIGCONT")
            }
            yield* first.said("stopped")
            yield* second.said("settled", 200)
            second.signal("SIGKILL")
            yield* second.exited
            expect(first.reports).toContainEqual({ said: "stopped", error: "Fenced" })
            yield* expectKept(log, [...first.reports, ...second.reports])
          }),
        2 * DEADLINE_MS,
      )

    it.live("is red where one byte was changed by hand, and names the entry", () =>
      Effect.gen(function* () {
        const log = yield* openAdapter((yield* makeHarness).adapter)
        yield* fund(log, 50)
        const ledger = yield* openLedger({ log })
        for (let n = 0; n < 5; n++) yield* ledger.submit(debit(TOKEN, `d${n}`))
        const { tail, entries } = yield* verifyLedger(log)
        const records = (yield* Stream.runCollect(log.read("ledger", 0))).flatMap((batch) => batch.records)
        for (const [index, at] of [0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.6].entries()) {
          const copy = yield* openAdapter((yield* makeHarness).adapter)
          const writer = yield* copy.claim("ledger", ["ledger"])
          const changed = records.map(({ key, value }, place) => {
            const bytes = Uint8Array.from(value ?? [])
            const position = Math.floor(at * bytes.length)
            if (place === index) bytes[position] = (bytes[position] ?? 0) ^ 1
            return { topic: "ledger" as const, key, value: bytes }
          })
          yield* writer.commit(changed)
          expect(yield* verifyLedger(copy)).toMatchObject({ offence: { sequence: index + 1 } })
        }
        // No hash covers the key of a record.
        const moved = yield* openAdapter((yield* makeHarness).adapter)
        const writer = yield* moved.claim("ledger", ["ledger"])
        yield* writer.commit(
          records.map(({ key, value }, place) => ({
            topic: "ledger" as const,
            key: place === 3 ? "another account" : key,
            value,
          })),
        )
        expect(yield* verifyLedger(moved)).toMatchObject({
          offence: { sequence: 4, problem: expect.stringContaining("the key of its record is another account") },
        })
        expect(entries).toBe(7)
        expect(yield* verifyLedger(log, tail)).toMatchObject({ offence: null })
      }),
    )
  })
}
