import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Counter } from "prom-client"
import {
  type BillingUnavailable,
  type Command,
  isToken,
  type LedgerClient,
  type Refusal,
  tokenHashOf,
} from "../../ledger/client.ts"
import type { BuyingTerms } from "../../schemas/contract/refusal.ts"
import { instant } from "../../schemas/event.ts"
import {
  type CommitReply,
  CommitRequest,
  SISTER_CREDITS_MAX,
  type SisterOperation,
  type ValidateReply,
  ValidateRequest,
} from "../../schemas/sister-rail.ts"
import { makeBodyReader } from "../http/json-body.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import { billingUnavailable, refusalReply } from "../http/refusals.ts"

/** A reply of the rail. */
export interface RailReply {
  readonly status: number
  readonly body: object
  /** Names and values in turn. */
  readonly headers: ReadonlyArray<string>
}

/** Answers the parsed bodies of signed requests, by operation. */
export type Rail = Readonly<Record<SisterOperation, (body: unknown) => Promise<RailReply>>>

/** Dependencies of the rail. */
export interface RailOptions {
  readonly ledger: LedgerClient
  /** The sister passes refusals on to its callers: they say where credits are bought. */
  readonly terms: BuyingTerms
}

const requests = new Counter({
  name: "tidewire_sister_requests_total",
  help: "Signed requests of the sister service, by operation and outcome: accepted, or the error of the reply",
  labelNames: ["operation", "outcome"],
})

const RESERVATION_WORDS = "1 to 100 letters, digits and . _ -"
const readValidate = makeBodyReader(ValidateRequest, {
  token: "the caller's token, or null",
  cost: `credits, a whole number from 1 to ${SISTER_CREDITS_MAX}`,
  endpoint: "1 to 80 of a-z, 0-9, / and -",
  reservation_id: RESERVATION_WORDS,
})
const readCommit = makeBodyReader(CommitRequest, { reservation_id: RESERVATION_WORDS, no_charge: "true or false" })

/** Maps a refusal to the reply; the words are those of the contract where the sister's caller has to act. */
const refusalOf = (terms: BuyingTerms, refusal: Refusal | BillingUnavailable): ProblemReply => {
  switch (refusal._tag) {
    case "billing_unavailable":
      // After `unknown` it may have been carried out: the repeat finds out, and is carried out once.
      return billingUnavailable(
        terms,
        refusal.retryAfterSeconds,
        "Billing cannot be reached at the moment. Repeat this very request after Retry-After: it is carried out once.",
      )
    case "key_reused":
      return problem(422, "reservation_reused", "This reservation was made, or committed, with another body.")
    case "debit_refunded":
      return problem(
        409,
        "reservation_returned",
        "This reservation was not committed in time, and its credits were returned.",
      )
    case "unknown_debit":
      return problem(404, "unknown_reservation", "There is no such reservation, or it was forgotten after 24 hours.")
    default:
      return refusalReply(refusal, { terms, tokenStatus: 402 })
  }
}

/**
 * Makes the rail of the sister service: `validate` reserves credits, `commit` charges or releases them. The signature of a
 * request is checked before. Repeating a request is always safe: the ledger carries it out once, and repeats its answer.
 */
export const makeRail = ({ ledger, terms }: RailOptions): Rail => {
  const count = (operation: SisterOperation, outcome: string) => requests.inc({ operation, outcome })
  const refuse = (operation: SisterOperation, { status, body, headers }: ProblemReply): RailReply => {
    count(operation, body.error)
    return { status, body, headers }
  }
  const ask = async <C extends Command>(
    operation: SisterOperation,
    command: C,
    bodyOf: (answer: Effect.Success<ReturnType<typeof ledger.submit<C>>>["answer"]) => object,
  ): Promise<RailReply> => {
    const got = await Effect.runPromise(Effect.result(ledger.submit(command)))
    if (Result.isFailure(got)) return refuse(operation, refusalOf(terms, got.failure))
    count(operation, "accepted")
    return { status: 200, body: bodyOf(got.success.answer), headers: [] }
  }
  return {
    validate: async (body) => {
      const read = readValidate(body)
      if (read._tag === "Refused") return refuse("validate", read.problem)
      const { token = null, cost: credits, endpoint, reservation_id: reservation } = read.value
      if (token !== null && !isToken(token)) return refuse("validate", refusalOf(terms, { _tag: "invalid_token" }))
      const hash = token === null ? null : tokenHashOf(token)
      return ask(
        "validate",
        { _tag: "reserve", token: hash, credits, endpoint, reservation },
        ({ balance, expiresAtMs }): ValidateReply => ({
          valid: true,
          reservation_id: reservation,
          credits_reserved: credits,
          credits_remaining: balance,
          expires_at: instant(expiresAtMs),
        }),
      )
    },
    commit: async (body) => {
      const read = readCommit(body)
      if (read._tag === "Refused") return refuse("commit", read.problem)
      const { reservation_id: reservation, no_charge: isFree } = read.value
      return ask(
        "commit",
        { _tag: "endReservation", reservation, charged: !isFree },
        ({ charged, balance }): CommitReply => ({
          reservation_id: reservation,
          credits_charged: charged,
          credits_remaining: balance,
        }),
      )
    },
  }
}
