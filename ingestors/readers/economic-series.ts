import * as Schema from "effect/Schema"
import { ECONOMIC_NUMBERS_MAX, type EconomicSeriesId, economicSeries } from "../../schemas/feeds/economic-series.ts"
import { notOurs } from "../poll/read.ts"
import { type Declaration, listSource, type Source } from "../source.ts"
import { newestMs } from "./instants.ts"
import { Day, Decimal } from "./wire.ts"

/** How publishers write a period without a number: a holiday, a month that was never collected, a withheld value. */
const MISSING = ["", ".", "-", "--", "---", "ND", "NA", "N/A", "(NA)", "W"] as const

const Row = Schema.Struct({ date: Day, value: Schema.Union([Schema.Literals(MISSING), Schema.Null, Decimal]) })
type Row = typeof Row.Type

/** Rows of one series as its document holds them: the first day of each period, and its number or the mark of none. */
export interface SeriesRows {
  readonly rows: ReadonlyArray<{ readonly date: unknown; readonly value: unknown }>
}

const DAY_MS = 86_400_000
/** Days that hold `ECONOMIC_NUMBERS_MAX` numbers and the gaps between them, by the period of a series. */
export const daysBack = { day: 150, week: 500, month: 2_200, quarter: 6_500 } as const

/** The years (the newest first) of the last `days` days. */
export const yearsOf = (nowMs: number, days: number): ReadonlyArray<number> => {
  const [newest, oldest] = [nowMs, nowMs - days * DAY_MS].map((ms) => new Date(ms).getUTCFullYear())
  return Array.from({ length: (newest ?? 0) - (oldest ?? 0) + 1 }, (_, back) => (newest ?? 0) - back)
}

/** Calendar days that hold `ECONOMIC_NUMBERS_MAX` business days, holidays included. */
export const BUSINESS_DAYS_SPAN_DAYS = Math.ceil((ECONOMIC_NUMBERS_MAX * 7) / 5) + 14

type SeriesDeclaration = Omit<
  Declaration<SeriesRows, never, never>,
  "provider" | "fills" | "serves" | "isDated" | "onDemand"
> & {
  /** The publisher as callers see it in `_meta`: the organisation before the metric. */
  readonly organisation: string
  /** The series that it publishes. */
  readonly series: ReadonlyArray<EconomicSeriesId>
}

/** Declares a source of economic series: `collect` gives the rows of one of them, without the marks of missing numbers read. */
export const seriesSource = ({ organisation, series: ids, ...definition }: SeriesDeclaration): Source<SeriesRows> =>
  listSource({
    ...definition,
    provider: ({ series = "" }) => `${organisation}.${series.toLowerCase()}`,
    fills: economicSeries,
    serves: ({ series }) => ids.some((id) => id === series),
    rows: ({ rows }) => rows,
    row: Row,
    toItem: ({ date, value }: Row) => (typeof value === "number" ? { date, value } : notOurs),
    contentAtMs: (_, read) => newestMs(read.map(({ item }) => `${item.date}T00:00:00.000Z`)),
  }) as unknown as Source<SeriesRows>
