import { describe, expect, it } from "vitest"
import { isView } from "../../../schemas/contract/endpoint-kinds.ts"
import { type World, worldEndpoint } from "../../../schemas/endpoints/world.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { severest, standingOf, valueText } from "../assets/world-view.js"
import { livePages } from "../live.ts"
import { worldContent } from "./content.ts"
import { shapesOf } from "./map.ts"

const { example } = worldEndpoint
const [tile] = example.tiles
const [layer] = example.marks
if (layer === undefined) throw new Error("the example has no layer")
const HOSTILE = `<img src=x onerror=a>|[b](javascript:c)"'\`_*`

const contentOf = (world: World) =>
  worldContent(world, {
    attribution: new Map(),
    json: { path: worldEndpoint.path, ttlMs: 15_000 },
    live: livePages({ endpoints: [] }),
    past: null,
    offersPast: false,
    hasPastPage: () => false,
  })

const worldWith = (members: object): World => ({
  ...example,
  tiles: [{ ...tile, ...members } as World["tiles"][number]],
})

const pointsOf = (...weights: ReadonlyArray<number>) =>
  weights.map((weight) => ({ lat: 0, lon: 0, weight, at: null, title: `w${weight}` }))

describe("the content of the front page", () => {
  it("shows texts of upstreams as texts, in HTML and in Markdown", () => {
    const marks = [
      {
        name: "earthquake",
        points: [{ lat: 1, lon: 2, weight: 1, at: null, title: HOSTILE }],
        omitted: 0,
        known: true,
        harmless: false,
      },
    ]
    const content = contentOf({
      ...worldWith({ value: HOSTILE, note: HOSTILE, reason: HOSTILE, unit: HOSTILE }),
      marks,
    })
    const html = String(content.html())
    expect(html.match(/<[a-z]+/g)).not.toContain("<img")
    expect(html).toContain("&lt;img src=x onerror=a&gt;")
    const lines = content
      .markdown()
      .split("\n")
      .filter((line) => line.includes("onerror"))
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).not.toMatch(/<img|(?<!\\)\[b|[^\\]\|\[/)
      expect(line).toContain("&lt;img src=x onerror=a>\\|\\[b\\]")
    }
  })

  it("tells what is not known from what is 0", () => {
    const missing = String(
      contentOf(worldWith({ value: null, unit: "MW", status: "warming", reason: "timeout: no answer" })).html(),
    )
    expect(missing).toContain('<p class="headline missing"')
    expect(missing).toMatch(/not known<\/span> <span class="unit" data-part="unit"><\/span>/)
    expect(missing).toContain(">No data yet. Source unreachable, retrying</span>")
    expect(missing).toMatch(/data-part="reason">no answer</)
    const zero = String(contentOf(worldWith({ value: 0, unit: "MW" })).html())
    expect(zero).toMatch(/<p class="headline number".*>0<\/span> <span class="unit" data-part="unit">MW<\/span>/)
  })

  it("says since when a number is stale", () => {
    const stale = String(contentOf(worldWith({ status: "stale", stale_after: "2026-08-17T20:44:40.000Z" })).html())
    expect(stale).toContain('data-status="stale"')
    expect(stale).toContain('<span class="state bad" data-part="state">Stale since 2026-08-17 20:44:40 UTC</span>')
  })

  it("counts the places that were left out", () => {
    const marks = [{ ...layer, name: "earthquake", points: pointsOf(1), omitted: 61, known: true }]
    expect(String(contentOf({ ...example, marks }).html())).toContain('data-count="earthquake">1 of 62</span>')
  })

  it("counts what is current, and says so of no feed that was not read", () => {
    const standing = (...statuses: ReadonlyArray<World["tiles"][number]["status"]>) =>
      standingOf(statuses.map((status) => ({ status })))
    expect(standing("live", "fallback", "error")).toEqual({ sign: "good", words: "3 of 3 current" })
    expect(standing("warming", "warming", "not_configured")).toEqual({ sign: "missed", words: "No data yet (0 of 2)" })
    expect(standing("live", "live", "live", "stale")).toEqual({ sign: "warn", words: "3 of 4 current, 1 stale" })
    expect(standing("live", "stale", "warming")).toEqual({
      sign: "bad",
      words: "1 of 3 current, 1 stale, 1 without data",
    })
    const html = String(contentOf(worldWith({ status: "warming", value: null })).html())
    expect(html).toContain('<span class="state missed" data-live-state>No data yet (0 of 1)</span>')
  })

  it("says that nothing is severe only where every kind of place was read and is current", () => {
    const withLayer = (status: string, known: boolean) =>
      String(
        contentOf({
          ...worldWith({ name: "earthquake", status }),
          marks: [{ ...layer, name: "earthquake", points: [], omitted: 0, known }],
        }).html(),
      )
    const current = withLayer("live", true)
    expect(current).toContain('data-empty="Nothing severe"')
    expect(current).toContain('data-count="earthquake">0</span>')
    expect(current).not.toContain(" data-old")
    for (const other of [withLayer("stale", true), withLayer("warming", false), withLayer("error", false)]) {
      expect(other).toContain('data-empty="Not known: 1 of 1 kinds of places were not read, or are stale"')
      expect(other).toContain(' data-layer="earthquake" data-old')
    }
    expect(withLayer("warming", false)).toContain('data-count="earthquake">\u2013</span>')
    expect(withLayer("warming", false)).toContain("<summary>No places are known yet</summary>")
    expect(current).toContain("<summary>No places</summary>")
  })

  it("shows small numbers by their digits", () => {
    expect([0.00004124, 0.5, 0, -0.000012345, 1234.56789].map(valueText)).toEqual([
      "0.00004124",
      "0.5",
      "0",
      "-0.00001235",
      "1,234.5679",
    ])
  })

  it("has a shape of its own for each kind of place, and for new ones that it does not name", () => {
    const marked = endpoints.filter(isView).filter(({ glance }) => glance?.marks !== undefined)
    const names = [...marked.map(({ name }) => name), "new_one", "new_other"]
    const paths = [...shapesOf(names).values()].map(({ path }) => path)
    expect(new Set(paths).size).toBe(names.length)
  })
})

describe("the list of the most severe places", () => {
  it("names each kind of hazard once, the most severe first, and nothing that is not severe", () => {
    const layers = [
      { ...layer, name: "a", points: pointsOf(0.5, 0.4) },
      { ...layer, name: "b", points: pointsOf(1, 0.9, 0.8) },
      { ...layer, name: "c", points: pointsOf(0.1) },
      { ...layer, name: "d", points: pointsOf(1), harmless: true },
      { ...layer, name: "e", points: [] },
    ]
    expect(severest(layers).map(({ name, point }) => `${name} ${point.weight}`)).toEqual(["b 1", "a 0.5"])
  })
})
