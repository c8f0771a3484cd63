import { describe, expect, it } from "vitest"
import { isView } from "../../../schemas/contract/endpoint-kinds.ts"
import { hasPast } from "../../../schemas/contract/past.ts"
import {
  barSeries,
  countsBy,
  matrix,
  PLOT_COLUMNS_MAX,
  PLOT_POINTS_MAX,
  PLOT_ROWS_MAX,
  ranking,
  states,
} from "../../../schemas/contract/plot.ts"
import { climateEarthquakesEndpoint } from "../../../schemas/feeds/earthquakes.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { apiUnderTest, START_MS } from "../../testing/api-under-test.ts"
import { scriptedPast } from "../../testing/scripted-past.ts"
import { waitFor } from "../../testing/wait-for.ts"
import { shownOf } from "../../world/layout.ts"
import { plotHtml, plotPieces } from "./plots.ts"

const HOSTILE = `<img src=x onerror=a>|"'`
/** The same in Markdown. */
const ESCAPED = HOSTILE.replace("<", "&lt;")
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

  it("is a matrix with a number in each cell, coloured by size and sign, and empty where nothing is known", () => {
    const facts = { title: "Rates", unit: "%", of: "Coin", columns: ["one", "two"], note: "Empty: not read" }
    const cells = [
      { row: "A", column: "one", value: 40 },
      { row: "A", column: "two", value: -11 },
      { row: "B", column: "two", value: 0 },
      { row: "B", column: "two", value: 7 },
      { row: HOSTILE, column: "elsewhere", value: 1 },
    ]
    const plot = matrix({ ...facts, isColoured: true }, cells)
    const html = String(plotHtml(plot))
    expect(html).toContain("<h3>Rates, %</h3>")
    expect([...html.matchAll(/<td class="([^"]*)">([^<]*)</g)].map(([, look, text]) => `${look}: ${text}`)).toEqual([
      "number shade plus-4: 40",
      "number shade minus-2: -11",
      "number: ",
      "number shade: 0",
      "number: ",
      "number: ",
    ])
    expect(html).toContain('<th scope="row">A</th>')
    expect(html).toContain("Empty: not read.")
    expect(html).not.toContain("<img")
    expect(String(plotHtml(matrix({ ...facts, isColoured: false }, cells)))).not.toContain("shade")
    expect(plotPieces(plot).slice(1)).toEqual([
      {
        table: {
          head: ["Coin", "one", "two"],
          rows: [
            ["A", "40", "-11"],
            ["B", "", "0"],
            [ESCAPED, "", ""],
          ],
        },
      },
      { text: "Empty: not read." },
    ])
    const names = Array.from({ length: 200 }, (_, at) => String(at))
    const large = String(
      plotHtml(
        matrix(
          { ...facts, columns: names, isColoured: true },
          names.map((name) => ({ row: name, column: name, value: 1 })),
        ),
      ),
    )
    expect(large.match(/scope="row"/g)).toHaveLength(PLOT_ROWS_MAX)
    expect(large.match(/scope="col"/g)).toHaveLength(PLOT_COLUMNS_MAX + 1)
    expect(plotHtml(matrix({ ...facts, isColoured: true }, []))).toBe(null)
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
    // Its instants can show the time of the reader's clock.
    expect(html.match(/<td><time datetime="[^"]+Z">[^<]+ UTC<\/time><\/td>/g)).toHaveLength(4)
  })

  it("draws amounts as bars from 0 up to its top, says in words what colours mean, and has its table", () => {
    const plot = barSeries(
      "Index",
      "Kp",
      [
        { at: "2026-08-16", value: 0, note: "quiet", state: "good" },
        { at: "2026-08-17", value: null, note: HOSTILE },
        { at: "2026-08-18", value: 8, note: "storm", state: "bad" },
        { at: "2026-08-19", value: 4, note: "storm", state: "bad" },
      ],
      { most: 10 },
    )
    const html = String(plotHtml(plot))
    expect(html).toContain("<span>10 Kp</span><span>0 Kp</span>")
    expect(
      [...html.matchAll(/<rect class="(\w+)" x="([^"]*)"[^>]* height="([^"]*)"><title>([^<]*)</g)].map(
        ([, ...own]) => own,
      ),
    ).toEqual([
      ["good", "0.1", "0.40", "2026-08-16, 0 Kp, quiet"],
      ["bad", "2.1", "16.00", "2026-08-18, 8 Kp, storm"],
      ["bad", "3.1", "8.00", "2026-08-19, 4 Kp, storm"],
    ])
    expect([...html.matchAll(/class="state (\w+)">([^<]*)</g)].map(([, ...own]) => own)).toEqual([
      ["good", "quiet (1)"],
      ["bad", "storm (2)"],
    ])
    expect(html).toContain("<span>2026-08-16</span> <span>2026-08-19</span>")
    // Bars stand on 0, whatever the least of them is.
    const tall = barSeries(
      "",
      null,
      [5, 8].map((value, place) => ({ at: `2026-08-1${place}`, value })),
    )
    expect(String(plotHtml(tall))).toContain("<span>8</span><span>0</span>")
    expect(html).not.toContain("<img")
    expect(plotPieces(plot)).toEqual([
      { text: "Index:" },
      {
        table: {
          head: ["Time", "Kp", "Of"],
          rows: [
            ["2026-08-16", "0", "quiet"],
            ["2026-08-17", "", ESCAPED],
            ["2026-08-18", "8", "storm"],
            ["2026-08-19", "4", "storm"],
          ],
        },
      },
    ])
  })

  it("counts what happened by steps: whole ones from the one after the oldest, the last until its newest", () => {
    const at = (time: string) => `2026-08-${time}.000Z`
    const instants = ["19T10:20:00", "16T23:59:59", "17T00:00:00", "17T23:59:59", "19T00:00:01"].map(at)
    expect(countsBy("day", instants)).toEqual([
      { at: "2026-08-17", value: 2 },
      { at: "2026-08-18", value: 0 },
      { at: "2026-08-19", value: 2, note: "until 10:20 UTC" },
    ])
    expect(countsBy("hour", ["17T09:30:00", "17T10:00:00", "17T10:59:00"].map(at))).toEqual([
      { at: "2026-08-17T10:00:00.000Z", value: 2, note: "until 10:59 UTC" },
    ])
    expect(countsBy("day", [])).toEqual([])
    // The number of steps is bounded, however old the oldest event is.
    expect(countsBy("day", ["1970-01-01T00:00:00.000Z", ...instants])).toHaveLength(PLOT_POINTS_MAX)
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
        "forex",
        "service_status",
        "internet_pulse",
        "crypto_movers",
        "game_platform_top",
      ]),
    )
    expect(drawn.length).toBeGreaterThan(9)
  })
})

const MONTH = "/api/climate/earthquakes?magnitude=4.5&period=month"
const DAY = "/api/climate/earthquakes?magnitude=2.5&period=day"
const TITLE = "Quakes of magnitude 4.5 and above a day, by when they happened"

/** The reply of a month with so many quakes on each of the days before the start, the newest first. */
const monthOf = (...counts: ReadonlyArray<number>) => {
  const [quake] = climateEarthquakesEndpoint.example.earthquakes
  const earthquakes = counts.flatMap((count, day) =>
    Array.from({ length: count }, (_, at) => ({
      ...quake,
      id: `${day} ${at}`,
      time: new Date(START_MS - day * 24 * HOUR_MS - at * 1_000).toISOString(),
    })),
  )
  return { magnitude: "4.5", period: "month", count: earthquakes.length, earthquakes }
}

describe("the page of a feed whose drawing is of a reply to other parameters", () => {
  const { example } = climateEarthquakesEndpoint

  it("draws it from the first minute on, without any history of its own", async () => {
    const api = await apiUnderTest({ endpoints })
    api.fill(DAY, example)
    api.fill(MONTH, monthOf(3, 0, 5, 1))
    const { body } = await api.app.inject({ url: "/feeds/climate-earthquakes", headers: navigation })
    expect(body).toContain(`<h3>${TITLE}</h3>`)
    expect([...body.matchAll(/<rect x[^>]*><title>([^<]*)</g)].map(([, title]) => title)).toEqual([
      "2026-08-15, 5",
      "2026-08-16, 0",
      "2026-08-17, 3, until 20:35 UTC",
    ])
    const twin = (await api.app.inject({ url: "/feeds/climate-earthquakes.md" })).body
    expect(twin).toMatch(/\| 2026-08-16 \| 0 \| {1,2}\|/)
  })

  it("draws of a past what was known then, and nothing where that is not known", async () => {
    const past = scriptedPast()
    past.settle(START_MS - 60_000)
    const api = await apiUnderTest({ endpoints, past: past.source })
    past.version(DAY, START_MS - 3 * HOUR_MS, example)
    past.version(MONTH, START_MS - 2 * HOUR_MS, monthOf(2, 4, 1))
    past.version(MONTH, START_MS - HOUR_MS, monthOf(9, 9, 9))
    const page = async (hoursAgo: number) => {
      const at = new Date(START_MS - hoursAgo * HOUR_MS).toISOString()
      const { statusCode, body } = await api.app.inject({
        url: `/feeds/climate-earthquakes?at=${at}`,
        headers: navigation,
      })
      expect(statusCode).toBe(200)
      expect(body).toContain('class="headline number"')
      return { body, bars: [...body.matchAll(/<rect x[^>]*><title>([^<]*)</g)].map(([, title]) => title) }
    }
    expect((await page(1.5)).bars).toEqual(["2026-08-16, 4", "2026-08-17, 2, until 20:35 UTC"])
    expect((await page(0.5)).bars).toEqual(["2026-08-16, 9", "2026-08-17, 9, until 20:35 UTC"])
    const before = await page(2.5)
    expect([before.bars, before.body.includes(TITLE)]).toEqual([[], false])
    // It fails alone as well: the reply of then is not of this version.
    past.version(MONTH, START_MS - 0.4 * HOUR_MS, { earthquakes: "none" })
    expect((await page(0.2)).bars).toEqual([])
  })
})

describe("the page of a feed", () => {
  it("begins with what its data says, and draws the day and the month of a number", async () => {
    const past = scriptedPast()
    past.settle(START_MS - 60_000)
    const api = await apiUnderTest({ endpoints, past: past.source })
    const freshness = { freshForMs: 300 * 24 * HOUR_MS }
    for (const { endpoint, key } of shownOf(endpoints))
      if (hasPast(endpoint)) past.version(key, START_MS - 200 * 24 * HOUR_MS, endpoint.example, freshness)
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
      "1 year",
    ])
    // Where the line of a year begins later than a year ago, it says so.
    expect(body).toMatch(/The history here begins at <time datetime="2026-01-\d\dT[^"]*">2026-01-\d\d/)
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
    // What another reply would draw is not there without that reply.
    expect(quakes).not.toContain("a day, by when they happened")
    expect(await page("predictions")).toMatch(/<ol class="ranking"><li><span class="name">Will it rain/)
  })
})
