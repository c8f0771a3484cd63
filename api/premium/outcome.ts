import { Counter, type Registry } from "prom-client"
import type { BuyingTerms } from "../../schemas/contract/refusal.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import { billingUnavailable, refusalReply } from "../http/refusals.ts"
import { JSON_TYPE } from "../http/representation.ts"
import type { PremiumOutcome } from "./gate.ts"
import type { PremiumReply } from "./reply.ts"

/** `Retry-After` where the service is at fault or its data is not there yet. */
export const RETRY_SECONDS = 5

const PROBLEM_TYPE = "application/problem+json; charset=utf-8"

/** How a premium call ended. `failed`: by a fault of the service, free of charge. */
type CallOutcome = "charged" | "free" | "failed" | "replayed" | "refused"

/** An outcome as an HTTP reply. `fault`: the cause for the service's log; null where there is no fault. */
type OutcomeReply =
  | {
      readonly _tag: "Personal"
      readonly counted: CallOutcome
      readonly status: number
      readonly body: Buffer
      readonly type: string
      readonly headers: ReadonlyArray<string>
      readonly fault: string | null
    }
  | { readonly _tag: "Problem"; readonly problem: ProblemReply; readonly fault: string | null }

const headersOf = ({ status, price, receiptId, meta }: PremiumReply): ReadonlyArray<string> => [
  "X-Credits-Charged",
  String(price.charged),
  "X-Credits-Remaining",
  String(price.remaining),
  ...(receiptId === null ? [] : ["X-Service-Receipt-Id", receiptId]),
  ...(meta === null ? [] : ["X-Service-Stale", String(meta.stale)]),
  ...(meta === null || meta.as_of === null ? [] : ["X-Service-As-Of", meta.as_of]),
  ...(meta?.warming === true || status === 503 ? ["Retry-After", String(RETRY_SECONDS)] : []),
]

const asProblem = (problem: ProblemReply, fault: string | null = null): OutcomeReply => ({
  _tag: "Problem",
  problem,
  fault,
})

/** 400: the Idempotency-Key is malformed. */
export const invalidKey = (): ProblemReply =>
  problem(400, "invalid_idempotency_key", "An Idempotency-Key is 1 to 255 visible ASCII characters without spaces.")

const notKept = (why: "tooLarge" | "unknown"): ProblemReply =>
  problem(
    422,
    "idempotency_reply_not_kept",
    why === "tooLarge"
      ? "The reply under this key was too large to be stored (more than 1 MiB). Repeat the call under another key."
      : "The reply under this key is no longer stored. Repeat the call under another key.",
  )

/** Maps the outcome of a premium call to its HTTP reply. */
export const outcomeReply = (outcome: PremiumOutcome, terms: BuyingTerms): OutcomeReply => {
  switch (outcome._tag) {
    case "Served": {
      const { reply } = outcome
      return {
        _tag: "Personal",
        counted: reply.price.reason === null ? "charged" : "free",
        status: reply.status,
        body: reply.body,
        type: JSON_TYPE,
        headers: headersOf(reply),
        fault: null,
      }
    }
    case "Failed": {
      const { reply, cause } = outcome
      return {
        _tag: "Personal",
        counted: "failed",
        status: reply.status,
        body: reply.body,
        type: PROBLEM_TYPE,
        headers: headersOf(reply),
        fault: cause,
      }
    }
    case "Replayed": {
      const { status, body, receiptId } = outcome.reply
      const headers = ["Idempotent-Replayed", "true", "X-Credits-Charged", "0"]
      headers.push("X-Credits-Remaining", String(outcome.remaining), "X-Service-Receipt-Id", receiptId)
      return { _tag: "Personal", counted: "replayed", status, body, type: JSON_TYPE, headers, fault: null }
    }
    case "NotKept":
      return asProblem(notKept(outcome.why))
    case "Wrong": {
      const { message, ...rest } = outcome.refused
      return asProblem(problem(400, "invalid_parameter", message, rest))
    }
    case "Refused": {
      const reply = refusalReply(outcome.refusal, { terms, tokenStatus: 402 })
      return asProblem(reply, reply.status === 500 ? outcome.refusal._tag : null)
    }
    case "Late": {
      const message =
        "The call could not be finished. A debit that was not settled is refunded within a minute; under an Idempotency-Key the call can be repeated without being charged twice."
      return asProblem(billingUnavailable(terms, RETRY_SECONDS, message), outcome.cause)
    }
    case "Gone":
      return asProblem(billingUnavailable(terms, RETRY_SECONDS))
  }
}

/** Counts of the premium calls of one API process. */
interface PremiumMetrics {
  readonly call: (endpoint: string, outcome: CallOutcome) => void
  readonly refusal: (reason: string) => void
}

/** Registers the metrics, in place of those of an earlier API of the same process. */
export const premiumMetrics = (registry: Registry): PremiumMetrics => {
  const calls = "tidewire_premium_calls_total"
  const refusals = "tidewire_premium_refusals_total"
  registry.removeSingleMetric(calls)
  registry.removeSingleMetric(refusals)
  const called = new Counter({
    name: calls,
    help: "Premium calls, by how they ended",
    labelNames: ["endpoint", "outcome"],
    registers: [registry],
  })
  const refused = new Counter({
    name: refusals,
    help: "Premium calls that were refused, by reason",
    labelNames: ["reason"],
    registers: [registry],
  })
  return {
    call: (endpoint, outcome) => called.inc({ endpoint, outcome }),
    refusal: (reason) => refused.inc({ reason }),
  }
}
