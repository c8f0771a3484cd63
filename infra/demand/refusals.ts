import * as Effect from "effect/Effect"
import { DemandFailed } from "../../schemas/ports/demand.ts"

/** Longer than a fetch with its fallback takes; the API answers its callers long before. */
export const TIMEOUT_MS = 20_000
const RETRY_SECONDS = 5

/** The refusal where no process ingests, or none answers. */
export const unavailable = (): DemandFailed =>
  new DemandFailed({ reason: "unavailable", retryAfterSeconds: RETRY_SECONDS })

/** Refuses a request that takes longer than `timeoutMs`, and interrupts it. */
export const withinTimeout =
  (timeoutMs = TIMEOUT_MS) =>
  <A>(request: Effect.Effect<A, DemandFailed>): Effect.Effect<A, DemandFailed> =>
    Effect.timeoutOrElse(request, {
      duration: timeoutMs,
      orElse: () => Effect.fail(new DemandFailed({ reason: "timeout", retryAfterSeconds: RETRY_SECONDS })),
    })
