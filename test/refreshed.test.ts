import { describe, expect, it } from "vitest"
import { apiUnderTest, START_MS } from "../api/testing/api-under-test.ts"
import latest from "../processors/folds/latest.ts"
import { foldingBench, observed, unchangedPoll } from "../processors/testing/folding.ts"
import { briefingEndpoint } from "../schemas/endpoints/briefing.ts"
import { instant } from "../schemas/event.ts"
import { humansInSpaceEndpoint } from "../schemas/feeds/humans-in-space.ts"
import { eventReader } from "../schemas/registry.ts"
import { freshnessKey, parseViewRecordKey, type ViewBody, type ViewFreshness } from "../schemas/view-record.ts"

const PATH = "/api/humans-in-space"
const MINUTE_MS = 60_000
const at = (minutes: number) => instant(START_MS + minutes * MINUTE_MS)
const crew = { items: [{ name: "A", craft: "ISS" }] }

/** Free endpoints over what the real fold makes of the polls. */
const served = async () => {
  const bench = foldingBench(latest, eventReader)
  const { app, store, moveTo } = await apiUnderTest({
    endpoints: [humansInSpaceEndpoint, briefingEndpoint],
  })
  const follow = async (minutes: number) => {
    moveTo(START_MS + minutes * MINUTE_MS)
    for (const path of [PATH, briefingEndpoint.path])
      store.update(path, {
        body: bench.view(path) as ViewBody,
        freshness: bench.view(freshnessKey(path)) as ViewFreshness,
      })
    await store.settled()
  }
  return { bench, follow, ask: (url: string) => app.inject({ url }) }
}

describe("a feed that has not changed for an hour", () => {
  it("gives the times of the last confirmation and of the last change", async () => {
    const { bench, follow, ask } = await served()
    bench.fold(observed(START_MS, "humans-in-space", crew))
    await follow(0)
    bench.forgetWrites()
    for (let minutes = 10; minutes <= 60; minutes += 10)
      bench.fold(unchangedPoll(START_MS + minutes * MINUTE_MS, "humans-in-space"))
    await follow(60)
    for (const path of [PATH, briefingEndpoint.path]) {
      const { headers, ...reply } = await ask(path)
      const body = reply.json()
      expect(body._meta).toMatchObject({ as_of: at(60), changed_at: at(0) })
      expect(body.updated_at ?? body.generated_at, path).toBe(at(60))
      expect(headers["x-service-as-of"]).toBe(at(60))
      expect(Date.parse(String(headers["last-modified"]))).toBe(START_MS + 60 * MINUTE_MS)
    }
    // A confirming poll writes no body to the log.
    expect(bench.written()).toContain(freshnessKey(PATH))
    expect(bench.written().filter((key) => parseViewRecordKey(key).part === "body")).toEqual([])
  })

  it("gives a new time of change when it changes", async () => {
    const { bench, follow, ask } = await served()
    bench.fold(
      observed(START_MS, "humans-in-space", crew),
      observed(START_MS + 30 * MINUTE_MS, "humans-in-space", { items: [] }),
    )
    await follow(30)
    const body = (await ask(PATH)).json()
    expect([body.updated_at, body._meta.as_of, body._meta.changed_at]).toEqual([at(30), at(30), at(30)])
  })
})

describe("a briefing that was never filled", () => {
  it("has its summary and its sections, each of them null", async () => {
    const { ask } = await served()
    const body = (await ask(briefingEndpoint.path)).json()
    expect(Object.keys(body)).toEqual(["source", "generated_at", "summary", "sections", "_meta"])
    expect(Object.keys(body.sections)).toEqual(Object.keys(briefingEndpoint.example.sections))
    expect(new Set(Object.values(body.sections))).toEqual(new Set([null]))
    expect(body).toMatchObject({ generated_at: null, summary: "Nothing is known yet.", _meta: { warming: true } })
  })
})
