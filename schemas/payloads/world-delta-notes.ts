import { WITHHELD_NOTE } from "../contract/provenance.ts"
import type { WorldDelta, WorldDeltaType } from "./world-delta.ts"

const general = {
  timestamp:
    "When Tidewire learnt of the event, later than that of every event before; of a launch its scheduled time. data.time is the event's own time.",
  next_since:
    "Pass it as since: the next reply then holds every later event, and none of these, if it is requested within the hour.",
  space_launch:
    "Launches from 1 hour before to 12 hours after now are in every reply that is charged, whatever since says, under the same data.id; they do not count for has_more and charge.",
  severity:
    "Earthquakes: below 5 minor, below 6 moderate, else major. Stories: below 25 points minor, below 100 moderate, else major; unknown points count as none. Markets: above 100,000 US dollars of 24-hour turnover major, else moderate. Launches: moderate.",
} as const

const NOT_READ = "Nothing has been read yet."
const NOTHING_LEARNT =
  "Nothing was learnt after since. The reply is free of charge, and so without launches and without counts of the hour."
const NOT_STATED = "Not stated by the source."
const ofMembers: Readonly<Record<string, string>> = {
  "tech_news_story.url": "The story is a text of its own and links to nothing.",
  "prediction_market_update.previous": "The market is newly listed, or its leading outcome had no probability before.",
}

/** Names of the members that are null, within `value`, with the names that lead to them. */
const nullsOf = (value: unknown, name: string): ReadonlyArray<string> => {
  if (value === null) return [name]
  if (typeof value !== "object") return []
  return Object.entries(value).flatMap(([member, inner]) => nullsOf(inner, `${name}.${member}`))
}

/** The notes of a reply: the general ones, one for each member that is null, and one for each type that it cannot hold. */
export const worldDeltaNotes = (
  reply: {
    readonly since: string | null
    readonly next_since: string | null
    readonly events: ReadonlyArray<WorldDelta>
  },
  read: Readonly<Record<WorldDeltaType, boolean>>,
  served: ReadonlyArray<WorldDeltaType>,
): Readonly<Record<string, string>> => {
  const missing = new Set(reply.events.flatMap(({ type, data }) => nullsOf(data, type)))
  return {
    ...general,
    ...(reply.since === null ? { since: NOT_READ } : {}),
    ...(reply.next_since === null ? { next_since: NOT_READ } : {}),
    ...(reply.events.length === 0 ? { "sample_size.events_in_rolling_hour": NOTHING_LEARNT } : {}),
    ...Object.fromEntries([...missing].sort().map((name) => [name, ofMembers[name] ?? NOT_STATED])),
    ...Object.fromEntries(
      Object.entries(read).flatMap(([type, isRead]) => {
        if (!served.some((one) => one === type)) return [[type, WITHHELD_NOTE]]
        return isRead ? [] : [[type, `${NOT_READ} What is missing is not an empty answer.`]]
      }),
    ),
  }
}
