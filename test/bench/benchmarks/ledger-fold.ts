import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import type { LogRecord } from "../../../infra/log/event-log.port.ts"
import { openLmdbLog } from "../../../infra/log/lmdb.ts"
import type { Command } from "../../../ledger/command.ts"
import { decide } from "../../../ledger/decide.ts"
import { firstTail, seal } from "../../../ledger/entry.ts"
import { evolve } from "../../../ledger/evolve.ts"
import { foldLedger } from "../../../ledger/session.ts"
import { initialState } from "../../../ledger/state.ts"
import { verifyLedger } from "../../../ledger/verify.ts"
import { benchmark, interleaved } from "../benchmark.ts"

const EVENTS = 1_000_000
const ACCOUNTS = 10_000
const COMMIT_RECORDS = 1_000
const ROUNDS = 3
const BEGIN_MS = Date.parse("2026-08-17T12:00:00.000Z")

const hex = (n: number): string => n.toString(16).padStart(64, "0")

/** A ledger of accounts that were funded once, and then called and settled in turn: one entry each millisecond. */
function* ledgerRecords(): Generator<LogRecord> {
  const state = initialState()
  let tail = firstTail
  function* happen(command: Command, nowMs: number): Generator<LogRecord> {
    const decided = decide(state, command, nowMs)
    if (decided._tag === "Failure") throw new Error(`refused: ${decided.failure._tag}`)
    for (const event of decided.success.events) {
      evolve(state, event, nowMs)
      const id = `019a7c1e-5f2a-7c3b-9d4e-0123456789ab/${tail.sequence}`
      const sealed = seal(event, tail, state, id, nowMs)
      tail = sealed.tail
      yield sealed.record
    }
  }
  const token = (account: string, n: number) =>
    ({ claimant: `grant/${account}`, origin: account, generation: 1, kid: "k1", hash: hex(n) }) as const
  for (let n = 0; n < ACCOUNTS; n++) {
    const account = `019a7c1e-5f2a-7c3b-9d4e-${hex(n).slice(-12)}`
    const grant = { _tag: "grant", account, credits: 1_000, operator: "jane", reason: "bench", payment: null } as const
    yield* happen({ ...grant, token: token(account, n) }, BEGIN_MS + tail.sequence)
  }
  for (let n = 0; tail.sequence < EVENTS; n++) {
    const debit = `019a7c1f-5f2a-7c3b-9d4e-${hex(n).slice(-12)}`
    const call = { credits: 1, purpose: "/api/pro/briefing", debit, idempotency: null }
    yield* happen({ _tag: "debit", token: hex(n % ACCOUNTS), ...call }, BEGIN_MS + tail.sequence)
    yield* happen({ _tag: "settle", debit, noChargeReason: null }, BEGIN_MS + tail.sequence)
  }
}

const seconds = async (work: Effect.Effect<number, unknown>): Promise<number> => {
  const begun = performance.now()
  const events = await Effect.runPromise(work)
  if (events !== EVENTS) throw new Error(`${events} of ${EVENTS} events were read`)
  return (performance.now() - begun) / 1000
}

/** What a start of the ledger does without a cache: read, parse, upcast and fold every entry. */
export const ledgerFold = benchmark({
  name: "ledger-fold",
  title: `fold of ${EVENTS.toLocaleString("en-US")} ledger events over ${ACCOUNTS.toLocaleString("en-US")} accounts, embedded log`,
  budget: [{ label: "fold", of: "value", atMost: 5 }],
  run: async () => {
    const path = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    try {
      return await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const log = yield* openLmdbLog({ path })
            const writer = yield* log.claim("ledger", ["ledger"])
            let bytes = 0
            let group: Array<LogRecord> = []
            for (const record of ledgerRecords()) {
              group.push(record)
              bytes += record.value?.length ?? 0
              if (group.length < COMMIT_RECORDS) continue
              yield* writer.commit(group)
              group = []
            }
            yield* writer.commit(group)
            const read = log.read("ledger", 0).pipe(
              Stream.runFold(
                () => 0,
                (count, { records }) => count + records.length,
              ),
            )
            const parse = log.read("ledger", 0).pipe(
              Stream.runFold(
                () => 0,
                (count, { records }) => {
                  const decoder = new TextDecoder()
                  for (const { value } of records) JSON.parse(decoder.decode(value ?? new Uint8Array()))
                  return count + records.length
                },
              ),
            )
            const fold = Effect.map(foldLedger(log, Number.MAX_SAFE_INTEGER), ({ tail }) => tail.sequence)
            const verify = Effect.map(verifyLedger(log), ({ entries, offence }) => (offence === null ? entries : 0))
            const figures = yield* Effect.promise(() =>
              interleaved(ROUNDS, {
                read: () => seconds(read),
                parse: () => seconds(parse),
                fold: () => seconds(fold),
                verify: () => seconds(verify),
              }),
            )
            return [
              { label: "bytes of an entry", value: bytes / EVENTS, unit: "bytes" },
              { label: "read", value: figures.read, unit: "s" },
              { label: "read and parse", value: figures.parse, unit: "s" },
              { label: "fold", value: figures.fold, unit: "s", ratioTo: "read and parse" },
              { label: "verify", value: figures.verify, unit: "s", ratioTo: "fold" },
            ]
          }),
        ),
      )
    } finally {
      await rm(path, { recursive: true, force: true })
    }
  },
})
