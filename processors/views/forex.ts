import { type ForexData, type ForexDay, forex, forexEndpoint } from "../../schemas/feeds/forex.ts"
import { from, view } from "../view.ts"

const told = ({ day, rates }: ForexDay) => ({ date: day, rates })

export default view({
  endpoint: forexEndpoint,
  reads: { days: from(forex) },
  build: ({ days }): ForexData => {
    const [latest, previous] = days.payload.days
    return { base: "USD", ...told(latest), previous: previous === undefined ? null : told(previous) }
  },
})
