import type { RestReason } from "./events/observations.ts"

// When a premium call is free of charge: the conditions and their reasons, as they are published.

/** When a premium call is free of charge: published in the contract, and named in the reply. */
export interface NoCharge<Data = unknown> {
  readonly reason: string
  readonly description: string
  /**
   * Decided `before` a debit, from the prepared data, and served at balance 0; or `after` it, by what came of the call,
   * which needs the balance and gives it back.
   */
  readonly decided: "before" | "after"
  /** For `before`: whether it holds for the prepared data. Conditions that hold for every endpoint have none. */
  when?(data: Data, nowMs: number): boolean
}

/** There is no data yet: the reply says so in `_meta.warming`. */
export const WARMING = "warming"
/** No feed of this installation fills what was asked for. */
export const NO_DATA = "no_data"
/** Every source of the reply is stale beyond its promise. */
export const STALE_SOURCES = "stale_sources"
/** The range that was asked for holds nothing. */
export const EMPTY_RANGE = "empty_range"
/** Our own 5xx. */
export const INTERNAL_ERROR = "internal_error"
/** The client has gone. */
export const CLIENT_GONE = "client_gone"

const resting: Readonly<Record<RestReason, string>> = {
  not_configured: "No source of what was asked for has the key that it needs here.",
  not_licensed: "The terms of every source of what was asked for forbid serving it here.",
}

const emptyRange = (decided: NoCharge["decided"]): NoCharge => ({
  reason: EMPTY_RANGE,
  description: "The range that was asked for holds nothing.",
  decided,
})

const ofViews: ReadonlyArray<NoCharge> = [
  { reason: WARMING, description: "There is no data yet, in any part that was asked for.", decided: "before" },
  ...Object.entries(resting).map(([reason, description]): NoCharge => ({ reason, description, decided: "before" })),
  {
    reason: STALE_SOURCES,
    description: "Every source of what was asked for is stale beyond its promise (_meta.sources).",
    decided: "before",
  },
]

const noData: NoCharge = {
  reason: NO_DATA,
  description: "No feed fills any part that was asked for.",
  decided: "before",
}

const ofAll: ReadonlyArray<NoCharge> = [
  {
    reason: CLIENT_GONE,
    description:
      "The connection was closed before the reply was ready, and no Idempotency-Key waits for it. At most 100 such calls and empty ranges of an account are free of charge in a day (UTC).",
    decided: "after",
  },
  { reason: INTERNAL_ERROR, description: "The service fails to answer (5xx).", decided: "after" },
]

/** How the data of a premium endpoint is made, as far as it decides what is free of charge. */
export interface NoChargeRules<Data> {
  readonly kind: "prepared" | "filtered" | "queried"
  /** Whether the endpoint declares when its data is empty. */
  readonly mayBeEmpty: boolean
  readonly own: ReadonlyArray<NoCharge<Data>>
}

/** Every condition of a premium endpoint: its own ones, and those that hold for all of its kind. */
export const noChargeOf = <Data>({ kind, mayBeEmpty, own }: NoChargeRules<Data>): ReadonlyArray<NoCharge<Data>> => {
  const ofKind =
    kind === "queried"
      ? [emptyRange("after")]
      : [...ofViews, ...(kind === "filtered" ? [noData] : []), ...(mayBeEmpty ? [emptyRange("before")] : [])]
  return [...own, ...[...ofKind, ...ofAll].filter(({ reason }) => !own.some((one) => one.reason === reason))]
}
