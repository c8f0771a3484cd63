import * as Result from "effect/Result"
import type { TokenCandidate, TokenWanted } from "../command.ts"
import type { LedgerEvent } from "../fold/entry.ts"
import type { Account, State } from "../fold/state.ts"
import type { Refusal } from "../refusal.ts"

/** An accepted command: its events (none for a query), and the answer that is sent once they are durable. */
interface Accepted<Answer> {
  readonly events: ReadonlyArray<LedgerEvent>
  readonly answer: Answer
}

/** A decision: accepted, or refused. A refusal changes nothing. */
export type Decision<Answer> = Result.Result<Accepted<Answer>, Refusal>

/** Accepts a command. */
export const accept = <Answer>(answer: Answer, ...events: ReadonlyArray<LedgerEvent>): Decision<Answer> =>
  Result.succeed({ events, answer })

/** Refuses a command. */
export const refuse = (refusal: Refusal): Result.Result<never, Refusal> => Result.fail(refusal)

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

/** Whether a candidate is the wanted token. */
export const fits = (candidate: TokenCandidate | null, wanted: TokenWanted): candidate is TokenCandidate =>
  candidate !== null &&
  candidate.claimant === wanted.claimant &&
  candidate.origin === wanted.origin &&
  candidate.generation === wanted.generation
