import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Refusal } from "../refusal.ts"
import { refuse } from "./entry.ts"
import type { Account, DayCount, State } from "./state.ts"

/** Length of a day; days of the ledger are those of UTC. */
export const DAY_MS = 24 * 60 * 60_000

/** The day of an instant, counted since the epoch. */
export const dayNumberOf = (atMs: number): number => Math.floor(atMs / DAY_MS)

/** An account contradicts itself: no entry may rest on it. Its state is wrong, or an entry of the log is. */
export class LedgerContradiction extends Schema.TaggedError<LedgerContradiction>()("LedgerContradiction", {
  problem: Schema.String,
}) {
  override get message() {
    return `the ledger contradicts itself: ${this.problem}; \`npm run ledger -- verify\` names the entry, if the log is wrong`
  }
}

/** A mutable copy of an account. It takes effect once `put` stores it. */
type Draft = { -readonly [Member in keyof Account]: Account[Member] }

/** The count of a new account. */
const noneYet: DayCount = { day: 0, count: 0 }

/** The account of an entry, with its sequence raised by one; a new account gets the next place. */
export const accountOf = (state: State, id: string): Draft => {
  const account = state.accounts.get(id)
  if (account !== undefined) return { ...account, sequence: account.sequence + 1 }
  state.accountOrder.set(state.nextAccount, id)
  state.nextAccount += 1
  return {
    id,
    sequence: 1,
    balance: 0,
    shortfall: 0,
    spent: 0,
    spentBySister: 0,
    open: 0,
    added: 0,
    token: null,
    opener: null,
    freeEnds: noneYet,
    sisterFreeEnds: noneYet,
    tokensIssued: noneYet,
    purchaseCount: 0,
    purchasedUnits: 0,
    payments: [],
  }
}

/** Stores an account. */
export const put = (state: State, account: Draft): void => {
  state.accounts.set(account.id, account)
}

/** Adds credits, which fill the shortfall first. */
export const deposit = (account: Draft, credits: number): void => {
  const filled = Math.min(account.shortfall, credits)
  account.shortfall -= filled
  account.balance += credits - filled
}

/**
 * How an account contradicts itself; null if it does not. What was added, and is neither spent nor taken by open debits, is
 * its balance less its shortfall, after each entry. Reversed purchases are not in `added`.
 */
export const contradictionOf = ({ id, added, spent, open, balance, shortfall }: Account): string | null =>
  added - spent - open === balance - shortfall
    ? null
    : `account ${id}: added ${added}, spent ${spent}, open ${open}, but balance ${balance}, shortfall ${shortfall}`

/** Throws `LedgerContradiction` if an account contradicts itself. */
export const expectConsistent = (account: Account): void => {
  const problem = contradictionOf(account)
  if (problem !== null) throw new LedgerContradiction({ problem })
}

/** The first contradiction among the accounts of a state, and between them and its open debits; null without one. */
export const contradictionIn = (state: Pick<State, "accounts" | "openDebits">): string | null => {
  const open = new Map<string, number>()
  for (const [, { account, credits }] of state.openDebits.entries())
    open.set(account, (open.get(account) ?? 0) + credits)
  for (const [id, account] of state.accounts.entries()) {
    const problem = contradictionOf(account)
    if (problem !== null) return problem
    const credits = open.get(id) ?? 0
    if (account.open !== credits) return `account ${id}: open ${account.open}, but its open debits are of ${credits}`
    open.delete(id)
  }
  const [orphan] = open.keys()
  return orphan === undefined ? null : `there is an open debit of account ${orphan}, which is unknown`
}

/** The account whose current, unrevoked token has this hash. */
export const bearerAccountOf = (state: State, token: string | null): Result.Result<Account, Refusal> => {
  if (token === null) return refuse({ _tag: "missing_token" })
  const id = state.tokens.get(token)
  const account = id === undefined ? undefined : state.accounts.get(id)
  if (account === undefined) return refuse({ _tag: "invalid_token" })
  if (account.token?.hash !== token || account.token.revoked) return refuse({ _tag: "expired", of: "token" })
  return Result.succeed(account)
}

/** The balance after a deposit of `credits`, which fills the shortfall first. */
export const balanceAfter = (account: Account | undefined, credits: number): number =>
  account === undefined ? credits : account.balance + Math.max(0, credits - account.shortfall)

const countOn = ({ day, count }: DayCount, atMs: number): number => (day === dayNumberOf(atMs) ? count : 0)

/** Counts one more. */
export const countedAt = (counted: DayCount, atMs: number): DayCount => ({
  day: dayNumberOf(atMs),
  count: countOn(counted, atMs) + 1,
})

/** Counts one less; none on a day that has none. */
export const countedBackAt = (counted: DayCount, atMs: number): DayCount => ({
  day: dayNumberOf(atMs),
  count: Math.max(0, countOn(counted, atMs) - 1),
})

/** Milliseconds until midnight UTC if the day's count has reached `max`; null if one more may happen now. */
export const waitMsOf = (counted: DayCount, max: number, nowMs: number): number | null =>
  countOn(counted, nowMs) < max ? null : (dayNumberOf(nowMs) + 1) * DAY_MS - nowMs
