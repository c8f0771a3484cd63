import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changesEndpoint } from "../../schemas/endpoints/changes.ts"
import { ChangesGone } from "../../schemas/ports/changes.ts"
import { START_MS } from "../testing/api-under-test.ts"
import { undocumentedBy } from "../testing/documented.ts"
import { apiWithChanges, type Listed, ListedChanges } from "../testing/listed-changes.ts"
import { get, open } from "../testing/socket.ts"
import { waitFor } from "../testing/wait-for.ts"

const quakes = (count: number): ReadonlyArray<Listed> => Array.from({ length: count }, () => ({}))

const listed = (...all: ReadonlyArray<Listed>): ListedChanges => {
  const changes = new ListedChanges()
  changes.add(...all)
  return changes
}

interface Page {
  readonly changes: ReadonlyArray<{ readonly cursor: string }>
  readonly next: string | null
  readonly up_to_date: boolean
}

describe("a page of changes", () => {
  it("is the newest ones where no cursor is given, and says where to go on", async () => {
    const changes = listed(...quakes(5))
    const { app } = await apiWithChanges(changes)
    const { statusCode, headers, ...reply } = await app.inject("/api/changes?limit=2")
    const page: Page = reply.json()
    expect([statusCode, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"])
    expect(page.changes.map(({ cursor }) => cursor)).toEqual([changes.cursor(4), changes.cursor(5)])
    expect([page.next, page.up_to_date]).toEqual([changes.cursor(5), true])
  })

  it("is empty and without a cursor while there is no change", async () => {
    const changes = new ListedChanges()
    const { app, window } = await apiWithChanges(changes)
    for (const query of ["", "?after=start", "?after=now"])
      expect((await app.inject(`/api/changes${query}`)).json()).toEqual({ changes: [], next: null, up_to_date: true })
    expect((await app.inject(`/api/changes?after=${changes.cursor(0)}`)).json()).toMatchObject({ error: "other_log" })
    changes.add({})
    await waitFor(() => expect(window.reached).toBe(1))
    const page: Page = (await app.inject("/api/changes?after=start")).json()
    expect([page.changes.length, page.next]).toEqual([1, changes.cursor(1)])
  })

  it.each([
    [1, 10],
    [7, 25],
    [100, 1_000],
    [1_000, 3],
  ])("of %s follows the one before, without loss or repeat, where the window holds %s", async (limit, changesMax) => {
    const changes = listed(...Array.from({ length: 700 }, (_, at): Listed => (at % 3 === 1 ? null : {})))
    const { app } = await apiWithChanges(changes, {
      bounds: { changesMax, bytesMax: 10_000_000 },
      limits: { changesRequestsPerMinute: 10_000 },
    })
    const seen: Array<string> = []
    let after = "start"
    for (let isDone = false; !isDone; ) {
      const page: Page = (await app.inject(`/api/changes?after=${after}&limit=${limit}`)).json()
      seen.push(...page.changes.map(({ cursor }) => cursor))
      expect(page.changes.length).toBeLessThanOrEqual(limit)
      isDone = page.up_to_date
      after = page.next ?? ""
    }
    expect(seen).toEqual(changes.shown.map((ordinal) => changes.cursor(ordinal)))
    expect(after).toBe(changes.cursor(700))
  })

  it("looks at a bounded number of changes", async () => {
    const changes = listed({ feed: "fear-greed" }, ...quakes(5_000), { feed: "fear-greed" })
    const { app } = await apiWithChanges(changes, { bounds: { changesMax: 100, bytesMax: 10_000_000 } })
    const ask = async (after: string): Promise<Page> =>
      (await app.inject(`/api/changes?feeds=fear-greed&after=${after}`)).json()
    const first = await ask("start")
    expect([first.changes.length, first.up_to_date]).toEqual([1, false])
    expect(changes.reads).toBeLessThan(20)
    const second = await ask(first.next ?? "")
    expect([second.changes.length, second.up_to_date]).toEqual([0, false])
    const third = await ask(second.next ?? "")
    expect([third.changes.length, third.up_to_date]).toEqual([1, true])
  })

  it("may be kept where it is of the past alone, and is revalidated by its tag", async () => {
    const changes = listed(...quakes(5))
    const { app, window } = await apiWithChanges(changes)
    const first = await app.inject("/api/changes?after=start&limit=2")
    // The start moves on with what can be read.
    expect([first.json().up_to_date, first.headers["cache-control"]]).toEqual([false, "no-cache"])
    const closed = await app.inject(`/api/changes?after=${changes.cursor(0)}&limit=2`)
    expect(closed.headers["cache-control"]).toBe("public, max-age=3600")
    const url = "/api/changes?after=start&limit=5"
    const open = await app.inject(url)
    expect(open.headers["cache-control"]).toBe("no-cache")
    for (const { headers } of [closed, open]) expect(headers.etag).toMatch(/^"[\w-]{22}"$/)
    const headers = { "if-none-match": String(open.headers.etag) }
    expect((await app.inject({ url, headers })).statusCode).toBe(304)
    changes.add({})
    await waitFor(() => expect(window.reached).toBe(6))
    // Its changes are the same, and no longer the last ones.
    expect((await app.inject({ url, headers })).json()).toMatchObject({ up_to_date: false, next: changes.cursor(5) })
  })

  it("is compressed for a client that accepts it", async () => {
    const changes = listed(...quakes(100))
    const { app } = await apiWithChanges(changes)
    const plain = await app.inject("/api/changes")
    const coded = await app.inject({ url: "/api/changes", headers: { "accept-encoding": "br" } })
    expect(coded.headers).toMatchObject({ "content-encoding": "br", vary: "Accept-Encoding" })
    expect(coded.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
    expect(coded.headers.etag).not.toBe(plain.headers.etag)
  })

  it("has a HEAD, which does not wait", async () => {
    const { app } = await apiWithChanges(listed(...quakes(3)))
    const { statusCode, headers, body } = await app.inject({ method: "HEAD", url: "/api/changes?after=now&wait=25" })
    expect([statusCode, body]).toEqual([200, ""])
    expect(Number(headers["content-length"])).toBeGreaterThan(20)
  })
})

describe("a cursor", () => {
  it("ahead of this process is one of another that is further, unless the log has not got so far", async () => {
    const changes = listed(...quakes(3))
    const { app, window } = await apiWithChanges(changes)
    // As another process sees the log before this one does.
    window.begin(changes.name, 2)
    expect((await app.inject(`/api/changes?after=${changes.cursor(3)}`)).json()).toEqual({
      changes: [],
      next: changes.cursor(3),
      up_to_date: true,
    })
    const { statusCode, ...reply } = await app.inject(`/api/changes?after=${changes.cursor(4)}`)
    expect([statusCode, reply.json().error]).toEqual([400, "future_cursor"])
  })

  it("that can no longer be read is gone, and the refusal says where to go on", async () => {
    const changes = listed(...quakes(300))
    changes.oldest = 100
    const { app } = await apiWithChanges(changes, { bounds: { changesMax: 20, bytesMax: 10_000_000 } })
    for (const path of ["/api/changes", "/api/stream"]) {
      const { statusCode, ...reply } = await app.inject(`${path}?after=${changes.cursor(98)}`)
      expect(statusCode, path).toBe(410)
      expect(reply.json()).toMatchObject({
        error: "cursor_gone",
        oldest: changes.cursor(99),
        now: changes.cursor(300),
      })
    }
    const page: Page = (await app.inject(`/api/changes?after=${changes.cursor(99)}&limit=1`)).json()
    expect(page.changes.map(({ cursor }) => cursor)).toEqual([changes.cursor(100)])
    const first: Page = (await app.inject("/api/changes?after=start&limit=1")).json()
    expect(first.next).toBe(changes.cursor(100))
  })

  it("before what is missing amid the changes gets those before it, and then where they go on", async () => {
    const changes = listed(...quakes(300))
    const { log } = changes
    // As an archive is that was off for longer than the log keeps.
    const read: typeof log.read = (place, max) => {
      const { ordinal: after } = place
      if (after < 100) return log.read(place, Math.min(max, 100 - after))
      return after < 200 ? Effect.fail(new ChangesGone({ after, oldest: 201 })) : log.read(place, max)
    }
    const api = await apiWithChanges(Object.assign(changes, { log: { ...log, read } }), {
      bounds: { changesMax: 20, bytesMax: 10_000_000 },
    })
    const [seen, refused]: [Array<string>, Array<string>] = [[], []]
    let after = changes.cursor(90)
    for (let calls = 0; calls < 10 && after !== changes.cursor(300); calls++) {
      const { statusCode, ...reply } = await api.app.inject(`/api/changes?after=${after}&limit=50`)
      if (statusCode === 410) refused.push(after)
      else seen.push(...reply.json().changes.map(({ cursor }: Page["changes"][number]) => cursor))
      after = statusCode === 410 ? reply.json().oldest : reply.json().next
    }
    expect(refused).toEqual([changes.cursor(100)])
    expect(seen).toEqual(
      changes.shown.filter((one) => one > 90 && (one <= 100 || one > 200)).map((one) => changes.cursor(one)),
    )
  })

  it.each(["/api/changes", "/api/stream"])("of another kind is refused by its name at %s", async (path) => {
    const changes = listed(...quakes(3))
    const { app } = await apiWithChanges(changes)
    const refusal = async (query: string, headers = {}) => {
      const { statusCode, ...reply } = await app.inject({ url: `${path}?${query}`, headers })
      return [statusCode, reply.json().error, reply.json().parameter]
    }
    for (const after of ["x", "", "3", "k7f2qdxa.3", "k7f2qdxa.0000000000003", "K7F2QDXA.000000000003", "start,now"])
      expect(await refusal(`after=${after}`), after).toEqual([400, "invalid_cursor", "after"])
    expect(await refusal("after=now&after=now")).toEqual([400, "invalid_cursor", "after"])
    expect(await refusal("after=aaaaaaaa.000000000001")).toEqual([400, "other_log", "after"])
    expect(await refusal(`after=${changes.cursor(4)}`)).toEqual([400, "future_cursor", "after"])
  })

  it("of before is refused where the log has lost its end, and is named anew", async () => {
    const changes = listed(...quakes(3))
    const { app, window } = await apiWithChanges(changes)
    const before = changes.cursor(3)
    changes.name = "aaaaaaaa"
    changes.add({})
    await waitFor(() => expect(window.log).toBe("aaaaaaaa"))
    expect((await app.inject(`/api/changes?after=${before}`)).json().error).toBe("other_log")
  })
})

describe("a refused parameter", () => {
  it.each(["/api/changes", "/api/stream"])("has its name at %s", async (path) => {
    const { app } = await apiWithChanges(listed(...quakes(3)))
    const refusal = async (query: string) => {
      const { statusCode, ...reply } = await app.inject(`${path}?${query}`)
      const { error, parameter, allowed } = reply.json()
      return { status: statusCode, error, parameter, allowed }
    }
    const feeds = ["coins", "earthquakes", "fear-greed"]
    const unknownFeed = { status: 400, error: "unknown_feed", parameter: "feeds", allowed: feeds }
    for (const named of ["nothing", "earthquakes,nothing", "constructor"])
      expect(await refusal(`feeds=${named}`), named).toEqual(unknownFeed)
    for (const named of ["", ",", "Earthquakes", "a b", Array(60).fill("coins").join(",")])
      expect(await refusal(`feeds=${named}`), named).toMatchObject({ status: 400, error: "unknown_feed" })
    expect(await refusal("feeds=fear-greed,coins&min_magnitude=5")).toEqual({
      status: 400,
      error: "unknown_filter",
      parameter: "min_magnitude",
      allowed: ["earthquakes"],
    })
    expect(await refusal("feeds=earthquakes&symbols=BTC")).toMatchObject({
      error: "unknown_filter",
      parameter: "symbols",
    })
    expect(await refusal("feeds=fear-greed&bbox=0,0,1,1")).toMatchObject({ error: "unknown_filter", parameter: "bbox" })
    for (const [name, texts] of Object.entries({
      types: ["", "new", "appeared,new"],
      min_magnitude: ["", "x", "NaN", "1e309", "-200"],
      bbox: ["", "1,2,3", "1,2,3,4,5", "0,10,1,-10", "-181,0,0,1", "0,-91,0,1", "a,b,c,d", "0x1,0,1,1"],
      symbols: ["", ",", "B TC", "<script>"],
      ...(path === "/api/changes"
        ? { limit: ["", "0", "1001", "-1", "1.5", "x"], wait: ["", "-1", "26", "1.5", "x"] }
        : {}),
    }))
      for (const text of texts)
        expect(await refusal(`${name}=${encodeURIComponent(text)}`), `${name}=${text}`).toMatchObject({
          status: 400,
          error: "invalid_parameter",
          parameter: name,
        })
    for (const name of ["feed", "magnitude", "__proto__", "limits"])
      expect(await refusal(`${name}=1`), name).toMatchObject({ status: 400, error: "unknown_parameter" })
  })
})

describe("a filter", () => {
  const quake = (magnitude: number | null, lat: number | null, lon: number | null) => ({
    feed: "earthquakes",
    item: { magnitude, lat, lon },
  })
  const changes = listed(
    quake(3, 35, -120),
    quake(5, -18, 179),
    quake(6, -18, -179),
    quake(null, null, null),
    { ...quake(4.4, 35, -120), type: "changed", before: { magnitude: 5.1, lat: 35, lon: -120 } },
    { feed: "coins", item: { symbol: "btc" } },
    { feed: "coins", item: { symbol: "ETH" }, type: "gone" },
    { feed: "fear-greed", item: null },
  )

  it.each([
    ["", [1, 2, 3, 4, 5, 6, 7, 8]],
    ["feeds=coins", [6, 7]],
    ["feeds=fear-greed,coins", [6, 7, 8]],
    ["types=changed", [5]],
    ["types=gone,changed", [5, 7]],
    // What was of this magnitude before is, for who keeps such ones, no longer among them.
    ["min_magnitude=5", [2, 3, 5]],
    ["min_magnitude=5&feeds=coins,earthquakes", [2, 3, 5]],
    ["bbox=-125,30,-110,40", [1, 5]],
    ["bbox=175,-25,-175,-10", [2, 3]],
    ["bbox=-175,-25,175,-10", []],
    ["symbols=BTC", [6]],
    ["symbols=eth,btc", [6, 7]],
    ["symbols=BTC&min_magnitude=1", []],
    ["min_magnitude=6&bbox=175,-25,-175,-10", [3]],
  ])("by %s leaves %j", async (query, ordinals) => {
    const { app } = await apiWithChanges(changes)
    const page: Page = (await app.inject(`/api/changes?after=start&${query}`)).json()
    expect(page.changes.map(({ cursor }) => cursor)).toEqual(ordinals.map((ordinal) => changes.cursor(ordinal)))
    expect([page.next, page.up_to_date]).toEqual([changes.cursor(8), true])
  })
})

describe("a call that waits", () => {
  it("is answered by the next change that matches, and by no other", async () => {
    const changes = listed(...quakes(3))
    const { app, window, registry } = await apiWithChanges(changes)
    const waiting = async () =>
      (await registry.getSingleMetric("tidewire_changes_calls_waiting")?.get())?.values[0]?.value
    const reply = app.inject("/api/changes?after=now&wait=25&feeds=coins")
    await waitFor(async () => expect(await waiting()).toBe(1))
    changes.add({}, null)
    await waitFor(() => expect(window.reached).toBe(5))
    expect(await waiting()).toBe(1)
    changes.add({ feed: "coins" }, {})
    const page: Page = (await reply).json()
    expect(page.changes.map(({ cursor }) => cursor)).toEqual([changes.cursor(6)])
    expect(page.next).toBe(changes.cursor(7))
    expect(await waiting()).toBe(0)
  })

  it.each([
    ["", "no-cache"],
    ["after=now&", "no-cache"],
    ["after=k7f2qdxa.000000000003&", "public, max-age=3600"],
  ])("may be kept where it asks for %j, by %s, when more changes come than its page holds", async (query, kept) => {
    const changes = listed(...quakes(3))
    const { app, registry } = await apiWithChanges(changes)
    const reply = app.inject(`/api/changes?${query}wait=25&feeds=coins&limit=1`)
    await waitFor(async () => expect(await registry.metrics()).toContain("tidewire_changes_calls_waiting 1"))
    changes.add({ feed: "coins" }, { feed: "coins" })
    const { headers, ...answer } = await reply
    expect([answer.json().up_to_date, headers["cache-control"]]).toEqual([false, kept])
  })

  it("is answered at once where something matches already", async () => {
    const changes = listed(...quakes(3))
    const { app } = await apiWithChanges(changes)
    for (const query of ["", "after=start&"]) {
      const page: Page = (await app.inject(`/api/changes?${query}wait=25`)).json()
      expect(page.changes).toHaveLength(3)
    }
  })

  it("ends with 204 and the next cursor when its time is over", async () => {
    const changes = listed(...quakes(3))
    const { app, moveTo, registry, window } = await apiWithChanges(changes)
    const reply = app.inject(`/api/changes?after=${changes.cursor(3)}&wait=10&feeds=coins`)
    changes.add({}, {})
    await waitFor(() => expect(window.reached).toBe(5))
    await waitFor(async () => expect(await registry.metrics()).toContain("tidewire_changes_calls_waiting 1"))
    moveTo(START_MS + 10_000)
    const { statusCode, headers, body } = await reply
    expect([statusCode, body]).toEqual([204, ""])
    expect(headers).toMatchObject({ "x-service-next-cursor": changes.cursor(5), "cache-control": "no-store" })
    expect(headers["access-control-expose-headers"]).toContain("X-Service-Next-Cursor")
    expect(headers).not.toHaveProperty("content-length")
  })

  it("misses no change, whenever one comes", async () => {
    const changes = listed({})
    const { app } = await apiWithChanges(changes, { limits: { changesRequestsPerMinute: 1_000 } })
    for (let turns = 0; turns < 60; turns++) {
      const { last } = changes
      const reply = app.inject(`/api/changes?after=${changes.cursor(last)}&wait=25`)
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      if (turns % 2 === 1) await new Promise(setImmediate)
      changes.add({})
      const page: Page = (await reply).json()
      expect(page.next, `after ${turns} turns`).toBe(changes.cursor(last + 1))
    }
  })

  it("ends with 204 where its place goes to another client of its network", async () => {
    const changes = listed(...quakes(3))
    const { app } = await apiWithChanges(changes, {
      trustedProxies: ["127.0.0.1"],
      limits: { streamsPerNetworkMax: 2 },
    })
    const ask = (address: string) =>
      app.inject({ url: "/api/changes?after=now&wait=25", headers: { "x-forwarded-for": address } })
    const [first, second] = [ask("192.0.2.1"), ask("192.0.2.1")]
    const other = ask("192.0.2.2")
    expect((await first).statusCode).toBe(204)
    changes.add({})
    for (const reply of [second, other]) expect((await reply).statusCode).toBe(200)
  })

  it("is refused where the log is named anew meanwhile", async () => {
    const changes = listed(...quakes(3))
    const { app, registry } = await apiWithChanges(changes)
    const reply = app.inject(`/api/changes?after=${changes.cursor(3)}&wait=25`)
    await waitFor(async () => expect(await registry.metrics()).toContain("tidewire_changes_calls_waiting 1"))
    changes.name = "aaaaaaaa"
    changes.add({})
    expect((await reply).json()).toMatchObject({ status: 400, error: "other_log" })
  })

  it("gives back its place when its client is gone", async () => {
    const changes = listed(...quakes(3))
    const { port, registry } = await apiWithChanges(changes, { limits: { streamsPerClientMax: 1 } })
    for (let n = 0; n < 3; n++) {
      const { socket } = open(port)
      socket.write(get("/api/changes?after=now&wait=25"))
      await waitFor(async () => expect(await registry.metrics()).toContain("tidewire_changes_calls_waiting 1"))
      socket.destroy()
      await waitFor(async () => expect(await registry.metrics()).toContain("tidewire_changes_calls_waiting 0"))
    }
  })

  it("ends when the service does", async () => {
    const changes = listed(...quakes(3))
    const { app, registry } = await apiWithChanges(changes)
    const reply = app.inject("/api/changes?after=now&wait=25")
    await waitFor(async () => expect(await registry.metrics()).toContain("tidewire_changes_calls_waiting 1"))
    await app.close()
    expect((await reply).statusCode).toBe(204)
  })
})

describe("changes that cannot be read", () => {
  it("are unavailable, while those of the window are served", async () => {
    const changes = listed(...quakes(50))
    const { app } = await apiWithChanges(changes, { bounds: { changesMax: 10, bytesMax: 10_000_000 } })
    changes.isFailing = true
    for (const query of ["after=start", `after=${changes.cursor(5)}`, `after=${changes.cursor(60)}`]) {
      const { statusCode, headers, ...reply } = await app.inject(`/api/changes?${query}`)
      expect([statusCode, reply.json().error], query).toEqual([503, "changes_unavailable"])
      expect(Number(headers["retry-after"])).toBeGreaterThan(0)
    }
    expect((await app.inject(`/api/changes?after=${changes.cursor(45)}`)).json().changes).toHaveLength(5)
    expect((await app.inject("/api/changes")).json().changes).toHaveLength(10)
  })
})

describe("whatever is asked", () => {
  it("is answered as the document says", async () => {
    const changes = listed(...Array.from({ length: 300 }, (_, at): Listed => (at % 2 === 0 ? {} : { feed: "coins" })))
    changes.oldest = 100
    const { app, errors } = await apiWithChanges(changes, {
      bounds: { changesMax: 50, bytesMax: 10_000_000 },
      limits: { changesRequestsPerMinute: 10_000 },
    })
    const undocumented = undocumentedBy([changesEndpoint])
    const place = fc.nat(320).map((ordinal) => changes.cursor(ordinal))
    const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: "binary", maxLength: 8 }))
    const right = {
      after: fc.oneof(place, place, fc.constantFrom("start", "now")),
      feeds: fc.constantFrom("earthquakes", "coins,earthquakes"),
      types: fc.constantFrom("appeared", "gone,changed"),
      limit: fc.integer({ min: 1, max: 1_000 }).map(String),
      min_magnitude: fc.integer({ min: -5, max: 9 }).map(String),
      bbox: fc.constantFrom("-180,-90,180,90", "170,-5,-170,5"),
    }
    const wrong = Object.fromEntries([...Object.keys(right), "symbols", "feed"].map((name) => [name, text]))
    const asked = fc
      .tuple(fc.record(right, { requiredKeys: [] }), fc.option(fc.record(wrong, { requiredKeys: [] })))
      .map((parts) => Object.entries(Object.assign({}, ...parts) as Record<string, string>))
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(asked, async (query) => {
        const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
        const reply = await app.inject(`/api/changes?${pairs.join("&")}`)
        expect(undocumented("GET", "/api/changes", reply), reply.body).toEqual([])
        statuses.add(reply.statusCode)
        if (reply.statusCode === 200) expect(Schema.is(changesEndpoint.data)(reply.json())).toBe(true)
      }),
      { numRuns: 400 },
    )
    expect([...statuses].sort()).toEqual([200, 400, 410])
    expect(errors).toEqual([])
  })
})
