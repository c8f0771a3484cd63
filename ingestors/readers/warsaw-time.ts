import { zoneTime } from "./zone-time.ts"

const HOUR_MS = 3_600_000

/** Milliseconds since the epoch of a civil time in Warsaw (Central European time), as `easternMs` gives it of New York. */
export const warsawMs = zoneTime("Europe/Warsaw", [-2 * HOUR_MS, -HOUR_MS])
