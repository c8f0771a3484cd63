import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dayMs, dayOf } from "../../schemas/day.ts"
import { forex, forexCurrencies } from "../../schemas/feeds/forex.ts"
import { document, UpstreamError } from "../document.ts"
import { notOurs } from "../poll/read.ts"
import { newestMs } from "../readers/instants.ts"
import { Day } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** Each rate is read as a row of its own, so that a broken one costs no other. */
const Rates = Schema.Record(Schema.String, Schema.Unknown)
type Rates = typeof Rates.Type

/** https://frankfurter.dev/v1/ Rates are units of each currency for `amount` of `base`, which is not among them. */
const Latest = Schema.Struct({ amount: Schema.Finite, base: Schema.String, date: Day, rates: Rates })

/** Days on which nothing was published are absent. */
const Series = Schema.Struct({
  amount: Schema.Finite,
  base: Schema.String,
  start_date: Day,
  end_date: Day,
  rates: Schema.Record(Schema.String, Rates),
})

const API = "https://api.frankfurter.dev/v1"
const QUERY = `base=USD&symbols=${forexCurrencies.join(",")}`
const DAY_MS = 86_400_000
/** Calendar days before the newest day that hold `FOREX_DAYS_MAX` working days with it, whatever the holidays. */
const CALENDAR_DAYS = 60

const firstDay = (newest: string): string => dayOf((dayMs(newest) ?? 0) - CALENDAR_DAYS * DAY_MS)

const latest = document({ format: "json", wire: Latest, url: `${API}/latest?${QUERY}` })
/** From `CALENDAR_DAYS` before the newest day on. */
const series = document({
  format: "json",
  wire: Series,
  url: (newest: string) => `${API}/${firstDay(newest)}..?${QUERY}`,
})
/** One currency on one day. */
const Row = Schema.Struct({ day: Day, currency: Schema.String, rate: Schema.NullOr(Schema.Finite) })

const rowsOf = (day: string, rates: Rates): ReadonlyArray<unknown> =>
  Object.entries(rates).map(([currency, rate]) => ({ day, currency, rate }))

export default listSource({
  name: "frankfurter",
  provider: "Frankfurter.forex",
  fills: forex,
  every: "5 minutes",
  documents: { latest, series },
  collect: (upstream) =>
    Effect.gen(function* () {
      const newest = yield* upstream.fetch(latest, undefined)
      return { newest, before: yield* upstream.fetch(series, newest.date) }
    }),
  // Both answers hold the newest day. Its own answer is the newer one and comes first, as the first row of a key counts.
  rows: ({ newest, before }) =>
    [newest, before].some(({ base, amount }) => base !== "USD" || amount !== 1)
      ? new UpstreamError({ message: "the rates are not for one US dollar" })
      : [
          ...rowsOf(newest.date, newest.rates),
          ...Object.entries(before.rates).flatMap(([day, rates]) => rowsOf(day, rates)),
        ],
  row: Row,
  toItem: ({ day, currency, rate }) => {
    const known = forexCurrencies.find((one) => one === currency)
    // A currency that was not published that day has null for its rate.
    if (known === undefined || rate === null) return notOurs
    return { day, currency: known, rate }
  },
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => `${item.day}T00:00:00.000Z`)),
  attribution: {
    provider: "European Central Bank, by way of Frankfurter",
    licence: "ECB statistics: free reuse with the source named",
    url: "https://frankfurter.dev/",
  },
  terms: openTerms(
    "https://www.ecb.europa.eu/stats/ecb_statistics/governance_and_quality_framework/html/usage_policy.en.html",
    "ECB statistics: free reuse with the source named",
  ),
})
