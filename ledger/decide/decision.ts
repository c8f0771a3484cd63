import { Result } from "effect"
import type { TokenCandidate, TokenWanted } from "../command.ts"
import type { LedgerEvent } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Account } from "../fold/values.ts"
import type { Refusal } from "../refusal.ts"

/** What follows from a command: the events that happen, none for a question, and the answer once they are durable. */
export interface Accepted<Answer> {
  readonly events: ReadonlyArray<LedgerEvent>
  readonly answer: Answer
}

/** A decision: accepted, or refused with a reason. A refusal is a value, and changes nothing. */
export type Decision<Answer> = Result.Result<Accepted<Answer>, Refusal>

/** Accepts. */
export const accept = <Answer>(answer: Answer, ...events: ReadonlyArray<LedgerEvent>): Decision<Answer> =>
  Result.succeed({ events, answer })

/** Refuses. */
export const refuse = (refusal: Refusal): Result.Result<never, Refusal> => Result.fail(refusal)

/** The account whose live token has this hash. */
export const bearerOf = (state: State, token: string | null): Result.Result<Account, Refusal> => {
  if (token === null) return refuse({ _tag: "missing_token" })
  const id = state.tokens.get(token)
  const account = id === undefined ? undefined : state.accounts.get(id)
  if (account === undefined) return refuse({ _tag: "invalid_token" })
  if (account.token?.hash !== token || account.token.revoked) return refuse({ _tag: "expired", of: "token" })
  return Result.succeed(account)
}

/** The balance that an account has after `credits` came in, which fill its shortfall first. */
export const balanceAfter = (account: Account | undefined, credits: number): number =>
  account === undefined ? credits : account.balance + Math.max(0, credits - account.shortfall)

/** Whether a candidate is a token of what is wanted. */
export const fits = (candidate: TokenCandidate | null, wanted: TokenWanted): candidate is TokenCandidate =>
  candidate !== null &&
  candidate.claimant === wanted.claimant &&
  candidate.origin === wanted.origin &&
  candidate.generation === wanted.generation
