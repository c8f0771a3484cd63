import {
  type EconomicData,
  type EconomicIndicator,
  economicDataEndpoint,
  FED_RATE_NOTE,
  MORTGAGE_NOTE,
} from "../../schemas/endpoints/economic-data.ts"
import type { Parameters } from "../../schemas/feed.ts"
import {
  type EconomicNumber,
  type EconomicSeriesId,
  economicSeries,
  economicSeriesFacts,
  factsOfSeries,
  originOf,
} from "../../schemas/feeds/economic-series.ts"
import { rounded } from "../../schemas/number.ts"
import { recordOf } from "../../schemas/record.ts"
import { changesOf, fromEvery, view } from "../view/view.ts"

type Numbers = ReadonlyArray<EconomicNumber>

/** An indicator made of a series, whose numbers are listed with the newest first. */
const indicator = ([newest, previous]: Numbers, unit: string, source: string): EconomicIndicator => ({
  value: newest?.value ?? null,
  date: newest?.date ?? null,
  unit,
  source,
  previous: previous === undefined ? null : { value: previous.value, date: previous.date },
})

/** The first series less the second, on the days on which both have a number, newest first. */
export const spreads = (one: Numbers, other: Numbers): Numbers => {
  const others = new Map(other.map(({ date, value }) => [date, value]))
  return one.flatMap(({ date, value }) => {
    const subtrahend = others.get(date)
    return subtrahend === undefined ? [] : [{ date, value: rounded(value - subtrahend, 2) }]
  })
}

/**
 * Change of the newest number on that of the same month a year before, in percent with one decimal:
 * 100 (v / v12 - 1). Null where that month has no number.
 */
export const yearOverYear = (numbers: Numbers): number | null => {
  const [newest] = numbers
  if (newest === undefined) return null
  const yearBefore = `${Number(newest.date.slice(0, 4)) - 1}${newest.date.slice(4)}`
  const before = numbers.find(({ date }) => date === yearBefore)
  return before === undefined || before.value === 0 ? null : rounded(100 * (newest.value / before.value - 1), 1)
}

/** The same of each month for which it is known, the newest first. */
export const yearOverYears = (numbers: Numbers): Numbers =>
  numbers.flatMap(({ date }, place) => {
    const value = yearOverYear(numbers.slice(place))
    return value === null ? [] : [{ date, value }]
  })

/** The series that are shown, by the names of their indicators. */
const shownSeries = {
  fed_rate: "FEDFUNDS",
  fed_rate_daily: "EFFR",
  fed_target_lower: "DFEDTARL",
  fed_target_upper: "DFEDTARU",
  cpi: "CPIAUCSL",
  unemployment: "UNRATE",
  gdp_growth: "A191RL1Q225SBEA",
  yield_10y: "DGS10",
  yield_2y: "DGS2",
  mortgage_30y: "MORTGAGE30US",
} as const satisfies Partial<Record<keyof EconomicData, EconomicSeriesId>>
const shownNames = Object.keys(shownSeries) as ReadonlyArray<keyof typeof shownSeries>

/** A number of a series that is shown. The number before it is an item of its own. */
const numberRow = (number: EconomicNumber, parameters: Parameters) => {
  const { id, unit } = factsOfSeries(parameters)
  if (!shownNames.some((name) => shownSeries[name] === id)) return null
  const { previous: _, ...row } = indicator([number], unit, originOf(id))
  return row
}

export default view({
  endpoint: economicDataEndpoint,
  reads: { series: fromEvery(economicSeries) },
  changes: [changesOf(economicSeries, (number, { parameters }) => numberRow(number, parameters))],
  build: ({ series }) => {
    const numbersOf = (id: EconomicSeriesId): Numbers =>
      series.find(({ parameters }) => parameters.series === id)?.reading?.payload.items ?? []
    const curve = spreads(numbersOf("DGS10"), numbersOf("DGS2"))
    return {
      ...recordOf(shownNames, (name) => {
        const id = shownSeries[name]
        return indicator(numbersOf(id), economicSeriesFacts[id].unit, originOf(id))
      }),
      cpi_yoy_pct: yearOverYear(numbersOf("CPIAUCSL")),
      yield_curve_2_10: indicator(curve, "percent", "computed"),
      history: {
        fed_rate: numbersOf("FEDFUNDS").toReversed(),
        cpi_yoy_pct: yearOverYears(numbersOf("CPIAUCSL")).toReversed(),
        yield_curve_2_10: curve.toReversed(),
      },
      notes: {
        fed_rate: FED_RATE_NOTE,
        ...(numbersOf("MORTGAGE30US").length === 0 ? { mortgage_30y: MORTGAGE_NOTE } : {}),
      },
    }
  },
})
