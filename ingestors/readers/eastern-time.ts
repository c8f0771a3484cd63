import { zoneTime } from "./zone-time.ts"

const HOUR_MS = 3_600_000

/**
 * Milliseconds since the epoch of a civil time in US Eastern time. The hour that occurs twice in autumn
 * gives the earlier instant; the hour skipped in spring and invalid times give null.
 */
export const easternMs = zoneTime("America/New_York", [4 * HOUR_MS, 5 * HOUR_MS])
