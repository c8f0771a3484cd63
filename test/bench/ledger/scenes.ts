import * as Effect from "effect/Effect"
import type { Command } from "../../../ledger/command.ts"
import { decide, evolve } from "../../../ledger/model/decider.ts"
import { firstTail, type LedgerEvent, makeEntry } from "../../../ledger/model/entry.ts"
import { initialState } from "../../../ledger/model/state.ts"
import type { CommitFailed, EventLog, LogRecord } from "../../../schemas/ports/event-log.ts"

const COMMIT_RECORDS = 1_000
/** A recent time: at a start without a witness, a ledger refuses a clock a month ahead of its last entry. */
const BEGIN_MS = Date.now() - 24 * 3_600_000

/** The hash of the n-th account's token. */
export const hashOf = (n: number): string => n.toString(16).padStart(64, "0")

const accountOf = (n: number): string => `019a7c1e-5f2a-7c3b-9d4e-${hashOf(n).slice(-12)}`

/** The entries that open the n-th account: an operator's grant, and a token. */
export const openingOf = (n: number): readonly [LedgerEvent, LedgerEvent] => {
  const account = accountOf(n)
  const { claimant, origin, generation, kid, hash } = tokenOf(n)
  return [
    { type: "credits.granted", data: { account, credits: 1_000, operator: "jane", reason: "bench", payment: null } },
    {
      type: "token.issued",
      data: {
        account,
        tokenHash: hash,
        kid,
        generation,
        claimant,
        origin,
        opener: { by: "operator" },
        reissue: null,
      },
    },
  ]
}

const tokenOf = (n: number) => ({
  claimant: `grant/${accountOf(n)}`,
  origin: accountOf(n),
  generation: 1,
  kid: "k1",
  hash: hashOf(n),
})

/** A ledger of accounts that are funded once, then debited and settled in rotation: one entry each millisecond. */
function* ledgerRecords(events: number, accounts: number): Generator<LogRecord> {
  const state = initialState()
  let tail = firstTail
  function* happen(command: Command, nowMs: number): Generator<LogRecord> {
    const decided = decide(state, command, nowMs)
    if (decided._tag === "Failure") throw new Error(`refused: ${decided.failure._tag}`)
    for (const event of decided.success.events) {
      evolve(state, event, nowMs)
      const id = `019a7c1e-5f2a-7c3b-9d4e-0123456789ab/${tail.sequence}`
      const entry = makeEntry(event, tail, state, id, nowMs)
      tail = entry.tail
      yield entry.record
    }
  }
  for (let n = 0; n < accounts; n++) {
    const grant = { credits: 1_000, operator: "jane", reason: "bench", payment: null, token: tokenOf(n) }
    yield* happen({ _tag: "grant", account: accountOf(n), ...grant }, BEGIN_MS + tail.sequence)
  }
  for (let n = 0; tail.sequence < events; n++) {
    const debit = `019a7c1f-5f2a-7c3b-9d4e-${hashOf(n).slice(-12)}`
    const call = { credits: 1, purpose: "/api/pro/briefing", debit, mayEndFree: false, idempotency: null }
    yield* happen({ _tag: "debit", token: hashOf(n % accounts), ...call }, BEGIN_MS + tail.sequence)
    yield* happen({ _tag: "settle", debit, noChargeReason: null }, BEGIN_MS + tail.sequence)
  }
}

/** Writes a ledger of so many entries over so many accounts into an empty log. Gives its bytes. */
export const writeLedger = (log: EventLog, events: number, accounts: number): Effect.Effect<number, CommitFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* Effect.orDie(log.claim("ledger", ["ledger"]))
      let bytes = 0
      let group: Array<LogRecord> = []
      for (const record of ledgerRecords(events, accounts)) {
        group.push(record)
        bytes += record.value?.length ?? 0
        if (group.length < COMMIT_RECORDS) continue
        yield* writer.commit(group)
        group = []
      }
      yield* writer.commit(group)
      return bytes
    }),
  )
