import * as Schema from "effect/Schema"
import type { State } from "./fold/state.ts"
import type { Account } from "./fold/values.ts"

/** An account contradicts itself: no entry may rest on it. Its state is wrong, or an entry of the log is. */
export class LedgerContradiction extends Schema.TaggedError<LedgerContradiction>()("LedgerContradiction", {
  problem: Schema.String,
}) {
  override get message() {
    return `the ledger contradicts itself: ${this.problem}; \`npm run ledger -- verify\` names the entry, if the log is wrong`
  }
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
