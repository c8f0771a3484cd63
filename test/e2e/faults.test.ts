import type * as Schema from "effect/Schema"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { AHEAD_MAX_MS } from "../../ingestors/readers/instants.ts"
import { sources } from "../../ingestors/registry.ts"
import { views } from "../../processors/registry.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { onDemandPath } from "../support/some-feed.ts"
import { steady } from "../support/steady.ts"
import type { Fault } from "../world/faults.ts"
import { simulatedUpstreams, startWorld, type WorldServer } from "../world/server.ts"

const DAY_MS = 86_400_000

interface Meta {
  readonly as_of: string | null
  readonly stale_after: string | null
  readonly stale: boolean
  readonly warming?: boolean
  readonly sources: ReadonlyArray<{ readonly name: string; readonly status: string | null; readonly reason?: string }>
}

/**
 * A prepared reply that shows a source's data: the first instance of the first free view that reads its feed. What only
 * premium views show is put to the same faults in `test/feeds/every-fault.test.ts`.
 */
const watched = sources
  .filter((source) => source.rank === 1)
  .flatMap((source) =>
    views
      .filter(
        (view) =>
          view.endpoint.tier === "free" &&
          view.instances.length > 0 &&
          Object.values(view.reads).some(({ feed }) => feed.name === source.fills.name),
      )
      .slice(0, 1)
      .map((view) => {
        const parameters = view.instances?.[0] ?? {}
        const read = Object.values(view.reads).find(({ feed }) => feed.name === source.fills.name)
        const names = (read?.instances(parameters) ?? []).map((instance) => source.provider(instance))
        return { source, endpoint: view.endpoint, path: instanceKey(view.endpoint.path, parameters), names }
      }),
  )

type Watched = (typeof watched)[number]

/** The hosts of the world that a source reads. */
const hostsOf = ({ source }: Watched): ReadonlyArray<string> =>
  simulatedUpstreams.find(({ name }) => name === source.name)?.hosts ?? []

/**
 * The world's clock is stopped, so good data does not change and can be compared; it is as far ahead as is accepted, so
 * that its data does not become too old while the test lasts.
 */
const startedMs = Date.now() + AHEAD_MAX_MS - 60_000
let world: WorldServer
let service: Service
/**
 * Hosts that stand in for others hold other content: they never answer, so that good data is always the same. Some are
 * declared by the source that reads them, the others are those of sources of a later rank alone.
 */
const firstChoices = new Set(sources.filter(({ rank }) => rank === 1).map(({ name }) => name))
const firstHosts = new Set(simulatedUpstreams.flatMap(({ name, hosts }) => (firstChoices.has(name) ? hosts : [])))
const calm: ReadonlyArray<Fault> = simulatedUpstreams
  .flatMap(({ name, hosts, standIns = [] }) => [
    ...standIns,
    ...(firstChoices.has(name) ? [] : hosts.filter((host) => !firstHosts.has(host))),
  ])
  .map((host) => ({ host, kind: "server-error" }))
/**
 * What each path shows of the world while every first choice answers. By hour: the world's clock stands still, but the service
 * asks some upstreams for the last days, and a view shows other hosts each hour.
 */
const good = new Map<string, string>()
const goodKey = ({ path }: Watched): string => `${new Date().toISOString().slice(0, 13)} ${path}`
const directory = temporaryDirectory()

/** What is served, without the members that change by themselves: the world's clock stands still, the service's does not. */
const reply = async ({ path, endpoint }: Watched) => {
  const { _meta, updated_at, generated_at, ...rest } = await service.json(path)
  const data = rest.data === undefined ? rest : rest.data
  return { meta: _meta as Meta, data: () => JSON.stringify(steady(endpoint.data as Schema.Top, data)) }
}

const healthy = (one: Watched) =>
  eventually(`${one.path} is live`, async () => {
    const { path } = one
    const { meta, data } = await reply(one)
    const polled = meta.sources.filter(({ reason }) => reason !== "not_licensed")
    if (meta.stale || meta.warming || polled.some(({ status }) => status !== "live"))
      throw new Error(`${path}: ${JSON.stringify(meta)}`)
    return data()
  })

/** Waits until the data is again as before the fault. */
const healed = (one: Watched) =>
  eventually(`${one.path} is as before`, async () => {
    const data = await healthy(one)
    const key = goodKey(one)
    if (!good.has(key)) good.set(key, data)
    expect(data).toBe(good.get(key))
    return true
  })

beforeAll(async () => {
  world = await startWorld({ seed: "faults", now: () => startedMs })
  world.setFaults(calm)
  service = await startService({
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "4", LOG_LEVEL: "warn" },
  })
  await service.ready()
  await Promise.all(watched.map(healed))
})

afterEach(() => world.setFaults(calm))

afterAll(async () => {
  const code = await service?.end("SIGTERM")
  await world?.close()
  removeDirectory(directory)
  expect(code).toBe(0)
})

/**
 * Faults after which nothing usable comes from an upstream: the last good data is served, and `_meta` gives the reason. One
 * of each layer: no answer in time, half an answer, an answer of the wrong form. `test/feeds/every-fault.test.ts` has all of
 * them for every source, in one process.
 */
const breaking: ReadonlyArray<Fault["kind"]> = ["latency", "cut-body", "not-json"]

/** Faults that still produce a response: a source that only probes its hosts and reads no document counts it as good. */
const answered = new Set<Fault["kind"]>(breaking.filter((kind) => kind !== "reset" && kind !== "latency"))
const isBroken = ({ source }: Watched, kind: Fault["kind"]): boolean =>
  Object.keys(source.documents).length > 0 || !answered.has(kind)

/**
 * A poll that a fault meets half-way may pass with what it has got until then (some stories, some probes): good data,
 * and not what it was before. Then the source is tried again.
 */
const TRIES_MAX = 5

/** How far content is set back in time, and whether a source then has content of a known age beyond its promise. */
const PAST_DAYS = 60
const agesIn = ({ source }: Watched): boolean =>
  source.fills.list !== null &&
  source.fills.instances.every(
    (parameters) => (source.fills.contentAgeMaxMs(parameters) ?? Number.POSITIVE_INFINITY) < PAST_DAYS * DAY_MS,
  )

/** The data of a path once its sources are in the state of the fault. */
const shownInTrouble = (one: Watched, kind: Fault["kind"]) =>
  eventually(`${one.source.name} reports ${kind}`, async () => {
    const { names } = one
    const { meta, data } = await reply(one)
    const own = meta.sources.filter(({ name }) => names.includes(name))
    expect(own.length).toBeGreaterThan(0)
    for (const { status, reason } of own) {
      expect(["error", "stale"]).toContain(status)
      expect(reason).toBeTruthy()
    }
    return data()
  })

describe("with a fault at every upstream", () => {
  it("watches every source that is polled on schedule for a free view", () => {
    const free = new Set(
      views
        .filter(({ endpoint }) => endpoint.tier === "free")
        .flatMap(({ reads }) => Object.values(reads).map(({ feed }) => feed.name)),
    )
    const polled = sources
      .filter(({ rank, onDemand, fills }) => rank === 1 && onDemand === null && free.has(fills.name))
      .map(({ name }) => name)
    // Beside them, those on demand some of whose instances are polled too.
    expect(watched.map(({ source }) => source.name)).toEqual(expect.arrayContaining(polled))
    expect(simulatedUpstreams.map(({ name }) => name).sort()).toEqual(sources.map(({ name }) => name).sort())
  })

  for (const kind of breaking)
    it(`${kind}: the last good data stays, with a true _meta, and heals`, async () => {
      let broken = watched.filter((one) => isBroken(one, kind))
      world.setFaults([...calm, { host: "*", kind }])
      for (let tries = 1; broken.length > 0; tries += 1) {
        const shown = await Promise.all(broken.map(async (one) => [one, await shownInTrouble(one, kind)] as const))
        world.setFaults(calm)
        await Promise.all((tries === 1 ? watched : broken).map(healed))
        const other = shown.filter(([one, data]) => data !== good.get(goodKey(one)))
        if (tries === TRIES_MAX)
          expect(other.map(([{ path }, data]) => [path, data])).toEqual(
            other.map(([one]) => [one.path, good.get(goodKey(one))]),
          )
        broken = other.map(([one]) => one)
        world.setFaults([...calm, ...broken.flatMap(hostsOf).map((host) => ({ host, kind }))])
      }
      world.setFaults(calm)
    })

  it("wrong-content-type: the content is read in spite of its declared type", async () => {
    world.setFaults([{ host: "*", kind: "wrong-content-type" }])
    await Promise.all(watched.map(healthy))
    world.setFaults(calm)
  })

  it("future and past timestamps: no reply claims to be newer than now, and old content counts as stale", async () => {
    world.setFaults([{ host: "*", kind: "future", amount: 2 }])
    await Promise.all(
      watched.map(async (one) => {
        const { meta } = await reply(one)
        expect(Date.parse(meta.as_of ?? "")).toBeLessThanOrEqual(Date.now())
      }),
    )
    world.setFaults([{ host: "*", kind: "past", amount: PAST_DAYS }])
    await Promise.all(
      watched
        .filter(agesIn)
        .map((one) =>
          eventually(`old content of ${one.source.name} is stale`, async () => (await reply(one)).meta.stale),
        ),
    )
    world.setFaults(calm)
    await Promise.all(watched.map(healthy))
  })

  it("hostile text: nothing of it reaches a caller", async () => {
    world.setFaults([{ host: "*", kind: "hostile-text" }])
    await eventually("replies carry the text, cleaned", async () => {
      const shown = await Promise.all(watched.map(reply))
      return shown.some(({ data }) => /DROP TABLE/.test(data()))
    })
    const bodies = await Promise.all(watched.map(async ({ path }) => (await service.get(path)).text()))
    for (const body of bodies) {
      expect(body).not.toMatch(/\\u0000|\\u0007|\u202e|\u200b|\ufeff/)
      expect(body).not.toMatch(/A{4000}/)
    }
    world.setFaults(calm)
    await Promise.all(watched.map(healthy))
  })

  it("on demand: an upstream that fails gives a warming reply with Retry-After, then the answer", async () => {
    world.setFaults([{ host: "*", kind: "server-error" }])
    const warming = await service.get(onDemandPath())
    expect(warming.status).toBe(200)
    expect(warming.headers.get("retry-after")).toMatch(/^\d+$/)
    expect(warming.headers.get("cache-control")).toBe("no-store")
    expect(await warming.json()).toMatchObject({ data: null, _meta: { warming: true, stale: true } })
    world.setFaults(calm)
    await eventually("the answer is there", async () => {
      const body = await service.json(onDemandPath())
      return body.data !== null
    })
  })

  it("has logged no flood", () => {
    const lines = service.output().split("\n").length
    expect(lines).toBeLessThan(5_000)
  })
})
