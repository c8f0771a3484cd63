import type { Launch } from "../../schemas/feeds/launches.ts"
import type { LaunchDelta } from "../../schemas/payloads/world-delta.ts"
import { LAUNCH_SEVERITY } from "./severity.ts"

const HOUR_MS = 3_600_000
/** A launch is near from this long before its time ... */
const AHEAD_MS = 12 * HOUR_MS
/** ... to this long after it. */
const BEHIND_MS = HOUR_MS

/** The launches that are near at `nowMs`, the earliest first, as the feed has them. */
export const nearLaunches = (launches: ReadonlyArray<Launch>, nowMs: number): ReadonlyArray<LaunchDelta> =>
  launches.flatMap((launch): ReadonlyArray<LaunchDelta> => {
    const { net, windowStart: start, windowEnd: end } = launch
    if (net === null || Date.parse(net) < nowMs - BEHIND_MS || Date.parse(net) > nowMs + AHEAD_MS) return []
    return [
      {
        type: "space_launch",
        timestamp: net,
        severity: LAUNCH_SEVERITY,
        data: {
          id: launch.id,
          mission: launch.mission,
          vehicle: launch.vehicle,
          provider: launch.provider,
          status: launch.status,
          net,
          net_precision: launch.netPrecision,
          window: start === null && end === null ? null : { start, end },
          url: launch.url,
        },
      },
    ]
  })

/** What is logged once: a launch at a time and in a status. */
export const launchState = ({ data: { id, net, status } }: LaunchDelta): string => JSON.stringify([id, net, status])
