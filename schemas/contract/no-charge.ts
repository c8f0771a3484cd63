import type { RestReason } from "../events/observations.ts"

// The conditions under which a premium call is free of charge, and their published reasons.

/** A condition under which a premium call is free of charge. Published in the contract; the reply names its reason. */
export interface NoCharge<Data = unknown> {
  readonly reason: string
  readonly description: string
  /**
   * `before`: decided before the debit from the prepared data, so that the call is served at balance 0. `after`: decided by
   * the outcome of the call, which needs the balance and is refunded.
   */
  readonly decided: "before" | "after"
  /** For `before`: whether it holds for the prepared data. Absent for conditions that the service itself decides. */
  when?(data: Data, nowMs: number): boolean
}

/** There is no data yet; `_meta.warming` is true. */
export const WARMING = "warming"
/** No feed of this installation supplies the requested parts. */
export const NO_DATA = "no_data"
/** Every source of the reply is stale beyond its promise. */
export const STALE_SOURCES = "stale_sources"
/** The account has paid for this past reply today. */
export const PAID_TODAY = "paid_today"
/** The requested range is empty. */
export const EMPTY_RANGE = "empty_range"
/** A 5xx of the service. */
export const INTERNAL_ERROR = "internal_error"
/** The client has disconnected. */
export const CLIENT_GONE = "client_gone"

const resting: Readonly<Record<RestReason, string>> = {
  not_configured: "No source of the requested parts has the API key that it requires.",
  not_licensed: "The terms of every source of the requested parts forbid serving them here.",
}

const emptyRange = (decided: NoCharge["decided"]): NoCharge => ({
  reason: EMPTY_RANGE,
  description: "The requested range is empty.",
  decided,
})

const ofViews: ReadonlyArray<NoCharge> = [
  { reason: WARMING, description: "No requested part has data yet.", decided: "before" },
  ...Object.entries(resting).map(([reason, description]): NoCharge => ({ reason, description, decided: "before" })),
  {
    reason: STALE_SOURCES,
    description: "Every source of the requested parts is stale (_meta.sources).",
    decided: "before",
  },
  {
    reason: PAID_TODAY,
    description: "The account has paid for this reply of this instant (`at`) today (UTC).",
    decided: "before",
  },
]

const noData: NoCharge = {
  reason: NO_DATA,
  description: "No feed supplies any of the requested parts.",
  decided: "before",
}

const ofAll: ReadonlyArray<NoCharge> = [
  {
    reason: CLIENT_GONE,
    description:
      "The connection was closed before the reply was ready, and the call had no Idempotency-Key and did not ask for the past. At most 100 such calls and empty ranges of an account are free of charge in a day (UTC).",
    decided: "after",
  },
  { reason: INTERNAL_ERROR, description: "The service fails to answer (5xx).", decided: "after" },
]

/** The facts of a premium endpoint that decide when its calls are free of charge. */
export interface NoChargeRules<Data> {
  readonly kind: "prepared" | "filtered" | "queried"
  /** Whether the endpoint declares when its data is empty. */
  readonly mayBeEmpty: boolean
  readonly own: ReadonlyArray<NoCharge<Data>>
}

/** The conditions of a premium endpoint: its own, and those of its kind. */
export const noChargeOf = <Data>({ kind, mayBeEmpty, own }: NoChargeRules<Data>): ReadonlyArray<NoCharge<Data>> => {
  const ofKind =
    kind === "queried"
      ? [emptyRange("after")]
      : [...ofViews, ...(kind === "filtered" ? [noData] : []), ...(mayBeEmpty ? [emptyRange("before")] : [])]
  return [...own, ...[...ofKind, ...ofAll].filter(({ reason }) => !own.some((one) => one.reason === reason))]
}
