import type { Budgets } from "./budgets.ts"
import type { Candidate } from "./plan.ts"
import type { Failure } from "./poll-outcome.ts"
import type { Quota } from "./provider-access.ts"

/** The pause after a refused key. It is not stored: only a restart can bring another key, which is then tried at once. */
export const KEY_REFUSED_PAUSE_MS = 3_600_000

/** Decides whether a source may be polled now, by its quotas and by whether its key was refused. */
export interface Admission {
  /** Begins a collection: null if the source may be polled, else the failure that is its outcome. */
  readonly begin: (candidate: Candidate, isOnRequest: boolean, nowMs: number) => Failure | null
  /** Admits one HTTP request: null, or the milliseconds after which one will be admitted. */
  readonly request: (candidate: Candidate, isOnRequest: boolean, nowMs: number) => number | null
  /** Records that the provider refused the key. */
  readonly keyRefused: (candidate: Candidate, nowMs: number) => void
  /** Records that the provider says that its quota is used up until then, whatever was counted here. Not stored. */
  readonly quotaUsedUp: (candidate: Candidate, untilMs: number) => void
}

const refusal = (candidate: Candidate, reason: Failure["reason"], message: string, retryAfterMs: number): Failure => ({
  _tag: "Failure",
  candidate,
  reason,
  message,
  retryAfterMs,
  bug: null,
})

/** The source's own quotas of fetches on request, which apply beside those of its provider. */
const ownQuotas = ({ source: { onDemand } }: Candidate): ReadonlyArray<Quota> =>
  onDemand === null
    ? []
    : [
        { per: "minute", requestsMax: onDemand.perMinuteMax },
        { per: "day", requestsMax: onDemand.perDayMax },
      ]

/** Makes the admission. `holdsToQuotas` is false for simulated upstreams, which are polled faster than a provider allows. */
export const makeAdmission = (budgets: Budgets, holdsToQuotas: boolean): Admission => {
  const refusedUntilMs = new Map<string, number>()
  const usedUpUntilMs = new Map<string, number>()

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
        return refusal(candidate, "key_refused", `the key in ${setting} was refused, and is paused`, untilMs - nowMs)
      const usedUpMs = usedUpUntilMs.get(providerBudget(candidate)) ?? 0
      if (usedUpMs > nowMs)
        return refusal(candidate, "budget_exhausted", "the provider's quota is used up", usedUpMs - nowMs)
      const own = isOnRequest ? ownQuotas(candidate) : []
      const ownMs = budgets.waitMs(ownBudget(candidate), own, isOnRequest, nowMs)
      const waitMs = ownMs ?? budgets.waitMs(providerBudget(candidate), providerQuotas(candidate), isOnRequest, nowMs)
      if (waitMs !== null)
        return refusal(
          candidate,
          "budget_exhausted",
          ownMs === null ? "the provider's request quota is exhausted" : "the quota of fetches on request is exhausted",
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
    quotaUsedUp: (candidate, untilMs) => {
      // A source without a declared provider has no name by which to bound it alone.
      if (candidate.source.access !== null && holdsToQuotas) usedUpUntilMs.set(providerBudget(candidate), untilMs)
    },
    keyRefused: ({ source, key }, nowMs) => {
      if (key !== null && source.key !== null) refusedUntilMs.set(source.key.setting, nowMs + KEY_REFUSED_PAUSE_MS)
    },
  }
}
