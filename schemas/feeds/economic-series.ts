import * as Schema from "effect/Schema"
import { day } from "../contract/parameters.ts"
import { listFeed, type Parameters } from "../feed.ts"

/** How many numbers of a series are kept in view, the newest ones. */
export const ECONOMIC_NUMBERS_MAX = 60

/**
 * The series that are followed, by the id under which the Federal Reserve Bank of St. Louis lists them: who publishes the
 * numbers, their unit, how often one is published, and how old the newest period may be, counted from its first day, before
 * the series counts as stale.
 */
export const economicSeriesFacts = {
  FEDFUNDS: {
    title: "Federal funds effective rate, monthly mean of all calendar days",
    publisher: "nyfed",
    unit: "percent",
    period: "month",
    contentAgeMaxDays: 100,
  },
  EFFR: {
    title: "Federal funds effective rate",
    publisher: "nyfed",
    unit: "percent",
    period: "day",
    contentAgeMaxDays: 7,
  },
  DFEDTARL: {
    title: "Federal funds target range, lower limit, on business days",
    publisher: "nyfed",
    unit: "percent",
    period: "day",
    contentAgeMaxDays: 7,
  },
  DFEDTARU: {
    title: "Federal funds target range, upper limit, on business days",
    publisher: "nyfed",
    unit: "percent",
    period: "day",
    contentAgeMaxDays: 7,
  },
  CPIAUCSL: {
    title: "Consumer price index, all items",
    publisher: "bls",
    unit: "index 1982-84=100",
    period: "month",
    contentAgeMaxDays: 100,
  },
  UNRATE: { title: "Unemployment rate", publisher: "bls", unit: "percent", period: "month", contentAgeMaxDays: 100 },
  A191RL1Q225SBEA: {
    title: "Real gross domestic product, change on the quarter before at an annual rate",
    publisher: "bea",
    unit: "percent",
    period: "quarter",
    contentAgeMaxDays: 230,
  },
  DGS10: {
    title: "Market yield of US Treasury securities, 10 years",
    publisher: "treasury",
    unit: "percent",
    period: "day",
    contentAgeMaxDays: 7,
  },
  DGS2: {
    title: "Market yield of US Treasury securities, 2 years",
    publisher: "treasury",
    unit: "percent",
    period: "day",
    contentAgeMaxDays: 7,
  },
  MORTGAGE30US: {
    title: "30-year fixed rate mortgage average",
    publisher: "freddiemac",
    unit: "percent",
    period: "week",
    contentAgeMaxDays: 10,
  },
  DTWEXBGS: {
    title: "Nominal broad US dollar index",
    publisher: "federalreserve",
    unit: "index Jan 2006=100",
    period: "day",
    contentAgeMaxDays: 13,
  },
  DCOILWTICO: {
    title: "Crude oil, WTI",
    publisher: "eia",
    unit: "US dollars a barrel",
    period: "day",
    contentAgeMaxDays: 14,
  },
  DHHNGSP: {
    title: "Natural gas, Henry Hub",
    publisher: "eia",
    unit: "US dollars a million BTU",
    period: "day",
    contentAgeMaxDays: 14,
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly title: string
      /** Who publishes the numbers first. */
      readonly publisher: string
      readonly unit: string
      readonly period: "day" | "week" | "month" | "quarter"
      readonly contentAgeMaxDays: number
    }
  >
>

export type EconomicSeriesId = keyof typeof economicSeriesFacts
// The keys of a constant are its names.
export const economicSeriesIds = Object.keys(economicSeriesFacts) as ReadonlyArray<EconomicSeriesId>

/** How replies name the origin of a series: its publisher and its id. Where it was read stands in `_meta.sources`. */
export const originOf = (id: EconomicSeriesId): string => `${economicSeriesFacts[id].publisher}:${id}`

const isSeriesId = (text: string | undefined): text is EconomicSeriesId =>
  text !== undefined && Object.hasOwn(economicSeriesFacts, text)

/** What is known of the series of an instance. Throws for an instance that is none of the feed's. */
export const factsOfSeries = ({ series }: Parameters) => {
  if (!isSeriesId(series)) throw new TypeError("not a series of this feed")
  return { id: series, ...economicSeriesFacts[series] }
}

/** The name of a series and its unit, as events name them; of a series that this release no longer has, its name alone. */
export const seriesInEvent = ({ series = "" }: Parameters): { readonly id: string; readonly unit: string } => ({
  id: series,
  unit: isSeriesId(series) ? economicSeriesFacts[series].unit : "",
})

/** The number of one period. A number that is published later for the same period replaces it. */
export const EconomicNumber = Schema.Struct({
  /** First day of the period. */
  date: day,
  value: Schema.Finite.check(Schema.isBetween({ minimum: -1e9, maximum: 1e9 })),
})
export type EconomicNumber = typeof EconomicNumber.Type

export const economicSeries = listFeed({
  name: "economic-series",
  description: "Economic series of the United States, an instance each: the latest 60 numbers, the newest first.",
  instances: economicSeriesIds.map((series) => ({ series })),
  judgedAs: "one",
  item: EconomicNumber,
  itemsMax: ECONOMIC_NUMBERS_MAX,
  keepsFirst: true,
  key: (item) => item.date,
  publishesGone: false,
  revision: ({ value }) => value,
  order: (one, other) => (one.date < other.date ? 1 : -1),
  happenedAt: ({ date }) => `${date}T00:00:00.000Z`,
  mayBeEmpty: false,
  contentAgeMax: ({ series }) => (isSeriesId(series) ? `${economicSeriesFacts[series].contentAgeMaxDays} days` : null),
})
