import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import type { Selection } from "../contract/endpoint-kinds.ts"
import { choice } from "../contract/parameters.ts"
import { EconomicNumber, type EconomicSeriesId, economicSeriesFacts, originOf } from "../feeds/economic-series.ts"
import { type ForexCurrency, ForexRate } from "../feeds/forex.ts"
import { recordOf } from "../record.ts"

/** How many numbers of a series `history=30d` adds, the newest ones. */
export const MACRO_NUMBERS_MAX = 30

/** The indicators, each with the series that it shows. */
export const macroIndicators = {
  fed_rate: "FEDFUNDS",
  cpi: "CPIAUCSL",
  unemployment: "UNRATE",
  gdp_growth: "A191RL1Q225SBEA",
  treasury_10y: "DGS10",
} as const satisfies Readonly<Record<string, EconomicSeriesId>>
export type MacroIndicator = keyof typeof macroIndicators
// The keys of a constant are its names.
export const macroIndicatorNames = Object.keys(macroIndicators) as ReadonlyArray<MacroIndicator>

/** The commodities, each with the series of its price. */
export const macroCommodities = { oil: "DCOILWTICO", nat_gas: "DHHNGSP" } as const satisfies Readonly<
  Record<string, EconomicSeriesId>
>
export type MacroCommodity = keyof typeof macroCommodities
export const macroCommodityNames = Object.keys(macroCommodities) as ReadonlyArray<MacroCommodity>

/** The currencies, by ISO 4217. */
export const macroCurrencies = ["EUR", "JPY", "GBP", "CHF"] as const satisfies ReadonlyArray<ForexCurrency>
export type MacroCurrency = (typeof macroCurrencies)[number]

/** The view's inputs, named as the members that they fill. */
export type ProMacroInput = MacroIndicator | MacroCommodity | "forex"
const inputs: ReadonlyArray<ProMacroInput> = [...macroIndicatorNames, "forex", ...macroCommodityNames]

const { date, value } = EconomicNumber.fields
const { rate } = ForexRate.fields

const seriesOf = <Number extends Schema.Top>(number: Number) =>
  Schema.Array(Schema.Struct({ date, value: number }))
    .check(Schema.isMaxLength(MACRO_NUMBERS_MAX))
    .annotate({ description: "The newest published numbers, oldest first" })
const source = Schema.NonEmptyString.annotate({ description: "<publisher>:<series>" })
const series = Schema.optionalKey(seriesOf(value).annotate({ description: "Only with history=30d" }))

const Indicator = Schema.Struct({
  value: Schema.NullOr(value).annotate({ description: "Newest number; null while the series was never read" }),
  date: Schema.NullOr(date).annotate({ description: "First day of the period that the number is of" }),
  source,
  series,
})
const Commodity = Schema.NullOr(Schema.Struct({ price_usd: value, date, source, series }))

const currencies = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ EUR: schema, JPY: schema, GBP: schema, CHF: schema } satisfies Record<MacroCurrency, unknown>)

const members = {
  economic: Schema.Struct({
    fed_rate: Indicator.annotate({ description: "Federal funds effective rate, percent, monthly" }),
    cpi: Indicator.annotate({ description: "Consumer price index, 1982-84=100, monthly" }),
    unemployment: Indicator.annotate({ description: "Unemployment rate, percent, monthly" }),
    gdp_growth: Indicator.annotate({ description: "Real growth at an annual rate, percent, quarterly" }),
    treasury_10y: Indicator.annotate({ description: "Yield of 10-year US Treasury securities, percent, daily" }),
  } satisfies Record<MacroIndicator, unknown>),
  forex: Schema.NullOr(
    Schema.Struct({
      base: Schema.Literal("USD"),
      date: date.annotate({ description: "Working day of the rates" }),
      rates: currencies(Schema.NullOr(rate)).annotate({
        description: "Units of the currency for one US dollar; null where that day has no rate of it",
      }),
      series: Schema.optionalKey(currencies(seriesOf(rate)).annotate({ description: "Only with history=30d" })),
    }),
  ),
  commodities: Schema.Struct({
    oil: Commodity.annotate({ description: "WTI crude oil, US dollars a barrel" }),
    nat_gas: Commodity.annotate({ description: "Henry Hub natural gas, US dollars a million BTU" }),
  } satisfies Record<MacroCommodity, unknown>),
} as const

/** All that the view holds, with every series. A part is null while its source has never answered. */
export const ProMacroFull = Schema.Struct(members)
export type ProMacroFull = typeof ProMacroFull.Type

/** The data of one call. */
export const ProMacro = Schema.Struct({
  ...members,
  sample_size: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Entries of each part that hold a number; with history=30d also the length of each series",
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanation of each entry, and why it is null where it is",
  }),
})
export type ProMacro = typeof ProMacro.Type

/** An indicator whose series has never been read. */
export const unreadIndicator = (name: MacroIndicator): ProMacroFull["economic"][MacroIndicator] => ({
  value: null,
  date: null,
  source: originOf(macroIndicators[name]),
  series: [],
})

/** What is known while nothing has been read. */
const unread: ProMacroFull = {
  economic: recordOf(macroIndicatorNames, unreadIndicator),
  forex: null,
  commodities: { oil: null, nat_gas: null },
}

const periods = {
  day: "a number each working day",
  week: "a number each week",
  month: "a number each month, dated by its first day",
  quarter: "a number each quarter, dated by its first day",
} as const
const FOREX_NOTE = "Reference rates of the European Central Bank, by way of Frankfurter; none on weekends and holidays."
const SERIES_NOTE = `The newest ${MACRO_NUMBERS_MAX} published numbers of each series, whatever its period: daily series reach back about six weeks, monthly ones 30 months, quarterly ones seven and a half years. Days without a number are left out.`

/** The entries that show a FRED series: where they stand, and what they hold. */
const entriesOf = ({ economic, commodities }: ProMacroFull) => [
  ...macroIndicatorNames.map((name) => {
    const { value: number, series: numbers = [] } = economic[name]
    return { path: `economic.${name}`, input: name, id: macroIndicators[name], isNull: number === null, numbers }
  }),
  ...macroCommodityNames.map((name) => {
    const one = commodities[name]
    const numbers = one?.series ?? []
    return { path: `commodities.${name}`, input: name, id: macroCommodities[name], isNull: one === null, numbers }
  }),
]

const notesOf = (full: ProMacroFull, withheld: ReadonlySet<string>, withSeries: boolean): Record<string, string> => {
  const cause = (input: ProMacroInput, isNull: boolean): string => {
    if (!isNull) return ""
    return withheld.has(input) ? " Null: its terms are not known to allow resale here." : " Null: not read yet."
  }
  return Object.fromEntries([
    ...entriesOf(full).map(({ path, input, id, isNull }) => {
      const { title, unit, period } = economicSeriesFacts[id]
      return [path, `${title}, ${unit}; ${periods[period]}.${cause(input, isNull)}`]
    }),
    ["forex", FOREX_NOTE + cause("forex", full.forex === null)],
    ...macroCurrencies
      .filter((currency) => full.forex?.rates[currency] === null)
      .map((currency) => [`forex.rates.${currency}`, "Null: that day has no rate of it."]),
    ...(withSeries ? [["series", SERIES_NOTE]] : []),
  ])
}

const sizesOf = (full: ProMacroFull, withSeries: boolean): Record<string, number> => {
  const held = (numbers: ReadonlyArray<unknown>): number => numbers.filter((one) => one !== null).length
  return {
    economic: held(Object.values(full.economic).map((one) => one.value)),
    forex: held(Object.values(full.forex?.rates ?? {})),
    commodities: held(Object.values(full.commodities)),
    ...(withSeries
      ? Object.fromEntries([
          ...entriesOf(full).map(({ path, numbers }) => [path, numbers.length]),
          ...macroCurrencies.map((currency) => [`forex.${currency}`, full.forex?.series?.[currency].length ?? 0]),
        ])
      : {}),
  }
}

const withoutSeries = <Part extends { readonly series?: unknown }>({ series: _, ...rest }: Part) => rest

/** Selects everything, with the series or without them; a part whose input is withheld is null. */
export const selectProMacro = (
  { economic, forex, commodities }: ProMacroFull,
  { history }: { readonly history: "30d" | undefined },
  withheld: ReadonlySet<string>,
): Selection<ProMacro> => {
  const permitted: ProMacroFull = {
    economic: recordOf(macroIndicatorNames, (name) => (withheld.has(name) ? unreadIndicator(name) : economic[name])),
    forex: withheld.has("forex") ? null : forex,
    commodities: recordOf(macroCommodityNames, (name) => (withheld.has(name) ? null : commodities[name])),
  }
  const withSeries = history === "30d"
  const bare = <Part extends { readonly series?: unknown }>(part: Part) => (withSeries ? part : withoutSeries(part))
  const bareOrNull = <Part extends { readonly series?: unknown }>(part: Part | null) =>
    part === null ? null : bare(part)
  return {
    data: {
      economic: recordOf(macroIndicatorNames, (name) => bare(permitted.economic[name])),
      forex: bareOrNull(permitted.forex),
      commodities: recordOf(macroCommodityNames, (name) => bareOrNull(permitted.commodities[name])),
      sample_size: sizesOf(permitted, withSeries),
      notes: notesOf(permitted, withheld, withSeries),
    },
    inputs: inputs.filter((name) => !withheld.has(name)),
  }
}

/** Whether no part holds a number. */
const isEmpty = ({ sample_size: { economic, forex, commodities } }: ProMacro): boolean =>
  [economic, forex, commodities].every((held) => held === 0)

const number = (day: string, of: number) => ({ date: day, value: of })
const example = (name: EconomicSeriesId, before: ReturnType<typeof number>, newest: ReturnType<typeof number>) => ({
  ...newest,
  source: originOf(name),
  series: [before, newest],
})
const exampleRates = { EUR: 0.86371, JPY: 159.6, GBP: 0.74167, CHF: 0.79104 }
const exampleFull: ProMacroFull = {
  economic: {
    fed_rate: example("FEDFUNDS", number("2026-06-01", 3.88), number("2026-07-01", 3.88)),
    cpi: example("CPIAUCSL", number("2026-06-01", 326.9), number("2026-07-01", 327.46)),
    unemployment: example("UNRATE", number("2026-06-01", 4.3), number("2026-07-01", 4.4)),
    gdp_growth: example("A191RL1Q225SBEA", number("2026-01-01", 1.4), number("2026-04-01", 2.1)),
    treasury_10y: example("DGS10", number("2026-08-13", 4.1), number("2026-08-14", 4.12)),
  },
  forex: {
    base: "USD",
    date: "2026-08-17",
    rates: exampleRates,
    series: recordOf(macroCurrencies, (currency) => [number("2026-08-17", exampleRates[currency])]),
  },
  commodities: {
    oil: { price_usd: 63.1, date: "2026-08-14", source: originOf("DCOILWTICO"), series: [number("2026-08-14", 63.1)] },
    nat_gas: { price_usd: 2.97, date: "2026-08-14", source: originOf("DHHNGSP"), series: [number("2026-08-14", 2.97)] },
  },
}

export const proMacroEndpoint = endpoint({
  path: "/api/pro/macro",
  name: "pro_macro",
  kind: "filtered",
  tier: "premium",
  subject: "markets",
  credits: 2,
  ttl: "5 minutes",
  summary: "US rates, prices, unemployment and growth, four dollar exchange rates, oil and natural gas",
  description: [
    "The newest number of each, with the first day of its period. With `history=30d` the newest 30 numbers of each are",
    "added: of monthly series they reach back 30 months. A part whose source has never answered is null. Gold, equity",
    "indices and the volatility index were removed on 2026-07-23; silver is not covered.",
  ].join(" "),
  parameters: {
    history: { ...choice(["30d"], { description: "30d adds the newest 30 numbers of each series" }), optional: true },
  },
  data: ProMacro,
  cold: unread,
  select: selectProMacro,
  empty: isEmpty,
  example: selectProMacro(exampleFull, { history: "30d" }, new Set()).data,
})
