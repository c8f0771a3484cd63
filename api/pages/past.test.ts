import { describe, expect, it } from "vitest"
import { hasPast } from "../../schemas/contract/past.ts"
import { instant } from "../../schemas/event.ts"
import { endpoints } from "../../schemas/registry.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { scriptedPast } from "../testing/scripted-past.ts"
import { shownOf } from "../world/layout.ts"
import { instantText } from "./assets/world-view.js"

const FIRST_MS = START_MS - 3_600_000
const SETTLED_MS = START_MS - 120_000
const then = instant(START_MS - 1_800_000)
const saidThen = instantText(then)
const navigation = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const FEED = "/feeds/earthquake"

const scene = async (options: Partial<ApiOptions> = {}) => {
  const past = scriptedPast()
  past.settle(SETTLED_MS)
  const api = await apiUnderTest({ endpoints, past: past.source, ...options })
  for (const { endpoint, key } of shownOf(endpoints))
    if (hasPast(endpoint)) past.version(key, FIRST_MS, endpoint.example, { freshForMs: 3_600_000 })
  const example = shownOf(endpoints).find(({ endpoint }) => endpoint.path === "/api/earthquake")?.endpoint.example
  api.fill("/api/earthquake", JSON.parse(JSON.stringify(example).replaceAll("100 km S of Kodiak, Alaska", "Only now")))
  const get = (url: string, headers: Record<string, string> = navigation) => api.app.inject({ url, headers })
  return { ...api, past, get }
}

describe.each(["/", FEED])("the page %s of an earlier instant", (path) => {
  it("says so at its top, leads to the present, and follows nothing", async () => {
    const { get } = await scene()
    const { statusCode, headers, body } = await get(`${path}?at=${then}`)
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    const [, banner = ""] = /<aside class="past"[^>]*>(.*?)<\/aside>/s.exec(body) ?? []
    expect(banner).toContain(`<time datetime="${then}">${saidThen}</time>`)
    expect(banner).toContain(`<a href="${path}">Show the present</a>`)
    expect(body.indexOf('class="past"')).toBeLessThan(body.indexOf('<header class="top"'))
    expect(body).toContain(`<link rel="original" href="${path}">`)
    expect(body).toMatch(/<title>[^<]*2026-08-17 20:05:00 UTC[^<]* - Tidewire<\/title>/)
    expect(body).not.toMatch(
      /data-stream|data-world|data-reply=|data-age|feed-live\.[\w-]+\.js"><\/script>|>Live<|Only now/,
    )
    expect(headers).toMatchObject({
      "x-robots-tag": "noindex",
      "memento-datetime": new Date(then).toUTCString(),
      link: `<${path}>; rel="original"`,
    })
  })

  it("is Markdown at its twin, which says so too", async () => {
    const { get } = await scene()
    const twin = path === "/" ? "/index.md" : `${path}.md`
    const { statusCode, body, headers } = await get(`${twin}?at=${then}`)
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"])
    expect(body).toMatch(/^# .*\n\n> The past, as it was known at 2026-08-17 20:05:00 UTC/)
    expect(body).not.toContain("Only now")
    const preferred = await get(`${path}?at=${then}`, { accept: "text/markdown" })
    expect(preferred.body).toBe(body)
    expect((await get(`${path}?at=${then}`)).body).toContain(`href="${twin}?at=${then}"`)
  })

  it("is reached by a form without a script, at its one address", async () => {
    const { get } = await scene()
    const present = await get(path)
    expect(present.body).toContain(`<form class="at" action="${path}" method="get">`)
    expect(present.headers["content-security-policy"]).toContain("form-action 'self'")
    const { statusCode, headers } = await get(`${path}?utc=2026-08-17T20%3A05`)
    expect([statusCode, headers.location, headers["cache-control"]]).toEqual([303, `${path}?at=${then}`, "no-store"])
    const shown = await get(`${path}?at=2026-08-17T20:05Z`)
    expect(shown.body).toContain('type="datetime-local" name="utc" value="2026-08-17T20:05"')
    for (const utc of ["", "yesterday", "2026-08-17T20:05Z", "2026-02-30T20:05", "//evil.example", "1".repeat(600)])
      expect((await get(`${path}?utc=${encodeURIComponent(utc)}`)).statusCode, utc).toBe(400)
    expect((await get(`${path}?utc=2026-08-17T20:05&utc=2026-08-17T20:05`)).statusCode).toBe(400)
    // Without a history there is nothing to lead to.
    const { app } = await apiUnderTest({ endpoints })
    expect((await app.inject({ url: path, headers: navigation })).body).not.toContain('class="at"')
  })

  it("is refused as a page that leads to what can be shown", async () => {
    const { get } = await scene()
    const before = await get(`${path}?at=${instant(FIRST_MS - 1)}`)
    expect([before.statusCode, before.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"])
    expect(before.body).toContain(`<a href="?at=${instant(FIRST_MS)}">At ${instantText(instant(FIRST_MS))}</a>`)
    const unsettled = await get(`${path}?at=${instant(SETTLED_MS + 1)}`)
    expect([unsettled.statusCode, unsettled.body.includes(`?at=${instant(SETTLED_MS)}`)]).toEqual([400, true])
    const day = await get(`${path}?at=2026-08-17`)
    expect(day.body).toContain("?at=2026-08-17T00:00:00.000Z")
    for (const { body } of [before, unsettled, day]) expect(body).toContain('<a href="?">The present</a>')
    const future = await get(`${path}?at=${instant(START_MS + 1)}`, { accept: "*/*" })
    expect([future.statusCode, future.json().error]).toEqual([400, "future_instant"])
  })

  it("takes no place among the pages of the present that are kept", async () => {
    const { get } = await scene()
    const now = (await get(path)).body
    expect(now).toContain("Only now")
    expect((await get(`${path}?at=${then}`)).body).not.toBe(now)
    expect((await get(path)).body).toBe(now)
  })
})

describe("links of a page of the past", () => {
  it("stay at its instant where they lead to what has a past, and lead to the present where not", async () => {
    const { get } = await scene()
    const { body } = await get(`/?at=${then}`)
    const tiles = [...body.matchAll(/<h3><a href="(\/feeds\/[^"]*)"/g)].map(([, href]) => String(href))
    expect(tiles.length).toBeGreaterThan(20)
    expect(tiles).toContain(`${FEED}?at=${then}`)
    expect(tiles).toContain("/feeds/ai-stats")
    for (const href of tiles) expect((await get(href)).statusCode, href).toBe(200)
    expect(body).toContain(`href="/world.json?at=${then}"`)
    expect(body).toContain(`<a href="/?at=${then}" aria-current="page">World</a>`)
    expect(body).toContain('<a href="/status">Status</a>')
  })

  it("are those of the reply and of its formats, with the parameters that were chosen", async () => {
    const { get, past } = await scene()
    const key = "/api/climate/earthquakes?magnitude=4.5&period=day"
    const earthquakes = shownOf(endpoints).find(({ endpoint }) => endpoint.path === "/api/climate/earthquakes")
    past.version(key, FIRST_MS, earthquakes?.endpoint.example)
    const page = await get(`/feeds/climate-earthquakes?magnitude=4.5&at=${then}`)
    expect(page.statusCode).toBe(200)
    const whole = `/api/climate/earthquakes?magnitude=4.5&at=${then}`
    expect(page.body).toContain(`<a href="${whole.replaceAll("&", "&amp;")}">Open the whole reply of then</a>`)
    expect(page.body).toContain(`href="/api/climate/earthquakes?format=csv&amp;at=${then}"`)
    expect(page.body).toContain('<input type="hidden" name="magnitude" value="4.5">')
    expect((await get(whole)).json()._meta.at.known_at).toBe(then)
    const sent = await get("/feeds/climate-earthquakes?magnitude=4.5&utc=2026-08-17T20:05")
    expect(sent.headers.location).toBe(`/feeds/climate-earthquakes?magnitude=4.5&at=${then}`)
    const wrong = await get(`/feeds/climate-earthquakes?magnitude=9&at=${then}`)
    expect(wrong.statusCode).toBe(400)
  })
})

describe("a page without a past", () => {
  it.each(["/status", "/docs", "/feeds", "/feeds/pro-briefing", "/feeds/weather", "/status.md"])(
    "refuses an instant, and shows no present in its place: %s",
    async (path) => {
      const { get } = await scene()
      const { statusCode, body } = await get(`${path}?at=${then}`)
      expect(statusCode).toBe(404)
      expect(body).toContain("there is no past of it")
      expect((await get(path)).body).not.toContain('class="at"')
    },
  )

  it("is the catalog, which programs get at /", async () => {
    const { get } = await scene()
    const reply = await get(`/?at=${then}`, { accept: "application/json" })
    expect([reply.statusCode, reply.json().error]).toEqual([404, "no_history"])
  })
})
