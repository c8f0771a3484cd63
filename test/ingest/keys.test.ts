import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { it as virtual } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { register } from "prom-client"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeHttpClient } from "../../infra/http/undici-client.ts"
import { UpstreamError } from "../../ingestors/document.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import type { Source } from "../../ingestors/source.ts"
import { eventually } from "../support/eventually.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"
import { lastPollEvent, type PollEventData, pollEvents, scene } from "./scene.ts"
import { httpFailure, keyOf, thingSource } from "./scripted.ts"

/** The ingest role with its real HTTP client, against a provider that requires a key and one that does not. */
const KEY = "k3y/+with=signs&0123456789"

let servers: ReadonlyArray<Server>
let baseUrls: ReadonlyMap<string, string>
let answers: { alpha: RequestListener; beta: RequestListener }
let requests: { alpha: Array<IncomingMessage>; beta: Array<IncomingMessage> }
let memory: MemoryLog
let lines: Array<string>
let scope: Scope.Closeable

const well: RequestListener = (_, response) => response.end(JSON.stringify({ value: 1 }))

beforeEach(async () => {
  answers = { alpha: well, beta: well }
  requests = { alpha: [], beta: [] }
  const names = ["alpha", "beta"] as const
  servers = names.map((name) =>
    createServer((request, response) => {
      requests[name].push(request)
      answers[name](request, response)
    }),
  )
  await Promise.all(
    servers.map((server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))),
  )
  baseUrls = new Map(
    servers.map((server, index) => [
      `${names[index]}.example`,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ]),
  )
  memory = makeMemoryLog()
  lines = []
  scope = Scope.makeUnsafe()
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const server of servers) server.closeAllConnections()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
})

const everyLine = Logger.layer([
  Logger.make(({ message, cause }) => {
    lines.push(JSON.stringify([message, String(cause)]))
  }),
])

const start = (sources: ReadonlyArray<Source>, keys: Readonly<Record<string, string>> = { ALPHA_KEY: KEY }) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const http = yield* makeHttpClient({ upstreams: null, baseUrls, userAgent: "Tidewire/test" })
      return yield* startIngest({
        log: memory.log,
        http,
        sources,
        keys: (name) => keys[name] ?? null,
        everyMsMax: 100,
        timeoutMs: 2_000,
      })
    }).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provide(everyLine),
      Effect.provideService(References.MinimumLogLevel, "Trace"),
    ),
  )

const alpha = (rest: Parameters<typeof thingSource>[1] = {}) =>
  thingSource("alpha", { access: keyOf("ALPHA_KEY"), ...rest })
const events = () => pollEvents(memory).map(({ type, data }) => ({ type, data: data as Record<string, unknown> }))
const failures = (reason: string) =>
  events().filter(({ type, data }) => type === "feed.failed" && data.reason === reason)

describe("the key of a provider", () => {
  it("goes with the request, in its query or a header", async () => {
    await start([alpha()])
    const request = await eventually("a request", () => requests.alpha[0])
    expect(new URL(request.url ?? "", "http://x").searchParams.get("key")).toBe(KEY)
    expect(request.headers["x-key"]).toBe(KEY)
  })

  const quoting: ReadonlyArray<readonly [string, RequestListener, string]> = [
    ["a value", (_, response) => response.end(JSON.stringify({ value: `wrong for ${KEY}` })), "undecodable"],
    ["no JSON at all", (_, response) => response.end(`${KEY} is not welcome here`), "undecodable"],
    ["escaped", (_, response) => response.end(`{"value":"?key=${encodeURIComponent(KEY)}"}`), "undecodable"],
    ["wide letters", (_, response) => response.end(Buffer.from(KEY, "utf16le")), "undecodable"],
    ["an error page", (_, response) => response.writeHead(500).end(KEY), "status"],
    ["a redirect", (_, response) => response.writeHead(302, { location: `http://${KEY}/` }).end(), "redirect"],
    ["a refusal", (_, response) => response.writeHead(401).end(KEY), "key_refused"],
  ]
  it.each(quoting)(
    "is in no record, log line or metric, though the upstream quotes it: %s",
    async (_, answer, reason) => {
      answers.alpha = answer
      await start([alpha()])
      await eventually(`a failure: ${reason}`, () => failures(reason)[0])
      const records = memory.commits
        .flat()
        .map(({ key, value }) => `${key} ${new TextDecoder().decode(value ?? new Uint8Array())}`)
      const everything = [...records, ...lines, await register.metrics()].join("\n")
      for (const form of [KEY, encodeURIComponent(KEY), KEY.slice(0, 12), [...KEY].join("\uFFFD")])
        expect(everything).not.toContain(form)
      if (reason === "undecodable") expect(memory.events("quarantine").length).toBeGreaterThan(0)
    },
  )

  it("is in no payload and no checkpoint, where the upstream repeats it in both", async () => {
    answers.alpha = (_, response) =>
      response.setHeader("etag", `"${KEY}"`).end(JSON.stringify({ value: 7, at: 0, more: KEY }))
    await start([alpha()])
    await eventually("a success", () => events().find(({ type }) => type === "feed.unchanged"))
    expect(requests.alpha.at(-1)?.headers["if-none-match"]).toBeUndefined()
    const records = memory.commits.flat().map(({ value }) => new TextDecoder().decode(value ?? new Uint8Array()))
    expect(records.join("\n")).not.toContain(KEY)
  })

  it.each([401, 403])(
    "that is refused with %i fails the poll with a reason of its own, and names the setting",
    async (status) => {
      answers.alpha = (_, response) => response.writeHead(status).end()
      await start([alpha()])
      const { data } = await eventually("a failure", () => failures("key_refused")[0])
      expect(data.message).toBe("the upstream refuses the key in ALPHA_KEY")
      expect(requests.alpha).toHaveLength(1)
    },
  )

  it("that is refused leaves the feed to the source that stands in", async () => {
    answers.alpha = (_, response) => response.writeHead(403).end()
    await start([alpha(), thingSource("beta", { rank: 2 })])
    await eventually("three polls by the other", () => (requests.beta.length >= 3 ? true : undefined))
    expect(requests.alpha).toHaveLength(1)
    expect(events().every(({ type, data }) => type !== "feed.failed" && data.standsInFor === "alpha.things")).toBe(true)
  })

  it("a refusal without a key given is the upstream's own", async () => {
    answers.beta = (_, response) => response.writeHead(403).end()
    await start([thingSource("beta")])
    await eventually("a failure", () => failures("status")[0])
    expect(failures("key_refused")).toEqual([])
  })

  it("that is optional and absent leaves the source polled, without it", async () => {
    await start([thingSource("alpha", { access: keyOf("ALPHA_KEY", true) })], {})
    const request = await eventually("a request", () => requests.alpha[0])
    expect(request.url).toBe("/things")
    expect(request.headers["x-key"]).toBeUndefined()
  })

  it("that is required and absent leaves the source resting, and names the setting", async () => {
    await start([alpha(), thingSource("beta", { instances: [{ b: "1" }] })], {})
    await eventually("a poll of the other", () => requests.beta[0])
    expect(requests.alpha).toEqual([])
    expect(memory.events("observations")[0]?.data).toMatchObject({
      feeds: [
        { provider: "alpha.things", rests: "not_configured" },
        { provider: "beta.things", rests: null },
      ],
    })
    expect(lines.join("\n")).toContain("not_configured, see ALPHA_KEY: alpha")
  })
})

describe("a key that was refused", () => {
  virtual.effect("is not used for an hour by any source of its provider, and then tried again", () =>
    Effect.gen(function* () {
      const access = keyOf("SHARED_KEY")
      const sources = [
        thingSource("alpha", { access, instances: [{ i: "1" }] }),
        thingSource("gamma", { access, instances: [{ i: "2" }] }),
      ]
      const { memory, scripted, options } = yield* scene({ sources, keys: () => KEY })
      scripted.answer(() => httpFailure("status", { status: 401 }))
      yield* startIngest(options)
      yield* TestClock.adjust("59 minutes")
      expect(scripted.requests.length).toBe(1)
      expect(pollEvents(memory).length).toBeGreaterThan(4)
      expect(pollEvents(memory).every(({ data }) => (data as PollEventData).reason === "key_refused")).toBe(true)
      yield* TestClock.adjust("20 minutes")
      expect(scripted.requests.length).toBe(2)
      scripted.answer(() => ({ json: { value: 1 } }))
      yield* TestClock.adjust("90 minutes")
      expect(
        pollEvents(memory)
          .slice(-2)
          .map(({ type }) => type),
      ).toEqual(["feed.unchanged", "feed.unchanged"])
    }),
  )

  virtual.effect("is known by the upstream's own words too", () =>
    Effect.gen(function* () {
      const plain = thingSource("alpha", { access: keyOf("ALPHA_KEY") })
      const source: Source = {
        ...plain,
        collect: () => Effect.fail(new UpstreamError({ message: "unknown_auth_key", reason: "key_refused" })),
      }
      const { memory, options } = yield* scene({ sources: [source], keys: () => KEY })
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      expect((lastPollEvent(memory).data as PollEventData).reason).toBe("key_refused")
    }),
  )
})
