import type { Verdict } from "../../schemas/events/deltas.ts"
import { CHECK_EVERY_MS } from "./score.ts"

const DAY_MS = 24 * 60 * 60_000
/** The ingest role polls overdue sources within this time after its start. */
const FIRST_POLLS_MS = 30_000

/** The last success of an instance that has been tried at least once. */
export type TriedInstance = {
  readonly observedAtMs: number | null
  readonly freshUntilMs: number
  readonly contentAtMs: number | null
  /** When the ingest role first stopped after the last try of the instance; null if it has run since. */
  readonly awayFromMs: number | null
  /** Until when it is polled less often, as it logs too much; absent where it keeps its interval. */
  readonly throttledUntil?: string
  /** Whether a simulated world gave its last success; absent for a real upstream. */
  readonly simulated?: true
}

/** An instance whose polls have all failed so far. */
export const NEVER_SUCCEEDED: TriedInstance = {
  observedAtMs: null,
  freshUntilMs: 0,
  contentAtMs: null,
  awayFromMs: null,
}

/** When the ingest role was last seen, and when it last restarted; null if it has not. */
export type Presence = { readonly seenMs: number; readonly backMs: number | null }

const order: ReadonlyArray<Verdict> = ["ok", "stale", "dark"]

/** The worst of some verdicts. */
export const worst = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  order[Math.max(...verdicts.map((one) => order.indexOf(one)))] ?? "dark"

/** The verdict on one instance at an instant; `contentAgeMaxMs` is the maximum age of content that its feed promises. */
export const verdictOf = (tried: TriedInstance | undefined, contentAgeMaxMs: number | null, nowMs: number): Verdict => {
  if (tried === undefined || tried.observedAtMs === null || nowMs - tried.observedAtMs > DAY_MS) return "dark"
  const contentTooOld =
    contentAgeMaxMs !== null && tried.contentAtMs !== null && nowMs - tried.contentAtMs > contentAgeMaxMs
  // `freshUntil` is the poll's own promise: twice its interval after it, or less where its content was old already.
  return nowMs <= tried.freshUntilMs && !contentTooOld ? "ok" : "stale"
}

/**
 * Presence and instances after a start of the ingest role at `nowMs`: it was down since it was last seen. An instance that
 * was not tried between two starts in quick succession keeps the beginning of the first downtime.
 */
export const afterStart = (
  before: Presence | undefined,
  known: ReadonlyArray<readonly [key: string, tried: TriedInstance]>,
  nowMs: number,
): { readonly presence: Presence; readonly tried: ReadonlyArray<readonly [key: string, tried: TriedInstance]> } => {
  const seenMs = Math.max(before?.seenMs ?? 0, ...known.map(([, { observedAtMs }]) => observedAtMs ?? 0))
  if (seenMs === 0) return { presence: { seenMs: nowMs, backMs: null }, tried: [] }
  const backMs = before?.backMs ?? null
  const stillExcused = backMs !== null && seenMs - backMs < CHECK_EVERY_MS
  return {
    presence: { seenMs: nowMs, backMs: nowMs },
    tried: known.map(([key, tried]) => [
      key,
      { ...tried, awayFromMs: stillExcused ? (tried.awayFromMs ?? seenMs) : seenMs },
    ]),
  }
}

/**
 * Whether an instance is missed rather than judged: its verdict became worse while the ingest role was down, it has not been
 * tried since, and the start was less than five minutes ago.
 */
export const isMissed = (
  tried: TriedInstance | undefined,
  contentAgeMaxMs: number | null,
  presence: Presence | undefined,
  nowMs: number,
): boolean => {
  const backMs = presence?.backMs ?? null
  if (tried === undefined || tried.awayFromMs === null || backMs === null) return false
  if (nowMs - backMs >= CHECK_EVERY_MS) return false
  const left = verdictOf(tried, contentAgeMaxMs, tried.awayFromMs)
  const found = verdictOf(tried, contentAgeMaxMs, Math.min(nowMs, backMs + FIRST_POLLS_MS))
  return order.indexOf(found) > order.indexOf(left)
}
