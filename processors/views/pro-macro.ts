import {
  MACRO_NUMBERS_MAX,
  type MacroCommodity,
  type MacroCurrency,
  type MacroIndicator,
  macroCommodities,
  macroIndicators,
  type ProMacroFull,
  type ProMacroInput,
  proMacroEndpoint,
  unreadIndicator,
} from "../../schemas/endpoints/pro-macro.ts"
import type { Facts, ListPayload } from "../../schemas/feed.ts"
import {
  type EconomicNumber,
  type EconomicSeriesId,
  economicSeries,
  originOf,
} from "../../schemas/feeds/economic-series.ts"
import { type ForexRate, forex } from "../../schemas/feeds/forex.ts"
import { type Input, optionally, type Reading, view } from "../view/view.ts"

type Listed<Item> = Reading<ListPayload<Item, Facts, false>> | null

const seriesOf = (series: EconomicSeriesId) => optionally(economicSeries, { series })

/** The newest numbers, oldest first. Feeds list the newest first. */
const newest = (numbers: ReadonlyArray<EconomicNumber>): ReadonlyArray<EconomicNumber> =>
  numbers.slice(0, MACRO_NUMBERS_MAX).toReversed()

const indicator = (read: Listed<EconomicNumber>, name: MacroIndicator): ProMacroFull["economic"][MacroIndicator] => {
  if (read === null) return unreadIndicator(name)
  const { items } = read.payload
  const { value, date } = items[0]
  return { value, date, source: originOf(macroIndicators[name]), series: newest(items) }
}

const commodity = (read: Listed<EconomicNumber>, name: MacroCommodity): ProMacroFull["commodities"][MacroCommodity] => {
  if (read === null) return null
  const { items } = read.payload
  const { value, date } = items[0]
  return { price_usd: value, date, source: originOf(macroCommodities[name]), series: newest(items) }
}

const exchange = (read: Listed<ForexRate>): ProMacroFull["forex"] => {
  if (read === null) return null
  const { items } = read.payload
  const date = items[0].day
  const rateOf = (wanted: MacroCurrency): number | null =>
    items.find(({ day, currency }) => day === date && currency === wanted)?.rate ?? null
  const courseOf = (wanted: MacroCurrency) =>
    newest(items.flatMap(({ day, currency, rate }) => (currency === wanted ? [{ date: day, value: rate }] : [])))
  return {
    base: "USD",
    date,
    rates: { EUR: rateOf("EUR"), JPY: rateOf("JPY"), GBP: rateOf("GBP"), CHF: rateOf("CHF") },
    series: { EUR: courseOf("EUR"), JPY: courseOf("JPY"), GBP: courseOf("GBP"), CHF: courseOf("CHF") },
  }
}

export default view({
  endpoint: proMacroEndpoint,
  reads: {
    fed_rate: seriesOf(macroIndicators.fed_rate),
    cpi: seriesOf(macroIndicators.cpi),
    unemployment: seriesOf(macroIndicators.unemployment),
    gdp_growth: seriesOf(macroIndicators.gdp_growth),
    treasury_10y: seriesOf(macroIndicators.treasury_10y),
    forex: optionally(forex),
    oil: seriesOf(macroCommodities.oil),
    nat_gas: seriesOf(macroCommodities.nat_gas),
  } satisfies Readonly<Record<ProMacroInput, Input>>,
  build: ({ fed_rate, cpi, unemployment, gdp_growth, treasury_10y, forex: rates, oil, nat_gas }) => ({
    economic: {
      fed_rate: indicator(fed_rate, "fed_rate"),
      cpi: indicator(cpi, "cpi"),
      unemployment: indicator(unemployment, "unemployment"),
      gdp_growth: indicator(gdp_growth, "gdp_growth"),
      treasury_10y: indicator(treasury_10y, "treasury_10y"),
    },
    forex: exchange(rates),
    commodities: { oil: commodity(oil, "oil"), nat_gas: commodity(nat_gas, "nat_gas") },
  }),
})
