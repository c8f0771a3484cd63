import { describe, expect, it } from "vitest"
import { isView } from "../../../schemas/contract/endpoint-kinds.ts"
import { type World, worldEndpoint } from "../../../schemas/endpoints/world.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { severest } from "../assets/world-view.js"
import { worldContent } from "./content.ts"
import { shapeOf } from "./map.ts"

const { example } = worldEndpoint
const [tile] = example.tiles
const [layer] = example.marks
const HOSTILE = `<img src=x onerror=a>|[b](javascript:c)"'\`_*`

const contentOf = (world: World) => worldContent(world, { attribution: new Map(), json: worldEndpoint.path })

const worldWith = (members: object): World => ({
  ...example,
  tiles: [{ ...tile, ...members } as World["tiles"][number]],
})

const pointsOf = (...weights: ReadonlyArray<number>) =>
  weights.map((weight) => ({ lat: 0, lon: 0, weight, at: null, title: `w${weight}` }))

describe("the content of the front page", () => {
  it("shows texts of upstreams as texts, in HTML and in Markdown", () => {
    const marks = [
      { name: "earthquake", points: [{ lat: 1, lon: 2, weight: 1, at: null, title: HOSTILE }], omitted: 0 },
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
      contentOf(worldWith({ value: null, unit: "MW", status: "warming", reason: "timeout" })).html(),
    )
    expect(missing).toContain('<p class="headline missing"')
    expect(missing).toMatch(/not known<\/span> <span class="unit" data-part="unit"><\/span>/)
    expect(missing).toContain(">No data yet</span>")
    expect(missing).toMatch(/data-part="reason">timeout</)
    const zero = String(contentOf(worldWith({ value: 0, unit: "MW" })).html())
    expect(zero).toMatch(/<p class="headline number".*>0<\/span> <span class="unit" data-part="unit">MW<\/span>/)
  })

  it("says since when a number is stale", () => {
    const stale = String(contentOf(worldWith({ status: "stale", stale_after: "2026-08-17T20:44:40.000Z" })).html())
    expect(stale).toContain('data-status="stale"')
    expect(stale).toContain('<span class="state bad" data-part="state">Stale since 2026-08-17 20:44:40 UTC</span>')
  })

  it("counts the places that were left out", () => {
    const marks = [{ ...layer, name: "earthquake", points: pointsOf(1), omitted: 61 }]
    expect(String(contentOf({ ...example, marks }).html())).toContain('data-count="earthquake">1 of 62</span>')
  })

  it("has a shape of its own for each kind of place", () => {
    const marked = endpoints.filter(isView).filter(({ glance }) => glance?.marks !== undefined)
    const paths = marked.map(({ name }) => shapeOf(name).path)
    expect(new Set([...paths, shapeOf("of no endpoint").path]).size).toBe(marked.length + 1)
  })
})

describe("the list of the most severe places", () => {
  it("takes the first of each kind before the second of any, and nothing that is not severe", () => {
    const layers = [
      { name: "a", points: pointsOf(1, 0.9, 0.8), omitted: 0 },
      { name: "b", points: pointsOf(0.5, 0.2), omitted: 0 },
      { name: "c", points: pointsOf(0.1), omitted: 0 },
    ]
    expect(severest(layers).map(({ name, point }) => `${name} ${point.weight}`)).toEqual([
      "a 1",
      "b 0.5",
      "a 0.9",
      "a 0.8",
    ])
    expect(
      severest([{ name: "a", points: pointsOf(...Array.from({ length: 50 }, () => 1)), omitted: 0 }]),
    ).toHaveLength(7)
  })
})
