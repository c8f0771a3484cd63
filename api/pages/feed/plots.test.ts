import { describe, expect, it } from "vitest"
import { isView } from "../../../schemas/contract/endpoint-kinds.ts"
import { hasPast } from "../../../schemas/contract/past.ts"
import { PLOT_ROWS_MAX, ranking, states } from "../../../schemas/contract/plot.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { apiUnderTest, START_MS } from "../../testing/api-under-test.ts"
import { scriptedPast } from "../../testing/scripted-past.ts"
import { waitFor } from "../../testing/wait-for.ts"
import { shownOf } from "../../world/layout.ts"
import { plotHtml, plotPieces } from "./plots.ts"

const HOSTILE = `<img src=x onerror=a>|"'`
const HOUR_MS = 3_600_000
const navigation = { accept: "text/html" }

describe("a plot", () => {
  it("is text beside its drawing, in the order and with the unit of its values", () => {
    const plot = ranking("Change", "%", [
      { label: "up", value: 4, note: "Name" },
      { label: "not known", value: null },
      { label: "down", value: -2 },
      { label: "small", value: 0.00004124 },
    ])
    const html = String(plotHtml(plot))
    expect([...html.matchAll(/<rect width="([^"]*)"/g)].map(([, width]) => width)).toEqual(["100.0", "50.0", "0.0"])
    expect([...html.matchAll(/class="number">([^<]*)</g)].map(([, text]) => text)).toEqual(["4%", "-2%", "0.00004124%"])
    expect(html).not.toContain("not known")
    expect(plotPieces(plot)).toEqual([
      { text: "Change:" },
      {
        table: {
          head: ["", "%", "Of"],
          rows: [
            ["up", "4", "Name"],
            ["down", "-2", ""],
            ["small", "0.00004124", ""],
          ],
        },
      },
    ])
  })

  it("says a state in words and not by its colour alone, and shows hostile text as text", () => {
    const html = String(plotHtml(states("Services", [{ label: HOSTILE, state: "bad", words: HOSTILE }])))
    expect(html).toMatch(/<span class="state bad">&lt;img/)
    expect(html).not.toContain("<img")
  })

  it("draws a line with a gap, its least and its most, and has its table", () => {
    const points = [1, null, 3, 2].map((value, hour) => ({
      at: new Date(START_MS + hour * HOUR_MS).toISOString(),
      value,
    }))
    const html = String(plotHtml({ kind: "series", title: "24 hours", unit: "Kp", points }))
    expect(html).toContain("<span>3 Kp</span><span>1 Kp</span>")
    expect(html).toContain('d="M0.0 22.0h0M66.7 2.0h0L100.0 12.0"')
    expect(html.match(/<tr>/g)).toHaveLength(5)
  })

  it("is nothing where there is nothing to draw, and bounded where there is much", () => {
    expect([plotHtml(ranking("", null, [])), plotHtml(states("", []))]).toEqual([null, null])
    expect(plotHtml({ kind: "series", title: "", unit: null, points: [{ at: "", value: 1 }] })).toBe(null)
    expect(plotPieces(ranking("", null, []))).toEqual([])
    const many = Array.from({ length: 1_000 }, (_, at) => ({ label: String(at), value: at }))
    expect(String(plotHtml(ranking("", null, many))).match(/<li>/g)).toHaveLength(PLOT_ROWS_MAX)
  })

  it("is made of the example of every feed that declares one", () => {
    const drawn = endpoints.filter(isView).flatMap(({ name, glance, example }) => {
      const plots = glance?.plots?.(example) ?? []
      return plots.some((plot) => plotHtml(plot) !== null) ? [name] : []
    })
    expect(drawn).toEqual(
      expect.arrayContaining([
        "predictions",
        "funding_rates",
        "service_status",
        "internet_pulse",
        "crypto_movers",
        "game_platform_top",
      ]),
    )
    expect(drawn.length).toBeGreaterThan(9)
  })
})

describe("the page of a feed", () => {
  it("begins with what its data says, and draws the day and the month of a number", async () => {
    const past = scriptedPast()
    past.settle(START_MS - 60_000)
    const api = await apiUnderTest({ endpoints, past: past.source })
    const freshness = { freshForMs: 100 * 24 * HOUR_MS }
    for (const { endpoint, key } of shownOf(endpoints))
      if (hasPast(endpoint)) past.version(key, START_MS - 20 * 24 * HOUR_MS, endpoint.example, freshness)
    for (let day = 1; day < 20; day += 1)
      past.version("/api/fear-greed", START_MS - (20 - day) * 24 * HOUR_MS, { value: day, label: "Fear" }, freshness)
    api.fill("/api/fear-greed", { value: 42, label: "Fear" })
    let body = ""
    await waitFor(async () => {
      // Each page is kept for a while.
      api.moveTo(START_MS + Math.floor(Math.random() * 1e6))
      body = (await api.app.inject({ url: "/feeds/fear-greed", headers: navigation })).body
      expect(body).toContain('class="glance"')
      expect(body).not.toContain("Earlier values are being read")
    })
    expect(body.indexOf('class="glance"')).toBeLessThan(body.indexOf('class="facts"'))
    expect(body).toMatch(/class="headline number"><span class="value">42<\/span> <span class="unit">of 100</)
    expect([...body.matchAll(/<details name="range"[^>]*><summary>([^<]*)</g)].map(([, title]) => title)).toEqual([
      "24 hours",
      "7 days",
      "30 days",
    ])
    const twin = (await api.app.inject({ url: "/feeds/fear-greed.md" })).body
    expect(twin).toContain("30 days:")
    expect(twin).toMatch(/\| 2026-08-\d\d \d\d:00:00 UTC \| 19 \|/)
  })

  it("has no drawing where there is no data, and its ranking where there is", async () => {
    const api = await apiUnderTest({ endpoints })
    const page = async (name: string) => (await api.app.inject({ url: `/feeds/${name}`, headers: navigation })).body
    expect(await page("service-status")).not.toContain('class="glance"')
    const example = endpoints.find(({ path }) => path === "/api/predictions")?.example
    api.fill("/api/predictions", example)
    // Lists without a drawing of their own show their first rows, places a map with their list.
    api.fill("/api/trade-halts", endpoints.find(({ path }) => path === "/api/trade-halts")?.example)
    expect(await page("trade-halts")).toMatch(/class="glance"[\s\S]*<table>[\s\S]*id="data"/)
    api.fill(
      "/api/climate/earthquakes?magnitude=2.5&period=day",
      endpoints.find(({ name }) => name === "climate_earthquakes")?.example,
    )
    const quakes = await page("climate-earthquakes")
    expect(quakes).toMatch(/<svg class="globe"[\s\S]*<use href="#shape-climate_earthquakes"[\s\S]*Kodiak/)
    expect(quakes).toContain("1 place as a list")
    expect(await page("predictions")).toMatch(/<ol class="ranking"><li><span class="name">Will it rain/)
  })
})
