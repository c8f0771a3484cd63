import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import Fastify from "fastify"
import { Registry, register } from "prom-client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { AccessLog, Traffic } from "../../api/http/traffic.ts"
import { buildApi, closeApi } from "../../api/server.ts"
import { ViewStore } from "../../api/views/store.ts"
import { demandRoutes, makeHttpObserve } from "../../infra/demand/http.ts"
import { observeBy } from "../../infra/demand/observe.ts"
import { makeDemand } from "../../infra/demand/views.ts"
import { makeHttpClient } from "../../infra/http/undici-client.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import type { Source } from "../../ingestors/source.ts"
import internetdb from "../../ingestors/sources/shodan-internetdb.ts"
import type { Demand } from "../../schemas/ports/demand.ts"
import { endpoints } from "../../schemas/registry.ts"
import { topicNames } from "../../schemas/topics.ts"
import { eventually } from "../support/eventually.ts"
import { makeMemoryLog } from "../support/memory-log.ts"
import { tracesOf } from "../support/traces.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

// The API and the ingest role as processes of their own have them: only the demand edge between them knows an address.

const SECRET = "the-secret-of-the-edge-in-this-test"
/** A host that is polled on schedule: proof that the search works. */
const TARGET = "208.67.222.222"
const HOST = "internetdb.shodan.io"

describe("scans with the roles apart", () => {
  const memory = makeMemoryLog()
  const registry = new Registry()
  const admin = Fastify()
  const lines: Array<string> = []
  const posted: Array<string> = []
  let world: WorldServer
  let scope: Scope.Closeable
  let demand: Demand
  let api: Awaited<ReturnType<typeof buildApi>>
  const accessLog = new AccessLog((text) => lines.push(text))

  beforeAll(async () => {
    world = await startWorld({ seed: "apart" })
    scope = Scope.makeUnsafe()
    const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
      Effect.runPromise(
        Scope.provide(effect, scope).pipe(
          Effect.provide(
            Logger.layer([Logger.make(({ message, cause }) => void lines.push(`${message} ${JSON.stringify(cause)}`))]),
          ),
          Effect.provideService(References.MinimumLogLevel, "Trace"),
        ),
      )
    const ingest = await run(
      Effect.gen(function* () {
        const http = yield* makeHttpClient({ upstreams: world.url, userAgent: "Tidewire/test" })
        const sources = [internetdb as unknown as Source]
        return yield* startIngest({ log: memory.log, http, sources, keys: () => null, everyMsMax: 1_000 })
      }),
    )
    admin.addHook("preHandler", async ({ body, url }) => void posted.push(`${url} ${String(body)}`))
    await admin.register(demandRoutes(() => observeBy(ingest), [SECRET]))
    const url = await admin.listen({ host: "127.0.0.1", port: 0 })
    demand = makeDemand(await run(makeHttpObserve({ urls: [url], secret: SECRET })))
    api = await buildApi({
      endpoints,
      store: new ViewStore({ endpoints, nowMs: Date.now }),
      demand,
      traffic: new Traffic(),
      registry,
      billing: null,
      version: "1.2.3",
      startedAtMs: Date.now(),
      nowMs: Date.now,
      trustedProxies: [],
      baseUrl: null,
      attribution: new Map(),
      logger: { error: (fields, message) => lines.push(JSON.stringify([fields, message])) },
      accessLog,
    })
  })
  afterAll(async () => {
    accessLog.close()
    await closeApi(api, 1_000)
    await admin.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await world.close()
  })

  const scan = async (ip: string) => (await api.inject({ url: `/api/exposure-scan?ip=${ip}` })).json()
  /** The spellings of an address in everything that either process stores or shows. */
  const traces = async (ip: string) => {
    accessLog.flush()
    const records = topicNames.flatMap((topic) =>
      memory.records(topic).flatMap(({ key, value }) => [Buffer.from(`\n${key}\n`), value ?? Buffer.alloc(0)]),
    )
    const shown = [...lines, await register.metrics(), await registry.metrics()].join("\n")
    return tracesOf(ip, Buffer.concat([...records, Buffer.from(shown)]))
  }

  it("answers, and the address stands in the body of one signed request between them alone", async () => {
    const ip = "93.184.215.14"
    await eventually("a reply", async () => ((await scan(ip)).data === null ? undefined : true))
    expect(await scan(ip)).toMatchObject({ data: { mode: "single", result: { ip } } })
    expect(posted).toEqual([`/internal/demand {"feed":"exposure-scan","parameters":{"ip":"${ip}"}}`])
    expect(await traces(ip)).toEqual([])
    // Proof that the search works: a target that is polled on schedule is in the log.
    await eventually("a target is logged", async () => ((await traces(TARGET)).includes(TARGET) ? true : undefined))
  })

  it("leaves no trace where the upstream fails or is hostile, though the targets' answers are put aside", async () => {
    const kinds = ["wrong-type", "not-json", "cut-body", "server-error", "hostile-text", "redirect", "reset"] as const
    const ips = kinds.map((_, at) => `93.184.216.${100 + at}`)
    for (const [at, kind] of kinds.entries()) {
      // Counted first: what is put aside once is not put aside again while it stays the same.
      const before = memory.records("quarantine").length
      world.setFaults([{ host: HOST, kind }])
      expect((await api.inject({ url: `/api/exposure-scan?ip=${ips[at]}` })).statusCode).toBe(200)
      if (kind === "wrong-type" || kind === "not-json")
        await eventually(
          `an answer that is ${kind} is put aside`,
          () =>
            memory
              .records("quarantine")
              .slice(before)
              .some(({ key }) => key.includes(TARGET)) || undefined,
        )
    }
    world.setFaults([])
    for (const ip of ips) expect([ip, await traces(ip)]).toEqual([ip, []])
    expect(
      tracesOf(
        TARGET,
        Buffer.from(
          memory
            .records("quarantine")
            .map(({ key }) => key)
            .join(" "),
        ),
      ),
    ).not.toEqual([])
  })

  it("never asks for what stands ready, and refuses to fetch it", async () => {
    const before = posted.length
    expect((await api.inject({ url: "/api/exposure-scan" })).json()).toMatchObject({ data: null })
    expect(posted.length).toBe(before)
    const refused = await Effect.runPromise(Effect.flip(demand.observe("/api/exposure-scan", {})))
    expect(refused.reason).toBe("unavailable")
  })

  it("refuses a private address before anything is asked, without repeating it", async () => {
    const before = posted.length
    const reply = await api.inject({ url: "/api/exposure-scan?ip=10.99.88.77" })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: "invalid_or_private_ip", parameter: "ip" })
    expect(reply.body).not.toContain("10.99.88.77")
    expect(posted.length).toBe(before)
    expect(await traces("10.99.88.77")).toEqual([])
  })
})
