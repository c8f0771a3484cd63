import { Counter, type Registry } from "prom-client"

/** How a premium call ended. `failed`: by a fault of the service, free of charge. */
export type CallOutcome = "charged" | "free" | "failed" | "replayed" | "refused"

/** Counts of the premium calls of one API process. */
export interface PremiumMetrics {
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
