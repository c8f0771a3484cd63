import { type ForexData, type ForexRate, forex, forexEndpoint } from "../../schemas/feeds/forex.ts"
import { from, view } from "../view/view.ts"

/** The rates of one working day, by currency. */
const dayOf = (all: ReadonlyArray<ForexRate>, day: string) => ({
  date: day,
  rates: Object.fromEntries(all.flatMap((one) => (one.day === day ? [[one.currency, one.rate]] : []))),
})

export default view({
  endpoint: forexEndpoint,
  reads: { latest: from(forex) },
  build: ({ latest }): ForexData => {
    const rates = latest.payload.items
    const newest = rates[0].day
    const before = rates.find(({ day }) => day !== newest)?.day
    return { base: "USD", ...dayOf(rates, newest), previous: before === undefined ? null : dayOf(rates, before) }
  },
})
