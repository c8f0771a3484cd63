import { type EconomicSeriesId, economicSeriesIds } from "../../../schemas/feeds/economic-series.ts"
import { dayOf, numbersOf } from "../economy.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

/** The only key that the simulated provider accepts. */
export const FRED_WORLD_KEY = "0123456789abcdef0123456789abcdef"

const isSeries = (text: string | null): text is EconomicSeriesId =>
  text !== null && (economicSeriesIds as ReadonlyArray<string>).includes(text)

const HISTORY = 400

/** The API writes numbers as text and a missing one as a full stop; files for download leave it empty. */
const api = (world: World, query: URLSearchParams) => {
  const refused = (message: string) => ({
    status: 400,
    body: { error_code: 400, error_message: `Bad Request.  ${message}` },
  })
  if (query.get("api_key") !== FRED_WORLD_KEY) return refused("The value for variable api_key is not registered.")
  const series = query.get("series_id")
  if (!isSeries(series)) return refused("The series does not exist.")
  const today = dayOf(world.nowMs)
  const all = numbersOf(world, series, HISTORY)
  const ordered = query.get("sort_order") === "desc" ? all : all.toReversed()
  const observations = ordered.slice(0, Number(query.get("limit") ?? 100_000))
  return {
    body: {
      realtime_start: today,
      realtime_end: today,
      observation_start: "1600-01-01",
      observation_end: "9999-12-31",
      units: "lin",
      output_type: 1,
      file_type: "json",
      order_by: "observation_date",
      sort_order: query.get("sort_order") ?? "asc",
      count: all.length,
      offset: 0,
      limit: observations.length,
      observations: observations.map(({ date, value }) => ({
        realtime_start: today,
        realtime_end: today,
        date,
        value: value === null ? "." : String(value),
      })),
    },
  }
}

const file = (world: World, query: URLSearchParams) => {
  const series = query.get("id")
  if (!isSeries(series)) return null
  const from = query.get("cosd") ?? ""
  const rows = numbersOf(world, series, HISTORY)
    .filter(({ date }) => date >= from)
    .toReversed()
    .map(({ date, value }) => `${date},${value ?? ""}`)
  return { contentType: "application/csv", body: [`observation_date,${series}`, ...rows, ""].join("\n") }
}

export default simulatedUpstream({
  name: "fred",
  keys: { FRED_KEY: FRED_WORLD_KEY },
  hosts: ["api.stlouisfed.org", "fred.stlouisfed.org"],
  answer: ({ host, path, query }, world) => {
    if (host === "api.stlouisfed.org" && path === "/fred/series/observations") return api(world, query)
    return host === "fred.stlouisfed.org" && path === "/graph/fredgraph.csv" ? file(world, query) : null
  },
})
