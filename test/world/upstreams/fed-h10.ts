import { dayOf, numbersOf } from "../economy.ts"
import { simulatedUpstream } from "../upstream.ts"

const HISTORY = 400
const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

const dayText = (date: string): string => {
  const [year = "", month = "", day = ""] = date.split("-")
  return `${day}-${months[Number(month) - 1]}-${year.slice(2)}`
}

export default simulatedUpstream({
  name: "fed-h10",
  hosts: ["www.federalreserve.gov"],
  answer: ({ path }, world) => {
    if (path !== "/releases/h10/summary/jrxwtfb_nb.htm") return null
    const rows = numbersOf(world, "DTWEXBGS", HISTORY).toReversed()
    return {
      contentType: "text/html",
      body: [
        `<html><head><title>H.10: Nominal Broad Dollar Index</title></head><body><p>Release Date: ${dayOf(world.nowMs)}</p>`,
        "<table class='pubtables'><tr><th>Date</th><th>Index</th></tr>",
        ...rows.map(({ date, value }) => `<tr><th>${dayText(date)}</th><td>${value?.toFixed(4) ?? "ND"}</td></tr>`),
        "</table></body></html>",
      ].join("\n"),
    }
  },
})
