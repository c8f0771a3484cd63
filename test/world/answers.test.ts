import { afterAll, beforeAll, expect, it } from "vitest"
import { startWorld, type WorldServer } from "./server.ts"

const HOST = "earthquake.usgs.gov"
const PATH = "/earthquakes/feed/v1.0/summary/2.5_day.geojson"

let world: WorldServer
beforeAll(async () => {
  world = await startWorld({ seed: "answers" })
})
afterAll(() => world.close())

const administer = async (what: string, body?: unknown) => {
  const sent = body === undefined ? {} : { method: "PUT", body: typeof body === "string" ? body : JSON.stringify(body) }
  const response = await fetch(`${world.url}/_world/${what}`, sent)
  return { status: response.status, body: await response.json() }
}
const ask = async (query = "") => {
  const response = await fetch(`${world.url}/${HOST}${PATH}${query}`)
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
}

it("answers a path with what it was given, whatever the query, until that is cleared", async () => {
  const own = await ask()
  const answer = { host: HOST, path: PATH, body: { features: [] } }
  expect(await administer("answers", [answer])).toEqual({ status: 200, body: [answer] })
  expect(await administer("answers")).toEqual({ status: 200, body: [answer] })
  expect(await ask("?limit=1")).toEqual({ status: 200, type: "application/json", text: '{"features":[]}' })
  await administer("answers", [{ ...answer, body: "gone", status: 410, contentType: "text/html" }])
  expect(await ask()).toEqual({ status: 410, type: "text/html", text: "gone" })
  world.setFaults([{ host: HOST, kind: "server-error" }])
  expect((await ask()).status).toBe(503)
  world.setFaults([])
  await administer("answers", [])
  expect((await ask()).type).toBe(own.type)
})

it("counts the documents that were asked for", async () => {
  const counts = async () => {
    const { body } = await administer("requests")
    return (body as ReadonlyArray<{ readonly host: string; readonly path: string; readonly count: number }>).find(
      (one) => one.host === HOST && one.path === PATH,
    )?.count
  }
  const before = (await counts()) ?? 0
  await ask("?limit=2")
  expect(await counts()).toBe(before + 1)
})

it.each([
  ["no JSON", /JSON/],
  [[{ host: HOST, path: "no-slash", body: {} }], /path/],
  [[{ host: HOST, path: PATH }], /body/],
  [[{ host: HOST, path: PATH, body: {}, status: 99 }], /status/],
  [[{ host: "nowhere.example", path: PATH, body: {} }], /^the world has no host nowhere\.example$/],
])("refuses %j, and keeps what it had", async (body, error) => {
  expect(await administer("answers", body)).toEqual({ status: 400, body: { error: expect.stringMatching(error) } })
  expect((await administer("answers")).body).toEqual([])
})

it("says that a clock which is the machine's cannot be set", async () => {
  expect(await administer("clock")).toEqual({ status: 200, body: { now: expect.any(String), frozen: false } })
  expect((await administer("clock", { frozen: true })).status).toBe(405)
})
