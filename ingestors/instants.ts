/** How far a time of an upstream may lie ahead of our own clock: clocks differ, and some round up. */
export const AHEAD_MAX_MS = 15 * 60_000

/** Whether an instant (ISO) lies so far ahead of `nowMs` that it cannot be when something happened. */
export const isAhead = (at: string | null, nowMs: number): boolean =>
  at !== null && Date.parse(at) > nowMs + AHEAD_MAX_MS

/** The latest of some instants (ISO), in milliseconds since the epoch; null where there is none. */
export const newestMs = (instants: ReadonlyArray<string>): number | null =>
  instants.length === 0 ? null : Math.max(...instants.map((at) => Date.parse(at)))
