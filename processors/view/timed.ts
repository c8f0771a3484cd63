/** Data, and the instant at which it next changes without a new observation. */
export interface Timed<Data> {
  readonly data: Data
  /** In milliseconds since the epoch; null where only a new observation changes it. */
  readonly changesAtMs: number | null
}

/**
 * The data of a view that follows the clock, valid until `changesAtMs`: the view is built again at the first tick at or
 * after that instant, and at no tick before it. Too early an instant costs a build; too late a one serves old data.
 */
export const until = <Data>(data: Data, changesAtMs: number | null): Timed<Data> => ({ data, changesAtMs })

/** The earliest of some instants that is still ahead of `nowMs`; null where none is. */
export const nextAfter = (nowMs: number, instants: Iterable<number>): number | null => {
  let next: number | null = null
  for (const instant of instants) if (instant > nowMs && (next === null || instant < next)) next = instant
  return next
}
