import type { FailureReason } from "../../schemas/events/observations.ts"
import type { Quota, QuotaPeriod } from "../provider-access.ts"
import type { BudgetCheckpoint, QuotaWindow } from "./ingest-log.ts"
import type { Candidate } from "./plan.ts"

/** The pause after a refused key. It is not stored: only a restart can bring another key, which is then tried at once. */
export const KEY_REFUSED_PAUSE_MS = 3_600_000

/** Why a source may not be polled now, and when it may be tried again. */
interface Refusal {
  readonly reason: FailureReason
  readonly message: string
  readonly retryAfterMs: number
}

/** The counted requests of a provider, or of one source's fetches on request, and their checkpoint. */
type NamedBudget = readonly [name: string, checkpoint: BudgetCheckpoint]

/** Decides whether a source may be polled now, by its quotas and by whether its key was refused. */
export interface Admission {
  /** Begins a collection: null if the source may be polled, else why it may not. */
  readonly begin: (candidate: Candidate, isOnRequest: boolean, nowMs: number) => Refusal | null
  /** Admits one HTTP request: null, or the milliseconds after which one will be admitted. */
  readonly request: (candidate: Candidate, isOnRequest: boolean, nowMs: number) => number | null
  /** Records that the provider refused the key. */
  readonly keyRefused: (candidate: Candidate, nowMs: number) => void
  /** Records that the provider says that its quota is used up until then, whatever was counted here. Not stored. */
  readonly quotaUsedUp: (candidate: Candidate, untilMs: number) => void
  /** The budgets that changed since they were last saved; the next commit saves them. */
  readonly unsaved: () => ReadonlyArray<NamedBudget>
  /** Marks these budgets as saved by a commit. One that has changed since stays unsaved. */
  readonly saved: (budgets: ReadonlyArray<NamedBudget>) => void
}

/** The source's own quotas of fetches on request, which apply beside those of its provider. */
const ownQuotas = ({ source: { onDemand } }: Candidate): ReadonlyArray<Quota> =>
  onDemand === null
    ? []
    : [
        { per: "minute", requestsMax: onDemand.perMinuteMax },
        { per: "day", requestsMax: onDemand.perDayMax },
      ]

/**
 * Makes the admission, with the budgets restored from their checkpoints. Names of budgets come from code only, which bounds
 * their number. `holdsToQuotas` is false for simulated upstreams, which are polled faster than a provider allows.
 */
export const makeAdmission = (restored: ReadonlyMap<string, BudgetCheckpoint>, holdsToQuotas: boolean): Admission => {
  const budgets = new Map(restored)
  const changed = new Set<string>()
  const refusedUntilMs = new Map<string, number>()
  const usedUpUntilMs = new Map<string, number>()

  const windowOf = (name: string, { per }: Quota) => budgets.get(name)?.windows.find((one) => one.per === per)
  const budgetWaitMs = (
    name: string,
    quotas: ReadonlyArray<Quota>,
    isOnRequest: boolean,
    nowMs: number,
  ): number | null => {
    const waits = quotas.flatMap((quota) => quotaWaitMs(quota, windowOf(name, quota), isOnRequest, nowMs) ?? [])
    return waits.length === 0 ? null : Math.max(...waits)
  }
  const count = (name: string, quotas: ReadonlyArray<Quota>, isOnRequest: boolean, nowMs: number): void => {
    if (quotas.length === 0) return
    const windows = quotas.map((quota) => countRequest(quota.per, windowOf(name, quota), isOnRequest, nowMs))
    budgets.set(name, { v: 2, windows })
    changed.add(name)
  }

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
        return {
          reason: "key_refused",
          message: `the key in ${setting} was refused, and is paused`,
          retryAfterMs: untilMs - nowMs,
        }
      const exhausted = (message: string, retryAfterMs: number): Refusal => ({
        reason: "budget_exhausted",
        message,
        retryAfterMs,
      })
      const usedUpMs = usedUpUntilMs.get(providerBudget(candidate)) ?? 0
      if (usedUpMs > nowMs) return exhausted("the provider's quota is used up", usedUpMs - nowMs)
      const own = isOnRequest ? ownQuotas(candidate) : []
      const ownMs = budgetWaitMs(ownBudget(candidate), own, isOnRequest, nowMs)
      if (ownMs !== null) return exhausted("the quota of fetches on request is exhausted", ownMs)
      const providerMs = budgetWaitMs(providerBudget(candidate), providerQuotas(candidate), isOnRequest, nowMs)
      if (providerMs !== null) return exhausted("the provider's request quota is exhausted", providerMs)
      count(ownBudget(candidate), own, isOnRequest, nowMs)
      return null
    },
    request: (candidate, isOnRequest, nowMs) => {
      const [name, quotas] = [providerBudget(candidate), providerQuotas(candidate)]
      const waitMs = budgetWaitMs(name, quotas, isOnRequest, nowMs)
      if (waitMs === null) count(name, quotas, isOnRequest, nowMs)
      return waitMs
    },
    keyRefused: ({ source, key }, nowMs) => {
      if (key !== null && source.key !== null) refusedUntilMs.set(source.key.setting, nowMs + KEY_REFUSED_PAUSE_MS)
    },
    quotaUsedUp: (candidate, untilMs) => {
      // A source without a declared provider has no budget that could be marked.
      if (candidate.source.access !== null && holdsToQuotas) usedUpUntilMs.set(providerBudget(candidate), untilMs)
    },
    unsaved: () =>
      [...changed].flatMap((name) => {
        const budget = budgets.get(name)
        return budget === undefined ? [] : [[name, budget] as const]
      }),
    saved: (saved) => {
      for (const [name, budget] of saved) if (budgets.get(name) === budget) changed.delete(name)
    },
  }
}

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The length of each period, and of the pieces in which its requests are counted. */
const periods: Readonly<Record<QuotaPeriod, { readonly lengthMs: number; readonly pieceMs: number }>> = {
  minute: { lengthMs: 60 * SECOND_MS, pieceMs: 5 * SECOND_MS },
  hour: { lengthMs: HOUR_MS, pieceMs: 60 * SECOND_MS },
  day: { lengthMs: DAY_MS, pieceMs: HOUR_MS },
  month: { lengthMs: 31 * DAY_MS, pieceMs: DAY_MS },
}

type Piece = QuotaWindow["pieces"][number]

/** The pieces that still count: a piece expires once its end is older than the period. */
const counted = (pieces: ReadonlyArray<Piece>, per: QuotaPeriod, nowMs: number): ReadonlyArray<Piece> => {
  const { lengthMs, pieceMs } = periods[per]
  const thisPieceMs = nowMs - (nowMs % pieceMs)
  return (
    pieces
      .filter(({ startMs }) => startMs + pieceMs + lengthMs > nowMs)
      // After the clock was set back, pieces in the future count as now; otherwise they would not expire in time.
      .map((piece) => (piece.startMs <= nowMs ? piece : { ...piece, startMs: thisPieceMs }))
  )
}

/** Milliseconds until enough pieces expire that the count is below `max`; null if it is below now. */
const waitMs = (
  pieces: ReadonlyArray<Piece>,
  per: QuotaPeriod,
  max: number,
  countOf: (piece: Piece) => number,
  nowMs: number,
): number | null => {
  const { lengthMs, pieceMs } = periods[per]
  let count = pieces.reduce((sum, piece) => sum + countOf(piece), 0)
  if (count < max) return null
  for (const piece of pieces) {
    count -= countOf(piece)
    if (count < max) return Math.max(1, piece.startMs + pieceMs + lengthMs - nowMs)
  }
  return lengthMs
}

/**
 * Milliseconds until a quota admits a request; null if it does now. The period slides, so that the quota also holds for a
 * provider that counts by calendar.
 */
export const quotaWaitMs = (
  { per, requestsMax, onRequestMax }: Quota,
  window: QuotaWindow | undefined,
  isOnRequest: boolean,
  nowMs: number,
): number | null => {
  const pieces = counted(window?.pieces ?? [], per, nowMs)
  const waits = [
    waitMs(pieces, per, requestsMax, ({ requests }) => requests, nowMs),
    isOnRequest && onRequestMax !== undefined
      ? waitMs(pieces, per, onRequestMax, ({ onRequest }) => onRequest, nowMs)
      : null,
  ].filter((wait) => wait !== null)
  return waits.length === 0 ? null : Math.max(...waits)
}

/** The window of a quota after one more request at `nowMs`. */
export const countRequest = (
  per: QuotaPeriod,
  window: QuotaWindow | undefined,
  isOnRequest: boolean,
  nowMs: number,
): QuotaWindow => {
  const { pieceMs } = periods[per]
  const startMs = nowMs - (nowMs % pieceMs)
  const byStart = new Map<number, Piece>()
  const one = { startMs, requests: 1, onRequest: isOnRequest ? 1 : 0 }
  for (const piece of [...counted(window?.pieces ?? [], per, nowMs), one]) {
    const same = byStart.get(piece.startMs)
    byStart.set(piece.startMs, {
      startMs: piece.startMs,
      requests: piece.requests + (same?.requests ?? 0),
      onRequest: piece.onRequest + (same?.onRequest ?? 0),
    })
  }
  return { per, pieces: [...byStart.values()].sort((a, b) => a.startMs - b.startMs) }
}
