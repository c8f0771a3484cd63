import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { AHEAD_MAX_MS } from "../../ingestors/instants.ts"
import { sources } from "../../ingestors/registry.ts"
import { views } from "../../processors/registry.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import type { Fault } from "../world/faults.ts"
import { simulatedUpstreams, startWorld, type WorldServer } from "../world/server.ts"

interface Meta {
  readonly as_of: string | null
  readonly stale_after: string | null
  readonly stale: boolean
  readonly warming?: boolean
  readonly sources: ReadonlyArray<{ readonly name: string; readonly status: string | null; readonly reason?: string }>
}

/** Every prepared reply that shows one source's data: the first instance of each view that reads its feed. */
const watched = sources
  .filter((source) => source.rank === 1)
  .flatMap((source) =>
    views
      .filter(
        (view) =>
          view.instances !== null && Object.values(view.reads).some(({ feed }) => feed.name === source.fills.name),
      )
      .slice(0, 1)
      .map((view) => {
        const parameters = view.instances?.[0] ?? {}
        const read = Object.values(view.reads).find(({ feed }) => feed.name === source.fills.name)
        const names = (read?.instances(parameters) ?? []).map((instance) => source.provider(instance))
        return { source: source.name, path: instanceKey(view.endpoint.path, parameters), names }
      }),
  )

const onDemand = "/api/weather?lat=48.85&lon=2.35"

/**
 * The world stands still, so good data does not change and can be compared; and it stands as far ahead as is believed, so
 * that what it holds does not become too old while the test lasts.
 */
const startedMs = Date.now() + AHEAD_MAX_MS - 60_000
let world: WorldServer
let service: Service
/**
 * The search index stands in for the site within one provider, with other stories. It never answers here, so that good
 * data is the same before and after a fault.
 */
const calm: ReadonlyArray<Fault> = [{ host: "hn.algolia.com", kind: "server-error" }]
/** What each path shows of the world while every first choice answers. */
let good: ReadonlyMap<string, string>
const directory = temporaryDirectory()

const reply = async (path: string) => {
  const body = await service.json(path)
  const { _meta, updated_at, generated_at, ...rest } = body
  // Latencies are measured, never the same twice.
  if (path === "/api/internet-pulse" && Array.isArray(rest.data))
    rest.data = rest.data.map((target) => ({ ...target, latency_ms: target.latency_ms >= 0 ? 1 : -1 }))
  // What is in force at the moment: the world's clock stands still, and the service's does not.
  if (path === "/api/space-weather" && rest.data) rest.data = { ...rest.data, active_alerts: null }
  if (path === "/api/tsunami")
    rest.data = (rest.data as { messages?: ReadonlyArray<object> } | null)?.messages?.map((one) => ({
      ...one,
      active: null,
    }))
  return { meta: _meta as Meta, data: JSON.stringify(rest.data === undefined ? rest : rest.data) }
}

const healthy = (path: string) =>
  eventually(`${path} is live`, async () => {
    const { meta, data } = await reply(path)
    if (meta.stale || meta.warming || meta.sources.some(({ status }) => status !== "live"))
      throw new Error(`${path}: ${JSON.stringify(meta)}`)
    return data
  })

/** Waits until everything is as it was before the fault. */
const healed = (path: string) =>
  eventually(`${path} is as before`, async () => {
    expect(await healthy(path)).toBe(good.get(path))
    return true
  })

beforeAll(async () => {
  world = await startWorld({ seed: "faults", now: () => startedMs })
  world.setFaults(calm)
  service = await startService({
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "2", LOG_LEVEL: "warn" },
  })
  await service.ready()
  good = new Map(await Promise.all(watched.map(async ({ path }) => [path, await healthy(path)] as const)))
})

afterEach(() => world.setFaults(calm))

afterAll(async () => {
  const code = await service?.end("SIGTERM")
  await world?.close()
  removeDirectory(directory)
  expect(code).toBe(0)
})

/** Faults after which nothing usable comes from an upstream: the last good data is served, and `_meta` says why. */
const breaking: ReadonlyArray<Fault["kind"]> = [
  "server-error",
  "rate-limited",
  "cut-body",
  "wrong-type",
  "huge-body",
  "redirect",
  "not-json",
  "reset",
  "latency",
]

/** Probes and pages: what a source does not read cannot break it. */
const unbroken: Readonly<Record<string, ReadonlyArray<Fault["kind"]>>> = {
  "internet-pulse": ["server-error", "rate-limited", "cut-body", "wrong-type", "huge-body", "redirect", "not-json"],
}

/**
 * A poll that a fault meets half-way may pass with what it has got until then (some stories, some probes): good data,
 * and not what it was before. Then it is tried again.
 */
const TRIES_MAX = 5

/** What a path shows when its sources say that they are in trouble. */
const shownInTrouble = ({ source, path, names }: (typeof watched)[number], kind: Fault["kind"]) =>
  eventually(`${source} says ${kind}`, async () => {
    const { meta, data } = await reply(path)
    const own = meta.sources.filter(({ name }) => names.includes(name))
    expect(own.length).toBeGreaterThan(0)
    for (const { status, reason } of own) {
      expect(["error", "stale"]).toContain(status)
      expect(reason).toBeTruthy()
    }
    return data
  })

describe("with a fault at every upstream", () => {
  it("watches every source that is polled on schedule", () => {
    const polled = sources.filter((source) => source.rank === 1 && source.onDemand === null).map(({ name }) => name)
    expect(watched.map(({ source }) => source).sort()).toEqual(polled.sort())
    expect(simulatedUpstreams.map(({ name }) => name).sort()).toEqual(sources.map(({ name }) => name).sort())
  })

  for (const kind of breaking)
    it(`${kind}: the last good data stays, with a true _meta, and heals`, async () => {
      const broken = watched.filter(({ source }) => !(unbroken[source] ?? []).includes(kind))
      for (let tries = 1; ; tries += 1) {
        world.setFaults([...calm, { host: "*", kind }])
        const shown = await Promise.all(broken.map((one) => shownInTrouble(one, kind)))
        world.setFaults(calm)
        await Promise.all(watched.map(({ path }) => healed(path)))
        const kept = broken.map(({ path }) => good.get(path))
        if (tries < TRIES_MAX && shown.some((data, at) => data !== kept[at])) continue
        expect(shown).toEqual(kept)
        return
      }
    })

  it("wrong-content-type: the content is read for what it is", async () => {
    world.setFaults([{ host: "*", kind: "wrong-content-type" }])
    await Promise.all(watched.map(({ path }) => healthy(path)))
    world.setFaults(calm)
  })

  it("future and past timestamps: no reply claims to be newer than now, and old content counts as stale", async () => {
    world.setFaults([{ host: "*", kind: "future", amount: 2 }])
    await Promise.all(
      watched.map(async ({ path }) => {
        const { meta } = await reply(path)
        expect(Date.parse(meta.as_of ?? "")).toBeLessThanOrEqual(Date.now())
      }),
    )
    world.setFaults([{ host: "earthquake.usgs.gov", kind: "past", amount: 2 }])
    await eventually("old earthquakes are stale", async () => (await reply("/api/earthquake")).meta.stale)
    world.setFaults(calm)
    await Promise.all(watched.map(({ path }) => healthy(path)))
  })

  it("hostile text: nothing of it reaches a caller", async () => {
    world.setFaults([{ host: "*", kind: "hostile-text" }])
    await eventually("a story carries the text, cleaned", async () => {
      const { data, meta } = await reply("/api/tech-news")
      if (!/DROP TABLE/.test(data)) throw new Error(JSON.stringify(meta))
      return true
    })
    const bodies = await Promise.all(watched.map(async ({ path }) => (await service.get(path)).text()))
    for (const body of bodies) {
      expect(body).not.toMatch(/\\u0000|\\u0007|\u202e|\u200b|\ufeff/)
      expect(body).not.toMatch(/A{4000}/)
    }
    world.setFaults(calm)
    await Promise.all(watched.map(({ path }) => healthy(path)))
  })

  it("on demand: an upstream that fails gives a warming reply with Retry-After, then the answer", async () => {
    world.setFaults([{ host: "*", kind: "server-error" }])
    const warming = await service.get(onDemand)
    expect(warming.status).toBe(200)
    expect(warming.headers.get("retry-after")).toMatch(/^\d+$/)
    expect(warming.headers.get("cache-control")).toBe("no-store")
    expect(await warming.json()).toMatchObject({ data: null, _meta: { warming: true, stale: true } })
    world.setFaults(calm)
    await eventually("the weather is there", async () => {
      const body = await service.json(onDemand)
      return body.data !== null
    })
  })

  it("has logged no flood", () => {
    const lines = service.output().split("\n").length
    expect(lines).toBeLessThan(5_000)
  })
})
