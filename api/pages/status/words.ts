import {
  dayStates,
  type FeedStatus,
  isWell,
  type PartStatus,
  STATUS_DAYS,
  type Status,
} from "../../../schemas/endpoints/status.ts"
import type { Verdict } from "../../../schemas/events/deltas.ts"
import type { RestReason } from "../../../schemas/events/observations.ts"

const MINUTES_OF_DAY = 1_440

/** The look of a state: the classes of `.state`, each with a shape of its own. */
export type Look = "good" | "warn" | "bad" | "missed"

/** How a verdict looks. */
export const verdictLooks: Readonly<Record<Verdict, Look>> = { ok: "good", stale: "warn", dark: "bad" }

/** What a verdict means for readers of the feed. */
export const verdictTexts: Readonly<Record<Verdict, string>> = {
  ok: "the value is as new as its promise",
  stale: "an older value than promised is served, and marked as stale",
  dark: "there is no value that is younger than 24 hours",
}

/** A verdict in a word or two. */
export const verdictNames: Readonly<Record<Verdict, string>> = { ok: "on time", stale: "stale", dark: "no data" }

/** The parts of the service, in words. */
export const partTexts: Readonly<Record<PartStatus["part"], string>> = {
  polling: "Polling of the upstreams",
  folding: "Folding of the log into replies",
  history: "History in SQL",
  replies: "Replies",
  credits: "Credits",
  chain: "Payments on the chain",
}

/** The state of a part in a word. */
export const stateNames: Readonly<Record<PartStatus["state"], string>> = {
  works: "up",
  starting: "starting",
  impaired: "degraded",
}

/** How the state of a part looks. */
export const partLooks: Readonly<Record<PartStatus["state"], Look>> = {
  works: "good",
  starting: "missed",
  impaired: "warn",
}

/** Why a feed is not polled. */
export const restTexts: Readonly<Record<RestReason, string>> = {
  not_configured: "no key is configured for its sources here",
  not_licensed: "the terms of its sources forbid it here",
}

/** What is counted here. */
export const CHECK_TEXT = "A check is one feed at one of its sources or places; every 5 minutes it has a verdict."

/** The state of everything in one sentence. */
export const verdictOf = (status: Status, nowMs: number): { readonly look: Look; readonly text: string } => {
  const { counts, checked_until: checkedUntil, parts } = status
  if (counts === null) return { look: "missed", text: "Nothing has been checked yet" }
  if (checkedUntil !== null && nowMs > Date.parse(checkedUntil))
    return { look: "bad", text: "The monitor has stopped: what follows is how it was at its last check" }
  const unwell = counts.stale + counts.dark
  const impaired = parts.filter(({ state }) => state === "impaired").length
  const checks = `${counts.monitored} ${counts.monitored === 1 ? "check" : "checks"}`
  const are = (count: number, not: string) => `${count === 1 ? "is" : "are"} ${not}on time`
  const ofParts =
    impaired === 0
      ? ""
      : `; ${impaired} of ${parts.length} parts of this service ${impaired === 1 ? "is" : "are"} degraded`
  if (unwell > 0)
    return { look: counts.dark > 0 ? "bad" : "warn", text: `${unwell} of ${checks} ${are(unwell, "not ")}${ofParts}` }
  return impaired === 0
    ? { look: "good", text: `${counts.monitored === 1 ? "" : "All "}${checks} ${are(counts.monitored, "")}` }
    : { look: "warn", text: `${checks} ${are(counts.monitored, "")}${ofParts}` }
}

/** The feeds that are not on time now, the worst first. */
export const unwellIn = ({ feeds }: Status): Status["feeds"] => feeds.filter(({ status }) => !isWell(status))

/** A share as a percentage; rounded down, so that only all is 100 %. */
export const percentText = (share: number | null): string =>
  share === null ? "not known" : `${Math.floor(share * 10_000 + 1e-6) / 100}\u00a0%`

/** From this part of a window on, its length is not stated: short gaps in the checks are usual. */
const WINDOW_SHARE_MIN = 0.9

/** A share of a window, with the length of what was checked where that is less than the window. */
const shareText = (share: number | null, windowMinutes: number, checkedMinutes: number): string =>
  share === null || checkedMinutes >= WINDOW_SHARE_MIN * windowMinutes
    ? percentText(share)
    : `${percentText(share)} of ${lengthText(checkedMinutes)}`

/** The days of a feed that the history has a check of. */
const recordedDays = (days: string | null): number =>
  days === null ? 0 : [...days].filter((letter) => letter !== dayStates.unrecorded).length

/** A share of a window in words. */
interface WindowShare {
  readonly window: string
  readonly share: number | null
  readonly text: string
}

/**
 * How a feed did over 24 hours, 7 days and, where a history is kept, 90 days, each as far as it was checked.
 */
export const sharesOf = (feed: FeedStatus, history: Status["history"]): ReadonlyArray<WindowShare> => {
  const { checked_minutes: checkedMinutes } = feed
  // Days of the history count as whole ones, and the first day has only the checks of this window.
  const recordedMinutes = Math.max(checkedMinutes, (recordedDays(feed.days) - 1) * MINUTES_OF_DAY)
  return [
    {
      window: "24 h",
      share: feed.uptime_24_hours,
      text: shareText(feed.uptime_24_hours, MINUTES_OF_DAY, checkedMinutes),
    },
    {
      window: "7 days",
      share: feed.uptime_7_days,
      text: shareText(feed.uptime_7_days, 7 * MINUTES_OF_DAY, checkedMinutes),
    },
    ...(history === "kept"
      ? [
          {
            window: `${STATUS_DAYS} days`,
            share: feed.uptime_90_days,
            text: shareText(feed.uptime_90_days, STATUS_DAYS * MINUTES_OF_DAY, recordedMinutes),
          },
        ]
      : []),
  ]
}

/** An instant to the minute, UTC. */
export const minuteText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}`

/** A length of time in its two largest units. */
export const lengthText = (minutes: number): string => {
  const days = Math.floor(minutes / MINUTES_OF_DAY)
  const hours = Math.floor((minutes % MINUTES_OF_DAY) / 60)
  const rest = minutes % 60
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`
  if (hours > 0) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
  return `${rest} min`
}
