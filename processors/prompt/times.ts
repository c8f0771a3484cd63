import type { NetPrecision } from "../../schemas/feeds/launches.ts"

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
]

/** An instant to the minute in UTC: "2026-08-17 20:35". */
export const minuteText = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ")

/** An instant in words: "Monday, 17 August 2026, 20:35 UTC". */
export const readableText = (ms: number): string => {
  const at = new Date(ms)
  const date = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${weekdays[at.getUTCDay()]}, ${date}, ${minuteText(ms).slice(11)} UTC`
}

/** The time of a launch as exactly as it is known: a coarse one is a placeholder, of which only the period is true. */
export const launchTimeText = (net: string | null, precision: NetPrecision | null): string => {
  if (net === null) return "at an unknown time"
  const ms = Date.parse(net)
  const year = net.slice(0, 4)
  const month = new Date(ms).getUTCMonth()
  switch (precision) {
    case "second":
    case "minute":
      return `${minuteText(ms)} UTC`
    case "hour":
      return `about ${minuteText(ms)} UTC`
    case "day":
      return net.slice(0, 10)
    case "week":
      return `in the week of ${net.slice(0, 10)}`
    case "month":
      return `in ${net.slice(0, 7)}`
    case "quarter":
      return `in Q${Math.floor(month / 3) + 1} ${year}`
    case "half":
      return `in H${Math.floor(month / 6) + 1} ${year}`
    case "year":
      return `in ${year}`
    case null:
      return `not before ${net.slice(0, 10)}`
  }
}
