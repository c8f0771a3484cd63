import { createHash } from "node:crypto"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { entryHash, readEntry } from "../../ledger/model/entry.ts"
import { type Verification, verifyLedger } from "../../ledger/verify/verify.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import type { LedgerEntry } from "../../schemas/events/ledger.ts"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"

/** A debit, and how often and how it came to its end. */
export interface BookedDebit {
  readonly id: string
  readonly account: string
  readonly credits: number
  readonly purpose: string
  /** Its Idempotency-Key, hashed as in the ledger; null without one. */
  readonly key: string | null
  made: number
  settled: number
  refunded: number
  /** What was charged in the end. */
  charged: number
  freeBecause: string | null
}

/** The content of an embedded ledger's log, counted without the ledger's own fold. */
export interface Books {
  readonly debits: ReadonlyMap<string, BookedDebit>
  /** The debits of a key, in their order. */
  readonly byKey: ReadonlyMap<string, ReadonlyArray<BookedDebit>>
  /** The debit of an entry, by the entry's place in its account and hash; undefined where there is no such entry of a debit. */
  readonly debitAt: (accountSequence: number, hash: string) => BookedDebit | undefined
  readonly balances: ReadonlyMap<string, number>
  /** The lowest balance that any account has ever had. */
  readonly lowest: number
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** An account's Idempotency-Key in the form of the ledger. */
export const bookedKey = (account: string, key: string): string => sha256(`${account}/${sha256(key)}`)

const change = (entry: LedgerEntry): readonly [account: string, credits: number] | null => {
  switch (entry.type) {
    case "credits.debited":
      return [entry.data.account, -entry.data.credits]
    case "debit.settled":
      return [entry.data.account, entry.data.returned]
    case "credits.refunded":
    case "credits.granted":
      return [entry.data.account, entry.data.credits]
    default:
      return null
  }
}

const withLog = <A, E>(directory: string, use: (log: EventLog) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(openLmdbLog({ path: join(directory, "log") }), use)))

/** Reads the log of a service that does not run. */
export const readBooks = (directory: string): Promise<Books> => withLog(directory, booksOf)

/** The books of a log. Ledgers of grants and calls only: purchases are not counted. */
export const booksOf = (log: EventLog): Effect.Effect<Books, ReadFailed> =>
  Effect.map(Stream.runCollect(log.read("ledger", 0)), (batches) => {
    const debits = new Map<string, BookedDebit>()
    const places = new Map<string, BookedDebit>()
    const balances = new Map<string, number>()
    let lowest = 0
    for (const { value } of batches.flatMap(({ records }) => records)) {
      const entry = Result.getOrThrow(readEntry(value))
      const [account, credits] = change(entry) ?? ["", 0]
      const balance = (balances.get(account) ?? 0) + credits
      balances.set(account, balance)
      lowest = Math.min(lowest, balance)
      if (entry.type !== "credits.debited" && entry.type !== "debit.settled" && entry.type !== "credits.refunded")
        continue
      const { debit: id } = entry.data
      const found = debits.get(id)
      if (entry.type === "credits.debited") {
        const { purpose, idempotency } = entry.data
        const debit = found ?? {
          ...{ id, account, credits: -credits, purpose, key: idempotency?.key ?? null },
          ...{ made: 0, settled: 0, refunded: 0, charged: 0, freeBecause: null },
        }
        debit.made += 1
        debits.set(id, debit)
        places.set(`${entry.data.accountSequence}/${entryHash(value ?? new Uint8Array())}`, debit)
      } else if (found === undefined) throw new Error(`debit ${id} ends and was never made`)
      else if (entry.type === "credits.refunded") found.refunded += 1
      else {
        found.settled += 1
        found.charged += entry.data.charged
        found.freeBecause = entry.data.noChargeReason
      }
    }
    const keyed = [...debits.values()].filter(({ key }) => key !== null)
    return {
      debits,
      byKey: Map.groupBy(keyed, ({ key }) => key ?? ""),
      debitAt: (accountSequence, hash) => places.get(`${accountSequence}/${hash}`),
      balances,
      lowest,
    }
  })

/** Proves the ledger of a service that does not run, as `npm run ledger -- verify` does. */
export const verifyBooks = (directory: string): Promise<Verification> => withLog(directory, verifyLedger)

/**
 * Opens the ledger of a service that does not run, with a clock that stands some time ahead, so that it gives back what
 * was not settled in time; returns the balances that it then has. The ledger's time stays ahead: it never goes back.
 */
export const passTime = (
  directory: string,
  aheadMs: number,
  accounts: ReadonlyArray<string>,
): Promise<ReadonlyArray<number>> =>
  withLog(directory, (log) =>
    Effect.gen(function* () {
      const ledger = yield* openLedger({ log, nowMs: () => Date.now() + aheadMs })
      return yield* Effect.forEach(accounts, (account) =>
        Effect.map(ledger.submit({ _tag: "readAccount", by: { account } }), ({ answer }) => answer.balance),
      )
    }),
  )
