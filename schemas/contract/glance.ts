import type { Parameters } from "../feed.ts"
import type { Json } from "../json.ts"
import type { Plot } from "./plot.ts"

/** The value by which an endpoint's data is known at a glance, as a tile of a page shows it. */
export interface Headline {
  /** A number in `unit`, or a few words; null where the data does not know it. */
  readonly value: number | string | null
  /** Null for words, and for numbers whose meaning `note` gives, such as a count. */
  readonly unit: string | null
  /** The meaning of the value, in one line: what was counted or measured, where and since when. */
  readonly note: string
}

/** A place on the map of the page, and what is there. */
export interface Mark {
  readonly latitude: number
  readonly longitude: number
  /** Names it in one line, for those who see no map as well. */
  readonly title: string
  /** From 0, hardly worth a look, to 1, one of the most severe of its kind. */
  readonly weight: number
  /** When it happened or will happen, an ISO instant; null where it has no time. */
  readonly at: string | null
}

/** Marks of one endpoint at the most: the most severe. */
export const MARKS_MAX = 100

/** What a glance at an endpoint's data shows. Both functions are pure, without a clock. */
export interface Glance<Data = unknown> {
  /** The name of the tile, a few words. */
  readonly title: string
  headline(data: Data): Headline
  /** The marks of the data, most severe first, at most `MARKS_MAX`; absent where the data has no places. */
  marks?(data: Data): ReadonlyArray<Mark>
  /** What the page of the feed draws of the data; absent for the history of the headline and the map alone. */
  plots?(data: Data): ReadonlyArray<Plot>
  /** The same of replies to other parameters, each of which stands ready: nothing is drawn of one that has no data. */
  readonly plotsOf?: ReadonlyArray<{
    /** Those that are not the defaults. */
    readonly parameters: Parameters
    plots(data: Data): ReadonlyArray<Plot>
  }>
  /** Whether its places are no danger, as launches: they are not among the most severe. False unless given. */
  readonly harmless?: true
}

// What the glances of endpoints share: the spelling of counts, changes and times in their notes, and the order of marks.

/** The headline of data that was read and holds nothing of its kind. */
export const none = (note: string): Headline => ({ value: "none", unit: null, note })

/** The headline of data that does not know its value. */
export const unknown = (note: string): Headline => ({ value: null, unit: null, note })

/** Formats by their decimals: making one takes longer than using it a hundred times. */
const formats = new Map<number, Intl.NumberFormat>()

/** A number with the separators of English. */
export const numberText = (value: number, placesMax = 0): string => {
  const format = formats.get(placesMax) ?? new Intl.NumberFormat("en-US", { maximumFractionDigits: placesMax })
  formats.set(placesMax, format)
  return format.format(value)
}

const smallPrices = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 })

/** A price: up to four decimals, and below 1 four digits, so that none but 0 is "0". */
export const priceText = (value: number): string =>
  Math.abs(value) < 1 ? smallPrices.format(value) : numberText(value, 4)

/** A count with its noun: "1 quake", "2,310 quakes". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`

/** A change in words: "up 0.97%", "down 1.5%", "unchanged". */
export const changeText = (percent: number): string => {
  const size = numberText(Math.abs(percent), 2)
  return size === "0" ? "unchanged" : `${percent < 0 ? "down" : "up"} ${size}%`
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const

/** A day, or the day of an instant: "17 Aug 2026". */
export const dayText = (instantOrDay: string): string => {
  const [year = "", month = "", day = ""] = instantOrDay.slice(0, "YYYY-MM-DD".length).split("-")
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? month} ${year}`
}

/** An instant to the minute: "17 Aug 20:33 UTC". */
export const timeText = (instant: string): string => {
  const time = instant.slice("YYYY-MM-DDT".length, "YYYY-MM-DDTHH:MM".length)
  return `${dayText(instant).slice(0, -" 2026".length)} ${time} UTC`
}

/** The month of an instant or a day: "Aug 2026". */
export const monthText = (instantOrDay: string): string => dayText(instantOrDay).replace(/^\d+ /, "")

/** The parts that are known, as one clause. */
export const clause = (...parts: ReadonlyArray<string | null>): string =>
  parts.filter((part) => part !== null && part !== "").join(", ")

/** The values of an item that are known, as one clause: texts as they are, numbers with at most four decimals. */
export const itemWords = (...values: ReadonlyArray<Json | undefined>): string =>
  clause(
    ...values.map((value) => (typeof value === "number" ? priceText(value) : typeof value === "string" ? value : null)),
  )

/** The first item with the largest value, and that value; null where no item has one. */
export const largest = <Item>(
  items: ReadonlyArray<Item>,
  numberOf: (item: Item) => number | null,
): { readonly item: Item; readonly value: number } | null =>
  items.reduce<{ readonly item: Item; readonly value: number } | null>((best, item) => {
    const value = numberOf(item)
    return value === null || (best !== null && value <= best.value) ? best : { item, value }
  }, null)

/** A row of a list that may have a place. */
interface Placed {
  readonly lat: number | null
  readonly lon: number | null
}

/** The marks of the rows with a place, the most severe first. Equal ones keep the order of the list. */
export const marksOf = <Row extends Placed>(
  rows: ReadonlyArray<Row>,
  toMark: (row: Row) => Pick<Mark, "title" | "weight" | "at">,
): ReadonlyArray<Mark> =>
  rows
    .flatMap((row) => {
      if (row.lat === null || row.lon === null) return []
      const { title, weight, at } = toMark(row)
      return [{ latitude: row.lat, longitude: row.lon, title, weight: Math.min(Math.max(weight, 0), 1), at }]
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MARKS_MAX)
