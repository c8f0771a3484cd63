import { daysSince } from "../economy.ts"
import { simulatedUpstream, type WorldReply } from "../upstream.ts"
import type { World } from "../world.ts"

/** Both tenors of each trading day of a year, the newest first. */
const curvesOf = (world: World, year: number) => {
  const two = new Map(daysSince(world, "DGS2", `${year}-01-01`).map(({ date, value }) => [date, value]))
  return daysSince(world, "DGS10", `${year}-01-01`).flatMap(({ date, value }) => {
    const other = two.get(date)
    return other === undefined || !date.startsWith(String(year)) ? [] : [{ date, two: other, ten: value }]
  })
}

const file = (world: World, year: number): WorldReply => ({
  contentType: "text/csv; charset=utf-8",
  body: [
    'Date,"1 Mo","1.5 Month","2 Mo","2 Yr","10 Yr"',
    ...curvesOf(world, year).map(
      ({ date, two, ten }) => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)},3.77,,3.84,${two},${ten}`,
    ),
  ].join("\n"),
})

const feed = (world: World, year: number): WorldReply => ({
  contentType: "application/atom+xml;charset=utf-8",
  body: [
    '<?xml version="1.0" encoding="utf-8" standalone="yes" ?>',
    '<feed xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom">',
    '<title type="text">DailyTreasuryYieldCurveRateData</title>',
    ...curvesOf(world, year)
      .toReversed()
      .map(
        ({ date, two, ten }) =>
          `<entry><content type="application/xml"><m:properties><d:NEW_DATE m:type="Edm.DateTime">${date}T00:00:00</d:NEW_DATE><d:BC_2YEAR m:type="Edm.Double">${two}</d:BC_2YEAR><d:BC_10YEAR m:type="Edm.Double">${ten}</d:BC_10YEAR></m:properties></content></entry>`,
      ),
    "</feed>",
  ].join("\n"),
})

export default simulatedUpstream({
  name: "treasury-par-yield",
  hosts: ["home.treasury.gov"],
  answer: ({ path, query }, world) => {
    const year = Number(query.get("field_tdr_date_value"))
    if (path.endsWith("/pages/xml")) return feed(world, year)
    return path.includes("/daily-treasury-rates.csv/") ? file(world, year) : null
  },
})
