import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeEventReader } from "../schemas/event.ts"
import { usageCounted } from "../schemas/events/usage.ts"
import { type LogRecord, LogUnavailable } from "../schemas/ports/event-log.ts"
import { clientKindOf } from "./http/client.ts"
import { Traffic } from "./http/traffic.ts"
import { makeUsageReport, reportUsage } from "./usage.ts"

const { decodeEvent } = makeEventReader([usageCounted] as never)

const setUp = () => {
  const traffic = new Traffic()
  const written: Array<unknown> = []
  const log = { broken: false }
  let nowMs = 0
  const report = makeUsageReport({
    traffic,
    instance: "instance-1",
    nowMs: () => nowMs,
    log: {
      append: (records: ReadonlyArray<LogRecord>) =>
        Effect.suspend(() => {
          for (const { topic, key, value } of records) {
            expect([topic, key]).toEqual(["usage", "instance-1"])
            const event = decodeEvent(value ?? new Uint8Array())
            if (event._tag === "Failure") throw event.failure
            written.push(event.success.data)
          }
          // As when the answer is lost: the record may be in the log nevertheless.
          return log.broken ? Effect.fail(new LogUnavailable({ problem: "lost", cause: null })) : Effect.void
        }),
    },
  })
  const run = (atMs: number) => {
    nowMs = atMs
    return Effect.runPromise(report)
  }
  const request = (endpoint: string, status = 200) =>
    traffic.meter(endpoint).add({ status, bytes: 100, durationMs: 1, client: clientKindOf("curl/8") })
  return { run, request, written, log }
}

const count = (endpoint: string, requests: number, refused = 0) => ({
  endpoint,
  client: "library",
  agent: null,
  requests,
  refused,
  bytes: requests * 100,
})

describe("usage", () => {
  it("is one event a minute, numbered, and none without requests", async () => {
    const { run, request, written } = setUp()
    request("things")
    request("things", 404)
    request("place")
    await run(60_000)
    await run(120_000)
    request("things")
    await run(180_000)
    expect(written).toEqual([
      {
        instance: "instance-1",
        sequence: 0,
        from: "1970-01-01T00:00:00.000Z",
        to: "1970-01-01T00:01:00.000Z",
        counts: [count("things", 2, 1), count("place", 1)],
      },
      {
        instance: "instance-1",
        sequence: 1,
        from: "1970-01-01T00:02:00.000Z",
        to: "1970-01-01T00:03:00.000Z",
        counts: [count("things", 1)],
      },
    ])
  })

  it("repeats the same batch under the same number until it is written, and loses nothing meanwhile", async () => {
    const { run, request, written, log } = setUp()
    log.broken = true
    request("things")
    await run(60_000)
    request("things")
    await run(120_000)
    log.broken = false
    await run(180_000)
    await run(240_000)
    expect(written.slice(0, 3)).toEqual([written[0], written[0], written[0]])
    expect(written[3]).toMatchObject({ sequence: 1, counts: [count("things", 1)] })
    expect(written).toHaveLength(4)
  })
})

it("is given up at the end of a process where the log does not answer", async () => {
  const traffic = new Traffic()
  let asked = 0
  const append = () =>
    Effect.andThen(
      Effect.sync(() => void asked++),
      Effect.never,
    )
  const reporting = reportUsage({ log: { append }, traffic, instance: "instance-1", nowMs: () => 0 })
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.forkScoped(reporting)
        yield* Effect.yieldNow
        traffic.meter("things").add({ status: 200, bytes: 1, durationMs: 1, client: clientKindOf("curl/8") })
      }),
    ),
  )
  expect(asked).toBe(1)
})

describe("kinds of clients", () => {
  it.each([
    [undefined, "none"],
    ["", "none"],
    ["curl/8.5.0", "library"],
    ["python-requests/2.32", "library"],
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36", "browser"],
    [
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
      "ai_agent",
    ],
    ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "crawler"],
    ["UptimeRobot/2.0", "monitor"],
    ["something of one's own", "other"],
    ["x".repeat(100_000), "other"],
  ])("%s is %s", (userAgent, client) => {
    expect(clientKindOf(userAgent).client).toBe(client)
    expect(clientKindOf(userAgent).client).toBe(client)
  })
})
