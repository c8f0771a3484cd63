import { numbersOf } from "../economy.ts"
import { simulatedUpstream, WORLD_KEY } from "../upstream.ts"
import type { World } from "../world.ts"

const HISTORY = 400

const quartersOf = (world: World) =>
  numbersOf(world, "A191RL1Q225SBEA", HISTORY)
    .map(({ date, value }) => ({
      period: `${date.slice(0, 4)}Q${(Number(date.slice(5, 7)) + 2) / 3}`,
      value: String(value),
    }))
    .toReversed()

export default simulatedUpstream({
  name: "bea-nipa",
  hosts: ["apps.bea.gov"],
  answer: ({ path, query }, world) => {
    if (path === "/national/Release/TXT/NipaDataQ.txt")
      return {
        contentType: "text/plain",
        body: [
          "%SeriesCode,Period,Value",
          'A191RC,2026Q1,"31,000,113"',
          ...quartersOf(world).map(({ period, value }) => `A191RL,${period},"${value}"`),
          'A191RX,2026Q1,"24,269,613"',
          "",
        ].join("\n"),
      }
    if (path !== "/api/data") return null
    // A wrong key is answered with nothing.
    if (query.get("UserID") !== WORLD_KEY) return { contentType: "application/json", body: "" }
    const years = (query.get("Year") ?? "").split(",")
    return {
      body: {
        BEAAPI: {
          Results: {
            Data: quartersOf(world)
              .filter(({ period }) => years.includes(period.slice(0, 4)))
              .map(({ period, value }) => ({
                TableName: "T10101",
                SeriesCode: "A191RL",
                LineNumber: "1",
                TimePeriod: period,
                DataValue: value,
              })),
          },
        },
      },
    }
  },
})
