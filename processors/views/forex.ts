import { type ForexData, type ForexRate, forex, forexEndpoint } from "../../schemas/feeds/forex.ts"
import { changesOf, from, view } from "../view/view.ts"

/** The rates of one working day, by currency. */
const dayOf = (all: ReadonlyArray<ForexRate>, day: string) => ({
  date: day,
  rates: Object.fromEntries(all.flatMap((one) => (one.day === day ? [[one.currency, one.rate]] : []))),
})

const BASE = { base: "USD" } as const

export default view({
  endpoint: forexEndpoint,
  reads: { latest: from(forex) },
  // A rate is stated as the reply that holds it alone; the rate of the day before is an item of its own.
  changes: [changesOf(forex, (rate) => ({ ...BASE, ...dayOf([rate], rate.day) }))],
  build: ({ latest }): ForexData => {
    const rates = latest.payload.items
    const newest = rates[0].day
    const before = rates.find(({ day }) => day !== newest)?.day
    return { ...BASE, ...dayOf(rates, newest), previous: before === undefined ? null : dayOf(rates, before) }
  },
})
