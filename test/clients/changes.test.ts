import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as client from "../../.clients/typescript/index.js"
import { cursorText } from "../../schemas/change.ts"
import { eventually } from "../support/eventually.ts"
import { type Driver, pythonDriver, pythonMissing, typescriptDriver } from "./drivers.ts"
import { packages } from "./make-packages.ts"
import { hangUp, json, problem, type ScriptStep, scriptedService } from "./scripted-service.ts"

// How both clients read changes: over streams that are cut, silent, held back or refused.

const python = pythonMissing()
if (python !== undefined) process.stdout.write(`skipped: the client of Python: ${python}\n`)
const drivers: ReadonlyArray<Driver> = [
  typescriptDriver(client),
  ...(python === undefined ? [pythonDriver(join(packages, "python"))] : []),
]

const at = (ordinal: number): string => cursorText({ log: "k7f2qdxa", ordinal })
/** A change, with a letter of two bytes that a cut may part. */
const changeOf = (ordinal: number) => ({ cursor: at(ordinal), type: "appeared", key: `é${ordinal}` })
const eventOf = (ordinal: number): string =>
  `event: change\nid: ${at(ordinal)}\ndata: ${JSON.stringify(changeOf(ordinal))}\n\n`
const heartbeat = (ordinal: number): string => `id: ${at(ordinal)}\n\n`
const afterOf = ({ req }: ServerResponse): string =>
  new URL(req.url ?? "", "http://localhost").searchParams.get("after") ?? ""
/** How a stream begins: with the place it begins at, and a pause as short as the client allows. */
const beginningOf = (response: ServerResponse): string => `retry: 1\nid: ${afterOf(response)}\n\n`

const streamHead = { "content-type": "text/event-stream; charset=utf-8", connection: "close" }
/** Sends these events, and leaves the stream open. */
const streamOf =
  (...texts: ReadonlyArray<string>): ScriptStep =>
  (response) => {
    response.writeHead(200, streamHead).write(beginningOf(response) + texts.join(""))
  }
/** Sends these events, and ends the stream. */
const endedStreamOf =
  (...texts: ReadonlyArray<string>): ScriptStep =>
  (response) => {
    response.writeHead(200, streamHead).end(beginningOf(response) + texts.join(""))
  }
/** Opens a stream of which nothing arrives, as behind a proxy that holds it back. */
const heldBack: ScriptStep = (response) => response.writeHead(200, streamHead).flushHeaders()
const page = (ordinals: ReadonlyArray<number>, next: number, isUpToDate = true): ScriptStep =>
  json(200, { changes: ordinals.map(changeOf), next: at(next), up_to_date: isUpToDate })

describe.each(drivers)("changes with the client of $language", ({ changes }) => {
  const read = async (asked: Parameters<Driver["changes"]>[0][number]) => {
    const [outcome] = await changes([asked])
    if (outcome === undefined) throw new Error("the driver gave no outcome")
    return outcome
  }

  it("come in order with their cursors, chosen by the parameters, until the caller leaves the loop", async () => {
    const closed: Array<string> = []
    const { baseUrl, requests } = await scriptedService((response) => {
      response.once("close", () => closed.push("by the client"))
      streamOf(eventOf(5), eventOf(6), eventOf(7))(response)
    })
    const parameters = { after: at(4), feeds: ["earthquakes", "weather"], types: ["appeared"], min_magnitude: 4.5 }
    const outcome = await read({ baseUrl, parameters, changesMax: 2 })
    expect(outcome).toEqual({ changes: [changeOf(5), changeOf(6)], cursors: [], ends: [], error: null })
    const [{ path = "", headers } = {}] = requests
    expect(headers?.accept).toBe("text/event-stream")
    const { pathname, searchParams } = new URL(path, baseUrl)
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      "/api/stream",
      { after: at(4), feeds: "earthquakes,weather", types: "appeared", min_magnitude: "4.5" },
    ])
    await eventually("the connection is closed", () => closed.length === 1)
  })

  it.each(["\n", "\r\n"])(
    "none is lost and none comes twice, wherever a connection is cut (lines end with %j)",
    async (end) => {
      const ordinals = [1, 2, 3]
      const streamFor = (response: ServerResponse): Buffer => {
        const events = ordinals.filter((ordinal) => at(ordinal) > afterOf(response)).map(eventOf)
        return Buffer.from((beginningOf(response) + events.join("")).replaceAll("\n", end))
      }
      const seen = new Map<string, number>()
      // The first part of the path says after how many bytes its first connection is cut.
      const { baseUrl } = await scriptedService((response) => {
        const [, cut = ""] = response.req.url?.split("/") ?? []
        const connections = (seen.get(cut) ?? 0) + 1
        seen.set(cut, connections)
        response.writeHead(200, streamHead)
        if (connections > 1) response.write(streamFor(response))
        else response.write(streamFor(response).subarray(0, Number(cut)), () => response.socket?.destroy())
      })
      const bytes = ordinals.map(eventOf).join("").replaceAll("\n", end)
      const cuts = Array.from({ length: Buffer.byteLength(bytes) + 60 }, (_, cut) => cut)
      const outcomes = await changes(
        cuts.map((cut) => ({
          baseUrl: `${baseUrl}/${cut}`,
          parameters: { after: at(0) },
          changesMax: ordinals.length,
        })),
      )
      const expected = ordinals.map(changeOf)
      for (const [cut, { changes: got, error }] of outcomes.entries())
        expect({ got, error }, `cut after ${cut} bytes`).toEqual({ got: expected, error: null })
      // Where all of it came before the cut, there is no second connection; where less came, there is.
      expect(new Set(seen.values())).toEqual(new Set([1, 2]))
    },
  )

  it("begin with a cursor of now, so that the first connection may break", async () => {
    const { baseUrl, requests } = await scriptedService(page([], 8), hangUp, streamOf(eventOf(9)))
    const outcome = await read({ baseUrl, parameters: { feeds: ["earthquakes"] }, changesMax: 1 })
    expect(outcome).toMatchObject({ changes: [changeOf(9)], ends: [{ cause: "NoReplyError" }] })
    const stream = `/api/stream?feeds=earthquakes&after=${at(8)}`
    expect(requests.map(({ path }) => path.split("?")[0])).toEqual(["/api/changes", "/api/stream", "/api/stream"])
    expect(requests.map(({ path }) => Object.fromEntries(new URL(path, baseUrl).searchParams))).toEqual([
      { feeds: "earthquakes", limit: "1", after: "now" },
      ...[stream, stream].map(() => ({ feeds: "earthquakes", after: at(8) })),
    ])
    const first = json(200, { changes: [], next: null, up_to_date: true })
    const empty = await scriptedService(first, streamOf(eventOf(1)))
    expect((await read({ ...empty, changesMax: 1 })).changes).toEqual([changeOf(1)])
    expect(empty.requests[1]?.path).toBe("/api/stream?after=start")
  })

  it("go on from the cursor of a heartbeat, which the caller sees", async () => {
    const { baseUrl, requests } = await scriptedService(
      endedStreamOf(eventOf(2), heartbeat(5), heartbeat(9)),
      streamOf(eventOf(12), heartbeat(13)),
    )
    const outcome = await read({ baseUrl, parameters: { after: at(1) }, cursorsMax: 3 })
    expect(outcome).toMatchObject({
      changes: [changeOf(2), changeOf(12)],
      cursors: [at(5), at(9), at(13)],
      ends: [{ cause: null }],
      error: null,
    })
    expect(requests.map(({ path }) => path)).toEqual([`/api/stream?after=${at(1)}`, `/api/stream?after=${at(9)}`])
  })

  it("wait after a refusal as the service says, and go on", async () => {
    const { baseUrl, requests } = await scriptedService(
      endedStreamOf(heartbeat(4)),
      problem(429, "too_many_streams", { "retry-after": "1" }),
      problem(503, "changes_unavailable", { "retry-after": "0" }),
      problem(408, "request_timeout"),
      (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<p>"),
      streamOf(eventOf(5)),
    )
    const { changes: got, ends } = await read({ baseUrl, parameters: { after: at(4) }, changesMax: 1 })
    expect(got).toEqual([changeOf(5)])
    expect(requests).toHaveLength(6)
    const causes = [null, "ProblemError", "ProblemError", "ProblemError", "UnreadableReplyError"]
    expect(ends.map(({ cause }) => cause)).toEqual(causes)
    expect(ends[1]?.pauseMs).toBeGreaterThanOrEqual(1_000)
    expect(ends[2]?.pauseMs).toBeLessThanOrEqual(200)
  })

  it("pause longer with each failure in a row, each time by chance, and give up where the caller says when", async () => {
    const { baseUrl, requests } = await scriptedService(endedStreamOf(heartbeat(4)), hangUp)
    const { ends, error } = await read({ baseUrl, parameters: { after: at(4) }, failuresMax: 3 })
    expect(error).toMatchObject({ type: "NoReplyError" })
    expect(requests).toHaveLength(5)
    expect(ends.map(({ cause }) => cause)).toEqual([null, "NoReplyError", "NoReplyError", "NoReplyError"])
    for (const [nth, longestMs] of [100, 100, 200, 400].entries()) {
      expect(ends[nth]?.pauseMs, String(nth)).toBeGreaterThanOrEqual(longestMs / 2)
      expect(ends[nth]?.pauseMs, String(nth)).toBeLessThanOrEqual(longestMs)
    }
  })

  it("count failures anew after a connection that brought something", async () => {
    const { baseUrl } = await scriptedService(
      endedStreamOf(heartbeat(4)),
      hangUp,
      endedStreamOf(eventOf(5)),
      hangUp,
      streamOf(eventOf(6)),
    )
    const outcome = await read({ baseUrl, parameters: { after: at(4) }, failuresMax: 1, changesMax: 2 })
    expect(outcome).toMatchObject({ changes: [changeOf(5), changeOf(6)], error: null })
  })

  it.each<readonly [string, ScriptStep, number]>([
    ["the stream asks for", endedStreamOf("retry: 999999999\n\n", heartbeat(4)), 60_000],
    ["Retry-After asks for", problem(503, "changes_unavailable", { "retry-after": "999999" }), 301_000],
  ])("pause no longer than makes sense, whatever %s, and stop in a pause", async (_, step, longestMs) => {
    const { baseUrl, requests } = await scriptedService(step)
    const { ends, error } = await read({ baseUrl, parameters: { after: at(4) }, connectionsMax: 1 })
    expect(error).toBeNull()
    expect(requests).toHaveLength(1)
    expect(ends[0]?.pauseMs).toBeGreaterThan(longestMs / 4)
    expect(ends[0]?.pauseMs).toBeLessThanOrEqual(longestMs)
  })

  it("count a stream that ends at its beginning as a failure", async () => {
    const { baseUrl, requests } = await scriptedService(endedStreamOf())
    const { error } = await read({ baseUrl, parameters: { after: at(4) }, failuresMax: 1 })
    expect(error).toMatchObject({ type: "NoReplyError" })
    expect(requests).toHaveLength(2)
  })

  const refusalWith = (status: number, error: string, members: Readonly<Record<string, string>> = {}): ScriptStep =>
    json(status, { type: "about:blank", title: "Refused", status, error, message: "made so", ...members })
  it.each<readonly [string, ScriptStep, Readonly<Record<string, unknown>>]>([
    [
      "what follows its cursor is gone",
      refusalWith(410, "cursor_gone", { oldest: at(90), now: at(99) }),
      { type: "CursorError", error: "cursor_gone", cursor: at(4), oldest: at(90) },
    ],
    [
      "the stream has a gap",
      streamOf(`event: gap\nid: ${at(90)}\ndata: ${JSON.stringify({ from: at(4), to: at(90) })}\n\n`, eventOf(91)),
      { type: "CursorError", error: "cursor_gone", cursor: at(4), oldest: at(90) },
    ],
    [
      "its cursor is of another log",
      refusalWith(400, "other_log"),
      { type: "CursorError", error: "other_log", oldest: null },
    ],
    ["its cursor is of the future", refusalWith(400, "future_cursor"), { type: "CursorError", error: "future_cursor" }],
    ["its cursor is malformed", refusalWith(400, "invalid_cursor"), { type: "ProblemError", error: "invalid_cursor" }],
    ["a filter is unknown", refusalWith(400, "unknown_filter"), { type: "ProblemError", status: 400 }],
    [
      "the reply is a page of a proxy",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      { type: "UnreadableReplyError" },
    ],
    [
      "the reply is a redirect",
      (response) => void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
      { type: "UnreadableReplyError" },
    ],
    ["a change is not JSON", streamOf(`event: change\nid: ${at(5)}\ndata: {\n\n`), { type: "UnreadableReplyError" }],
    ["an event never ends", streamOf(`data: ${"x".repeat(2_000)}`), { type: "UnreadableReplyError" }],
  ])("end at once with a typed error where %s", async (_, step, expected) => {
    const { baseUrl, requests } = await scriptedService(step)
    const outcome = await read({ baseUrl, parameters: { after: at(4) }, bodyBytesMax: 1_000 })
    expect(outcome).toMatchObject({ changes: [], error: expected })
    expect(requests).toHaveLength(1)
  })

  it("come over another connection where one falls silent", async () => {
    const { baseUrl, requests } = await scriptedService(streamOf(eventOf(5)), streamOf(eventOf(6)))
    const { changes: got, ends } = await read({ baseUrl, parameters: { after: at(4) }, silenceMs: 500, changesMax: 2 })
    expect(got).toEqual([changeOf(5), changeOf(6)])
    expect(ends).toMatchObject([{ cause: "TimedOutError" }])
    expect(requests[1]?.path).toBe(`/api/stream?after=${at(5)}`)
  })

  it("come by pages that wait where a stream is held back, and by a stream again after a page failed", async () => {
    const nothing: ScriptStep = (response) => void response.writeHead(204, { "x-service-next-cursor": at(7) }).end()
    const { baseUrl, requests } = await scriptedService(
      heldBack,
      page([5, 6], 6),
      nothing,
      page([], 8, false),
      page([9], 9),
      hangUp,
      streamOf(eventOf(10)),
    )
    const outcome = await read({ baseUrl, parameters: { after: at(4) }, silenceMs: 2_000, changesMax: 4 })
    expect(outcome).toMatchObject({
      changes: [5, 6, 9, 10].map(changeOf),
      cursors: [at(7), at(8)],
      ends: [{ cause: "TimedOutError" }, { cause: "NoReplyError" }],
      error: null,
    })
    const asked = requests.map(({ path }) => new URL(path, baseUrl))
    expect(asked.map(({ pathname }) => pathname.slice("/api/".length))).toEqual([
      "stream",
      ...Array.from({ length: 5 }, () => "changes"),
      "stream",
    ])
    expect(asked.map(({ searchParams }) => searchParams.get("after"))).toEqual([4, 4, 6, 7, 8, 9, 9].map(at))
    expect(Object.fromEntries(asked[1]?.searchParams ?? [])).toEqual({ after: at(4), limit: "1000", wait: "1" })
  })

  it("stop while they wait, and close the connection", async () => {
    let isClosed = false
    const { baseUrl } = await scriptedService((response) => {
      response.once("close", () => {
        isClosed = true
      })
      streamOf(heartbeat(5))(response)
    })
    const outcome = await read({ baseUrl, parameters: { after: at(4) }, cursorsMax: 1 })
    expect(outcome).toEqual({ changes: [], cursors: [at(5)], ends: [], error: null })
    await eventually("the connection is closed", () => isClosed)
  })
})
