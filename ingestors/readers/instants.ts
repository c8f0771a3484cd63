import { instant } from "../../schemas/event.ts"

/** How far an upstream's time may lie ahead of the local clock: clocks differ, and some upstreams round up. */
export const AHEAD_MAX_MS = 15 * 60_000
/** The last instant that is served and stored. A column of the history ends in 2299, and would wrap around. */
const INSTANT_MAX_MS = Date.UTC(2100, 0, 1) - 1

/** The instant (ISO) of milliseconds since the epoch, from 1970 to 2099; null for other and missing values. */
export const instantOrNull = (ms: number | null | undefined): string | null =>
  ms !== null && ms !== undefined && ms >= 0 && ms <= INSTANT_MAX_MS ? instant(ms) : null

/** Whether an instant (ISO) lies so far ahead of `nowMs` that it cannot be in the past. */
export const isAhead = (at: string | null, nowMs: number): boolean =>
  at !== null && Date.parse(at) > nowMs + AHEAD_MAX_MS

/** The latest of some times since the epoch; 0 without one. Any number of them, which a call's arguments may not be. */
export const latestOf = (times: ReadonlyArray<number>): number =>
  times.reduce((latest, time) => Math.max(latest, time), 0)

/** The latest of some instants (ISO), in milliseconds since the epoch; null without one. */
export const newestMs = (instants: ReadonlyArray<string>): number | null =>
  instants.length === 0 ? null : latestOf(instants.map((at) => Date.parse(at)))
