import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { changeText, clause, dayText, itemWords, unknown } from "../contract/glance.ts"
import { day } from "../contract/parameters.ts"
import { matrix, ranking } from "../contract/plot.ts"
import { listFeed } from "../feed.ts"
import { percentChange, rounded } from "../number.ts"

/** The currencies that are served, by ISO 4217. */
export const forexCurrencies = [
  "EUR",
  "GBP",
  "JPY",
  "CAD",
  "AUD",
  "CHF",
  "CNY",
  "INR",
  "MXN",
  "BRL",
  "KRW",
  "SGD",
  "HKD",
  "SEK",
  "NOK",
  "NZD",
] as const
export type ForexCurrency = (typeof forexCurrencies)[number]

/** The largest rate that is believed: the weakest currency of any country is far below. */
const RATE_MAX = 1e9
const Rate = Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(RATE_MAX))

/** Units of each currency that one US dollar bought. A currency without a rate that day is absent. */
const Rates = Schema.Struct({
  EUR: Schema.optionalKey(Rate),
  GBP: Schema.optionalKey(Rate),
  JPY: Schema.optionalKey(Rate),
  CAD: Schema.optionalKey(Rate),
  AUD: Schema.optionalKey(Rate),
  CHF: Schema.optionalKey(Rate),
  CNY: Schema.optionalKey(Rate),
  INR: Schema.optionalKey(Rate),
  MXN: Schema.optionalKey(Rate),
  BRL: Schema.optionalKey(Rate),
  KRW: Schema.optionalKey(Rate),
  SGD: Schema.optionalKey(Rate),
  HKD: Schema.optionalKey(Rate),
  SEK: Schema.optionalKey(Rate),
  NOK: Schema.optionalKey(Rate),
  NZD: Schema.optionalKey(Rate),
} satisfies Record<ForexCurrency, unknown>)

/** The reference rate of one currency on one working day: it belongs to the day as such, not to an instant of it. */
export const ForexRate = Schema.Struct({
  day,
  currency: Schema.Literals(forexCurrencies),
  /** Units of the currency for one US dollar. */
  rate: Rate,
})
export type ForexRate = typeof ForexRate.Type

/** How many of the latest working days are kept in view: the thirty of a premium series, and days of our own absence. */
export const FOREX_DAYS_MAX = 40

/** Newest day first; within a day the order of `forexCurrencies`. */
const byDay = (one: ForexRate, other: ForexRate): number =>
  one.day === other.day
    ? forexCurrencies.indexOf(one.currency) - forexCurrencies.indexOf(other.currency)
    : one.day < other.day
      ? 1
      : -1

export const forex = listFeed({
  name: "forex",
  description:
    "Reference rates of the European Central Bank against the US dollar, of the last working days, newest first.",
  item: ForexRate,
  itemsMax: FOREX_DAYS_MAX * forexCurrencies.length,
  keepsFirst: true,
  key: ({ day, currency }) => `${day} ${currency}`,
  publishesGone: false,
  order: byDay,
  happenedAt: (item) => `${item.day}T00:00:00.000Z`,
  mayBeEmpty: false,
  // From the midnight that begins the Thursday before Easter to the afternoon of the Tuesday after it.
  contentAgeMax: "6 days",
})

const DateText = day.annotate({ description: "Working day of the rates, YYYY-MM-DD" })
const RatesData = Rates.annotate({
  description:
    "Units of the currency for one US dollar, by ISO 4217 code; a currency without a rate that day is absent",
})

/** The data of the endpoint. */
export const ForexData = Schema.Struct({
  base: Schema.Literal("USD").annotate({ description: "The currency that rates are counted against" }),
  date: DateText,
  rates: RatesData,
  previous: Schema.NullOr(Schema.Struct({ date: DateText, rates: RatesData })).annotate({
    description: "The same of the working day before; null where that is not known",
  }),
})
export type ForexData = typeof ForexData.Type

/** The currencies whose rates against each other are drawn. */
const CROSSED = ["USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "CNY"] as const
const SIGNIFICANT_DIGITS = 5

/** Units of one currency for one of another; null where one of them has no rate. */
const crossRate = (
  rates: ForexData["rates"],
  of: (typeof CROSSED)[number],
  to: (typeof CROSSED)[number],
): number | null => {
  const [one, other] = [of, to].map((currency) => (currency === "USD" ? 1 : rates[currency]))
  return one === undefined || other === undefined ? null : Number((other / one).toPrecision(SIGNIFICANT_DIGITS))
}

/** How far a currency rose against the dollar: what a dollar buys is its inverse. Null where a rate is not known. */
const againstDollar = (now: number | undefined, before: number | undefined): number | null =>
  now === undefined || before === undefined ? null : percentChange(now, before, 2)

export const forexEndpoint = endpoint({
  path: "/api/forex",
  name: "forex",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "5 minutes",
  summary: "Exchange rates of 16 currencies against the US dollar, of the latest and the previous working day",
  description: [
    "Reference rates of the European Central Bank by way of Frankfurter, published on its working days about 16:00",
    "Central European time. Weekends and holidays have no rates: `date` is the working day that the rates are of.",
  ].join(" "),
  parameters: {},
  data: ForexData,
  changes: [{ feed: forex, without: ["previous"], title: ({ base, date }, { key }) => itemWords(base, key, date) }],
  glance: {
    title: "Euro",
    plots: ({ rates, previous, date }) => [
      matrix(
        {
          title: "Units of a currency for one of another",
          unit: null,
          of: "For one",
          columns: CROSSED,
          note: clause(
            "Computed from the rates of the US dollar",
            `reference rates of ${dayText(date)}`,
            "an empty cell: no rate that day",
          ),
          isColoured: false,
        },
        CROSSED.flatMap((row) => CROSSED.map((column) => ({ row, column, value: crossRate(rates, row, column) }))),
      ),
      ranking(
        "Against the US dollar, on the working day before",
        "%",
        forexCurrencies
          .map((label) => ({ label, value: againstDollar(rates[label], previous?.rates[label]) }))
          .sort((one, other) => (other.value ?? 0) - (one.value ?? 0)),
      ),
    ],
    headline: ({ date, rates, previous }) => {
      if (rates.EUR === undefined) return unknown(`No rate of the euro on ${dayText(date)}`)
      // Rates are what a dollar buys: that of the euro is the inverse, so the earlier one stands above.
      const change = percentChange(rates.EUR, previous?.rates.EUR ?? null, 4)
      return {
        value: rounded(1 / rates.EUR, 4),
        unit: "USD",
        note: clause(
          "one euro",
          change === null ? null : `${changeText(change)} on the day before`,
          `reference rate of ${dayText(date)}`,
        ),
      }
    },
  },
  example: {
    base: "USD",
    date: "2026-08-17",
    rates: { EUR: 0.86371, GBP: 0.74167, JPY: 159.6 },
    previous: { date: "2026-08-14", rates: { EUR: 0.86403, GBP: 0.74209, JPY: 159.21 } },
  },
})
