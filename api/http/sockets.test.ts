import { once } from "node:events"
import { describe, expect, it, onTestFinished } from "vitest"
import { apiUnderTest } from "../testing/api-under-test.ts"
import { get, open, statuses } from "../testing/socket.ts"
import { waitFor } from "../testing/wait-for.ts"

const quick = { headersTimeoutMs: 200, requestTimeoutMs: 300, checkEveryMs: 50, keepAliveTimeoutMs: 5_000 }

describe("the public port", () => {
  it("ends a connection whose headers are slow, with a problem", async () => {
    const { listen } = await apiUnderTest({ limits: quick })
    const { socket, state, closed } = open(await listen())
    socket.write("GET /api/health HTTP/1.1\r\nHost: x\r\n")
    const drip = setInterval(() => socket.write("X-A: b\r\n"), 50)
    onTestFinished(() => clearInterval(drip))
    await closed()
    expect(state.received).toMatch(/^HTTP\/1\.1 408 /)
    expect(state.received).toContain("request_timeout")
  })

  it("cuts off who sends a body slowly", async () => {
    const { app, listen } = await apiUnderTest({ limits: quick })
    app.post("/api/echo", () => ({ ok: true }))
    const { socket, state, closed } = open(await listen())
    socket.write("POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    await closed()
    expect(state.received).toMatch(/^HTTP\/1\.1 408 /)
  })

  it("cuts off who does not read the answer", async () => {
    const { app, fill, listen, store } = await apiUnderTest({ limits: { ...quick, stalledTimeoutMs: 300 } })
    fill("/api/things", { items: Array.from({ length: 300_000 }, (_, index) => `thing ${index} ${index * 7919}`) })
    await store.settled()
    const connected = once(app.server, "connection")
    const { socket, closed, state } = open(await listen())
    socket.pause()
    socket.write(get("/api/things").repeat(20))
    const connections = () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
    await connected
    await waitFor(async () => expect(await connections()).toBe(0))
    socket.resume()
    await closed()
    expect(state.received.length).toBeLessThan(20 * 5_000_000)
  })

  it("refuses headers beyond its bound with 431", async () => {
    const { listen } = await apiUnderTest()
    const { socket, state, closed } = open(await listen())
    socket.write(get("/api/health", `X-Large: ${"x".repeat(20_000)}\r\n`))
    await closed()
    expect(state.received).toMatch(/^HTTP\/1\.1 431 /)
    expect(state.received).toContain("application/problem+json")
    expect(state.received).toContain("headers_too_large")
  })

  it.each([
    "\u0000\u0001\u0002\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
  ])("refuses what is not HTTP with 400: %j", async (text) => {
    const { listen } = await apiUnderTest()
    const { socket, state, closed } = open(await listen())
    socket.write(text)
    await closed()
    expect(state.received).toMatch(/^HTTP\/1\.1 400 /)
    expect(state.received).toContain("bad_request")
  })

  const CHUNKED =
    "POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

  it.each([
    ["a chunk whose size is no number", `${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`, "400"],
    ["a chunk longer than its size", `${CHUNKED}2\r\n{}more\r\n0\r\n\r\n`, "400"],
    ["a body without a length (identity)", CHUNKED.replace("chunked", "identity"), "400"],
    ["a body whose last coding is not chunked", CHUNKED.replace("chunked", "chunked, gzip"), "400"],
    ["a coding that it does not read", `${CHUNKED.replace("chunked", "gzip, chunked")}2\r\n{}\r\n0\r\n\r\n`, "501"],
  ])("refuses %s at once, after the replies before it, and ends the connection", async (_, text, status) => {
    // No timeout of the server can end these connections before the test fails.
    const { app, listen } = await apiUnderTest({ limits: { requestTimeoutMs: 60_000, headersTimeoutMs: 60_000 } })
    let echoed = 0
    app.post("/api/echo", () => {
      echoed += 1
      return {}
    })
    const port = await listen()
    for (const before of ["", get("/api/health")]) {
      const { socket, state, closed } = open(port)
      socket.write(before + text)
      await closed()
      expect(statuses(state.received)).toEqual(before === "" ? [status] : ["200", status])
      expect(state.received).toContain("application/problem+json")
    }
    expect(echoed).toBe(0)
  })

  it("fetches nothing for a client that has disconnected", async () => {
    const { app, listen } = await apiUnderTest()
    const running = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    let asked = 0
    app.get("/api/slow", async () => {
      asked += 1
      running.resolve()
      await finished.promise
      return {}
    })
    const port = await listen()
    const { socket } = open(port)
    socket.write(get("/api/slow").repeat(30))
    await running.promise
    const ended = new Promise((resolve) => app.server.once("connection", () => resolve(undefined)))
    socket.resetAndDestroy()
    const connections = () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
    await waitFor(async () => expect(await connections()).toBe(0))
    finished.resolve()
    const other = open(port)
    await ended
    other.socket.write(get("/api/health"))
    await waitFor(() => expect(other.state.received).toContain("200 OK"))
    expect(asked).toBe(1)
  })

  it("keeps a connection whose refused body was read to its end", async () => {
    const { app, listen } = await apiUnderTest()
    app.post("/api/echo", () => ({ ok: true }))
    const { socket, state } = open(await listen())
    const post = (body: string) =>
      `POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    socket.write(post("{"))
    await waitFor(() => expect(state.received).toContain("malformed_json"))
    expect(state.received).not.toMatch(/connection: close/i)
    socket.write(get("/api/health"))
    await waitFor(() => expect(state.received).toMatch(/HTTP\/1\.1 200 /))
    expect(state.closed).toBe(false)
  })

  it("closes a connection on which a body was refused unread: what follows is no request", async () => {
    const { listen } = await apiUnderTest()
    const { socket, state, closed } = open(await listen())
    socket.write("POST /api/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n")
    await waitFor(() => expect(state.received).toMatch(/connection: close/i))
    socket.write(get("/api/health"))
    await closed()
    expect(statuses(state.received)).toEqual(["404"])
  })

  it("sends nothing of a body in answer to HEAD", async () => {
    const { fill, listen } = await apiUnderTest()
    fill("/api/things", { items: ["thing"] })
    const { socket, state, closed } = open(await listen())
    socket.write("HEAD /api/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    await closed()
    expect(state.received).toMatch(/Content-Length: \d+/)
    expect(state.received.endsWith("\r\n\r\n")).toBe(true)
  })

  it.each([{ connectionsPerClientMax: 3 }, { connectionsPerNetworkMax: 3 }])(
    "bounds connections: %o",
    async (limits) => {
      const { listen } = await apiUnderTest({ limits })
      const port = await listen()
      const first = [open(port), open(port), open(port)]
      await waitFor(() => expect(first.every(({ socket }) => socket.readyState === "open")).toBe(true))
      for (const { socket } of first) socket.write(get("/api/health"))
      await waitFor(() => expect(first.every(({ state }) => state.received.includes("200 OK"))).toBe(true))
      const beyond = open(port)
      await beyond.closed()
      expect(beyond.state.received).toBe("")
      first[0]?.socket.destroy()
      await waitFor(async () => {
        const next = open(port)
        next.socket.write(get("/api/health"))
        await waitFor(() => expect(next.state.closed || next.state.received !== "").toBe(true))
        expect(next.state.received).toContain("200 OK")
      })
      expect(first[1]?.state.closed).toBe(false)
    },
  )

  describe("whose network is full", () => {
    // The whole of 127.0.0.0/8 is this machine, so that four addresses of one /24 can connect.
    const neighbours = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]
    const slowTimeouts = { headersTimeoutMs: 60_000, requestTimeoutMs: 60_000, keepAliveTimeoutMs: 60_000 }
    const limits = { ...slowTimeouts, connectionsPerClientMax: 4, connectionsPerNetworkMax: 16 }
    const served = (one: ReturnType<typeof open>, path = "/api/health") => {
      one.socket.write(get(path))
      return waitFor(() => expect(one.state.received).toContain("200 OK"))
    }
    const closedOf = (connections: ReadonlyArray<ReturnType<typeof open>>) =>
      connections.flatMap(({ state }, at) => (state.closed ? [at] : []))

    it.each([
      ["idle after a reply", get("/api/health"), true],
      ["silent", "", false],
      ["in the middle of their headers", "GET /api/health HTTP/1.1\r\nHost: x\r\n", false],
      [
        "in the middle of a body",
        "POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        false,
      ],
    ])(
      "serves a newcomer of it in place of the oldest connection of the heaviest client: %s",
      async (_, text, replied) => {
        const { app, listen } = await apiUnderTest({ limits })
        app.post("/api/echo", () => ({}))
        let accepted = 0
        app.server.on("connection", () => {
          accepted += 1
        })
        const port = await listen()
        const held: Array<ReturnType<typeof open>> = []
        for (const address of neighbours)
          for (let n = 0; n < 4; n++) {
            const one = open(port, address)
            held.push(one)
            one.socket.write(text)
            await waitFor(() => expect(accepted).toBe(held.length))
            if (replied) await waitFor(() => expect(one.state.received).toContain("200 OK"))
          }
        await served(open(port))
        await waitFor(() => expect(closedOf(held)).toEqual([0]))
        // Now the others are the heaviest, each in turn.
        await served(open(port))
        await served(open(port))
        await waitFor(() => expect(closedOf(held)).toEqual([0, 4, 8]))
      },
    )

    it("ends no connection whose reply is due, and none for a client that has as many", async () => {
      const { app, listen } = await apiUnderTest({ limits: { ...limits, connectionsPerNetworkMax: 6 } })
      const finished = Promise.withResolvers<void>()
      let running = 0
      app.get("/api/slow", async () => {
        running += 1
        await finished.promise
        return {}
      })
      const port = await listen()
      const busy = ["127.0.0.2", "127.0.0.2", "127.0.0.2"].map((address) => open(port, address))
      for (const { socket } of busy) socket.write(get("/api/slow"))
      await waitFor(() => expect(running).toBe(3))
      const idle = [open(port, "127.0.0.3"), open(port, "127.0.0.3"), open(port, "127.0.0.3")]
      for (const one of idle) await served(one)
      const same = open(port, "127.0.0.3")
      await same.closed()
      // The heaviest client is the one with busy connections, as it came first.
      const newcomer = open(port, "127.0.0.4")
      await newcomer.closed()
      finished.resolve()
      await waitFor(() => expect(busy.every(({ state }) => state.received.includes("200 OK"))).toBe(true))
      await served(open(port, "127.0.0.4"))
      expect(closedOf(idle)).toEqual([])
      await waitFor(() => expect(closedOf(busy)).toEqual([0]))
    })
  })

  it("bounds what a client behind a proxy has in flight, and not the proxy", async () => {
    const limits = { connectionsPerClientMax: 2 }
    const { app, listen } = await apiUnderTest({ limits, trustedProxies: ["127.0.0.0/8"] })
    const finished = Promise.withResolvers<void>()
    let running = 0
    app.get("/api/slow", async () => {
      running += 1
      await finished.promise
      return {}
    })
    const port = await listen()
    const ask = (client: string) => {
      const one = open(port)
      one.socket.write(get("/api/slow", `X-Forwarded-For: ${client}\r\n`))
      return one.state
    }
    const greedy = [ask("192.0.2.1"), ask("192.0.2.1")]
    await waitFor(() => expect(running).toBe(2))
    const refused = ask("192.0.2.1")
    await waitFor(() => expect(refused.received).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1/i))
    const other = ask("192.0.2.2")
    await waitFor(() => expect(running).toBe(3))
    finished.resolve()
    await waitFor(() => expect([...greedy, other].every(({ received }) => received.includes("200 OK"))).toBe(true))
    const again = ask("192.0.2.1")
    await waitFor(() => expect(again.received).toContain("200 OK"))
  })
})

describe("a request that Node answers by itself", () => {
  const isProblem = (received: string, status: number, error: string) => {
    const [head = "", body = ""] = received.split("\r\n\r\n")
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head).toContain("application/problem+json")
    expect(head).toMatch(/cache-control: no-store/i)
    expect(JSON.parse(body)).toMatchObject({ status, error, message: expect.any(String) })
  }

  it.each([
    ["no Host", "GET /api/health HTTP/1.1\r\n\r\n", 400, "bad_request"],
    ["two Hosts", "GET /api/health HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", 400, "bad_request"],
    ["a Host that is none", "GET /api/health HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "bad_request"],
    ["an unknown method", "BREW /api/health HTTP/1.1\r\nHost: x\r\n\r\n", 501, "not_implemented"],
    ["CONNECT", "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", 501, "not_implemented"],
    ["an unknown Expect", get("/api/health", "Expect: a-miracle\r\n"), 417, "expectation_failed"],
    [
      "a method that the path does not take",
      "PROPFIND /api/health HTTP/1.1\r\nHost: x\r\n\r\n",
      405,
      "method_not_allowed",
    ],
  ])("is a problem with a body: %s", async (_, text, status, error) => {
    const { listen } = await apiUnderTest()
    const { socket, state } = open(await listen())
    socket.write(text)
    await waitFor(() => isProblem(state.received, status, error))
  })

  it.each([
    ["an empty Expect", get("/api/health", "Expect:\r\n")],
    ["no Host in HTTP/1.0", "GET /api/health HTTP/1.0\r\n\r\n"],
    ["an empty Host", "GET /api/health HTTP/1.1\r\nHost:\r\n\r\n"],
    ["an upgrade that is not taken", get("/api/health", "Connection: upgrade\r\nUpgrade: h2c\r\n")],
  ])("is answered where nothing is wrong with it: %s", async (_, text) => {
    const { listen } = await apiUnderTest()
    const { socket, state } = open(await listen())
    socket.write(text)
    await waitFor(() => expect(state.received).toMatch(/^HTTP\/1\.1 200 [\s\S]*"status":"ok"/))
  })

  it("still counts against a limit of its client", async () => {
    const { listen } = await apiUnderTest({ limits: { serviceRequestsPerMinute: 1 } })
    const { socket, state } = open(await listen())
    socket.write(get("/api/health", "Expect: a\r\n").repeat(2))
    await waitFor(() => expect(statuses(state.received)).toEqual(["417", "429"]))
  })
})
