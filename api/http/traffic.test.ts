import { connect } from "node:net"
import { text } from "node:stream/consumers"
import type { InjectOptions } from "fastify"
import { describe, expect, it } from "vitest"
import { apiUnderTest, many, START_MS } from "../testing/api-under-test.ts"
import { AccessLog } from "./traffic.ts"

const OWN = /^[0-9a-f]{8}-[0-9a-z]+$/
const FOREIGN = "edge.7f3a-0001"

/** Sends raw bytes, and gives the headers of the reply. */
const rawHeaders = async (port: number, sent: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1", () => socket.end(sent))
  return (await text(socket)).split("\r\n\r\n")[0] ?? ""
}

describe("the id of a request", () => {
  it("is in the reply of every kind, another for each request, and scripts of other origins may read it", async () => {
    const { app, fill } = await apiUnderTest({ limits: { requestsPerDay: 8 } })
    fill("/api/things", many)
    const { etag } = (await app.inject({ url: "/api/things" })).headers
    const requests: ReadonlyArray<readonly [number, InjectOptions]> = [
      [200, { url: "/api/things" }],
      [200, { url: "/api/things", headers: { "accept-encoding": "br" } }],
      [200, { url: "/api/things", method: "HEAD" }],
      [304, { url: "/api/things", headers: { "if-none-match": String(etag) } }],
      [200, { url: "/api" }],
      [204, { url: "/api/things", method: "OPTIONS" }],
      [400, { url: "/api/place" }],
      [404, { url: "/api/nothing" }],
      [404, { url: "/nothing", headers: { accept: "text/html" } }],
      [405, { url: "/api/things", method: "DELETE" }],
      [400, { url: "/api/%zz" }],
      [200, { url: "/api/place?lat=1&lon=1" }],
    ]
    const ids: Array<unknown> = []
    for (const [status, request] of requests) {
      const { statusCode, headers } = await app.inject(request)
      expect([statusCode, request]).toEqual([status, request])
      expect(headers["x-request-id"]).toMatch(OWN)
      expect(String(headers["access-control-expose-headers"]).split(", ")).toContain("X-Request-Id")
      ids.push(headers["x-request-id"])
    }
    for (let left = 0; left < 8; left++) await app.inject({ url: "/api/things" })
    const { statusCode, headers } = await app.inject({ url: "/api/things" })
    expect(statusCode).toBe(429)
    expect(headers["x-request-id"]).toMatch(OWN)
    expect(new Set(ids).size).toBe(requests.length)
  })

  it("is in the reply to what is not a request", async () => {
    const port = await (await apiUnderTest()).listen()
    for (const sent of ["no HTTP\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"])
      expect(await rawHeaders(port, sent)).toMatch(/^X-Request-Id: [0-9a-f]{8}-[0-9a-z]+$/im)
  })

  it("is that of the log lines about the request", async () => {
    const written: Array<string> = []
    const accessLog = new AccessLog(
      (lines) => written.push(lines),
      () => START_MS,
    )
    const { app } = await apiUnderTest({ accessLog })
    const replies = [await app.inject({ url: "/api/things" }), await app.inject({ url: "/api/nothing" })]
    accessLog.close()
    const lines = written.join("").trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).request)).toEqual(replies.map(({ headers }) => headers["x-request-id"]))
  })

  it.each<readonly [string, ReadonlyArray<string>, string, boolean]>([
    ["of a trusted proxy", ["127.0.0.1"], FOREIGN, true],
    ["of any other client", [], FOREIGN, false],
    ["of a client that is not the proxy", ["192.0.2.1"], FOREIGN, false],
    ["of another form: short", ["127.0.0.1"], "a", false],
    ["of another form: long", ["127.0.0.1"], "a".repeat(65), false],
    ["of another form: text for the log", ["127.0.0.1"], '12345678","status":200', false],
    ["of another form: two", ["127.0.0.1"], `${FOREIGN}, ${FOREIGN}`, false],
  ])("is the one that was sent, %s", async (_, trustedProxies, sent, isTaken) => {
    const { app } = await apiUnderTest({ trustedProxies })
    const { headers } = await app.inject({ url: "/api/things", headers: { "x-request-id": sent } })
    expect(headers["x-request-id"] === sent).toBe(isTaken)
    if (!isTaken) expect(headers["x-request-id"]).toMatch(OWN)
  })
})
