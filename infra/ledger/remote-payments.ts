import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { BillingUnavailable, type Claim, type Payments } from "../../ledger/client.ts"
import { withRequestId } from "../../ledger/request-id.ts"
import { type ClaimResult, readClaimReply, writeClaim } from "./claim-wire.ts"
import { CLAIM_PATH } from "./edges.ts"
import { makeRequestSender } from "./send-request.ts"

/** Longer than the deadlines of the look-ups of a transaction and a signature together. */
const ATTEMPT_MS_MAX = 24_000
/** Deadline of all attempts of a claim together, in milliseconds: a reply of the API is due within 30 s. */
const TOTAL_MS_MAX = 26_000
const CONNECTIONS = 64
const RETRY_SECONDS = 2

const unavailable = (reason: BillingUnavailable["reason"]) =>
  new BillingUnavailable({ reason, retryAfterSeconds: RETRY_SECONDS })

/** Reasons for which the next process is tried. A claim is idempotent, so it may be repeated. */
const ELSEWHERE: ReadonlySet<BillingUnavailable["reason"]> = new Set(["standby", "stopped", "clock", "unknown"])
const isElsewhere = (claimed: ClaimResult): boolean =>
  Result.isFailure(claimed) && claimed.failure._tag === "billing_unavailable" && ELSEWHERE.has(claimed.failure.reason)

/** Whether it is certain that nothing was decided at that process. */
const isUndecided = (claimed: ClaimResult | null): boolean =>
  claimed !== null &&
  Result.isFailure(claimed) &&
  claimed.failure._tag === "billing_unavailable" &&
  claimed.failure.reason !== "unknown"

/** Dependencies of remote payments, and limits that tests set. */
export interface RemotePaymentsOptions {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  readonly secret: string
  readonly facts: Payments["facts"]
  readonly attemptMsMax?: number
  readonly totalMsMax?: number
}

/**
 * Claims payments in the process that holds the ledger, which verifies and decides. This process sends proofs, and no facts
 * of the chain.
 */
export const makeRemotePayments = (options: RemotePaymentsOptions): Effect.Effect<Payments, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { urls, secret, facts, attemptMsMax = ATTEMPT_MS_MAX, totalMsMax = TOTAL_MS_MAX } = options
    const send = yield* makeRequestSender({ urls, edge: "api", secret, connections: CONNECTIONS })
    let active = 0

    const claimOnce = async (claim: Claim, request: string | null): Promise<ClaimResult> => {
      const deadline = performance.now() + totalMsMax
      const first = active
      let uncertain = false
      let reason: BillingUnavailable["reason"] = "unreachable"
      for (let tried = 0; tried <= urls.length; tried++) {
        const left = deadline - performance.now()
        if (left <= 0 || urls.length === 0) break
        const index = (first + tried) % urls.length
        // Sealed again for each request, with fresh random bytes.
        const sent = await send(index, CLAIM_PATH, writeClaim(claim, secret, request), Math.min(left, attemptMsMax))
        const claimed = typeof sent === "string" ? null : readClaimReply(sent.text)
        if (claimed !== null && !isElsewhere(claimed)) {
          active = index
          return claimed
        }
        if (sent === "lost" || (typeof sent !== "string" && !isUndecided(claimed))) uncertain = true
        reason = sent === "standby" ? "standby" : "unreachable"
        if (active === index) active = (index + 1) % urls.length
      }
      return Result.fail(unavailable(uncertain ? "unknown" : reason))
    }
    return {
      facts,
      claim: (claim) =>
        Effect.flatMap(
          withRequestId((request) => Effect.promise(() => claimOnce(claim, request))),
          Effect.fromResult,
        ),
    }
  })
