import { numbersOf } from "../economy.ts"
import { simulatedUpstream } from "../upstream.ts"

/** It follows the Treasury's own page a business day later. */
const LAG_DAYS = 1

export default simulatedUpstream({
  name: "fed-h15",
  hosts: ["www.federalreserve.gov"],
  answer: ({ path, query }, world) => {
    if (path !== "/datadownload/Output.aspx" || query.get("rel") !== "H15") return null
    const days = 2 * Number(query.get("lastobs"))
    const ten = new Map(numbersOf(world, "DGS10", days).map(({ date, value }) => [date, value]))
    const rows = numbersOf(world, "DGS2", days)
      .slice(LAG_DAYS, LAG_DAYS + Number(query.get("lastobs")))
      .toReversed()
      .map(({ date, value }) => `${date},${value ?? "ND"},${ten.get(date) ?? "ND"}`)
    return {
      contentType: "text/csv",
      body: [
        '"Series Description","Market yield on U.S. Treasury securities at 2-year   constant maturity","Market yield on U.S. Treasury securities at 10-year   constant maturity"',
        '"Unit:","Percent:_Per_Year","Percent:_Per_Year"',
        '"Multiplier:","1","1"',
        '"Currency:","NA","NA"',
        '"Unique Identifier: ","H15/H15/RIFLGFCY02_N.B","H15/H15/RIFLGFCY10_N.B"',
        '"Time Period","RIFLGFCY02_N.B","RIFLGFCY10_N.B"',
        ...rows,
      ].join("\n"),
    }
  },
})
