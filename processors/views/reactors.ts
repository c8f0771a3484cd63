import { FULL_POWER_PERCENT, type ReactorPower, reactors, reactorsEndpoint } from "../../schemas/feeds/reactors.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const unitRow = ({ unit, powerPercent }: ReactorPower) => ({ unit, power_pct: powerPercent })
const unitRows = rowsBy(unitRow)

export default view({
  endpoint: reactorsEndpoint,
  reads: { report: from(reactors) },
  // Units at full power, which replies count and do not list, have the same row.
  changes: [changesOf(reactors, unitRow)],
  build: ({
    report: {
      payload: { items, facts },
    },
  }) => {
    const offline = items.filter(({ powerPercent }) => powerPercent === 0)
    const reduced = items.filter(({ powerPercent }) => powerPercent > 0 && powerPercent < FULL_POWER_PERCENT)
    return {
      report_date: facts.reportDate,
      total: items.length,
      at_full_power: items.length - offline.length - reduced.length,
      reduced_count: reduced.length,
      offline_count: offline.length,
      reduced: unitRows(reduced),
      offline: unitRows(offline),
    }
  },
})
