import { describe, expect, it } from "vitest"
import { apiUnderTest } from "../testing/api-under-test.ts"
import { get, open, statuses } from "../testing/socket.ts"
import { waitFor } from "../testing/wait-for.ts"

describe("pipelined requests", () => {
  it("answers pipelined requests in their order", async () => {
    const { fill, listen } = await apiUnderTest()
    fill("/api/things", { items: ["thing"] })
    const { socket, state } = open(await listen())
    socket.write(
      get("/api/things") + get("/api/nowhere") + get("/api/health") + get("/api/things", "Connection: close\r\n"),
    )
    await waitFor(() => expect(state.closed).toBe(true))
    expect(statuses(state.received)).toEqual(["200", "404", "200", "200"])
  })

  it("answers what came before what is not HTTP", async () => {
    const { fill, listen } = await apiUnderTest()
    fill("/api/things", { items: ["thing"] })
    const { socket, state, closed } = open(await listen())
    socket.write(`${get("/api/things")}${get("/api/health")}\u0000\u0001\r\n\r\n`)
    await closed()
    expect(statuses(state.received)).toEqual(["200", "200", "400"])
  })

  it.each([
    ["whole", get("/api/nowhere")],
    [
      "in part, whose rest reads like a request",
      "POST /api/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n",
    ],
  ])(
    "says that it reads nothing behind an upgrade that it does not take: a request that came %s",
    async (_, behind) => {
      const { app, listen } = await apiUnderTest()
      let requests = 0
      app.server.on("request", () => {
        requests += 1
      })
      const { socket, state, closed } = open(await listen())
      socket.write(get("/api/health", "Connection: upgrade\r\nUpgrade: h2c\r\n") + behind)
      await waitFor(() => expect(state.received).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i))
      socket.write(get("/api/health"))
      await closed()
      expect(statuses(state.received)).toEqual(["200"])
      expect(requests).toBe(1)
    },
  )

  it("looks at the next pipelined request when the reply before it is written", async () => {
    const { app, listen } = await apiUnderTest()
    const running = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    const asked: Array<string> = []
    app.get("/api/slow/:name", async (request) => {
      asked.push(request.url)
      running.resolve()
      await finished.promise
      return {}
    })
    const { socket, state } = open(await listen())
    socket.write(get("/api/slow/1") + get("/api/slow/2") + get("/api/slow/3"))
    await running.promise
    // A round trip of another connection: whatever would begin has begun.
    const other = open(Number(socket.remotePort))
    other.socket.write(get("/api/health"))
    await waitFor(() => expect(other.state.received).toContain("200 OK"))
    expect(asked).toEqual(["/api/slow/1"])
    finished.resolve()
    await waitFor(() => expect(statuses(state.received)).toEqual(["200", "200", "200"]))
    expect(asked).toEqual(["/api/slow/1", "/api/slow/2", "/api/slow/3"])
  })

  it.each([
    ["/api/things", 100_000],
    ["/api/things", 1],
    ["/api/nowhere", 100_000],
  ])("ends a connection that pipelines more than its bound of %s, with a share of %i a day", async (path, share) => {
    const { app, traffic, fill, listen } = await apiUnderTest({ limits: { requestsPerDay: share } })
    fill("/api/things", { items: ["thing"] })
    const port = await listen()
    let requests = 0
    app.server.on("request", () => {
      requests += 1
    })
    const { socket, closed, state } = open(port)
    socket.pause()
    const request = get(path)
    socket.write(request.repeat(Math.floor(65_000 / request.length)))
    socket.resume()
    await closed()
    expect(state.received).toBe("")
    expect(requests).toBe(32)
    expect(traffic.takeUsage()).toEqual([])
  })

  it("answers as many pipelined requests as its bound, again and again", async () => {
    const { listen } = await apiUnderTest()
    const { socket, state } = open(await listen())
    for (let round = 1; round <= 3; round++) {
      socket.write(get("/api/health").repeat(32))
      await waitFor(() => expect(statuses(state.received)).toHaveLength(32 * round))
    }
    expect(state.closed).toBe(false)
  })
})
