import { numbersOf } from "../economy.ts"
import { simulatedUpstream, WORLD_KEY } from "../upstream.ts"

const series = { CUSR0000SA0: "CPIAUCSL", LNS14000000: "UNRATE" } as const
const HISTORY = 130

interface Query {
  readonly seriesid: ReadonlyArray<string>
  readonly startyear: string
  readonly endyear: string
  readonly registrationkey?: string
}

export default simulatedUpstream({
  name: "bls",
  hosts: ["api.bls.gov"],
  answer: ({ path, body }, world) => {
    const version = /^\/publicAPI\/(v1|v2)\/timeseries\/data\/$/.exec(path)?.[1]
    if (version === undefined || body == null) return null
    const query = JSON.parse(body) as Query
    const refused = (message: string) => ({
      body: { status: "REQUEST_NOT_PROCESSED", responseTime: 0, message: [message], Results: {} },
    })
    if (version === "v2" && query.registrationkey !== WORLD_KEY)
      return refused(`The key:${query.registrationkey} provided by the User is invalid.`)
    const isAsked = ({ date }: { readonly date: string }) =>
      date.slice(0, 4) >= query.startyear && date.slice(0, 4) <= query.endyear
    return {
      body: {
        status: "REQUEST_SUCCEEDED",
        responseTime: 180,
        message: [],
        Results: {
          series: Object.entries(series)
            .filter(([code]) => query.seriesid.includes(code))
            .map(([seriesID, id]) => ({
              seriesID,
              data: numbersOf(world, id, HISTORY)
                .filter(isAsked)
                .map(({ date, value }, at) => ({
                  year: date.slice(0, 4),
                  period: `M${date.slice(5, 7)}`,
                  periodName: "",
                  ...(at === 0 ? { latest: "true" } : {}),
                  // The month of which nothing was collected.
                  value: date === "2025-10-01" ? "-" : String(value),
                  footnotes: [{}],
                })),
            })),
        },
      },
    }
  },
})
