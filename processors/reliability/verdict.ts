import type { Verdict } from "../../schemas/events/deltas.ts"
import { CHECK_EVERY_MS } from "./score.ts"

const DAY_MS = 24 * 60 * 60_000
/** What was due while the ingest role was away is polled within this time after its start. */
const FIRST_POLLS_MS = 30_000

/** What the monitor knows of an instance. Its existence says that the instance has been tried. */
export type Tried = {
  readonly observedAtMs: number | null
  readonly freshUntilMs: number
  readonly contentAtMs: number | null
  /** When the ingest role first went away after the last try of the instance; null when it has been there since. */
  readonly awayFromMs: number | null
}

/** An instance whose polls have all failed so far. */
export const NEVER: Tried = { observedAtMs: null, freshUntilMs: 0, contentAtMs: null, awayFromMs: null }

/** When the ingest role was last seen, and when it last came back; null where it has never been away. */
export type Presence = { readonly seenMs: number; readonly backMs: number | null }

const order: ReadonlyArray<Verdict> = ["ok", "stale", "dark"]

/** The worst of some verdicts. */
export const worst = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  order[Math.max(...verdicts.map((one) => order.indexOf(one)))] ?? "dark"

/** The verdict on one instance at an instant; `contentAgeMaxMs` is its feed's promise about its content. */
export const verdictOf = (tried: Tried | undefined, contentAgeMaxMs: number | null, nowMs: number): Verdict => {
  if (tried === undefined || tried.observedAtMs === null || nowMs - tried.observedAtMs > DAY_MS) return "dark"
  const contentTooOld =
    contentAgeMaxMs !== null && tried.contentAtMs !== null && nowMs - tried.contentAtMs > contentAgeMaxMs
  // `freshUntil` is the poll's own promise: twice its interval after it, or less where its content was old already.
  return nowMs <= tried.freshUntilMs && !contentTooOld ? "ok" : "stale"
}

/**
 * Presence and instances after a start of the ingest role at `nowMs`: it was away since it was last seen. An instance that
 * was not tried between two starts shortly after each other keeps the beginning of the first absence.
 */
export const afterStart = (
  before: Presence | undefined,
  known: ReadonlyArray<readonly [key: string, tried: Tried]>,
  nowMs: number,
): { readonly presence: Presence; readonly tried: ReadonlyArray<readonly [key: string, tried: Tried]> } => {
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
 * Whether an instance is missed rather than judged: it became worse while the ingest role was away, it has not been tried
 * since, and the start was less than five minutes ago.
 */
export const isMissed = (
  tried: Tried | undefined,
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
