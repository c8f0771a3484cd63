import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import {
  AIRPORT_REASON_MAX_CHARACTERS,
  delayDirections,
  delayTrends,
  faaStatus,
} from "../../schemas/feeds/faa-status.ts"
import { canonicalJson } from "../../schemas/json.ts"
import { document, type Upstream, UpstreamError } from "../document.ts"
import { decoderOf, Unreadable, unreadable } from "../poll/read.ts"
import { XmlText } from "../readers/formats.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { asctimeMs } from "../readers/text-dates.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"
import { periodWithoutYear, readClosureNotam } from "./faa-nasstatus/closure-notam.ts"

const optionalText = Schema.optionalKey(XmlText)

/** https://nasstatus.faa.gov/ One entry of one of the lists, each of which has some of these members. */
const Entry = Schema.Struct({
  ARPT: XmlText,
  Reason: optionalText,
  End_Time: optionalText,
  Avg: optionalText,
  Max: optionalText,
  Start: optionalText,
  Reopen: optionalText,
  Arrival_Departure: Schema.optionalKey(
    Schema.Struct({ "@_Type": optionalText, Min: optionalText, Max: optionalText, Trend: optionalText }),
  ),
})

const kinds = {
  Ground_Stop_List: "ground_stop",
  Ground_Delay_List: "ground_delay",
  Arrival_Departure_Delay_List: "delay",
  Airport_Closure_List: "closure",
} as const
const lists = Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>
/** Lists of programs for a part of the airspace; they name no airport. */
const AIRSPACE_LISTS = ["Airspace_Flow_List", "CTOP_List"]
/** The members of the whole list and of each of its blocks; any other may be a new kind of list. */
const STATUS_MEMBERS: ReadonlyArray<string> = ["Update_Time", "Dtd_File", "Delay_type"]
const BLOCK_MEMBERS: ReadonlyArray<string> = ["Name", ...lists, ...AIRSPACE_LISTS]

const Row = Schema.Struct({
  kind: Schema.Literals(lists.map((list) => kinds[list])),
  /** When the FAA wrote the list. */
  updatedMs: Schema.Finite,
  entry: Entry,
  /** See `distinguished`. */
  distinction: Schema.optionalKey(Schema.String),
})
type Row = typeof Row.Type

const Status = Schema.Struct({
  AIRPORT_STATUS_INFORMATION: Schema.StructWithRest(
    Schema.Struct({
      /** As C's `asctime` writes it, in UTC. */
      Update_Time: XmlText,
      /** Absent where all is clear. One name may stand above two of them. */
      Delay_type: Schema.optionalKey(Schema.Unknown),
    }),
    // Further members are kept, so that an unknown one is seen.
    [Schema.Record(Schema.String, Schema.Unknown)],
  ),
})
type Status = typeof Status.Type

const status = document({
  format: "xml",
  wire: Status,
  url: "https://nasstatus.faa.gov/api/airport-status-information",
})

const updatedMsOf = ({ AIRPORT_STATUS_INFORMATION: { Update_Time } }: Status): number | null => asctimeMs(Update_Time)

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const many = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** The names of the elements of a value, without its attributes. */
const elementsOf = (value: Members): ReadonlyArray<string> =>
  Object.keys(value).filter((name) => !name.startsWith("@_"))

/**
 * The entries of a list, whatever their element is called; one for each direction of a delay. A list may stand several times
 * in its block. What is no entry is given as it is, to be refused as one that cannot be read.
 */
const entriesOf = (list: unknown): ReadonlyArray<unknown> =>
  many(list)
    .filter((one) => one !== "")
    .flatMap((one) => (isMembers(one) ? elementsOf(one).flatMap((name) => many(one[name])) : [one]))
    .flatMap((entry) =>
      isMembers(entry) && Array.isArray(entry.Arrival_Departure)
        ? entry.Arrival_Departure.map((one: unknown) => ({ ...entry, Arrival_Departure: one }))
        : [entry],
    )

/** Whether a block holds a list, and none of an unknown kind. */
const isKnown = (block: unknown): block is Members =>
  isMembers(block) &&
  elementsOf(block).every((name) => BLOCK_MEMBERS.includes(name)) &&
  elementsOf(block).some((name) => name !== "Name")

const rowsOf = (collected: Status): ReadonlyArray<unknown> | UpstreamError => {
  const updatedMs = updatedMsOf(collected)
  if (updatedMs === null) return new UpstreamError({ message: "the list has no time" })
  const { AIRPORT_STATUS_INFORMATION: whole } = collected
  const blocks = whole.Delay_type === undefined ? [] : many(whole.Delay_type)
  // An unknown list must not read as airports that are clear.
  if (!elementsOf(whole).every((name) => STATUS_MEMBERS.includes(name)) || !blocks.every(isKnown))
    return new UpstreamError({ message: "the answer holds a list of an unknown kind" })
  return distinguished(
    blocks.flatMap((block) =>
      lists
        .filter((list) => list in block)
        .flatMap((list) => entriesOf(block[list]).map((entry) => ({ kind: kinds[list], updatedMs, entry }))),
    ),
  )
}

const DURATION = /^(?:(\d{1,3}) hours?)?(?: ?(?:and )?(\d{1,4}) min(?:ute)?s?)?\.?$/i

/** The minutes of "1 hour and 40 minutes"; null for a text that is no duration. */
const minutesOf = (text: string | undefined): number | null => {
  const [, hours, minutes] = DURATION.exec(cleanText(text ?? "", 60)) ?? []
  return hours === undefined && minutes === undefined ? null : Number(hours ?? 0) * 60 + Number(minutes ?? 0)
}

/** The longest delay; null if it is shorter than another delay of its entry, which contradicts it. */
const atLeast = (least: number | null, minutes: number | null): number | null =>
  least !== null && minutes !== null && minutes < least ? null : minutes

const eventOf = ({ kind, updatedMs, entry }: Row) => {
  const airport = cleanText(entry.ARPT, 10).toUpperCase()
  const whole = cleanText(entry.Reason ?? "", 2_000)
  const common = { airport, reason: cleanText(whole, AIRPORT_REASON_MAX_CHARACTERS) }
  switch (kind) {
    case "ground_stop":
      return { kind, ...common, endTime: cleanTextOrNull(entry.End_Time, 40) }
    case "ground_delay": {
      const averageMinutes = minutesOf(entry.Avg)
      return { kind, ...common, averageMinutes, maximumMinutes: atLeast(averageMinutes, minutesOf(entry.Max)) }
    }
    case "delay": {
      const { "@_Type": type = "", Min, Max, Trend = "" } = entry.Arrival_Departure ?? {}
      const direction = delayDirections.find((one) => one === type.trim().toLowerCase())
      if (direction === undefined) return unreadable("its delay is neither of arrivals nor of departures")
      const minimumMinutes = minutesOf(Min)
      const trend = delayTrends.find((one) => one === Trend.trim().toLowerCase().replaceAll(" ", "_")) ?? null
      return {
        kind,
        ...common,
        direction,
        minimumMinutes,
        maximumMinutes: atLeast(minimumMinutes, minutesOf(Max)),
        trend,
      }
    }
    case "closure": {
      const { notam, isRestriction, period, isAtCertainHours, dailyWindow } = readClosureNotam(whole)
      return {
        kind: isRestriction ? ("restriction" as const) : kind,
        ...common,
        notam,
        ...(period ?? periodWithoutYear(entry.Start ?? "", entry.Reopen ?? "", updatedMs)),
        isAtCertainHours,
        dailyWindow,
      }
    }
  }
}

/** The item of an entry. */
const airportEvent = (row: Row) => {
  const event = eventOf(row)
  return event instanceof Unreadable || row.distinction === undefined
    ? event
    : { ...event, distinction: row.distinction }
}

const decodeRow = decoderOf(Row)

/**
 * The rows, those of one key with a distinction where they differ. A list identifies an entry by its airport alone (a delay
 * also by its direction, a notice by its number), and may hold several: each has a key by its reason then, whatever
 * their order. Those of one reason are numbered by their content, which may change places. Equal entries are one.
 */
const distinguished = (rows: ReadonlyArray<object>): ReadonlyArray<unknown> => {
  const read = rows.map((row) => {
    const event = Result.match(decodeRow(row), { onFailure: () => null, onSuccess: eventOf })
    return event === null || event instanceof Unreadable
      ? { row, key: null, reason: "", content: "" }
      : { row, key: faaStatus.key(event), reason: event.reason, content: canonicalJson(event) }
  })
  const byKey = Map.groupBy(read, ({ key }) => key)
  return read.map(({ row, key, reason, content }) => {
    const rivals = key === null ? [] : (byKey.get(key) ?? [])
    if (rivals.every((rival) => rival.content === content)) return row
    const ofReason = rivals.flatMap((rival) => (rival.reason === reason ? [rival.content] : []))
    return { ...row, distinction: `${reason}/${[...new Set(ofReason)].sort().indexOf(content) + 1}` }
  })
}

export default listSource({
  name: "faa-nasstatus",
  provider: "FAA.nas_status",
  fills: faaStatus,
  every: "2 minutes",
  documents: { status },
  collect: (upstream: Upstream) => upstream.fetch(status, undefined),
  rows: rowsOf,
  row: Row,
  toItem: airportEvent,
  contentAtMs: updatedMsOf,
  facts: (collected) => ({ updatedAt: instant(updatedMsOf(collected) ?? 0) }),
  attribution: {
    provider: "US Federal Aviation Administration, National Airspace System status",
    licence: "US government work, public domain",
    url: "https://nasstatus.faa.gov/",
  },
  terms: openTerms("https://www.faa.gov/web_policies", "US government work, public domain"),
})
