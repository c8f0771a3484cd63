import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as client from "../../.clients/typescript/index.js"
import { startCuttingProxy } from "../support/cutting-proxy.ts"
import { eventually } from "../support/eventually.ts"
import { freePort, removeDirectory, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld } from "../world/server.ts"
import { pythonDriver, pythonMissing, typescriptDriver } from "./drivers.ts"
import { packages } from "./make-packages.ts"

// Both clients over connections that are cut, while the service is killed and starts again: they read what the pages hold.

const drivers = [
  typescriptDriver(client),
  ...(pythonMissing() === undefined ? [pythonDriver(join(packages, "python"))] : []),
]
const offered = ["/api/climate/earthquakes", "/api/forex"]
/** Bytes after which connections are cut, one after the other. */
const CUTS = [70_001, 13, 29_989, 4_099, 110_023]
/** Changes that are enough for several cuts of both readers. */
const CHANGES_MIN = 400
/** The connection with which the service is killed. */
const KILLED_AT = 3

it("lose no change and repeat none over cut connections and a service that is killed", async () => {
  const dataDirectory = temporaryDirectory()
  onTestFinished(() => removeDirectory(dataDirectory))
  const world = await startWorld({ seed: "changes" })
  onTestFinished(() => world.close())
  const port = await freePort()
  const start = () =>
    startService({
      dataDirectory,
      offered,
      environment: { UPSTREAMS: world.url, PORT: String(port), LOG_LEVEL: "warn" },
    })
  let service = await start()
  onTestFinished(async () => void (await service.end("SIGKILL")))
  await service.filled()

  const tidewire = new client.Tidewire({ baseUrl: service.url })
  /** The first changes by pages, at most so many. */
  const byPages = async (max: number): Promise<ReadonlyArray<client.Change>> => {
    const changes: Array<client.Change> = []
    for (let after: string | null = "start"; after !== null; ) {
      const page: client.ChangesPageReply | null = await tidewire.changesPage({ after, limit: 100 })
      changes.push(...(page?.changes ?? []))
      after = page === null || page.up_to_date || changes.length >= max ? null : page.next
    }
    return changes.slice(0, max)
  }
  await eventually("there are changes enough", async () => (await byPages(CHANGES_MIN)).length === CHANGES_MIN)
  const expected = await byPages(CHANGES_MIN)

  let restarted: Promise<void> | undefined
  const proxy = await startCuttingProxy({
    targets: () => [port],
    cutBytes: CUTS,
    onConnection: (count) => {
      if (count !== KILLED_AT) return
      restarted = service.end("SIGKILL").then(async () => {
        service = await start()
        await service.ready()
      })
    },
  })
  onTestFinished(() => proxy.close())
  const asked = { baseUrl: proxy.url, parameters: { after: "start" }, changesMax: CHANGES_MIN }
  const outcomes = await Promise.all(drivers.map(({ changes }) => changes([asked])))
  await restarted
  expect(proxy.connections()).toBeGreaterThan(KILLED_AT + drivers.length)
  for (const [outcome] of outcomes) {
    expect(outcome?.error).toBeNull()
    expect(outcome?.changes).toEqual(expected)
  }
  expect(await byPages(CHANGES_MIN)).toEqual(expected)
})
