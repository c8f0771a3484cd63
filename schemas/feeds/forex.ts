import { Schema } from "effect"
import { endpoint } from "../endpoint.ts"
import { feed } from "../feed.ts"
import { day } from "../parameters.ts"

/** The currencies that are told, by ISO 4217. */
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

/** The reference rates of one working day against the US dollar: they belong to the day as such, not to an instant of it. */
export const ForexDay = Schema.Struct({ day, rates: Rates })
export type ForexDay = typeof ForexDay.Type

/** The rate of one currency on one day. */
export interface ForexRate {
  readonly day: string
  readonly currency: ForexCurrency
  /** Units of the currency for one US dollar. */
  readonly rate: number
}

/** How many of the latest working days are kept in view, so that days of our own absence are filled in. */
export const FOREX_DAYS_MAX = 10

const ratesOf = ({ day, rates }: ForexDay): ReadonlyArray<ForexRate> =>
  forexCurrencies.flatMap((currency) => {
    const rate = rates[currency]
    return rate === undefined ? [] : [{ day, currency, rate }]
  })

export const forex = feed({
  name: "forex",
  description:
    "Reference rates of the European Central Bank against the US dollar, of the last working days, newest first.",
  payload: Schema.Struct({
    days: Schema.NonEmptyArray(ForexDay).check(Schema.isMaxLength(FOREX_DAYS_MAX)),
  }),
  items: (payload) => payload.days.flatMap(ratesOf),
  key: ({ day, currency }) => `${day} ${currency}`,
  // The rates of the newest day can still be corrected after they were published.
  revision: ({ rate }) => rate,
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

export const forexEndpoint = endpoint({
  path: "/api/forex",
  name: "forex",
  kind: "prepared",
  tier: "free",
  ttl: "5 minutes",
  summary: "Exchange rates of 16 currencies against the US dollar, of the latest and the previous working day",
  description: [
    "Reference rates of the European Central Bank by way of Frankfurter, published on its working days about 16:00",
    "Central European time. Weekends and holidays have no rates: `date` is the working day that the rates are of.",
  ].join(" "),
  parameters: {},
  data: ForexData,
  example: {
    base: "USD",
    date: "2026-08-17",
    rates: { EUR: 0.86371, GBP: 0.74167, JPY: 159.6 },
    previous: { date: "2026-08-14", rates: { EUR: 0.86403, GBP: 0.74209, JPY: 159.21 } },
  },
})
