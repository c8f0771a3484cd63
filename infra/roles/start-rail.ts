import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type pino from "pino"
import { makeRail } from "../../api/internal/rail.ts"
import type { Billing } from "../../api/routes/route.ts"
import { buyingTermsOf } from "../../schemas/contract/refusal.ts"
import type { Settings } from "../config/settings.ts"
import { buildRail } from "../sister/server.ts"
import { baseUrlOf } from "./api.ts"
import { listen } from "./listen.ts"
import { type ListenFailed, railPort } from "./ports.ts"

/** Listens to the sister service for the scope; succeeds with the address, as the member of a report. Does nothing without `INTERNAL_PORT`. */
export const startRail = (
  settings: Settings,
  billing: Pick<Billing, "ledger">,
  logger: pino.Logger,
): Effect.Effect<{ readonly sister?: string }, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const wanted = railPort(settings)
    if (wanted === null) return {}
    // The prices of this service's own endpoints say nothing about those of the sister.
    const terms = buyingTermsOf([], baseUrlOf(settings))
    const app = buildRail({
      rail: makeRail({ ledger: billing.ledger, terms }),
      secrets: settings.sisterSecret ?? [],
      onFault: (error) =>
        logger.error(
          { cause: error instanceof Error ? (error.stack ?? error.message) : String(error) },
          "a request of the sister service failed",
        ),
    })
    return { sister: yield* listen(app, wanted) }
  })
