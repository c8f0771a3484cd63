import { simulatedUpstream } from "../upstream.ts"
import { kpAt } from "./noaa-swpc.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const INTERVAL_MS = 3 * HOUR_MS
const DAYS = 30

const two = (number: number): string => String(number).padStart(2, "0")

export default simulatedUpstream({
  name: "gfz-kp",
  hosts: ["kp.gfz.de"],
  answer: ({ path }, world) => {
    if (path !== "/app/files/Kp_ap_nowcast.txt") return null
    const begin = Math.floor(world.nowMs / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS
    const lines = Array.from({ length: DAYS * 8 }, (_, at) => {
      const startMs = begin + at * INTERVAL_MS
      const [start, days] = [new Date(startMs), (startMs - Date.UTC(1932, 0, 1)) / DAY_MS]
      // Intervals of the day that are not over are lines too.
      const kp = startMs + INTERVAL_MS <= world.nowMs ? kpAt(world, startMs) : null
      return [
        `${start.getUTCFullYear()} ${two(start.getUTCMonth() + 1)} ${two(start.getUTCDate())}`,
        `${two(start.getUTCHours())}.0 ${two(start.getUTCHours() + 1)}.50`,
        `${days.toFixed(5)} ${(days + 0.0625).toFixed(5)}`,
        kp === null ? "-1.000   -1 0" : ` ${kp.toFixed(3)}    5 0`,
      ].join(" ")
    })
    return { contentType: "text/plain", body: ["# LICENSE: CC BY 4.0", "#YYY MM DD hh.h", ...lines, ""].join("\n") }
  },
})
