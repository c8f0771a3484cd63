import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Demand, DemandFailed } from "../infra/demand/demand.port.ts"
import { apiUnderTest } from "./testing/api-under-test.ts"
import { waitFor } from "./testing/wait-for.ts"
import { closeApi } from "./transport.ts"

/** A raw connection, and everything that came back on it. */
const open = (port: number) => {
  const socket: Socket = connect(port, "127.0.0.1")
  const state = { received: "", closed: false }
  socket.on("data", (chunk) => {
    state.received += chunk.toString("latin1")
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    state.closed = true
  })
  onTestFinished(() => void socket.destroy())
  return {
    socket,
    state,
    closed: () => waitFor(() => expect(state.closed).toBe(true)),
  }
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const quick = { headersTimeoutMs: 200, requestTimeoutMs: 300, checkEveryMs: 50, keepAliveTimeoutMs: 5_000 }

describe("the public port", () => {
  it("cuts off who sends headers slowly, and says so", async () => {
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

  it("answers pipelined requests in their order", async () => {
    const { fill, listen } = await apiUnderTest()
    fill("/api/things", { items: ["thing"] })
    const { socket, state } = open(await listen())
    socket.write(
      get("/api/things") + get("/api/nowhere") + get("/api/health") + get("/api/things", "Connection: close\r\n"),
    )
    await waitFor(() => expect(state.closed).toBe(true))
    expect([...state.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      "200",
      "404",
      "200",
      "200",
    ])
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
    expect([...state.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["404"])
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

  it("bounds the connections of one client", async () => {
    const { listen } = await apiUnderTest({ limits: { connectionsPerClientMax: 3 } })
    const port = await listen()
    const first = [open(port), open(port), open(port)]
    await waitFor(() => expect(first.every(({ socket }) => socket.readyState === "open")).toBe(true))
    for (const { socket } of first) socket.write(get("/api/health"))
    await waitFor(() => expect(first.every(({ state }) => state.received.includes("200 OK"))).toBe(true))
    await open(port).closed()
    first[0]?.socket.destroy()
    await waitFor(async () => {
      const next = open(port)
      next.socket.write(get("/api/health"))
      await waitFor(() => expect(next.state.closed || next.state.received !== "").toBe(true))
      expect(next.state.received).toContain("200 OK")
    })
    expect(first[1]?.state.closed).toBe(false)
  })
})

describe("closing", () => {
  it("lets a running request finish, takes no new connection, and ends idle ones", async () => {
    const { app, listen } = await apiUnderTest()
    const running = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    app.get("/api/slow", async () => {
      running.resolve()
      await finished.promise
      return { done: true }
    })
    const port = await listen()
    const idle = open(port)
    idle.socket.write(get("/api/health"))
    await waitFor(() => expect(idle.state.received).toContain("200 OK"))
    const busy = open(port)
    busy.socket.write(get("/api/slow"))
    await running.promise
    const closing = closeApi(app, 600_000)
    await idle.closed()
    const late = open(port)
    await late.closed()
    expect(late.state.received).toBe("")
    expect(busy.state.closed).toBe(false)
    finished.resolve()
    await closing
    await busy.closed()
    expect(busy.state.received).toContain('{"done":true}')
  })

  it("ends a connection whose last request was answered after the closing began", async () => {
    const asked = Promise.withResolvers<void>()
    const observed = Promise.withResolvers<void>()
    const demand: Demand = {
      observe: () => {
        asked.resolve()
        return Effect.promise(() => observed.promise).pipe(
          Effect.andThen(new DemandFailed({ reason: "unavailable", retryAfterSeconds: 5 })),
        )
      },
    }
    const { app, listen } = await apiUnderTest({ demand, limits: { keepAliveTimeoutMs: 600_000 } })
    const busy = open(await listen())
    busy.socket.write(get("/api/place?lat=1&lon=1"))
    await asked.promise
    const closing = closeApi(app, 600_000)
    observed.resolve()
    await closing
    await busy.closed()
    expect(busy.state.received).toContain('"warming":true')
  })

  it("does not wait longer than its deadline", async () => {
    const { app, listen } = await apiUnderTest()
    const running = Promise.withResolvers<void>()
    app.get("/api/for-ever", () => {
      running.resolve()
      return new Promise(() => undefined)
    })
    const busy = open(await listen())
    busy.socket.write(get("/api/for-ever"))
    await running.promise
    await closeApi(app, 100)
    await busy.closed()
  })
})
