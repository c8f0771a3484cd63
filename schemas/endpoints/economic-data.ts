import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, dayText, itemWords } from "../contract/glance.ts"
import { lineSeries, monthlyPoints } from "../contract/plot.ts"
import {
  ECONOMIC_NUMBERS_MAX,
  EconomicNumber,
  type EconomicSeriesId,
  economicSeries,
  originOf,
} from "../feeds/economic-series.ts"

const { date, value } = EconomicNumber.fields

/** One indicator: its newest number and the one before. */
export const EconomicIndicator = Schema.Struct({
  value: Schema.NullOr(value).annotate({ description: "Newest number; null while the series was never read" }),
  date: Schema.NullOr(date).annotate({ description: "First day of the period that the number is of" }),
  unit: Schema.NonEmptyString,
  source: Schema.NonEmptyString.annotate({ description: "<publisher>:<series>, or computed" }),
  previous: Schema.NullOr(Schema.Struct({ value, date })).annotate({ description: "The number before the newest one" }),
})
export type EconomicIndicator = typeof EconomicIndicator.Type

const numbers = (description: string) =>
  Schema.Array(Schema.Struct({ date, value }))
    .check(Schema.isMaxLength(ECONOMIC_NUMBERS_MAX))
    .annotate({ description: `${description}; the oldest first` })

export const EconomicData = Schema.Struct({
  fed_rate: EconomicIndicator.annotate({ description: "Federal funds effective rate, monthly average" }),
  fed_rate_daily: EconomicIndicator.annotate({
    description: "Federal funds effective rate of the newest business day",
  }),
  fed_target_lower: EconomicIndicator.annotate({ description: "Lower limit of the Open Market Committee's range" }),
  fed_target_upper: EconomicIndicator.annotate({ description: "Upper limit of the Open Market Committee's range" }),
  cpi: EconomicIndicator.annotate({ description: "Consumer price index, all items, seasonally adjusted" }),
  cpi_yoy_pct: Schema.NullOr(Schema.Finite).annotate({
    description: "Change of the index on the same month a year before, percent; null without that month",
  }),
  unemployment: EconomicIndicator,
  gdp_growth: EconomicIndicator.annotate({
    description: "Real gross domestic product, change on the quarter before at an annual rate",
  }),
  yield_10y: EconomicIndicator.annotate({ description: "Market yield of US Treasury securities, 10 years" }),
  yield_2y: EconomicIndicator.annotate({ description: "Market yield of US Treasury securities, 2 years" }),
  mortgage_30y: EconomicIndicator.annotate({
    description:
      "30-year fixed rate mortgage average (Freddie Mac); null, as `notes` say, unless the operator has its consent",
  }),
  yield_curve_2_10: EconomicIndicator.annotate({
    description: "10-year less 2-year yield, on the newest day on which both have a number",
  }),
  history: Schema.Struct({
    fed_rate: numbers("The monthly averages of up to five years"),
    cpi_yoy_pct: numbers("The change on the year before, of each month of up to four years for which it is known"),
    yield_curve_2_10: numbers("The difference on the days of up to three months on which both have a number"),
  }).annotate({ description: "Numbers before the newest ones, by the first day of the period that each is of" }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "How a number differs from what its name suggests, or why it is null, by the name of the member",
  }),
})
export type EconomicData = typeof EconomicData.Type

/** Why the mortgage rate is null. */
export const MORTGAGE_NOTE = "Null: Freddie Mac's terms permit no republication of its survey without its consent."
/** How the monthly rate is made. */
export const FED_RATE_NOTE =
  "Mean of the New York Fed's daily rates over each calendar day of the month, as the Board of Governors computes it; whole months alone."

const percent = (
  series: EconomicSeriesId | "computed",
  number: number,
  day: string,
  before: number,
  dayBefore: string,
) => ({
  value: number,
  date: day,
  unit: "percent",
  source: series === "computed" ? series : originOf(series),
  previous: { value: before, date: dayBefore },
})

export const economicDataEndpoint = endpoint({
  path: "/api/economic-data",
  name: "economic_data",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "1 hour",
  summary: "US interest rates, prices, unemployment, growth and yields",
  description: [
    "The newest number of each series from its publisher, and the one before. The ids of the series are those of the Federal Reserve Bank of St. Louis (FRED), whose definitions they follow.",
    "`date` is the first day of the period: a monthly number of 2026-07-01 is that of July.",
  ].join(" "),
  parameters: {},
  data: EconomicData,
  changes: [
    {
      feed: economicSeries,
      row: EconomicIndicator,
      without: ["previous"],
      title: ({ value, unit, date }, { parameters }) => itemWords(parameters.series, value, unit, date),
    },
  ],
  glance: {
    title: "US 10-year yield",
    headline: ({ yield_10y, yield_2y, fed_rate, cpi_yoy_pct }) => {
      const known = (name: string, number: number | null) => (number === null ? null : `${name} ${number}%`)
      return {
        value: yield_10y.value,
        unit: "%",
        note: clause(
          yield_10y.date === null ? "the series was not read yet" : dayText(yield_10y.date),
          known("2 years", yield_2y.value),
          known("policy rate", fed_rate.value),
          known("inflation", cpi_yoy_pct),
        ),
      }
    },
    plots: ({ history }) => [
      lineSeries(
        "Inflation: consumer prices against a year before, by the month that it is of",
        "%",
        monthlyPoints(history.cpi_yoy_pct),
      ),
      lineSeries("Federal funds rate, monthly mean, by the month that it is of", "%", monthlyPoints(history.fed_rate)),
      lineSeries(
        "10-year less 2-year Treasury yield, by the business day that it is of",
        "percentage points",
        history.yield_curve_2_10.map(({ date: at, value: spread }) => ({ at, value: spread })),
      ),
    ],
  },
  example: {
    fed_rate: percent("FEDFUNDS", 3.88, "2026-07-01", 3.88, "2026-06-01"),
    fed_rate_daily: percent("EFFR", 3.88, "2026-08-13", 3.88, "2026-08-12"),
    fed_target_lower: percent("DFEDTARL", 3.75, "2026-08-13", 3.75, "2026-08-12"),
    fed_target_upper: percent("DFEDTARU", 4, "2026-08-13", 4, "2026-08-12"),
    cpi: {
      value: 327.46,
      date: "2026-07-01",
      unit: "index 1982-84=100",
      source: originOf("CPIAUCSL"),
      previous: { value: 326.9, date: "2026-06-01" },
    },
    cpi_yoy_pct: 2.6,
    unemployment: percent("UNRATE", 4.4, "2026-07-01", 4.3, "2026-06-01"),
    gdp_growth: percent("A191RL1Q225SBEA", 2.1, "2026-04-01", 1.4, "2026-01-01"),
    yield_10y: percent("DGS10", 4.12, "2026-08-14", 4.1, "2026-08-13"),
    yield_2y: percent("DGS2", 3.45, "2026-08-14", 3.46, "2026-08-13"),
    mortgage_30y: { value: null, date: null, unit: "percent", source: originOf("MORTGAGE30US"), previous: null },
    yield_curve_2_10: percent("computed", 0.67, "2026-08-14", 0.64, "2026-08-13"),
    history: {
      fed_rate: [
        { date: "2026-06-01", value: 3.88 },
        { date: "2026-07-01", value: 3.88 },
      ],
      cpi_yoy_pct: [
        { date: "2026-06-01", value: 2.7 },
        { date: "2026-07-01", value: 2.6 },
      ],
      yield_curve_2_10: [
        { date: "2026-08-13", value: 0.64 },
        { date: "2026-08-14", value: 0.67 },
      ],
    },
    notes: { fed_rate: FED_RATE_NOTE, mortgage_30y: MORTGAGE_NOTE },
  },
})
