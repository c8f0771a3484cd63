import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { LedgerEntry } from "../../schemas/events/ledger.ts"
import type { EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import { contradictionOf } from "../model/balance.ts"
import { debitDueMs } from "../model/debits.ts"
import { evolve } from "../model/decider.ts"
import { decodeEntry, entryHash, firstTail, isIntact, paymentKey, subjectOf, type Tail } from "../model/entry.ts"
import { type Account, initialState, type State } from "../model/state.ts"
import type { AnchoredEntry } from "../receipts/verify.ts"
import { creditsOf } from "../rules.ts"
import { makeOwnershipCheck } from "./owners.ts"

/** Time after a debit's deadline that the writer has to refund it, in milliseconds. */
const GRACE_MS = 60_000

/** The first entry that violates an invariant of the ledger. */
interface Offence {
  readonly offset: Offset
  /** The sequence that the entry should have. */
  readonly sequence: number
  readonly problem: string
}

/** An entry that is known from outside: a saved head, or the entry of a buyer's receipt. */
export type Anchor = Tail | AnchoredEntry

/** The result of a verification. `offence: null` is the proof. */
export interface Verification {
  readonly entries: number
  readonly accounts: number
  readonly purchases: number
  /** Sum of all balances, and of all shortfalls, in credits. */
  readonly balance: number
  readonly shortfall: number
  readonly tail: Tail
  /** The sequence of the entry that the anchor names; null without an anchor, or before that entry. */
  readonly anchored: number | null
  readonly offence: Offence | null
}

/** Sums that are computed independently of the fold. */
interface Books {
  readonly sums: Map<string, number>
  readonly debits: Map<string, { readonly credits: number; readonly charged: number | null }>
  readonly payments: Map<string, { readonly credits: number; standing: boolean; final: boolean }>
}

/** Books an entry into the sums, debits and payments; returns its problem, or null. */
const book = ({ sums, debits, payments }: Books, entry: LedgerEntry): string | null => {
  const add = (account: string, credits: number) => sums.set(account, (sums.get(account) ?? 0) + credits)
  switch (entry.type) {
    case "quote.issued":
    case "token.issued":
    case "token.revoked":
    case "clock.accepted":
      return null
    case "credits.debited": {
      const { account, debit, credits } = entry.data
      if (debits.has(debit)) return `debit ${debit} was made before`
      debits.set(debit, { credits, charged: null })
      add(account, -credits)
      return null
    }
    case "debit.settled": {
      const { account, debit, charged, returned } = entry.data
      const open = debits.get(debit)
      if (open === undefined || open.charged !== null) return `debit ${debit} is not open`
      if (charged + returned !== open.credits) return `debit ${debit} is settled for another amount`
      debits.set(debit, { credits: open.credits, charged })
      add(account, returned)
      return null
    }
    case "credits.refunded": {
      const { account, debit, credits } = entry.data
      const found = debits.get(debit)
      if (found === undefined || credits !== (found.charged ?? found.credits)) return `debit ${debit} is not to refund`
      debits.set(debit, { credits: found.credits, charged: 0 })
      add(account, credits)
      return null
    }
    case "purchase.credited": {
      const { account, payment, credits, units } = entry.data
      const key = paymentKey(payment)
      if (payments.get(key)?.standing === true) return `payment ${key} is credited already`
      if (credits !== creditsOf(units)) return `payment ${key} of ${units} units is not ${credits} credits`
      payments.set(key, { credits, standing: true, final: false })
      add(account, credits)
      return null
    }
    case "purchase.doubted":
    case "purchase.trusted": {
      const key = paymentKey(entry.data.payment)
      return payments.get(key)?.standing === true ? null : `payment ${key} does not stand`
    }
    case "purchase.finalised":
    case "purchase.reversed": {
      const key = paymentKey(entry.data.payment)
      const found = payments.get(key)
      if (found === undefined || !found.standing || found.final) return `payment ${key} does not stand provisionally`
      if (entry.type === "purchase.finalised") {
        found.final = true
        return null
      }
      const { account, taken, shortfall } = entry.data
      if (taken + shortfall !== found.credits) return `payment ${key} is reversed for another amount`
      found.standing = false
      add(account, -taken - shortfall)
      return null
    }
    case "credits.granted": {
      const { account, credits, payment } = entry.data
      const key = payment === null ? null : paymentKey(payment)
      if (key !== null && payments.has(key)) return `payment ${key} is credited already`
      if (key !== null) payments.set(key, { credits, standing: true, final: true })
      add(account, credits)
      return null
    }
  }
}

const balanceProblem = (account: Account | undefined, sums: Books["sums"]): string | null => {
  if (account === undefined) return null
  const { id, balance, shortfall } = account
  if (balance < 0 || shortfall < 0) return `account ${id} has balance ${balance}, shortfall ${shortfall}`
  if (balance > 0 && shortfall > 0) return `account ${id} has a balance beside a shortfall`
  const sum = sums.get(id) ?? 0
  if (sum !== balance - shortfall) return `account ${id}: entries sum to ${sum}, not ${balance - shortfall}`
  return contradictionOf(account)
}

/** The problem of the oldest debit that should have been refunded by now, if there is one. */
const overdueProblem = (state: State): string | null => {
  for (const [debit, open] of state.openDebits.entries()) {
    if (debitDueMs({ atMs: open.atMs, bySister: false }) + GRACE_MS >= state.nowMs) return null
    if (debitDueMs(open) + GRACE_MS < state.nowMs) return `debit ${debit} is open beyond its time`
  }
  return null
}

/** Checks one entry after the other. */
const makeEntryCheck = () => {
  const state = initialState()
  const books: Books = { sums: new Map(), debits: new Map(), payments: new Map() }
  const ownersProblem = makeOwnershipCheck()
  let tail = firstTail
  let lastId = ""
  const problemOf = (key: string, bytes: Uint8Array | null): string | null => {
    const decoded = decodeEntry(bytes)
    if (Result.isFailure(decoded) || bytes === null)
      return Result.isFailure(decoded) ? decoded.failure.message : "empty"
    if (!isIntact(bytes)) return "its bytes are not those that were written"
    const entry = decoded.success
    const subject = subjectOf(entry)
    // No hash covers the key of a record, so it is checked against the entry.
    if (key !== subject) return `the key of its record is ${key}, not ${subject}`
    if (entry.subject !== subject) return `its subject is ${entry.subject}, not ${subject}`
    const { sequence, previousHash } = entry.data
    if (sequence !== tail.sequence + 1) return `its sequence is ${sequence}`
    if (previousHash !== tail.hash) return `it does not follow from the bytes of entry ${tail.sequence} (${lastId})`
    const atMs = Date.parse(entry.time)
    if (atMs < state.nowMs) return "its time is before that of the entry before"
    const bookProblem = book(books, entry) ?? ownersProblem(entry)
    if (bookProblem !== null) return bookProblem
    const wasOpen = state.openDebits.size
    evolve(state, entry, atMs)
    tail = { sequence, hash: entryHash(bytes) }
    lastId = entry.id
    if (!("account" in entry.data)) return overdueProblem(state)
    const account = state.accounts.get(entry.data.account)
    if (entry.data.accountSequence !== account?.sequence)
      return `its place in the account is ${entry.data.accountSequence}, not ${account?.sequence}`
    // While overdue debits are refunded, others may still be overdue: the writer refunds them one entry after the other.
    const givesBack = entry.type === "credits.refunded" && state.openDebits.size < wasOpen
    return balanceProblem(account, books.sums) ?? (givesBack ? null : overdueProblem(state))
  }
  return { state, books, problemOf, tail: () => tail }
}

/**
 * Folds the whole ledger and checks every entry: its schema, its record's key, the chain over the stored bytes, dense
 * sequences, times that never go back, payments credited once, for the right number of credits and to their claimants'
 * accounts, debits ended once, no negative balance at any point, sums of entries equal to balance minus shortfall, and
 * no debit open beyond its deadline. Stops at the first violation. A ledger that was cut off at its end is a valid, shorter
 * one: an anchor reveals that.
 */
export const verifyLedger = (log: EventLog, anchor?: Anchor): Effect.Effect<Verification, ReadFailed> =>
  Effect.gen(function* () {
    const { state, books, problemOf, tail } = makeEntryCheck()
    let anchored = anchor?.hash === firstTail.hash ? 0 : null
    let offence: Offence | null = null
    yield* log.read("ledger", 0).pipe(
      Stream.takeWhile(() => offence === null),
      Stream.runForEach(({ records }) =>
        Effect.sync(() => {
          for (const { offset, key, value } of records) {
            const sequence = tail().sequence + 1
            const problem = problemOf(key, value) ?? anchorProblem(tail(), anchor)
            if (problem === null) {
              if (tail().hash === anchor?.hash) anchored = sequence
              continue
            }
            offence = { offset, sequence, problem }
            return
          }
        }),
      ),
    )
    const { sequence } = tail()
    if (offence === null && anchor !== undefined && anchored === null)
      offence = { offset: -1, sequence: sequence + 1, problem: `${nameOf(anchor)} is missing` }
    let [balance, shortfall] = [0, 0]
    for (const account of state.accounts.values()) {
      balance += account.balance
      shortfall += account.shortfall
    }
    return {
      entries: sequence,
      accounts: state.accounts.size,
      purchases: books.payments.size,
      balance,
      shortfall,
      tail: tail(),
      anchored,
      offence,
    }
  })

const nameOf = (anchor: Anchor): string =>
  "sequence" in anchor ? `entry ${anchor.sequence}` : `the entry of SHA-256 ${anchor.hash}`

const anchorProblem = (tail: Tail, anchor: Anchor | undefined): string | null =>
  anchor !== undefined && "sequence" in anchor && tail.sequence === anchor.sequence && tail.hash !== anchor.hash
    ? "its hash is not the one that was given for it"
    : null
