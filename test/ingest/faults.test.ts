import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeHttpClient } from "../../infra/http/undici-client.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import { eventually } from "../support/eventually.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"
import type { Fault } from "../world/faults.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

/** The ingest role with its real HTTP client, against a real server that spoils its answers. */
let server: WorldServer
let memory: MemoryLog
let scope: Scope.Closeable

const HOST = "earthquake.usgs.gov"
const daily = { magnitude: "2.5", period: "day" }

const MONTH_MS = 30 * 86_400_000
/** A time in which each answer is new, so that no 304 avoids the fault. It begins in the past: events to come would be refused. */
const fastTime = (): (() => number) => {
  const begunMs = Date.now()
  return () => begunMs - MONTH_MS + (Date.now() - begunMs) * 600
}
let worldNow: () => number = Date.now

beforeEach(async () => {
  server = await startWorld({ seed: "ingest-faults", now: () => worldNow() })
  memory = makeMemoryLog()
  scope = Scope.makeUnsafe()
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await server.close()
  worldNow = Date.now
})

const start = () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const http = yield* makeHttpClient({
        upstreams: server.url,
        userAgent: "Tidewire/test",
        limits: { openMinMs: 200, openMaxMs: 200 },
      })
      return yield* startIngest({
        log: memory.log,
        http,
        sources: [{ ...usgs, instances: [daily] }],
        keys: () => null,
        everyMsMax: 200,
        timeoutMs: 500,
      })
    }).pipe(Effect.provideService(Scope.Scope, scope)),
  )

const pollEvents = () =>
  memory
    .events("observations")
    .filter(({ type }) => type.startsWith("feed."))
    .map(({ type, data }) => ({ type, data: data as Record<string, unknown> }))

/** Waits for the first new event that fulfils the condition. */
const next = (what: string, fulfils: (event: ReturnType<typeof pollEvents>[number]) => boolean) => {
  const before = pollEvents().length
  return eventually(what, () => pollEvents().slice(before).find(fulfils))
}

const succeeded = ({ type }: { readonly type: string }) => type === "feed.observed" || type === "feed.unchanged"

describe("a fault of the upstream is recorded with its own reason, and passes", () => {
  const faults: ReadonlyArray<readonly [Omit<Fault, "host">, string]> = [
    [{ kind: "latency", amount: 60_000 }, "timeout"],
    [{ kind: "server-error" }, "status"],
    [{ kind: "rate-limited", amount: 1 }, "rate_limited"],
    [{ kind: "cut-body" }, "unreachable"],
    [{ kind: "reset" }, "unreachable"],
    [{ kind: "wrong-type" }, "undecodable"],
    [{ kind: "not-json" }, "undecodable"],
    [{ kind: "huge-body" }, "too_large"],
    [{ kind: "redirect" }, "redirect"],
  ]
  it.each(faults)("%o is %s", async (fault, reason) => {
    worldNow = fastTime()
    await start()
    await next("a first success", succeeded)
    server.setFaults([{ host: HOST, ...fault }])
    const failed = await next(
      `a failure: ${reason}`,
      ({ type, data }) => type === "feed.failed" && data.reason === reason,
    )
    expect(failed.data).toMatchObject({ feed: "earthquakes", parameters: daily, provider: "USGS.earthquakes" })
    expect(String(failed.data.message)).not.toMatch(/https?:|127\.0\.0\.1|<|Just a moment/)
    server.setFaults([])
    await next("a success again", succeeded)
  })
})

describe("a fault that is none of transport or form", () => {
  it("a wrong content type is not looked at", async () => {
    server.setFaults([{ host: HOST, kind: "wrong-content-type" }])
    await start()
    await next("a success", succeeded)
  })
  it("hostile text never reaches the log as it is", async () => {
    server.setFaults([{ host: HOST, kind: "hostile-text" }])
    await start()
    await next("a success", succeeded)
    const text = memory.records("observations").map(({ value }) => new TextDecoder().decode(value ?? new Uint8Array()))
    expect(/\\u0000|\\u0007|\u202e|\u200b|\ufeff|A{1000}/.test(text.join(""))).toBe(false)
  })
  it("a document of nothing but structure is refused and put aside before it is whole", async () => {
    server.setFaults([{ host: HOST, kind: "deep-json" }])
    await start()
    const { data } = await next("a failure", ({ type }) => type === "feed.failed")
    expect(data.reason).toBe("undecodable")
    const [aside] = memory.events("quarantine").map((event) => event.data as Record<string, unknown>)
    expect(aside).toMatchObject({ document: "summary", problem: "nested deeper than 64" })
    // Of 15 MiB, the first pieces.
    expect(Number(aside?.bodyBytes)).toBeLessThan(1024 * 1024)
  })
  it("frozen content goes stale: its own time stands still", async () => {
    server.setFaults([{ host: HOST, kind: "past", amount: 2 }])
    await start()
    const { data } = await next("a success", succeeded)
    expect(Date.parse(String(data.freshUntil))).toBeLessThan(Date.now() - 86_400_000)
  })
  it("a list of events that have not happened yet is refused", async () => {
    server.setFaults([{ host: HOST, kind: "future", amount: 2 }])
    await start()
    const { data } = await next("a failure", ({ type }) => type === "feed.failed")
    expect(data.reason).toBe("undecodable")
  })
  it("an unmodified document is confirmed without its body", async () => {
    await start()
    await next("a first success", succeeded)
    await next("a confirmation", ({ type }) => type === "feed.unchanged")
  })
})
