import { dayOf, daysSince } from "../economy.ts"
import { simulatedUpstream, WORLD_KEY } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
const HISTORY_DAYS = 400
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const spots = {
  RWTC: { series: "DCOILWTICO", title: "Cushing, OK WTI Spot Price FOB  (Dollars per Barrel)", unit: "$/BBL" },
  RNGWHHD: { series: "DHHNGSP", title: "Henry Hub Natural Gas Spot Price  (Dollars per Million Btu)", unit: "$/MMBTU" },
} as const
type Code = keyof typeof spots

const pricesOf = (world: World, code: Code) =>
  daysSince(world, spots[code].series, dayOf(world.nowMs - HISTORY_DAYS * DAY_MS))

const dayText = (ms: number): string => {
  const day = new Date(ms)
  return `${months[day.getUTCMonth()]}-${String(day.getUTCDate()).padStart(2)}`
}

const page = (world: World, code: Code): string => {
  const prices = new Map(pricesOf(world, code).map(({ date, value }) => [date, value]))
  const today = Math.floor(world.nowMs / DAY_MS) * DAY_MS
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS
  const weeks = Array.from({ length: HISTORY_DAYS / 7 }, (_, back) => monday - back * 7 * DAY_MS).toReversed()
  const { title } = spots[code]
  return [
    `<html><head><title>${title}</title></head><body><a href='../hist_xls/${code}d.xls' class='crumb'>Download Data (XLS File)</a>`,
    `<table SUMMARY='${title}'><tr><th>Week Of</th><th>Mon</th><th>Tue</th><th>Wed</th><th>Thu</th><th>Fri</th></tr>`,
    ...weeks.flatMap((ms, at) => [
      `<tr><td class='B6'>&nbsp;&nbsp;${new Date(ms).getUTCFullYear()} ${dayText(ms)} to ${dayText(ms + 4 * DAY_MS)}</td>`,
      ...[0, 1, 2, 3, 4].map((day) => `<td class='B3'>${prices.get(dayOf(ms + day * DAY_MS)) ?? ""}</td>`),
      "</tr>",
      ...(at % 5 === 4 ? ["<tr><td height='3'></td><td></td><td></td><td></td><td></td><td></td></tr>"] : []),
    ]),
    "</table></body></html>",
  ].join("\n")
}

export default simulatedUpstream({
  name: "eia",
  hosts: ["www.eia.gov", "api.eia.gov"],
  answer: ({ host, path, query }, world) => {
    if (host === "www.eia.gov") {
      const code = /\/hist\/(RWTC|rngwhhd)D\.htm$/.exec(path)?.[1]?.toUpperCase()
      return code === undefined ? null : { contentType: "text/html", body: page(world, code as Code) }
    }
    const code = query.get("facets[series][]")
    if (code !== "RWTC" && code !== "RNGWHHD") return null
    if (query.get("api_key") !== WORLD_KEY)
      return { status: 403, body: { error: { code: "API_KEY_INVALID", message: "An invalid api_key was supplied." } } }
    const data = pricesOf(world, code).slice(0, Number(query.get("length")))
    return {
      body: {
        response: {
          total: String(data.length),
          data: data.map(({ date, value }) => ({
            period: date,
            series: code,
            value: String(value),
            units: spots[code].unit,
          })),
        },
      },
    }
  },
})
