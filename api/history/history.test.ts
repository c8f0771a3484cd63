import * as Effect from "effect/Effect"
import fc from "fast-check"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { describe, expect, it } from "vitest"
import { cursorOf, HISTORY_CURSOR, placeOf } from "../../schemas/contract/history-cursor.ts"
import type { ItemHistoryReply } from "../../schemas/contract/item-history.ts"
import { endpoints } from "../../schemas/registry.ts"
import { apiUnderTest } from "../testing/api-under-test.ts"
import { ListedHistory } from "../testing/listed-history.ts"

const EARTHQUAKES = "/api/climate/earthquakes/history"
const THREATS = "/api/cyber-threats/history"

const open = async (listed: ConstructorParameters<typeof ListedHistory>[0], options = {}) => {
  const history = new ListedHistory(listed)
  const api = await apiUnderTest({ endpoints, itemHistory: history, ...options })
  const page = async (path: string): Promise<ItemHistoryReply> => (await api.app.inject(path)).json()
  return { ...api, history, page }
}
const many = (count: number) => Array.from({ length: count }, () => ({}))
const keys = ({ changes }: ItemHistoryReply) => changes.map(({ key }) => key)

describe("a page of a history", () => {
  it("is the latest hundred changes, with links to the next page and to the replies of then", async () => {
    const { app, page } = await open(many(250))
    const first = await page(EARTHQUAKES)
    expect(keys(first)).toEqual(Array.from({ length: 100 }, (_, at) => `quake ${250 - at}`))
    expect(first).toMatchObject({ feed: "earthquakes", endpoint: "climate/earthquakes", ordered_by: "happened_at" })
    // Behind the change, not at the instant at which it was observed: the reply may have followed later.
    const at = `/api/climate/earthquakes?at=${first.changes[0]?.cursor}&magnitude=all&period=day`
    expect(at).toMatch(/at=[a-z2-7]{8}\.\d{12}&/)
    expect(first.changes[0]).toMatchObject({ happened_at: "1970-01-01T00:04:09.000Z", at })
    // The link is a request of the contract: without a history it is refused for that alone.
    expect((await app.inject(at)).json()).toMatchObject({ error: "not_configured" })
    const second = await app.inject(first.next ?? "")
    expect(keys(second.json())[0]).toBe("quake 150")
    expect(second.headers.link).toBe(`<${second.json().next}>; rel="next"`)
    const last = await app.inject(second.json().next)
    expect([keys(last.json()).length, last.json().next, last.headers.link]).toEqual([50, null, undefined])
  })

  it("is of the time, in the order and of the size that are asked for", async () => {
    const { page } = await open(many(100))
    const range = "from=1970-01-01T00:00:10Z&to=1970-01-01T02:00:20%2B02:00"
    const reply = await page(`${EARTHQUAKES}?${range}&order=asc&limit=4`)
    expect(keys(reply)).toEqual(["quake 11", "quake 12", "quake 13", "quake 14"])
    // The next page has the same parameters, as canonical texts, but for the defaults.
    expect(reply.next).toMatch(
      /^\/api\/climate\/earthquakes\/history\?cursor=[\w-]+&from=1970-01-01T00%3A00%3A10.000Z&limit=4&order=asc&to=1970-01-01T00%3A00%3A20.000Z$/,
    )
    expect(keys(await page(reply.next?.replace("limit=4", "limit=1000") ?? ""))).toEqual(
      [15, 16, 17, 18, 19, 20].map((number) => `quake ${number}`),
    )
    expect(await page(`${EARTHQUAKES}?from=1970-01-01T00:00:10Z&to=1970-01-01T00:00:10Z`)).toMatchObject({
      changes: [],
      next: null,
    })
  })

  it("is of the feed that is named, where the endpoint states several", async () => {
    const { page } = await open([
      { feed: "malware-urls", endpoint: "cyber-threats", parameters: {} },
      { feed: "known-exploited", endpoint: "cyber-threats", parameters: {} },
    ])
    expect(await page(THREATS)).toMatchObject({ feed: "malware-urls", changes: [{ feed: "malware-urls" }] })
    expect(await page(`${THREATS}?feed=known-exploited`)).toMatchObject({ changes: [{ feed: "known-exploited" }] })
  })

  it("says where a feed has no event time, and where an endpoint keeps no replies of then", async () => {
    const { page } = await open([
      { feed: "btc-price", endpoint: "btc-price", parameters: {} },
      { feed: "weather", endpoint: "weather", parameters: { lat: "40.71", lon: "-74.01" } },
    ])
    expect(await page("/api/btc-price/history")).toMatchObject({
      ordered_by: "known_at",
      changes: [{ at: expect.stringContaining("/api/btc-price?at=") }],
    })
    expect(await page("/api/weather/history")).toMatchObject({ ordered_by: "happened_at", changes: [{ at: null }] })
  })

  it("may be reused for seconds at its open end and for minutes behind it, and is validated by its bytes", async () => {
    const { app } = await open(many(3))
    const first = await app.inject(EARTHQUAKES)
    expect(first.headers["cache-control"]).toBe("public, max-age=10")
    const closed = await app.inject(`${EARTHQUAKES}?to=2026-08-17T19:00:00Z`)
    expect(closed.headers["cache-control"]).toBe("public, max-age=600")
    const late = await app.inject(`${EARTHQUAKES}?to=2026-08-17T20:00:00Z`)
    expect(late.headers["cache-control"]).toBe("public, max-age=10")
    const again = await app.inject({ url: EARTHQUAKES, headers: { "if-none-match": String(first.headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ""])
    const head = await app.inject({ url: EARTHQUAKES, method: "HEAD" })
    expect([head.statusCode, head.headers.etag, head.body]).toEqual([200, first.headers.etag, ""])
    const packed = await app.inject({ url: `${EARTHQUAKES}?limit=1000`, headers: { "accept-encoding": "gzip" } })
    expect(packed.headers.vary).toContain("Accept-Encoding")
  })

  it("counts against the share of changes", async () => {
    const { app } = await open(many(3), { limits: { changesRequestsPerMinute: 2 } })
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await app.inject(EARTHQUAKES)).statusCode)
    expect(statuses).toEqual([200, 200, 429])
  })
})

describe("a request for a history is refused", () => {
  it.each([
    ["from=2026-11-20", "invalid_parameter", "from", ["2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"]],
    ["to=2026-02-28", "invalid_parameter", "to", ["2026-02-28T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]],
    ["from=2026-02-30", "invalid_parameter", "from", undefined],
    ["from=2026-11-20T05:00:00", "invalid_parameter", "from", undefined],
    ["from=2026-11-20T05:00:00Z&from=2026-11-20T05:00:00Z", "invalid_parameter", "from", undefined],
    ["to=yesterday", "invalid_parameter", "to", undefined],
    ["to=", "invalid_parameter", "to", undefined],
    ["from=2026-11-20T05:00:00.001Z&to=2026-11-20T05:00:00Z", "invalid_parameter", "from", undefined],
    ["limit=0", "invalid_parameter", "limit", undefined],
    ["limit=1001", "invalid_parameter", "limit", undefined],
    ["limit=-1", "invalid_parameter", "limit", undefined],
    ["limit=1.5", "invalid_parameter", "limit", undefined],
    ["order=newest", "invalid_parameter", "order", ["desc", "asc"]],
    ["format=geojson", "invalid_parameter", "format", ["json", "csv", "atom"]],
    ["cursor=abc", "invalid_cursor", "cursor", undefined],
    ["cursor=k7f2qdxa.000000000001", "invalid_cursor", "cursor", undefined],
    ["since=2026-11-20T05:00:00Z", "unknown_parameter", undefined, expect.arrayContaining(["from", "to", "cursor"])],
    ["magnitude=4.5", "unknown_parameter", undefined, expect.not.arrayContaining(["feed"])],
    ["at=now", "unknown_parameter", undefined, expect.anything()],
  ])("for %s", async (query, error, parameter, allowed) => {
    const { app, history } = await open(many(3))
    const reply = await app.inject(`${EARTHQUAKES}?${query}`)
    expect(reply.headers["content-type"]).toContain("application/problem+json")
    expect([reply.statusCode, reply.json().error, reply.json().parameter, reply.json().allowed]).toEqual([
      400,
      error,
      parameter,
      allowed,
    ])
    expect(history.reads).toBe(0)
  })

  it("for a time before what is kept, with when that begins, and not for one in which nothing happened", async () => {
    const { app, history } = await open(many(100))
    history.first = Date.parse("1970-01-01T00:01:00.000Z")
    const before = await app.inject(`${EARTHQUAKES}?to=1970-01-01T00:00:00Z`)
    expect(before.json()).toMatchObject({
      status: 404,
      error: "before_history",
      parameter: "to",
      first: "1970-01-01T00:01:00.000Z",
    })
    expect((await app.inject(`${EARTHQUAKES}?to=1970-01-01T00:00:00Z&format=csv`)).statusCode).toBe(404)
    // It became known later than it happened.
    expect((await app.inject(`${EARTHQUAKES}?to=1970-01-01T00:00:10Z`)).json().changes).toHaveLength(10)
    for (const query of ["from=1970-01-01T01:00:00Z", "from=1970-01-01T01:00:00Z&to=1970-01-01T02:00:00Z"])
      expect((await app.inject(`${EARTHQUAKES}?${query}`)).json(), query).toMatchObject({ changes: [], next: null })
    history.first = null
    expect((await app.inject(`${EARTHQUAKES}?to=1970-01-01T00:00:00Z`)).json()).toMatchObject({ changes: [] })
  })

  it("for a feed of another endpoint", async () => {
    const { app } = await open([])
    const reply = await app.inject(`${THREATS}?feed=earthquakes`)
    expect(reply.json()).toMatchObject({
      error: "unknown_feed",
      allowed: ["malware-urls", "threat-indicators", "known-exploited"],
    })
  })

  it("for a cursor of other parameters, of another history, or changed by a character", async () => {
    const { app, page } = await open(many(10))
    const link = (await page(`${EARTHQUAKES}?limit=2&to=1970-01-01T00:00:08Z`)).next ?? ""
    expect((await app.inject(link)).statusCode).toBe(200)
    const cursor = new URL(link, "http://localhost").searchParams.get("cursor") ?? ""
    for (const other of [
      `${EARTHQUAKES}?cursor=${cursor}`,
      link.replace("&to=", "&order=asc&to="),
      link.replace("08.000Z", "07.000Z"),
      link.replace("&to=", "&from=1970-01-01T00:00:00Z&to="),
      `/api/wildfires/history?limit=2&to=1970-01-01T00:00:08Z&cursor=${cursor}`,
      link.replace(cursor, `${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}`),
      link.replace(cursor, cursor.slice(0, -2)),
    ])
      expect((await app.inject(other)).json(), other).toMatchObject({ status: 400, error: "invalid_cursor" })
  })

  it("where there is no history, and while it cannot be read", async () => {
    const without = await open([], { itemHistory: null })
    expect((await without.app.inject(EARTHQUAKES)).json()).toMatchObject({ status: 404, error: "not_configured" })

    const { app, history, errors } = await open(many(3))
    history.state = "away"
    const away = await app.inject(EARTHQUAKES)
    expect([away.statusCode, away.headers["retry-after"]]).toEqual([503, "5"])
    expect(away.json()).toMatchObject({ error: "history_unavailable", retry_after_seconds: 5 })
    expect(errors).toEqual([])
    history.state = "damaged"
    expect((await app.inject(`${EARTHQUAKES}?format=csv`)).json()).toMatchObject({ error: "history_unavailable" })
    // What no retry mends is logged.
    expect(errors).toHaveLength(1)
    history.state = "there"
    expect((await app.inject(EARTHQUAKES)).statusCode).toBe(200)
  })
})

/** A page as an independent parser of XML reads it, which refuses what is not well-formed. */
const readAtom = (text: string) => {
  expect(XMLValidator.validate(text)).toBe(true)
  const always = ["entry", "link", "category"]
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    isArray: (name) => always.includes(name),
  }).parse(text) as { readonly feed: AtomRead & { readonly entry?: ReadonlyArray<AtomRead> } }
}
interface AtomRead {
  readonly xmlns?: string
  readonly id: string
  readonly title: string
  readonly updated: string
  readonly published?: string
  readonly summary?: string
  readonly author: { readonly name: string }
  readonly category?: ReadonlyArray<{ readonly term: string }>
  readonly link: ReadonlyArray<{ readonly rel: string; readonly href: string; readonly type: string }>
}
const linksOf = ({ link }: AtomRead) => Object.fromEntries(link.map(({ rel, href }) => [rel, href]))
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** What XML 1.0 has characters for. */
const XML_TEXT = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u

describe("a history as an Atom feed", () => {
  const BASE = "https://tidewire.example"
  const quakes = { item: { type: "earthquake", magnitude: 5.2, place: "10 km S of Here", url: null } }

  it("has what RFC 4287 requires of feed and entry, and links to the feed's page and reply of then", async () => {
    const { app } = await open([quakes, { ...quakes, type: "gone" }, { ...quakes, type: "changed" }], { baseUrl: BASE })
    const reply = await app.inject(`${EARTHQUAKES}?format=atom&limit=2`)
    expect(reply.headers).toMatchObject({ "content-type": "application/atom+xml; charset=utf-8" })
    expect(reply.headers["content-disposition"]).toBeUndefined()
    const { feed } = readAtom(reply.body)
    expect(feed).toMatchObject({ xmlns: "http://www.w3.org/2005/Atom", updated: "2026-08-17T20:35:00.000Z" })
    expect(linksOf(feed)).toEqual({
      self: `${BASE}${EARTHQUAKES}?format=atom&limit=2`,
      alternate: `${BASE}/feeds/climate-earthquakes`,
      next: expect.stringMatching(/^https:\/\/tidewire\.example\/api\/.*cursor=.*format=atom&limit=2$/),
    })
    const entries = feed.entry ?? []
    for (const one of [feed, ...entries]) {
      expect(one.id).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
      expect(one.updated).toMatch(INSTANT)
      expect(one.title).not.toBe("")
      expect(one.author.name).not.toBe("")
    }
    expect(entries.map(({ title }) => title)).toEqual([
      "M 5.2, 10 km S of Here (changed)",
      "M 5.2, 10 km S of Here (gone)",
    ])
    expect(entries[0]).toMatchObject({
      published: "1970-01-01T00:00:02.000Z",
      author: { name: "USGS" },
      category: [{ term: "changed" }],
      summary: expect.stringContaining("magnitude: 5.2"),
    })
    const [{ cursor } = {}] = (await app.inject(`${EARTHQUAKES}?limit=1`)).json().changes
    const at = `at=${cursor}&magnitude=all&period=day`
    expect(linksOf(entries[0] as AtomRead)).toEqual({
      alternate: `${BASE}/feeds/climate-earthquakes?${at}`,
      related: `${BASE}/api/climate/earthquakes?${at}`,
    })
    // The next page is one of the same feed, with the rest of its entries.
    const rest = readAtom((await app.inject(linksOf(feed).next?.slice(BASE.length) ?? "")).body).feed
    expect([rest.id, rest.entry?.map(({ title }) => title)]).toEqual([feed.id, ["M 5.2, 10 km S of Here"]])
    const ids = [...entries, ...(rest.entry ?? [])].map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    // Another page, another order and another address leave the ids of the entries as they are.
    const { app: other } = await open([quakes], { baseUrl: "https://other.example" })
    const moved = readAtom((await other.inject(`${EARTHQUAKES}?format=atom&order=asc`)).body).feed
    expect([moved.entry?.map(({ id }) => id), moved.id === feed.id]).toEqual([[ids[2]], false])
  })

  it("is a feed also where nothing changed", async () => {
    const { app } = await open([], { baseUrl: BASE })
    const { feed } = readAtom((await app.inject(`${EARTHQUAKES}?format=atom`)).body)
    expect([feed.entry, INSTANT.test(feed.updated)]).toEqual([undefined, true])
  })

  it("says no time of publication of what is announced for later", async () => {
    const item = { feed: "launches", endpoint: "launches", parameters: {}, item: { name: "Kestrel", net: null } }
    const later = new ListedHistory([item])
    const at = Date.parse("2026-09-01T00:00:00Z")
    const { app: announced } = await open([], {
      itemHistory: {
        firstMs: later.firstMs,
        page: (...given: Parameters<typeof later.page>) =>
          Effect.map(later.page(...given), ({ changes, next }) => ({
            changes: changes.map((change) => ({ ...change, happened_at: new Date(at).toISOString() })),
            next,
          })),
      },
    })
    const { feed } = readAtom((await announced.inject("/api/launches/history?format=atom")).body)
    expect(feed.entry?.[0]).toMatchObject({ title: "Kestrel" })
    expect(feed.entry?.[0]).not.toHaveProperty("published")
  })

  it("holds any text of an upstream as text, within bounds", async () => {
    const hostile = [
      "]]>",
      "<script>alert(1)</script>",
      "&amp;",
      "\u0000",
      "\u001b",
      "\ud800",
      "\udc00",
      "\uffff",
      "\"'",
      "x".repeat(9_000),
    ]
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 30 }), fc.constantFrom(...hostile))
    const places = [...hostile, ...fc.sample(fc.array(text, { maxLength: 4 }), 400).map((parts) => parts.join(""))]
    const { app } = await open(places.map((place) => ({ item: { type: "earthquake", magnitude: 3, place } })))
    const { body } = await app.inject(`${EARTHQUAKES}?format=atom&limit=1000&order=asc`)
    expect([body.length > 0, XML_TEXT.test(body), body.includes("<script")]).toEqual([true, true, false])
    const entries = readAtom(body).feed.entry ?? []
    expect(entries).toHaveLength(places.length)
    for (const { title, summary } of entries) {
      expect(String(title)).toMatch(/^M 3\.0/)
      expect(String(title).length).toBeLessThanOrEqual(300)
      expect(String(summary).length).toBeLessThanOrEqual(2_000)
    }
    expect(entries[1]?.summary).toContain("place: <script>alert(1)</script>")
  })

  it("is offered of lists alone, which their pages say", async () => {
    const { app } = await open([])
    expect((await app.inject("/api/btc-price/history?format=atom")).json()).toMatchObject({
      error: "invalid_parameter",
      allowed: ["json", "csv"],
    })
    const alternate = async (name: string) =>
      /<link rel="alternate" href="([^"]*)" type="application\/atom\+xml"/.exec(
        (await app.inject(`/feeds/${name}`)).body,
      )?.[1]
    expect(await alternate("btc-price")).toBeUndefined()
    const path = (await alternate("climate-earthquakes")) ?? ""
    expect([path, (await app.inject(path)).statusCode]).toEqual([`${EARTHQUAKES}?format=atom`, 200])
  })
})

describe("a cursor", () => {
  it("gives back its place for the same list, and nothing for any other text", () => {
    const place = fc.record({
      log: fc.constantFrom("k7f2qdxa", "zzzzzzzz"),
      ordinal: fc.integer({ min: 0, max: 999_999_999_999 }),
      timeMs: fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2299, 0) }),
    })
    fc.assert(
      fc.property(place, fc.string(), (one, text) => {
        const cursor = cursorOf(EARTHQUAKES, { order: "desc", limit: "3" }, one)
        expect(cursor).toMatch(HISTORY_CURSOR)
        expect(placeOf(EARTHQUAKES, { order: "desc", limit: "9", cursor }, cursor)).toEqual(one)
        expect(placeOf(EARTHQUAKES, { order: "asc" }, cursor)).toBeNull()
        expect(placeOf(EARTHQUAKES, { order: "desc" }, text)).toBeNull()
        expect(placeOf(EARTHQUAKES, { order: "desc" }, `${cursor}${text || "A"}`)).toBeNull()
      }),
    )
  })
})
