import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { ObserveRequest } from "./observe.ts"
import { weatherObservation } from "./testing/observation.ts"
import { makeDemand } from "./views.ts"

const asking = () => {
  const asked: Array<ObserveRequest> = []
  const demand = makeDemand((request) => {
    asked.push(request)
    return Effect.succeed([weatherObservation])
  })
  return { asked, demand }
}

it("has the one instance observed that names a view, and builds the view of it", async () => {
  const { asked, demand } = asking()
  const parameters = { lat: "1", lon: "2" }
  const view = await Effect.runPromise(demand.observe("/api/weather", parameters))
  expect(asked).toEqual([{ feed: "weather", parameters }])
  expect(view.freshness.sources).toMatchObject([{ name: "OpenMeteo.forecast" }])
})

it("has every instance observed that a view reads, with the view that reads them", async () => {
  const { asked, demand } = asking()
  const parameters = { symbols: "AAPL,MSFT" }
  await Effect.runPromise(demand.observe("/api/stocks", parameters))
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ path: "/api/stocks", parameters })
  const reads = asked[0] !== undefined && "reads" in asked[0] ? asked[0].reads : []
  expect(reads.every(({ feed }) => feed === "stock-quotes")).toBe(true)
  expect(reads.map(({ parameters: { symbol } }) => symbol)).toEqual(expect.arrayContaining(["AAPL", "MSFT"]))
})

it.each([
  ["stands ready", "/api/exposure-scan", {}],
  ["is not on demand", "/api/earthquake", {}],
  ["is none", "/api/nothing", {}],
])("has nothing observed for a view that %s", async (_, path, parameters) => {
  const { asked, demand } = asking()
  expect(await Effect.runPromise(Effect.flip(demand.observe(path, parameters)))).toMatchObject({
    reason: "unavailable",
  })
  expect(asked).toEqual([])
})
