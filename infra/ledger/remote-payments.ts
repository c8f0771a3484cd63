import { Effect, Result, type Scope } from "effect"
import { BillingUnavailable, type Claim, type Payments } from "../../ledger/client.ts"
import { type ClaimResult, readClaimReply, writeClaim } from "./claim-wire.ts"
import { CLAIM_PATH } from "./edges.ts"
import { makeRequestSender } from "./send-request.ts"

/** Longer than the chain may take for a transaction and a signature. */
const ATTEMPT_MS_MAX = 24_000
/** All attempts of a claim together, in milliseconds: an answer of the API is due within 30 s. */
const TOTAL_MS_MAX = 26_000
const CONNECTIONS = 64
const RETRY_SECONDS = 2

const unavailable = (reason: BillingUnavailable["reason"]) =>
  new BillingUnavailable({ reason, retryAfterSeconds: RETRY_SECONDS })

/** Reasons for which another process may answer. A claim may be repeated: it finds what the first one did. */
const ELSEWHERE: ReadonlySet<BillingUnavailable["reason"]> = new Set(["standby", "stopped", "clock", "unknown"])
const isElsewhere = (claimed: ClaimResult): boolean =>
  Result.isFailure(claimed) && claimed.failure._tag === "billing_unavailable" && ELSEWHERE.has(claimed.failure.reason)

/** Whether it is certain that nothing was decided there. */
const isUndecided = (claimed: ClaimResult | null): boolean =>
  claimed !== null &&
  Result.isFailure(claimed) &&
  claimed.failure._tag === "billing_unavailable" &&
  claimed.failure.reason !== "unknown"

/** What remote payments need, and limits that tests set. */
export interface RemotePaymentsOptions {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  readonly secret: string
  readonly facts: Payments["facts"]
  readonly attemptMsMax?: number
  readonly totalMsMax?: number
}

/**
 * Payments that are verified and decided in the process that holds the ledger. This process states what was shown, and
 * no fact of the chain.
 */
export const makeRemotePayments = (options: RemotePaymentsOptions): Effect.Effect<Payments, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { urls, secret, facts, attemptMsMax = ATTEMPT_MS_MAX, totalMsMax = TOTAL_MS_MAX } = options
    const send = yield* makeRequestSender({ urls, edge: "api", secret, connections: CONNECTIONS })
    let active = 0

    const claimOnce = async (claim: Claim): Promise<ClaimResult> => {
      const deadline = performance.now() + totalMsMax
      const first = active
      let uncertain = false
      let reason: BillingUnavailable["reason"] = "unreachable"
      for (let tried = 0; tried <= urls.length; tried++) {
        const left = deadline - performance.now()
        if (left <= 0 || urls.length === 0) break
        const index = (first + tried) % urls.length
        // Sealed anew: no two requests are alike.
        const said = await send(index, CLAIM_PATH, writeClaim(claim, secret), Math.min(left, attemptMsMax))
        const claimed = typeof said === "string" ? null : readClaimReply(said.text)
        if (claimed !== null && !isElsewhere(claimed)) {
          active = index
          return claimed
        }
        if (said === "lost" || (typeof said !== "string" && !isUndecided(claimed))) uncertain = true
        reason = said === "standby" ? "standby" : "unreachable"
        if (active === index) active = (index + 1) % urls.length
      }
      return Result.fail(unavailable(uncertain ? "unknown" : reason))
    }
    return {
      facts,
      claim: (claim) =>
        Effect.flatMap(
          Effect.promise(() => claimOnce(claim)),
          Effect.fromResult,
        ),
    }
  })
