import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { sources } from "../../ingestors/registry.ts"
import type { Feed } from "../../schemas/feed.ts"
import { eventually } from "../support/eventually.ts"
import { freePort, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { type FreeReply, freeReplies } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

// One service without any key: first without a network, then the world appears where its upstreams are expected.

interface Reply {
  readonly data?: unknown
  readonly sections?: Readonly<Record<string, unknown>>
  readonly _meta: {
    readonly stale: boolean
    readonly warming?: boolean
    readonly reason?: string
    readonly sources: ReadonlyArray<{ readonly name: string; readonly status: string | null; readonly reason?: string }>
  }
}

const plan = makePlan(sources, () => null, null)
const restingFeeds = new Set(plan.declared.filter(({ rests }) => rests !== null).map(({ feed }) => feed))
const rests = ({ name }: Feed): boolean => restingFeeds.has(name)

const ofFeeds = freeReplies.filter(({ feeds }) => feeds.length > 0)
/** Endpoints that have data of their own: they count requests, and judge feeds. */
const ofTheService = freeReplies.filter(({ feeds }) => feeds.length === 0)
const resting = ofFeeds.filter(({ feeds }) => feeds.every(rests))
const onSchedule = ofFeeds.filter((one) => one.endpoint.kind !== "on-demand" && !resting.includes(one))
const onRequest = ofFeeds.filter((one) => one.endpoint.kind === "on-demand" && !resting.includes(one))

const directory = temporaryDirectory()
let service: Service
let world: WorldServer | undefined
let worldPort: number

beforeAll(async () => {
  worldPort = await freePort()
  service = await startService({
    dataDirectory: directory,
    keys: {},
    environment: { UPSTREAMS: `http://127.0.0.1:${worldPort}`, POLL_SECONDS_MAX: "4", LOG_LEVEL: "error" },
  })
  await service.ready()
})
afterAll(async () => {
  const code = await service?.end("SIGTERM")
  await world?.close()
  removeDirectory(directory)
  expect(code).toBe(0)
})

/** The reply of an endpoint, which must be 200 whatever the state of its upstreams. */
const reply = async ({ path }: FreeReply) => (await service.json(path)) as unknown as Reply

/** Whether the source of a reply is not polled here: it lacks its key, or the consent of its provider. */
const isResting = ({ reason }: { readonly reason?: string | undefined }): boolean =>
  reason === "not_configured" || reason === "not_licensed"

const hasNoData = ({ data, sections }: Reply): boolean =>
  data === null || (sections !== undefined && Object.values(sections).every((section) => section === null))

const expectResting = async (one: FreeReply): Promise<void> => {
  const response = await service.get(one.path)
  const body = (await response.json()) as Reply
  expect(hasNoData(body), one.path).toBe(true)
  expect(body._meta, one.path).toMatchObject({ stale: true, reason: "not_configured" })
  // More waiting brings nothing.
  expect(body._meta, one.path).not.toHaveProperty("warming")
  expect(response.headers.get("retry-after"), one.path).toBeNull()
  expect(response.headers.get("cache-control"), one.path).toBe("no-store")
  for (const { status, reason } of body._meta.sources) expect([status, reason]).toEqual([null, "not_configured"])
}

describe("without keys and without a network", () => {
  it.each(onSchedule)("$path answers without data, and says that its upstreams cannot be reached", async (one) => {
    await eventually(`${one.path} says why`, async () => {
      const body = await reply(one)
      expect(hasNoData(body)).toBe(true)
      expect(body._meta).toMatchObject({ stale: true, warming: true })
      const polled = body._meta.sources.filter((source) => !isResting(source))
      expect(polled.length).toBeGreaterThan(0)
      for (const { reason, status } of polled) {
        expect(status).toBeNull()
        // After some failures its host is not requested for a while.
        expect(reason).toMatch(/^(unreachable|circuit_open): .*the connection failed/)
      }
      return true
    })
  })
  it.each(onRequest)("$path says that it was tried", async (one) => {
    const response = await service.get(one.path)
    expect(response.status).toBe(200)
    expect(response.headers.get("retry-after")).toMatch(/^\d+$/)
    const body = (await response.json()) as Reply
    expect(body).toMatchObject({ data: null, _meta: { stale: true, warming: true } })
    expect(body._meta.reason).not.toMatch(/^not_/)
  })
  it("says of a feed without its key that none is configured, and nothing else", async () => {
    for (const one of resting) await expectResting(one)
  })
  it.each(ofTheService)("$path has data of the service itself", async (one) => {
    await eventually(`${one.path} has data`, async () => {
      const body = await reply(one)
      return body.data !== null && !body._meta.stale
    })
  })
  it("answers for its own health, and refuses what lacks a parameter", async () => {
    expect(await service.json("/api/health")).toMatchObject({ status: "ok" })
    for (const { endpoint } of onRequest) {
      const required = Object.values(endpoint.parameters).some(
        (parameter) => parameter.default === undefined && parameter.optional !== true,
      )
      expect((await service.get(endpoint.path)).status, endpoint.path).toBe(required ? 400 : 200)
    }
  })
})

describe("with a network, and still without keys", () => {
  beforeAll(async () => {
    world = await startWorld({ seed: "keyless", port: worldPort })
  })

  it.each([...onSchedule, ...onRequest])("$path is live", async (one) => {
    await eventually(`${one.path} is live`, async () => {
      const body = await reply(one)
      const others = body._meta.sources.filter(
        (source) => source.status !== "live" && source.status !== "fallback" && !isResting(source),
      )
      if (hasNoData(body) || body._meta.stale || others.length > 0) throw new Error(JSON.stringify(body._meta))
      return true
    })
  })
  it("says of a feed without its key the same as before", async () => {
    for (const one of resting) await expectResting(one)
  })
})
