import { describe, expect, it } from "vitest"
import { hasPast } from "../schemas/contract/past.ts"
import { loadDirectory } from "../schemas/directory.ts"
import { instant, makeEvent } from "../schemas/event.ts"
import { itemAppeared } from "../schemas/events/deltas.ts"
import { instanceKey } from "../schemas/feed.ts"
import { endpoints, eventReader, feeds } from "../schemas/registry.ts"
import { freshnessKey } from "../schemas/view-record.ts"
import { pastProcessors } from "./past/processors.ts"
import { foldedViews, loadProcessors, tables, views } from "./registry.ts"
import { declared, foldingBench, tick } from "./testing/folding.ts"

const processors = await loadProcessors()

describe("the registry of processors", () => {
  it("finds every fold, named as its file", async () => {
    const files = await loadDirectory(new URL("./folds/", import.meta.url))
    expect(processors.map(({ name }) => name)).toEqual(files.map(({ name }) => name))
    expect(processors.length).toBeGreaterThanOrEqual(2)
  })

  it("has each view with a past published by one fold, which settles what was known of it", () => {
    const published = processors.flatMap(({ name, publishes }) => publishes.map((path) => [path, name] as const))
    const withPast = endpoints.filter(hasPast).map(({ path }) => path)
    for (const path of withPast) expect([path, published.filter(([one]) => one === path).length]).toEqual([path, 1])
    const folds = published.flatMap(([path, name]) => (withPast.includes(path) ? [name] : []))
    expect([...pastProcessors].toSorted()).toEqual([...new Set(folds)].toSorted())
  })

  it("gives no two views the same record", () => {
    const keys = [
      ...views.flatMap(({ endpoint, instances }) =>
        instances.map((parameters) => instanceKey(endpoint.path, parameters)),
      ),
      ...foldedViews.map(({ endpoint }) => endpoint.path),
    ]
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })
})

describe.each(foldedViews)("the view of $endpoint.path", ({ endpoint, processor: name }) => {
  it("is built by a processor that exists, which publishes its freshness before there is data", () => {
    const processor = processors.find((one) => one.name === name)
    if (processor === undefined) return expect.fail(`there is no processor ${name}`)
    const made = foldingBench(processor, eventReader)
    made.fold(declared(0, []), tick(10_000))
    expect(made.problems()).toEqual([])
    expect(made.view(freshnessKey(endpoint.path))).toMatchObject({ v: 1, asOf: null, staleAfter: null })
    expect(made.view(endpoint.path)).toBeUndefined()
  })
})

describe("the fold of the real views", () => {
  it("given no data, publishes the freshness of every prepared view, without data", () => {
    const latest = processors.find(({ name }) => name === "latest")
    expect(latest).toBeDefined()
    if (latest === undefined) return
    const made = foldingBench(latest, eventReader)
    made.fold(declared(0, []), tick(10_000))
    expect(made.problems()).toEqual([])
    for (const { endpoint, instances, reads } of views)
      for (const parameters of instances) {
        const key = instanceKey(endpoint.path, parameters)
        expect(made.view(freshnessKey(key))).toMatchObject({ v: 1, asOf: null, staleAfter: null })
        if (Object.values(reads).some(({ required }) => required))
          expect([key, made.view(key)]).toEqual([key, undefined])
      }
  })
})

// The log outlives releases: it may hold what this one no longer has.
describe("an instance of an earlier release", () => {
  const FORMER = "former"

  it("has no promised age of its content", () => {
    for (const { contentAgeMaxMs, instances, name } of feeds.values())
      for (const parameters of instances)
        for (const parameter of Object.keys(parameters))
          expect(() => contentAgeMaxMs({ ...parameters, [parameter]: FORMER }), `${name} ${parameter}`).not.toThrow()
  })

  it.each([
    ["economic_series", "economic-series", "series", { date: "2026-01-01", value: 1 }, { series: FORMER, unit: "" }],
    ["vulnerabilities", "ai-stack-cves", "package", {}, { package: FORMER, ecosystem: "", category: "" }],
    ["repositories", "repositories", "set", { licence: null }, { set_name: FORMER }],
  ])("has its rows in %s, with its name", (name, feed, parameter, item, columns) => {
    const event = makeEvent(itemAppeared, {
      id: "e-1",
      source: "test",
      subject: feed,
      time: instant(0),
      data: { feed, parameters: { [parameter]: FORMER }, provider: "test", key: "k", item, observedAt: instant(0) },
    })
    expect(tables.find((one) => one.name === name)?.rows(event)).toEqual([expect.objectContaining(columns)])
  })
})
