import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import { closeApi } from "../server.ts"
import { START_MS } from "../testing/api-under-test.ts"
import { apiWithChanges, type Listed, ListedChanges } from "../testing/listed-changes.ts"
import { get, open } from "../testing/socket.ts"
import { readStream } from "../testing/sse.ts"
import { waitFor } from "../testing/wait-for.ts"

const quakes = (count: number): ReadonlyArray<Listed> => Array.from({ length: count }, () => ({}))

const listed = (...all: ReadonlyArray<Listed>): ListedChanges => {
  const changes = new ListedChanges()
  changes.add(...all)
  return changes
}

type Api = Awaited<ReturnType<typeof apiWithChanges>>

const metric = async ({ registry }: Api, name: string): Promise<number | undefined> =>
  (await registry.getSingleMetric(`tidewire_changes_${name}`)?.get())?.values[0]?.value

const cursors = (changes: ListedChanges, ordinals: ReadonlyArray<number>) =>
  ordinals.map((ordinal) => changes.cursor(ordinal))

describe("the stream", () => {
  it("begins with how soon to come back and where it is, and brings each change as it happens", async () => {
    const changes = listed(...quakes(3))
    const { port } = await apiWithChanges(changes)
    const stream = readStream(port)
    await stream.begun()
    expect(stream.head()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    for (const header of [
      "Content-Type: text/event-stream",
      "Cache-Control: no-cache, no-transform",
      "X-Accel-Buffering: no",
      "Connection: close",
      "Access-Control-Allow-Origin: *",
    ])
      expect(stream.head()).toContain(`\r\n${header}`)
    expect(stream.head()).not.toMatch(/\r\n(transfer-encoding|content-length|content-encoding):/i)
    const [first] = stream.blocks()
    expect(first?.id).toBe(changes.cursor(3))
    expect(Number(first?.retry)).toBeGreaterThanOrEqual(1_000)
    expect(Number(first?.retry)).toBeLessThanOrEqual(5_000)
    changes.add({ key: "one" }, null)
    changes.add({ key: "two" })
    await waitFor(() => expect(stream.ids()).toEqual(cursors(changes, [4, 6])))
    const last = stream.blocks().at(-1)
    expect(last?.event).toBe("change")
    expect(JSON.parse(last?.data ?? "")).toMatchObject({ cursor: changes.cursor(6), key: "two", type: "appeared" })
  })

  it("begins without an id while there is no change, and then with the first", async () => {
    const changes = new ListedChanges()
    const { port } = await apiWithChanges(changes)
    const stream = readStream(port)
    await stream.begun()
    expect(stream.lastId()).toBeUndefined()
    changes.add({}, {})
    await waitFor(() => expect(stream.ids()).toEqual(cursors(changes, [1, 2])))
  })

  it.each([
    ["1.0", []],
    ["1.1", ["Accept-Encoding: gzip, br"]],
  ])("is neither framed nor compressed, for HTTP/%s with %j", async (version, headers) => {
    const changes = listed(...quakes(40))
    const { app, port } = await apiWithChanges(changes)
    const stream = readStream(port, "/api/stream?after=start", headers, version)
    await waitFor(() => expect(stream.ids()).toEqual(cursors(changes, changes.shown)))
    expect(stream.body()).toMatch(/^retry: \d+\nid: /)
    await closeApi(app, 5_000)
    await stream.closed()
    expect(stream.body().endsWith("\n\n")).toBe(true)
  })

  it("has a HEAD without a body", async () => {
    const { port } = await apiWithChanges(listed(...quakes(3)))
    const { socket, state, closed } = open(port)
    socket.write("HEAD /api/stream?after=start HTTP/1.1\r\nHost: x\r\n\r\n")
    await closed()
    expect(state.received).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream\r\n/)
    expect(state.received.endsWith("\r\n\r\n")).toBe(true)
  })

  it("leaves out what its filter does not choose", async () => {
    const changes = listed(...quakes(3))
    const api = await apiWithChanges(changes)
    const stream = readStream(api.port, "/api/stream?feeds=coins&types=gone")
    await stream.begun()
    changes.add({}, { feed: "coins" }, { feed: "coins", type: "gone" }, {}, {})
    await waitFor(() => expect(stream.ids()).toEqual(cursors(changes, [6])))
  })

  it("answers the requests before it on its connection, and none behind it", async () => {
    const changes = listed(...quakes(3))
    const { port } = await apiWithChanges(changes)
    const { socket, state } = open(port)
    socket.write(get("/api/health") + get("/api/stream") + get("/api/health"))
    await waitFor(() => expect(state.received).toContain("retry: "))
    changes.add({})
    await waitFor(() => expect(state.received).toContain(`id: ${changes.cursor(4)}`))
    expect(state.received.match(/HTTP\/1\.1/g)).toHaveLength(2)
  })
})

describe("a stream that goes on", () => {
  it("loses no change and repeats none, cut anywhere, behind the window as within it", async () => {
    const changes = listed(...Array.from({ length: 900 }, (_, at): Listed => (at % 4 === 3 ? null : {})))
    const api = await apiWithChanges(changes, {
      bounds: { changesMax: 200, bytesMax: 10_000_000 },
      limits: { changesRequestsPerMinute: 10_000 },
    })
    const seen: Array<string> = []
    let lastId = changes.cursor(0)
    for (let cut = 0; seen.at(-1) !== changes.cursor(changes.shown.at(-1) ?? 0); cut++) {
      const stream = readStream(api.port, "/api/stream", [`Last-Event-ID: ${lastId}`])
      const wanted = 1 + ((cut * 37) % 90)
      if (cut < 20) changes.add({}, null, {})
      await waitFor(() => {
        const { ids } = stream
        if (ids().length < wanted && ids().at(-1) !== changes.cursor(changes.shown.at(-1) ?? 0))
          throw new Error("not yet")
      })
      stream.socket.destroy()
      const read = stream.ids().slice(0, wanted)
      seen.push(...read)
      lastId = read.at(-1) ?? lastId
    }
    expect(seen).toEqual(cursors(changes, changes.shown))
    expect(await metric(api, "resumes_total")).toBeGreaterThan(10)
  })

  it("begins behind what the window no longer holds while the archive is away, as long as the log holds it", async () => {
    const changes = listed(...quakes(60))
    const away = new HistoryUnavailable({ problem: "made so by a test" })
    const log = { ...changes.log, bounds: Effect.fail(away) }
    const { app, port } = await apiWithChanges(Object.assign(changes, { log }), {
      bounds: { changesMax: 10, bytesMax: 10_000_000 },
    })
    const stream = readStream(port, `/api/stream?after=${changes.cursor(20)}`)
    await waitFor(() => expect(stream.ids()).toEqual(cursors(changes, changes.shown.slice(20))))
    changes.isFailing = true
    expect((await app.inject(`/api/stream?after=${changes.cursor(20)}`)).statusCode).toBe(503)
  })

  it("goes on behind Last-Event-ID, whatever its address says", async () => {
    const changes = listed(...quakes(5))
    const { port } = await apiWithChanges(changes)
    const path = `/api/stream?after=${changes.cursor(1)}`
    const fresh = readStream(port, path)
    await waitFor(() => expect(fresh.ids()).toEqual(cursors(changes, [2, 3, 4, 5])))
    const resumed = readStream(port, path, [`Last-Event-ID: ${changes.cursor(4)}`])
    await waitFor(() => expect(resumed.ids()).toEqual(cursors(changes, [5])))
    const refused = async (id: string) => {
      const { state, closed } = readStream(port, path, [`Last-Event-ID: ${id}`, "Connection: close"])
      await closed()
      return JSON.parse(state.received.split("\r\n\r\n")[1] ?? "")
    }
    const parameter = "Last-Event-ID"
    expect(await refused("x")).toMatchObject({ status: 400, error: "invalid_cursor", parameter })
    expect(await refused("aaaaaaaa.000000000001")).toMatchObject({ status: 400, error: "other_log", parameter })
    expect(await refused(changes.cursor(6))).toMatchObject({ status: 400, error: "future_cursor", parameter })
  })

  it("says what it can no longer bring, and brings the rest", async () => {
    const changes = listed(...quakes(300))
    changes.oldest = 200
    const api = await apiWithChanges(changes, { bounds: { changesMax: 50, bytesMax: 10_000_000 } })
    const stream = readStream(api.port, "/api/stream", [`Last-Event-ID: ${changes.cursor(7)}`])
    await waitFor(() => expect(stream.ids()).toHaveLength(101))
    const gap = stream.blocks().filter(({ event }) => event === "gap")
    expect(gap).toEqual([
      {
        event: "gap",
        id: changes.cursor(199),
        data: JSON.stringify({ from: changes.cursor(7), to: changes.cursor(199) }),
      },
    ])
    expect(stream.blocks().findIndex(({ event }) => event === "gap")).toBe(1)
    expect(stream.ids()[0]).toBe(changes.cursor(200))
    expect(await metric(api, "gaps_total")).toBe(1)
  })

  it("is ended where the log is named anew, and refused when it comes back", async () => {
    const changes = listed(...quakes(3))
    const { app, port } = await apiWithChanges(changes)
    const stream = readStream(port)
    await stream.begun()
    const lastId = stream.lastId() ?? ""
    changes.name = "aaaaaaaa"
    changes.add({})
    await stream.closed()
    const { statusCode, ...reply } = await app.inject({ url: "/api/stream", headers: { "last-event-id": lastId } })
    expect([statusCode, reply.json().error]).toEqual([400, "other_log"])
  })

  it("is ended where the log cannot be read, and comes back to where it was", async () => {
    const changes = listed(...quakes(100))
    const { port } = await apiWithChanges(changes, { bounds: { changesMax: 10, bytesMax: 10_000_000 } })
    changes.isFailing = true
    const stream = readStream(port, "/api/stream", [`Last-Event-ID: ${changes.cursor(5)}`])
    await stream.closed()
    expect(stream.lastId()).toBe(changes.cursor(5))
    changes.isFailing = false
    const again = readStream(port, "/api/stream", [`Last-Event-ID: ${stream.lastId()}`])
    await waitFor(() => expect(again.ids()).toEqual(cursors(changes, changes.shown.slice(5))))
  })
})

describe("a reader that does not read", () => {
  it("costs little, disturbs no other, and is ended after 30 seconds", async () => {
    const changes = listed(...quakes(3))
    const api = await apiWithChanges(changes, { bounds: { changesMax: 10_000, bytesMax: 100_000_000 } })
    const stuck = readStream(api.port)
    await stuck.begun()
    stuck.socket.pause()
    const other = readStream(api.port)
    await other.begun()
    const large = { item: { text: "x".repeat(20_000) } }
    // More than what the buffers of the network hold for it.
    while ((await metric(api, "unsent_bytes")) === 0 || changes.last < 600) {
      changes.add(...Array.from({ length: 50 }, () => large))
      const { last } = changes
      await waitFor(() => expect(other.lastId()).toBe(changes.cursor(last)))
    }
    changes.add(...Array.from({ length: 100 }, () => large))
    await waitFor(() => expect(other.lastId()).toBe(changes.cursor(changes.last)))
    const unsent = (await metric(api, "unsent_bytes")) ?? 0
    expect(unsent).toBeGreaterThan(0)
    expect(unsent).toBeLessThanOrEqual(256 * 1024)
    api.moveTo(START_MS + 29_000)
    await other.begun()
    expect(await metric(api, "slow_readers_ended_total")).toBe(0)
    api.moveTo(START_MS + 30_000)
    await waitFor(async () => expect(await metric(api, "slow_readers_ended_total")).toBe(1))
    stuck.socket.resume()
    await stuck.closed()
    expect(await metric(api, "streams_open")).toBe(1)
    // It has whole events up to a place, and goes on behind it.
    const again = readStream(api.port, "/api/stream", [`Last-Event-ID: ${stuck.ids().at(-1)}`])
    await waitFor(() => expect(again.lastId()).toBe(changes.cursor(changes.last)))
    expect([...stuck.ids(), ...again.ids()]).toEqual(cursors(changes, changes.shown.slice(3)))
  })

  it("gets the rest when it reads again", async () => {
    const changes = listed(...quakes(3))
    const api = await apiWithChanges(changes, { bounds: { changesMax: 100, bytesMax: 100_000_000 } })
    const stream = readStream(api.port)
    await stream.begun()
    stream.socket.pause()
    const large = { item: { text: "x".repeat(20_000) } }
    while ((await metric(api, "unsent_bytes")) === 0) {
      changes.add(...Array.from({ length: 50 }, () => large))
      await waitFor(() => expect(api.window.reached).toBe(changes.last))
      await new Promise(setImmediate)
    }
    // By now the window holds less than what it has not got.
    changes.add(...Array.from({ length: 300 }, () => large))
    stream.socket.resume()
    await waitFor(() => expect(stream.lastId()).toBe(changes.cursor(changes.last)))
    expect(stream.ids()).toEqual(cursors(changes, changes.shown.slice(3)))
    expect(await metric(api, "slow_readers_ended_total")).toBe(0)
  })
})

describe("the end of a stream", () => {
  it("comes by none of the times between requests", async () => {
    const changes = listed(...quakes(3))
    const times = { stalledTimeoutMs: 100, keepAliveTimeoutMs: 100, requestTimeoutMs: 100, headersTimeoutMs: 100 }
    const { port } = await apiWithChanges(changes, { limits: { ...times, checkEveryMs: 20 } })
    const stream = readStream(port)
    await stream.begun()
    for (const text of [get("/api/health"), "GET /api/health HTTP/1.1\r\n"]) {
      const other = open(port)
      other.socket.write(text)
      await other.closed()
    }
    expect(stream.state.closed).toBe(false)
    changes.add({})
    await waitFor(() => expect(stream.ids()).toEqual(cursors(changes, [4])))
  })

  it("comes when the service ends: everything written is read, and the place is kept", async () => {
    const changes = listed(...quakes(3))
    const api = await apiWithChanges(changes)
    const streams = [readStream(api.port), readStream(api.port, "/api/stream?feeds=coins")]
    for (const stream of streams) await stream.begun()
    changes.add({}, { feed: "coins" })
    await waitFor(() => expect(streams.map(({ ids }) => ids().length)).toEqual([2, 1]))
    await closeApi(api.app, 60_000)
    for (const stream of streams) await stream.closed()
  })

  it("gives back its place", async () => {
    const changes = listed(...quakes(3))
    const api = await apiWithChanges(changes, { limits: { streamsPerClientMax: 1 } })
    for (let n = 0; n < 3; n++) {
      const stream = readStream(api.port)
      await stream.begun()
      stream.socket.destroy()
      await waitFor(async () => expect(await metric(api, "streams_open")).toBe(0))
    }
  })
})

describe("too many streams", () => {
  const refusalOf = async (port: number, path = "/api/stream", localAddress = "127.0.0.1") => {
    const { socket, state, closed } = open(port, localAddress)
    socket.write(get(path, "Connection: close\r\n"))
    await closed()
    const [head = "", body = ""] = state.received.split("\r\n\r\n")
    return { head, ...JSON.parse(body) }
  }

  it.each([
    ["one client", { streamsPerClientMax: 2 }, 429],
    ["one network", { streamsPerNetworkMax: 2 }, 429],
    ["one provider", { streamsPerProviderMax: 2 }, 429],
    ["all clients", { streamsMax: 2 }, 503],
  ])("of %s are refused, waiting calls like streams", async (_, limits, status) => {
    const changes = listed(...quakes(3))
    const api = await apiWithChanges(changes, { limits })
    for (let n = 0; n < 2; n++) await readStream(api.port).begun()
    for (const path of ["/api/stream", "/api/changes?after=now&wait=25"]) {
      const refused = await refusalOf(api.port, path)
      expect(refused).toMatchObject({ status, error: "too_many_streams" })
      expect(refused.head).toMatch(/\r\nRetry-After: \d+/)
    }
    expect((await api.app.inject("/api/changes?after=now")).statusCode).toBe(200)
  })

  it("do not shut out others of their network: the oldest of the heaviest client gives way", async () => {
    const changes = listed(...quakes(3))
    const { port } = await apiWithChanges(changes, { limits: { streamsPerNetworkMax: 3 } })
    const first = readStream(port)
    await first.begun()
    for (let n = 0; n < 2; n++) await readStream(port).begun()
    const other = open(port, "127.0.0.9")
    other.socket.write(get("/api/stream"))
    await waitFor(() => expect(other.state.received).toContain("retry: "))
    await first.closed()
    expect(await refusalOf(port)).toMatchObject({ status: 429, error: "too_many_streams" })
  })

  it("in a minute are 429 as any other request", async () => {
    const { app } = await apiWithChanges(listed(...quakes(3)), { limits: { changesRequestsPerMinute: 2 } })
    for (let n = 0; n < 2; n++) expect((await app.inject("/api/changes")).statusCode).toBe(200)
    const { statusCode, ...reply } = await app.inject("/api/stream")
    expect([statusCode, reply.json().error]).toEqual([429, "rate_limited"])
    expect((await app.inject("/api/health")).statusCode).toBe(200)
  })
})
