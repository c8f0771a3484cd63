import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { statedChanges } from "../../../schemas/contract/changes.ts"
import { type Endpoint, isPremium, subjects } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPageName, feedPagePath } from "../../../schemas/contract/pages.ts"
import { allowedWords } from "../../../schemas/contract/parameters.ts"
import type { Provenance } from "../../../schemas/contract/provenance.ts"
import { queryParameters } from "../../../schemas/contract/renditions.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { exampleBody } from "../../../schemas/printers/openapi.ts"
import { isData } from "../../../schemas/printers/tools.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { apiUnderTest } from "../../testing/api-under-test.ts"
import { html, withCode } from "../html.ts"
import { dataFields } from "./data-section.ts"

const BASE = "https://tidewire.example"
const PAGE_MAX_BYTES = 100_000
const listed = endpoints.filter(isData)
const techNews = listed.find(({ path }) => path === "/api/tech-news") as Endpoint
const navigation = { accept: "text/html,*/*;q=0.8" }

const upstream = {
  provider: "An agency <b>of</b> the sea",
  licence: "CC BY 4.0 & more",
  url: "https://agency.example/data",
  terms: {
    use: "restricted",
    url: "https://agency.example/terms",
    shown: { answer: "yes", clause: "4.2: anyone may look <up>", readOn: "2026-11-02" },
    kept: { answer: 24, clause: "4.3: refreshed daily", readOn: null },
    sold: { answer: "no", clause: "4.2: anyone may look <up>", readOn: "2026-11-02" },
    models: { answer: "unknown", clause: null, readOn: null },
    credit: "Levels by the agency of the sea",
  },
} as const

const provenance = (): Provenance => ({
  upstreams: [upstream],
  tables: [
    {
      name: "sea_levels",
      comment: "Levels of the sea",
      columns: [{ name: "level_m", type: "Float64", comment: "Level, metres" }],
      query: { title: "The highest levels", sql: "SELECT level_m FROM sea_levels LIMIT 5" },
    },
  ],
  monitored: ["earthquakes"],
  feeds: ["earthquakes"],
  changesByItems: false,
})

const openApi = () => apiUnderTest({ endpoints, baseUrl: BASE, provenance })

/** A text as a page shows it. */
const shown = (text: string): string => String(html`${text}`)

const pageOf = async (app: Awaited<ReturnType<typeof openApi>>["app"], endpoint: Endpoint) => {
  const { statusCode, body } = await app.inject({ url: feedPagePath(endpoint), headers: navigation })
  expect(statusCode, endpoint.path).toBe(200)
  return body
}

describe("the page of every endpoint of data", () => {
  it("has a name of its own, and a subject", () => {
    expect(new Set(listed.map(feedPageName)).size).toBe(listed.length)
    for (const endpoint of endpoints)
      expect(endpoint.subject !== null && endpoint.subject in subjects, endpoint.path).toBe(isData(endpoint))
  })

  it("is made of the contract: words, fields with units, parameters, price, example", async () => {
    const { app } = await openApi()
    for (const endpoint of listed) {
      const page = await pageOf(app, endpoint)
      const has = (text: string) => expect(page, `${endpoint.path}: ${text}`).toContain(shown(text))
      has(endpoint.summary)
      expect(page, endpoint.path).toContain(String(withCode(endpoint.description)))
      has(`${endpoint.method} ${endpoint.path}`)
      for (const { place, type, unit, description } of dataFields(endpoint))
        expect(page, `${endpoint.path} ${place}`).toContain(
          String(html`<td>${place}</td><td>${type}</td><td>${unit ?? ""}</td><td>${withCode(description)}</td>`),
        )
      for (const [name, parameter] of Object.entries(queryParameters(endpoint))) {
        expect(page, `${endpoint.path} ${name}`).toContain(`name="${name}"`)
        for (const word of allowedWords(parameter.schema) ?? [])
          expect(page, `${endpoint.path} ${name}`).toContain(String(html`value="${word}"`))
      }
      if (isPremium(endpoint)) {
        has(`Call for ${endpoint.credits} credit`)
        for (const { reason, description } of endpoint.noCharge) {
          has(reason)
          expect(page, endpoint.path).toContain(String(withCode(description)))
        }
        expect(page, endpoint.path).toContain('id="try-token" type="password"')
      } else expect(page, endpoint.path).not.toContain("try-token")
      // Backticks are code.
      const words = page.replaceAll(/<(pre|script)[\s\S]*?<\/\1>/g, "")
      expect(/`[^`<]*`/.exec(words)?.[0], endpoint.path).toBeUndefined()
      has("Levels of the sea")
      has(upstream.provider)
      has(upstream.terms.credit)
      has("24 hours")
      has("4.2: anyone may look <up> (read on 2026-11-02); 4.3: refreshed daily (not read at the provider)")
      expect(page, endpoint.path).not.toContain(upstream.provider)
      expect(page, endpoint.path).toContain('href="https://agency.example/terms"')
    }
  })

  it("weighs less than 100 kB compressed with all that it loads", async () => {
    const { app } = await openApi()
    const sizes = new Map<string, number>()
    const sizeOf = async (url: string): Promise<number> => {
      const known = sizes.get(url) ?? gzipSync((await app.inject({ url })).body).length
      sizes.set(url, known)
      return known
    }
    for (const endpoint of listed) {
      const page = await pageOf(app, endpoint)
      const loaded = [...page.matchAll(/<(?:link rel="(?:stylesheet|icon)"|script|img)[^>]* (?:href|src)="([^"]*)"/g)]
      const others = await Promise.all([...new Set(loaded.map(([, url]) => String(url)))].map(sizeOf))
      const bytes = others.reduce((sum, one) => sum + one, gzipSync(page).length)
      expect(bytes, endpoint.path).toBeLessThan(PAGE_MAX_BYTES)
    }
  })

  it("has a Markdown twin with the same facts", async () => {
    const { app } = await openApi()
    for (const endpoint of listed) {
      const { statusCode, headers, body } = await app.inject({ url: `${feedPagePath(endpoint)}.md` })
      expect([statusCode, headers["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"])
      expect(body).toMatch(/^# .+\n\n/)
      for (const { place } of dataFields(endpoint)) expect(body, endpoint.path).toContain(`| ${place} |`)
      for (const heading of ["Data", "Try it", "Call it", "Sources", "Reliability", "History: one table"])
        expect(body, endpoint.path).toContain(`\n## ${heading}\n`)
      expect(body).toContain("SELECT level_m FROM sea_levels LIMIT 5")
    }
  })

  it("links only to what is there", async () => {
    const { app } = await openApi()
    const links = new Set<string>()
    for (const endpoint of listed) {
      const page = await pageOf(app, endpoint)
      for (const [, href = ""] of page.matchAll(/<a href="(\/[^"]*)"/g)) links.add(href.replaceAll("&amp;", "&"))
      for (const [, id] of page.matchAll(/<a href="#([^"]*)"/g)) expect(page, id).toContain(`id="${id}"`)
    }
    expect(links.size).toBeGreaterThan(listed.length)
    for (const link of links) {
      const { statusCode } = await app.inject({ url: link, headers: navigation })
      // Without data a format other than JSON has no reply, nor have changes without their log, and histories without ClickHouse.
      const missing = /format=(?:csv|geojson)|^\/api\/changes/.test(link)
        ? 503
        : /\/history(?:\?|$)/.test(link)
          ? 404
          : 200
      expect(statusCode, link).toBe(missing)
    }
  })

  it("says where the changes of its feeds are read, and which filters they know", async () => {
    const { app } = await openApi()
    for (const endpoint of listed) {
      const { body } = await app.inject({ url: `${feedPagePath(endpoint)}.md` })
      const stated = statedChanges(endpoint)
      const feeds = stated.map(({ feed }) => feed).join(",")
      expect(body.includes("\n## Changes\n"), endpoint.path).toBe(stated.length > 0)
      expect(body.includes(instanceKey("/api/stream", { feeds })), endpoint.path).toBe(stated.length > 0)
    }
    const quakes = await app.inject({ url: "/feeds/climate-earthquakes.md" })
    expect(quakes.body).toContain("(/api/changes?feeds=earthquakes)")
    expect(quakes.body).toContain("| earthquakes | min_magnitude, bbox |  |")
    expect(quakes.body).toContain("(/api/climate/earthquakes/history)")
    const threats = await app.inject({ url: "/feeds/cyber-threats.md" })
    expect(threats.body).toContain(
      instanceKey("/api/changes", { feeds: "malware-urls,threat-indicators,known-exploited" }),
    )
  })

  it("names the feed that was meant where there is none of a name", async () => {
    const { app } = await openApi()
    const page = await app.inject({ url: "/feeds/earthquak", headers: navigation })
    expect(page.statusCode).toBe(404)
    expect(page.body).toContain('<a href="/feeds/earthquake">')
    const problem = await app.inject({ url: "/feeds/earthquak" })
    expect(problem.json()).toMatchObject({ error: "not_found", did_you_mean: "/feeds/earthquake" })
    for (const url of ["/feeds/..%2fpackage.json", `/feeds/${"x".repeat(300)}`, "/feeds/constructor", "/feeds/.md"])
      expect((await app.inject({ url })).statusCode, url).toBe(404)
  })
})

describe("the reply that a page shows", () => {
  const open = async () => {
    const api = await openApi()
    const read = async (name: string) => (await api.app.inject({ url: `/feeds/${name}.md` })).body
    return { ...api, read }
  }

  it("is null with its reason while there is no data", async () => {
    const { app, read } = await open()
    const text = await read("earthquake")
    expect(text).toContain("No data yet: not_tried_yet")
    expect(text).toContain('"data": null')
    // The page begins with it, in words, and so does its entry in the list.
    const page = (await app.inject({ url: "/feeds/earthquake", headers: navigation })).body
    expect(page.indexOf('<span class="state missed">No data yet</span><span> nothing has been observed')).toBeLessThan(
      page.indexOf('class="lead"'),
    )
    expect(page).toContain('<span class="state missed">No data yet</span><span> nothing has been observed')
    const list = (await app.inject({ url: "/feeds", headers: navigation })).body
    expect(list).toContain('<p class="now-value"><span class="state missed">No data yet</span></p>')
    expect(list).not.toContain("stale</span>")
    // A composed view has its members, each of them null.
    expect(await read("briefing")).toContain('"warming": true')
  })

  it("is what a call gets, shortened, with the age of the data", async () => {
    const { app, fill, read, store } = await open()
    const row = {
      type: "earthquake",
      magnitude: 4.6,
      location: "Kodiak",
      time: "2026-08-17T20:33:01.000Z",
      depth_km: 2,
    }
    fill("/api/earthquake", { count: 50, earthquakes: Array.from({ length: 50 }, () => row) })
    await store.settled()
    const page = (await app.inject({ url: "/feeds/earthquake", headers: navigation })).body
    expect(page).toContain(
      '<p class="small" data-standing><span class="state good">Live</span><span>, confirmed </span><time datetime="2026-08-17T20:35:00.000Z" data-age>',
    )
    expect(page.indexOf("data-standing")).toBeLessThan(page.indexOf('class="glance"'))
    const text = await read("earthquake")
    expect(text).toContain("Live, confirmed 2026-08-17T20:35:00.000Z. Shortened: … counts what is left out.")
    expect(text).toContain('"magnitude": 4.6')
    expect(text).toContain("… 48 more")
    const reply = text.slice(text.indexOf("## Data"))
    expect(reply.match(/Kodiak/g)?.length).toBe(2)
  })

  it("is the example of the contract where a call costs credits, or is fetched on request", async () => {
    const { read } = await open()
    for (const [name, reason] of [
      ["pro-macro", "A call costs credits"],
      ["weather", "A call needs parameters"],
    ] as const) {
      const text = await read(name)
      expect(text).toContain(`Example of a reply. ${reason}`)
      const endpoint = listed.find((one) => feedPageName(one) === name)
      expect(text).toContain(`"source": "${Object(endpoint === undefined ? {} : exampleBody(endpoint)).source}"`)
    }
  })

  it("shows text of an upstream as text, and no more of it than fits", async () => {
    const { app, fill, store } = await open()
    const hostile = `</code></script><script>alert(1)</script><img src=x onerror=alert(1)>${"A".repeat(5000)}`
    const story = { title: hostile, url: "javascript:alert(1)", points: 1, comments: 2, author: hostile, time: "x" }
    fill("/api/tech-news", { [hostile]: hostile, stories: Array.from({ length: 30 }, () => story) })
    await store.settled()
    const { body } = await app.inject({ url: "/feeds/tech-news", headers: navigation })
    expect(body).not.toContain("<script>alert")
    expect(body).not.toContain("<img src=x")
    expect(body).toContain("&lt;img src=x onerror=alert(1)&gt;")
    expect(body).not.toContain("A".repeat(200))
    expect(gzipSync(body).length).toBeLessThan(PAGE_MAX_BYTES / 2)
  })

  it.each(["/feeds/tech-news.md", "/embed/tech-news.md"])(
    "shows text of an upstream without marks of Markdown in %s",
    async (url) => {
      const { app, fill, store } = await openApi()
      const title = "[Free](https://evil.example/) <img src=x> ![t](https://evil.example/p.png) | `code`"
      const [story] = JSON.parse(JSON.stringify(techNews.example))
      fill("/api/tech-news", [{ ...story, title }])
      await store.settled()
      // The reply as JSON stands in a block of code.
      const text = (await app.inject({ url })).body.replaceAll(/^```[\s\S]*?^```/gm, "")
      expect(text).toContain("\\[Free\\](https://evil.example/) &lt;img src=x>")
      expect(text).not.toMatch(/(?<!\\)\[(?:Free|t)\]|<img/)
    },
  )
})

describe("/feeds", () => {
  it("searches by words and price without scripts, and answers no search from the reply of another", async () => {
    const { app } = await openApi()
    const shown = async (url: string) => {
      const { body, headers } = await app.inject({ url, headers: navigation })
      expect(headers["content-security-policy"]).toContain("form-action 'self'")
      const entries = [...body.matchAll(/<li data-feed="[^"]*" data-tier="\w+"( hidden)?>\n<a href="([^"]+)">/g)]
      expect(entries).toHaveLength(listed.length)
      const links = entries.flatMap(([, hidden, href]) => (hidden === undefined ? [href] : []))
      expect(body).toContain(`data-count>${links.length} endpoint`)
      return { body, links }
    }
    expect((await shown("/feeds")).links).toHaveLength(listed.length)
    expect((await shown("/feeds?q=QUAKES++threshold")).links).toEqual(["/feeds/climate-earthquakes"])
    expect((await shown("/feeds?tier=premium")).links).toHaveLength(listed.filter(isPremium).length)
    const nothing = await shown(`/feeds?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(nothing.links).toEqual([])
    expect(nothing.body).toContain("<p data-nothing>")
    expect(nothing.body).not.toContain("<script>alert")
    for (const wrong of ["tier=gold", "q=a&q=b", `q=${"%20".repeat(300)}`])
      expect((await shown(`/feeds?${wrong}`)).links, wrong).toHaveLength(listed.length)
    expect((await shown("/feeds")).links).toHaveLength(listed.length)
    const twin = await app.inject({ url: "/feeds.md?q=quakes+threshold" })
    expect(twin.body.match(/^- \[/gm)).toHaveLength(1)
  })

  it("lists every endpoint of data once, by subject, with its page, price and words to search", async () => {
    const { app } = await openApi()
    const { body } = await app.inject({ url: "/feeds", headers: navigation })
    const links = [...body.matchAll(/<li data-feed="([^"]*)" data-tier="(\w+)">\n<a href="([^"]+)">/g)]
    expect(links.map(([, , tier, href]) => `${href} ${tier}`).sort()).toEqual(
      listed.map((one) => `${feedPagePath(one)} ${one.tier}`).sort(),
    )
    for (const [, words] of links) expect(words).toBe(words?.toLowerCase())
    const subjectOf = new Map(listed.map((one) => [feedPagePath(one), one.subject]))
    for (const section of body.split("<section").slice(1)) {
      const [, id] = /id="(\w+)"/.exec(section) ?? []
      for (const [, href] of section.matchAll(/<a href="(\/feeds\/[^"]+)"/g)) expect(subjectOf.get(href ?? "")).toBe(id)
    }
  })
})
