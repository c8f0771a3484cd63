import type { Budgets } from "./budgets.ts"
import type { Candidate } from "./plan.ts"
import type { Failure } from "./poll.ts"
import type { Quota } from "./provider-access.ts"

/** How long a key that was refused is not used again. A restart, which alone can bring another key, tries at once. */
export const KEY_REFUSED_PAUSE_MS = 3_600_000

/** Whether sources may be polled now, by their quotas and by what became of their keys. */
export interface Admission {
  /** Begins a collection: null where the source may be asked, else the failure that stands for its answer. */
  readonly begin: (candidate: Candidate, isOnRequest: boolean, nowMs: number) => Failure | null
  /** Admits one HTTP request: null, or the milliseconds after which one will be admitted. */
  readonly request: (candidate: Candidate, isOnRequest: boolean, nowMs: number) => number | null
  /** Takes note of a key that the provider refuses. */
  readonly keyRefused: (candidate: Candidate, nowMs: number) => void
}

const refusal = (candidate: Candidate, reason: Failure["reason"], message: string, retryAfterMs: number): Failure => ({
  _tag: "Failure",
  candidate,
  reason,
  message,
  retryAfterMs,
  bug: null,
})

/** The quotas of fetches on request of one source, whatever its provider's are. */
const ownQuotas = ({ source: { onDemand } }: Candidate): ReadonlyArray<Quota> =>
  onDemand === null
    ? []
    : [
        { per: "minute", requestsMax: onDemand.perMinuteMax },
        { per: "day", requestsMax: onDemand.perDayMax },
      ]

/** Makes the admission. `holdsToQuotas` is false where upstreams are simulated and polled faster than any provider allows. */
export const makeAdmission = (budgets: Budgets, holdsToQuotas: boolean): Admission => {
  const refusedUntilMs = new Map<string, number>()

  const providerQuotas = ({ source: { access }, key }: Candidate): ReadonlyArray<Quota> =>
    access === null || !holdsToQuotas || (key !== null && access.key?.optional === true) ? [] : access.quotas
  const providerBudget = ({ source }: Candidate): string => `provider/${source.access?.name ?? ""}`
  const ownBudget = ({ source }: Candidate): string => `source/${source.name}`

  return {
    begin: (candidate, isOnRequest, nowMs) => {
      const { source, key } = candidate
      const setting = key === null ? undefined : source.key?.setting
      const untilMs = setting === undefined ? 0 : (refusedUntilMs.get(setting) ?? 0)
      if (untilMs > nowMs)
        return refusal(
          candidate,
          "key_refused",
          `the key in ${setting} was refused, and is not used for a while`,
          untilMs - nowMs,
        )
      const own = isOnRequest ? ownQuotas(candidate) : []
      const ownMs = budgets.waitMs(ownBudget(candidate), own, isOnRequest, nowMs)
      const waitMs = ownMs ?? budgets.waitMs(providerBudget(candidate), providerQuotas(candidate), isOnRequest, nowMs)
      if (waitMs !== null)
        return refusal(
          candidate,
          "budget_exhausted",
          ownMs === null ? "the provider's budget of requests is spent" : "the budget of fetches on request is spent",
          waitMs,
        )
      budgets.count(ownBudget(candidate), own, isOnRequest, nowMs)
      return null
    },
    request: (candidate, isOnRequest, nowMs) => {
      const [name, quotas] = [providerBudget(candidate), providerQuotas(candidate)]
      const waitMs = budgets.waitMs(name, quotas, isOnRequest, nowMs)
      if (waitMs === null) budgets.count(name, quotas, isOnRequest, nowMs)
      return waitMs
    },
    keyRefused: ({ source, key }, nowMs) => {
      if (key !== null && source.key !== null) refusedUntilMs.set(source.key.setting, nowMs + KEY_REFUSED_PAUSE_MS)
    },
  }
}
