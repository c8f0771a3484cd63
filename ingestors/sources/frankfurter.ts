import { Effect, Schema } from "effect"
import { FOREX_DAYS_MAX, forex, forexCurrencies } from "../../schemas/feeds/forex.ts"
import { document, UpstreamError } from "../document.ts"
import { csvTable } from "../formats.ts"
import { newestMs } from "../instants.ts"
import { notOurs } from "../read-list.ts"
import { listSource } from "../source.ts"
import { Decimal, isoMs } from "../wire.ts"

const dayMs = (text: string): number | null => {
  const ms = isoMs(`${text}T00:00:00Z`)
  // The thirtieth of February is read as a day of March.
  return ms !== null && new Date(ms).toISOString().startsWith(`${text}T`) ? ms : null
}

const Day = Schema.String.check(Schema.makeFilter((text: string) => dayMs(text) !== null || "not a day, YYYY-MM-DD"))
const Rates = Schema.Record(Schema.String, Schema.NullOr(Schema.Finite))
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

/** The bank's own table, of which the others are made: units of each currency for one euro. */
const Reference = csvTable(
  ["FREQ", "CURRENCY", "TIME_PERIOD", "OBS_VALUE"],
  Schema.Struct({
    FREQ: Schema.Literal("D"),
    CURRENCY: Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/)),
    TIME_PERIOD: Day,
    OBS_VALUE: Decimal,
  }),
)

const API = "https://api.frankfurter.dev/v1"
const QUERY = `base=USD&symbols=${forexCurrencies.join(",")}`
const DAY_MS = 86_400_000
/** Calendar days that hold `FOREX_DAYS_MAX` working days, whatever the holidays between them. */
const CALENDAR_DAYS = 2 * FOREX_DAYS_MAX

const daysBefore = (day: string): string =>
  new Date((dayMs(day) ?? 0) - CALENDAR_DAYS * DAY_MS).toISOString().slice(0, 10)

const latest = document({ format: "json", wire: Latest, url: `${API}/latest?${QUERY}` })
/** Asked for from some days before the day given, on to the newest. */
const series = document({
  format: "json",
  wire: Series,
  url: (day: string) => `${API}/${daysBefore(day)}..?${QUERY}`,
})
const reference = document({
  format: "csv",
  wire: Reference,
  url: `https://data-api.ecb.europa.eu/service/data/EXR/D..EUR.SP00.A?format=csvdata&lastNObservations=${FOREX_DAYS_MAX}`,
})

/** One currency on one day, as the answers hold it. */
interface Row {
  readonly day: string
  readonly currency: string
  readonly rate: number | null
}

const rowsOf = (day: string, rates: Rates): ReadonlyArray<Row> =>
  Object.entries(rates).map(([currency, rate]) => ({ day, currency, rate }))

export default listSource({
  name: "frankfurter",
  provider: "Frankfurter.forex",
  fills: forex,
  every: "5 minutes",
  documents: { latest, series, reference },
  collect: (upstream) =>
    Effect.gen(function* () {
      const newest = yield* upstream.get(latest, undefined)
      return { newest, before: yield* upstream.get(series, newest.date) }
    }),
  // The newest day stands in both answers: its own is the newer one, and the first of each key counts.
  candidates: ({ newest, before }) =>
    [newest, before].some(({ base, amount }) => base !== "USD" || amount !== 1)
      ? new UpstreamError({ message: "the rates are not for one US dollar" })
      : [
          ...rowsOf(newest.date, newest.rates),
          ...Object.entries(before.rates).flatMap(([day, rates]) => rowsOf(day, rates)),
        ],
  toItem: ({ day, currency, rate }) => {
    const known = forexCurrencies.find((one) => one === currency)
    if (known === undefined || rate === null) return notOurs
    return { day, currency: known, rate }
  },
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => `${item.day}T00:00:00.000Z`)),
  attribution: {
    provider: "European Central Bank, by way of Frankfurter",
    licence: "ECB statistics: free reuse with the source named",
    url: "https://frankfurter.dev/",
  },
})
