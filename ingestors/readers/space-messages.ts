import { instant } from "../../schemas/event.ts"
import { SPACE_ALERTS_MAX, SPACE_HEADLINE_LENGTH_MAX, type SpaceAlert } from "../../schemas/feeds/space-weather.ts"
import { civilMs, monthOf } from "./civil-time.ts"
import { AHEAD_MAX_MS, instantOrNull } from "./instants.ts"
import { cleanText } from "./text.ts"

const DAY_MS = 24 * 3_600_000

/** A message of the Space Weather Prediction Center: text for readers, whose first lines have a fixed form. */
export interface SpaceMessage {
  readonly productId: string
  readonly issuedMs: number
  readonly text: string
}

const VALID_UNTIL = /^(?:now )?valid (?:until|to): *(\d{4}) ([a-z]{3}) (\d{1,2}) (\d\d)(\d\d)/im
const END_TIME = /^end time: *(\d{4}) ([a-z]{3}) (\d{1,2}) (\d\d)(\d\d)/im

const timeIn = (text: string, pattern: RegExp): number | null => {
  const [, year, month = "", day, hour, minute] = pattern.exec(text) ?? []
  return civilMs({
    year: Number(year),
    month: monthOf(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: 0,
  })
}

const CODE = /^space weather message code: *([a-z0-9]{1,20})/im
const SERIAL = /^serial number: *(\d{1,9})\b/im
const HEADLINE = /^([a-z]+ +)?(alert|warning|watch|summary): *(\S.*)$/im
const SCALE = /noaa scale: *([grs][1-5])|category ([grs][1-5])/i

/** Messages that end others speak of the same code; a watch replaces every earlier watch of its family. */
const family = (code: string): string => (code.startsWith("WATA") ? "WATA" : code)

/** The alert that a summary of a proton event ends: SUMPX1 ends ALTPX1, SUMPC0 ends ALTPC0. */
const SUMMED_UP = /^SUM(P\w+)$/

/**
 * The alerts that stand: of each code the newest message, unless that one cancels it. A warning ends when it says. A watch
 * foresees three days. An alert says that a threshold was crossed and is repeated daily while it lasts; one of a proton event
 * is over once a summary names an end that is not before it.
 */
const standing = (messages: ReadonlyArray<SpaceMessage>): ReadonlyArray<SpaceAlert> => {
  const seen = new Set<string>()
  const endedMs = new Map<string, number>()
  return [...messages]
    .sort((a, b) => b.issuedMs - a.issuedMs)
    .flatMap(({ productId, issuedMs, text }): ReadonlyArray<SpaceAlert> => {
      const code = (CODE.exec(text)?.[1] ?? cleanText(productId, 20)).toUpperCase()
      const [, summedUp] = SUMMED_UP.exec(code) ?? []
      if (summedUp !== undefined) {
        const alert = `ALT${summedUp}`
        endedMs.set(alert, Math.max(endedMs.get(alert) ?? 0, timeIn(text, END_TIME) ?? issuedMs))
      }
      if (code === "" || seen.has(family(code))) return []
      seen.add(family(code))
      if (issuedMs <= (endedMs.get(code) ?? 0)) return []
      const [, modifier = "", word = "", title = ""] = HEADLINE.exec(text) ?? []
      const kind = word.toLowerCase()
      const headline = cleanText(title, SPACE_HEADLINE_LENGTH_MAX)
      if (/^cancel/i.test(modifier) || headline === "") return []
      if (kind !== "alert" && kind !== "warning" && kind !== "watch") return []
      const [, scale, category] = SCALE.exec(text) ?? []
      const serial = SERIAL.exec(text)?.[1]
      const untilMs =
        kind === "watch"
          ? Math.floor(issuedMs / DAY_MS) * DAY_MS + 3 * DAY_MS
          : ((kind === "warning" ? timeIn(text, VALID_UNTIL) : null) ?? issuedMs + DAY_MS)
      return [
        {
          code,
          serial: serial === undefined ? null : Number(serial),
          kind,
          headline,
          scale: (scale ?? category)?.toUpperCase() ?? null,
          issuedAt: instant(issuedMs),
          activeUntil: instantOrNull(untilMs) ?? instant(issuedMs + DAY_MS),
        },
      ]
    })
}

/** Whether a message has the form in which all of them are written. */
const isReadable = ({ text }: SpaceMessage): boolean => HEADLINE.test(text)

/**
 * The alerts that stand, or null if the list is implausible: the agency lists weeks of messages, so an empty list is a
 * fault, and if half of them or more have no headline, their form has changed. It has fewer codes than a payload holds alerts.
 */
export const standingAlerts = (
  messages: ReadonlyArray<SpaceMessage>,
  nowMs: number,
): ReadonlyArray<SpaceAlert> | null => {
  const issued = messages.filter(({ issuedMs }) => issuedMs <= nowMs + AHEAD_MAX_MS)
  const readable = issued.filter(isReadable)
  if (issued.length === 0 || readable.length * 2 <= issued.length) return null
  const alerts = standing(readable)
  return alerts.length > SPACE_ALERTS_MAX ? null : alerts
}
