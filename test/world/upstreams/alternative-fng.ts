import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
/** The first day of the index. */
const BEGAN_MS = Date.UTC(2018, 1, 1)

/** The index of the day that holds an instant. */
export const fearAndGreedAt = (world: World, atMs: number) => {
  const dayMs = Math.floor(atMs / DAY_MS) * DAY_MS
  const value = Math.round(world.wander("fear-greed", 52, 42, 35 * DAY_MS, dayMs))
  const label =
    value <= 25
      ? "Extreme Fear"
      : value <= 46
        ? "Fear"
        : value <= 54
          ? "Neutral"
          : value <= 75
            ? "Greed"
            : "Extreme Greed"
  return { dayMs, value, label }
}

export default simulatedUpstream({
  name: "alternative-fng",
  hosts: ["api.alternative.me"],
  answer: ({ path, query }, world) => {
    if (!/^\/fng\/?$/.test(path)) return null
    const today = fearAndGreedAt(world, world.nowMs).dayMs
    const days = Math.floor((today - BEGAN_MS) / DAY_MS) + 1
    const limit = Number(query.get("limit") ?? 1)
    const dated = query.has("date_format")
    const data = Array.from({ length: limit === 0 ? days : Math.min(limit, days) }, (_, index) => {
      const { dayMs, value, label } = fearAndGreedAt(world, today - index * DAY_MS)
      const [date = ""] = new Date(dayMs).toISOString().split("T")
      return {
        value: String(value),
        value_classification: label,
        timestamp: dated ? date.split("-").reverse().join("-") : String(dayMs / 1000),
        // Only the newest row counts down.
        ...(index === 0 && !dated
          ? { time_until_update: String(Math.floor((dayMs + DAY_MS - world.nowMs) / 1000)) }
          : {}),
      }
    })
    return {
      contentType: "application/json",
      body: JSON.stringify({ name: "Fear and Greed Index", data, metadata: { error: null } }, null, "\t"),
    }
  },
})
