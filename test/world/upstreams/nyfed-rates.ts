import { daysSince } from "../economy.ts"
import { simulatedUpstream } from "../upstream.ts"

export default simulatedUpstream({
  name: "nyfed-rates",
  hosts: ["markets.newyorkfed.org"],
  answer: ({ path, query }, world) => {
    if (path !== "/api/rates/unsecured/effr/search.json") return null
    const [from, to] = [query.get("startDate") ?? "", query.get("endDate") ?? ""]
    return {
      body: {
        refRates: daysSince(world, "EFFR", from)
          .filter(({ date }) => date <= to)
          .map(({ date, value }) => ({
            effectiveDate: date,
            type: "EFFR",
            percentRate: value,
            targetRateFrom: 3.5,
            targetRateTo: 3.75,
            volumeInBillions: 114,
            revisionIndicator: "",
          })),
      },
    }
  },
})
