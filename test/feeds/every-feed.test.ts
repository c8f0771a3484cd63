import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { sources } from "../../ingestors/registry.ts"
import { tables, views } from "../../processors/registry.ts"
import type { FoldedView } from "../../processors/view/view.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared, itemGone } from "../../schemas/events/deltas.ts"
import { type Feed, instanceKey } from "../../schemas/feed.ts"
import { simulatedUpstreams } from "../world/server.ts"
import { observed } from "./support/world.ts"

type Part = "endpoint" | "table" | "world"

/** Feeds that rightly lack a part, and why. */
const exceptions: Readonly<Record<string, { readonly lacks: ReadonlyArray<Part>; readonly because: string }>> = {
  "exposure-scan": {
    lacks: ["table"],
    because: "requested addresses stand in no table; what is observed of a dozen public hosts is in the archive",
  },
}
const lacks = (feed: string, part: Part): boolean => exceptions[feed]?.lacks.includes(part) ?? false

const files = await loadDirectory(new URL("../../schemas/feeds/", import.meta.url))

/** `/api/climate/earthquakes` is served under the name `climate-earthquakes`. */
const nameOfPath = (path: string): string => path.replace(/^\/api\//, "").replaceAll("/", "-")
const viewsOf = (feed: Feed) => views.filter(({ reads }) => Object.values(reads).some((one) => one.feed === feed))

describe.each(files)("the feed $name", ({ name, exports }) => {
  const [feed, ...others] = exports.filter(isTagged<Feed>("Feed"))
  const endpoints = exports.filter(isTagged<Endpoint>("Endpoint"))
  if (feed === undefined) throw new Error(`schemas/feeds/${name}.ts declares no feed`)
  const own = sources.filter(({ fills }) => fills === feed)

  it("is named as its file, and as its endpoint where it has exactly one", () => {
    expect(others).toEqual([])
    expect(feed.name).toBe(name)
    const [endpoint] = endpoints
    if (endpoints.length === 1 && endpoint !== undefined) expect(nameOfPath(endpoint.path)).toBe(name)
  })
  it("has an endpoint, and a view for each that stands in the file of its path", () => {
    const served = viewsOf(feed).map(({ endpoint }) => endpoint)
    expect(served.length === 0).toBe(lacks(name, "endpoint"))
    expect(served).toEqual(expect.arrayContaining(endpoints))
    for (const { path } of endpoints)
      expect(existsSync(new URL(`../../processors/views/${nameOfPath(path)}.ts`, import.meta.url)), path).toBe(true)
  })
  it("has sources of different ranks for each instance, each with a provider of its name in the world", () => {
    for (const instance of feed.instances) {
      const ranks = own.filter((source) => source.serves(instance)).map(({ rank }) => rank)
      // A source of several instances has one rank: its rivals at one of them may be fewer than at another.
      expect(new Set(ranks).size).toBe(ranks.length)
      expect(ranks.length).toBeGreaterThan(0)
    }
    const simulated = new Set(simulatedUpstreams.map((one) => one.name))
    expect(own.filter((source) => !simulated.has(source.name)).length === 0).toBe(!lacks(name, "world"))
  })
  it("has a table that makes rows of its items, and publishes what is gone where a table makes a row of that", async () => {
    const atMs = Date.parse("2026-11-20T12:34:56.789Z")
    const instances = feed.instances.filter((instance) => feed.publishesChanges(instance))
    const polls = await Promise.all(
      instances.map(async (parameters) => {
        const source = own.find((one) => one.serves(parameters))
        const world = simulatedUpstreams.find((one) => one.name === source?.name)
        if (source === undefined || world === undefined) throw new Error("nothing to poll")
        const { payload } = await observed(source, world, atMs, parameters)
        return { parameters, provider: source.provider(parameters), items: feed.items(payload) }
      }),
    )
    const taking = (type: typeof itemAppeared | typeof itemGone) =>
      tables.filter((table) =>
        polls.some(({ parameters, provider, items }) =>
          items.some((item) => {
            const observedAt = new Date(atMs).toISOString()
            const key = feed.key(item)
            const data = { feed: name, parameters, provider, key, item: item as never, observedAt }
            const event = makeEvent(type, { id: "1", source: "test", subject: name, time: observedAt, data })
            return table.rows(event).length > 0
          }),
        ),
      )
    expect(taking(itemAppeared).length === 0).toBe(lacks(name, "table"))
    // The one item of a value feed is never gone.
    if (feed.list !== null) expect(feed.publishesGone).toBe(taking(itemGone).length > 0)
  })
  it("has a test of its own, which runs the routine of all", () => {
    const file = new URL(`${name}.test.ts`, import.meta.url)
    expect(readFileSync(file, "utf8")).toMatch(/^feedTest\(\{$/m)
  })
  it("is served on demand for another instance than the canary, by the examples of its parameters", () => {
    const canaries = new Set(feed.instances.map((instance) => instanceKey(name, instance)))
    for (const { endpoint } of viewsOf(feed).filter((view) => view.onDemand)) {
      const examples = Object.entries(endpoint.parameters).map(([parameter, { example }]) => [parameter, example])
      expect(canaries).not.toContain(instanceKey(name, Object.fromEntries(examples)))
    }
  })
})

it("exceptions name existing feeds, with a reason", () => {
  for (const [feed, { because }] of Object.entries(exceptions)) {
    expect(files.map(({ name }) => name)).toContain(feed)
    expect(because).not.toBe("")
  }
})

it("every view stands in the file of its endpoint's path", async () => {
  const modules = await loadDirectory(new URL("../../processors/views/", import.meta.url))
  for (const { name, exports } of modules) {
    const declared = [
      ...exports.filter(isTagged<(typeof views)[number]>("View")),
      ...exports.filter(isTagged<FoldedView>("FoldedView")),
    ]
    expect(declared.map(({ endpoint }) => nameOfPath(endpoint.path))).toEqual([name])
  }
})

it("only feeds that are by definition the first of a longer list are cut; the list of any other is refused", () => {
  const cut = files.flatMap(({ name, exports }) =>
    exports.filter(isTagged<Feed>("Feed")).some(({ list }) => list?.keepsFirst === true) ? [name] : [],
  )
  expect(cut).toEqual([
    "btc-candles",
    "coins",
    "disaster-alerts",
    "economic-series",
    "event-market",
    "fear-greed",
    "forex",
    "funding-rates",
    "game-platform-top",
    "headlines",
    "malware-urls",
    "model-hub-trending",
    "predictions",
    "press-releases",
    "repositories",
    "tech-news",
    "threat-indicators",
    "wildfires",
  ])
})
