import type { Answers } from "../answers.ts"
import type { ListAccounts, Reissue } from "../command.ts"
import { event } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import { ACCOUNTS_PAGE_MAX } from "../rules.ts"
import { accept, type Decision, fits, refuse } from "./decision.ts"

/**
 * Issues a new token for an owner who cannot show what opened the account. The previous token is void, and the operator
 * replaces the opener, so that a leaked memo yields no token any more.
 */
export const decideReissue = (state: State, command: Reissue): Decision<Answers["reissue"]> => {
  const { account: id, operator, reason, token } = command
  const account = state.accounts.get(id)
  if (account === undefined) return refuse({ _tag: "unknown_account" })
  const wanted = { claimant: `reissue/${id}`, origin: id, generation: (account.token?.generation ?? 0) + 1 }
  if (!fits(token, wanted) || state.tokens.has(token.hash)) return refuse({ _tag: "token_needed", wanted })
  const { kid, hash: tokenHash } = token
  return accept(
    { account: id, balance: account.balance, token: { ...wanted, kid } },
    event("token.issued", {
      account: id,
      tokenHash,
      kid,
      ...wanted,
      opener: { by: "operator" },
      reissue: { operator, reason },
    }),
  )
}

/** Lists one page of the accounts, in the order of their opening. */
export const decideListAccounts = (state: State, { after }: ListAccounts): Decision<Answers["listAccounts"]> => {
  const first = after + 1
  const end = Math.min(state.nextAccount, first + ACCOUNTS_PAGE_MAX)
  const accounts = Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n).flatMap((place) => {
    const account = state.accounts.get(state.accountOrder.get(place) ?? "")
    if (account === undefined) return []
    const { id, balance, shortfall, opener, token, purchaseCount } = account
    const live = token === null ? "none" : token.revoked ? "revoked" : "live"
    return [{ place, account: id, balance, shortfall, opener, token: live, purchaseCount } as const]
  })
  return accept({ accounts, more: end < state.nextAccount })
}
