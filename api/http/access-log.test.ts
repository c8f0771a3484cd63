import { describe, expect, it } from "vitest"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { AccessLog } from "./traffic.ts"

describe("the access log", () => {
  it("writes a line for each request, without personal data", async () => {
    const written: Array<string> = []
    const accessLog = new AccessLog(
      (lines) => written.push(lines),
      () => START_MS,
    )
    const { app } = await apiUnderTest({ accessLog, trustedProxies: ["127.0.0.1"] })
    const headers = { "user-agent": "curl/8 (me@example.org)", "x-forwarded-for": "192.0.2.77" }
    await app.inject({ url: "/api/things?token=abc", headers })
    await app.inject({ url: "/api/%22nobody%22", headers })
    accessLog.close()
    const lines = written
      .join("")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      {
        level: "info",
        time: "2026-08-17T20:35:00.000Z",
        endpoint: "things",
        method: "GET",
        status: 200,
        client: "library",
      },
      { endpoint: "unknown", status: 404 },
    ])
    expect(written.join("")).not.toMatch(/192\.0|curl|example|token|abc|nobody/)
  })

  it("drops lines beyond its buffer, and writes how many", () => {
    const written: Array<string> = []
    const log = new AccessLog(
      (lines) => written.push(lines),
      () => START_MS,
    )
    const line = {
      endpoint: "things",
      method: "GET",
      status: 200,
      bytes: 1,
      coding: "br",
      durationMs: 0.1,
      client: "none",
      request: "0123abcd-1",
    }
    for (let at = 0; at < 20_000; at++) log.add(line)
    log.close()
    const lines = written.join("").trim().split("\n")
    expect(lines.length).toBeLessThan(20_000)
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      msg: "access lines dropped",
      dropped: 20_000 - (lines.length - 1),
    })
  })
})
