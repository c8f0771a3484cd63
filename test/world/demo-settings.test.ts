import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { readDemoSettings } from "./demo-settings.ts"

it("what is offered alone is everything else off, for the service and for the past", () => {
  const { endpointsOff, settings } = Result.getOrThrow(
    readDemoSettings({ WORLD_OFFERED: "/api/earthquake,/api/forex" }),
  )
  const off = endpointsOff.split(",")
  expect(off).toEqual(expect.arrayContaining(["/api/btc-price", "/api/pro/briefing"]))
  expect(off).not.toContain("/api/earthquake")
  expect(settings.endpointsOff).toEqual(off)
})

it("each setting that is wrong is named in a sentence", () => {
  const wrong = {
    WORLD_OFFERED: "/api/nothing",
    WORLD_HOST: "everywhere",
    WORLD_FAULTS: '[{"host":"*","kind":"bad-weather"}]',
    WORLD_OUTAGES: "maybe",
    WORLD_PAST: "yes",
  }
  const read = readDemoSettings(wrong)
  const sentences = Result.isFailure(read) ? read.failure : []
  expect(sentences.map((sentence) => sentence.split(":")[0]).sort()).toEqual(Object.keys(wrong).sort())
  expect(readDemoSettings({ WORLD_OFFERED: "/api/forex", ENDPOINTS_OFF: "/api/forex" })).toMatchObject({
    failure: ["WORLD_OFFERED: cannot stand beside ENDPOINTS_OFF"],
  })
})
