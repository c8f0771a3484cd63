import { describe, expect, it } from "vitest"
import { freshnessKey } from "../../schemas/view-record.ts"
import { declared, failed, observed, tick, unchangedPoll } from "../testing/folding.ts"
import { bench, changesOf, items, placeView } from "../testing/latest-views.ts"
import { buildDemanded } from "../view/demanded-view.ts"
import type { View } from "../view/view.ts"

describe("views of the latest readings", () => {
  it("given nothing, when feeds are declared, then every prepared view has freshness and no body", () => {
    const made = bench()
    made.fold(
      declared(0, [
        { feed: "things", provider: "A.things" },
        { feed: "places", parameters: { at: "here" }, provider: "B.places", rests: "not_configured" },
      ]),
    )
    expect(made.view("/api/count")).toBeUndefined()
    expect(made.view(freshnessKey("/api/count"))).toEqual({
      v: 1,
      asOf: null,
      staleAfter: null,
      sources: [
        { name: "A.things", status: null, fetched_at: null, latency_ms: null, staleAfter: null },
        {
          name: "B.places",
          status: null,
          fetched_at: null,
          latency_ms: null,
          reason: "not_configured",
          staleAfter: null,
        },
      ],
    })
  })

  it("given data of a simulated upstream, then the freshness says so until a real one has answered", () => {
    const made = bench()
    const isSimulated = () => (made.view(freshnessKey("/api/count")) as { simulated?: true }).simulated
    made.fold(observed(1000, "things", { items: [], facts: {} }, { simulated: true }))
    expect(isSimulated()).toBe(true)
    made.fold(failed(2000, "things", "status", "500"))
    expect(isSimulated()).toBe(true)
    made.fold(unchangedPoll(3000, "things"))
    expect(isSimulated()).toBeUndefined()
  })

  it("given instances of which some rest, then the view is built of the others, and each source gives its own reason", () => {
    const made = bench()
    const at = (place: string, rests?: "not_configured" | "not_licensed") => ({
      feed: "places",
      parameters: { at: place },
      provider: `${place}.places`,
      ...(rests === undefined ? {} : { rests }),
    })
    made.fold(
      declared(0, [at("north", "not_licensed"), at("south", "not_configured"), at("far")]),
      observed(1000, "places", { value: 1 }, { parameters: { at: "far" } }),
    )
    expect(made.view("/api/places")).toMatchObject({ data: { count: 1 } })
    const sources = () =>
      (made.view(freshnessKey("/api/places")) as { sources: ReadonlyArray<Record<string, unknown>> }).sources
    expect(sources().map(({ name, status, reason }) => [name, status, reason])).toEqual([
      ["north.places", null, "not_licensed"],
      ["south.places", null, "not_configured"],
      ["far.places", "live", undefined],
    ])
    // A source that lacks its key later keeps its last data; `_meta` gives the reason why it becomes stale.
    made.fold(declared(2000, [at("north"), at("south"), at("far", "not_configured")]))
    expect(made.view("/api/places")).toMatchObject({ data: { count: 1 } })
    expect(sources().map(({ name, status, reason }) => [name, status, reason])).toEqual([
      ["north.places", null, undefined],
      ["south.places", null, undefined],
      ["far.places", "error", "not_configured"],
    ])
  })

  it("given an instance whose terms forbid it by now, then nothing that was read of it is served, until they allow it", () => {
    const made = bench()
    const far = (rests?: "not_licensed") => ({
      feed: "places",
      parameters: { at: "far" },
      provider: "far.places",
      ...(rests === undefined ? {} : { rests }),
    })
    made.fold(declared(0, [far()]), observed(1000, "places", { value: 1 }, { parameters: { at: "far" } }))
    expect(made.view("/api/places")).toMatchObject({ data: { count: 1 } })
    made.fold(declared(2000, [far("not_licensed")]))
    expect(made.view("/api/places")).toBeUndefined()
    expect(made.view(freshnessKey("/api/places"))).toMatchObject({
      asOf: null,
      sources: [{ name: "far.places", status: null, fetched_at: null, reason: "not_licensed" }],
    })
    made.fold(declared(3000, [far()]))
    expect(made.view("/api/places")).toMatchObject({ data: { count: 1 } })
  })

  it("given a first observation, then the body is dated by it and everything appears", () => {
    const made = bench()
    made.fold(observed(1000, "things", items(["a", 1], ["b", 1])))
    expect(made.view("/api/count")).toEqual({ v: 2, changedAt: "1970-01-01T00:00:01.000Z", data: { count: 2 } })
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({
      asOf: "1970-01-01T00:00:01.000Z",
      staleAfter: "1970-01-01T00:02:01.000Z",
      sources: [{ name: "A.things", status: "live", fetched_at: "1970-01-01T00:00:01.000Z", latency_ms: 7 }],
    })
    expect(changesOf(made)).toEqual([
      ["e0/latest/0", "item.appeared", "a"],
      ["e0/latest/1", "item.appeared", "b"],
    ])
  })

  it("given a reading, when a poll confirms it, then only freshness moves", () => {
    const made = bench()
    made.fold(observed(1000, "things", items(["a", 1])))
    made.forgetWrites()
    made.fold(unchangedPoll(61_000, "things"))
    expect(made.written()).toEqual([freshnessKey("/api/count"), freshnessKey("/api/minute")])
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({ asOf: "1970-01-01T00:01:01.000Z" })
    expect(made.derived()).toHaveLength(1)
  })

  it("given a reading, when the payload changes but not the view's data, then its body stays", () => {
    const made = bench()
    made.fold(observed(1000, "things", items(["a", 1])), observed(2000, "things", items(["a", 2])))
    expect(made.view("/api/count")).toMatchObject({ changedAt: "1970-01-01T00:00:01.000Z" })
    expect(changesOf(made).at(-1)).toEqual(["e1/latest/0", "item.changed", "a"])
  })

  it("given a reading, when a poll fails, then the body stands and the source gives the reason", () => {
    const made = bench()
    made.fold(observed(1000, "things", items(["a", 1])), failed(61_000, "things", "timeout", "no answer in 8 s"))
    expect(made.view("/api/count")).toMatchObject({ data: { count: 1 } })
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({
      asOf: "1970-01-01T00:00:01.000Z",
      sources: [{ status: "error", reason: "timeout: no answer in 8 s", fetched_at: "1970-01-01T00:00:01.000Z" }],
    })
  })

  it("given no reading, when a poll fails, then the status is null and the reason is given", () => {
    const made = bench()
    made.fold(failed(1000, "things", "unreachable", "refused"))
    expect(made.view("/api/count")).toBeUndefined()
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({
      asOf: null,
      sources: [{ name: "A.things", status: null, reason: "unreachable: refused" }],
    })
  })

  it("given a fallback's answer, then the first choice is named and the fallback beside it", () => {
    const made = bench()
    made.fold(observed(1000, "things", items(["a", 1]), { provider: "B.things", standsInFor: "A.things" }))
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({
      sources: [{ name: "A.things", status: "fallback", fallback_source: "B.things" }],
    })
  })

  it("given two parts, then the view is as old as its oldest part and stale with its first", () => {
    const made = bench()
    made.fold(
      observed(1000, "things", items(["a", 1])),
      observed(5000, "places", { value: 1 }, { parameters: { at: "here" } }),
    )
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({
      asOf: "1970-01-01T00:00:01.000Z",
      staleAfter: "1970-01-01T00:02:01.000Z",
    })
  })

  it("given a body, when the view's function throws, then the last body stands, and freshness and problems report the failure", () => {
    const made = bench()
    made.fold(
      observed(1000, "things", items(["a", 1])),
      observed(2000, "things", items(["poison", 1])),
      unchangedPoll(3000, "things"),
    )
    expect(made.view("/api/count")).toMatchObject({ data: { count: 1 } })
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({
      asOf: "1970-01-01T00:00:01.000Z",
      sources: [{ status: "error", reason: "view_failed: the data of the last good build is served" }],
    })
    expect(made.problems()).toEqual([{ subject: "/api/count", problem: "Error: poisoned" }])
    made.fold(observed(4000, "things", items(["a", 2], ["b", 1])))
    expect(made.view("/api/count")).toMatchObject({ data: { count: 2 } })
    expect(made.view(freshnessKey("/api/count"))).toMatchObject({ sources: [{ status: "live" }] })
  })

  it("given a view that follows the clock, when time passes, then it is built again and only when it differs", () => {
    const made = bench()
    made.fold(observed(1000, "things", items(["a", 1])))
    made.forgetWrites()
    made.fold(tick(30_000))
    expect(made.written()).toEqual([])
    made.fold(tick(60_000))
    expect(made.written()).toEqual(["/api/minute"])
  })

  it("given an event from the past, then event time does not go back", () => {
    const made = bench()
    made.fold(tick(120_000), observed(60_000, "things", items(["a", 1])))
    expect(made.view("/api/minute")).toMatchObject({ data: { count: 2 }, changedAt: "1970-01-01T00:02:00.000Z" })
  })
})

describe("views on demand", () => {
  const here = { at: "here" }

  it("are built for the parameters observed, with the bytes that the request was answered with", () => {
    const event = observed(5000, "places", { value: 3 }, { parameters: here })
    const made = bench()
    made.fold(tick(60_000), event)
    const demanded = buildDemanded(placeView as View, here, [made.encoded(event)])
    expect(JSON.stringify(demanded.body)).toBe(JSON.stringify(made.view("/api/place?at=here")))
    expect(JSON.stringify(demanded.freshness)).toBe(JSON.stringify(made.view(freshnessKey("/api/place?at=here"))))
    expect(made.derived()).toEqual([])
  })

  it("are dropped a day after their last use, with their state, unless they are polled on schedule", () => {
    const made = bench()
    made.fold(
      declared(0, [{ feed: "places", parameters: { at: "canary" }, provider: "B.places" }]),
      observed(1000, "places", { value: 1 }, { parameters: { at: "canary" } }),
      observed(1000, "places", { value: 3 }, { parameters: { at: "there" } }),
      tick(86_400_000 - 1000),
    )
    expect(made.view("/api/place?at=there")).toBeDefined()
    made.fold(tick(86_400_000 + 600_000))
    expect(made.view("/api/place?at=there")).toBeUndefined()
    expect(made.view(freshnessKey("/api/place?at=there"))).toBeUndefined()
    expect(made.view("/api/place?at=canary")).toBeDefined()
    expect(made.stateKeys().filter((key) => key.includes("there"))).toEqual([])
  })
})
