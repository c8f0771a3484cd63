import { afterAll, beforeAll, expect, it } from "vitest"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "./server.ts"

// Items that a test gives are published by the provider of their feed, and pass its real decoder on the way to the reply.

const HOUR_MS = 3_600_000
const at = (hours: number): string => new Date(Math.floor(Date.now() / 1_000) * 1_000 + hours * HOUR_MS).toISOString()

const quake = {
  id: "mine1",
  type: "earthquake",
  magnitude: 7.7,
  place: "under the test",
  time: at(-2),
  depth_km: 10,
  lat: 57.2,
  lon: -154.8,
  tsunami: true,
  url: "https://earthquake.usgs.gov/earthquakes/eventpage/mine1",
}
const launch = {
  id: "mine2",
  name: "Kestrel 3 | Test",
  provider: "Northern Launch Company",
  vehicle: "Kestrel 3",
  mission: "Test",
  status: "On Hold",
  status_abbrev: "Hold",
  net: at(5),
  net_precision: "hour",
  window_start: at(5),
  window_end: at(6),
  pad: "Pad 2",
  location: "Kodiak Launch Complex, Alaska, USA",
  lat: 57.4,
  lon: -152.3,
  probability: 40,
  webcast_live: false,
  url: "https://example.org/launch",
}
const alert = {
  id: "mine3",
  event: "Blizzard Warning",
  severity: "Extreme",
  urgency: "Immediate",
  certainty: "Likely",
  headline: "A blizzard",
  description: "Snow and wind.",
  areaDesc: "Northern Cascades",
  sent: at(-1),
  effective: at(-1),
  expires: at(4),
  ends: at(5),
  sender_name: "NWS Seattle WA",
  web: "https://www.weather.gov/",
}

/** Polled each second, folded and prepared within another. */
const SOON = { timeout: 60_000 }

let world: WorldServer
let service: Service
const directory = temporaryDirectory()

beforeAll(async () => {
  world = await startWorld({ seed: "given" })
  service = await startService({
    dataDirectory: directory,
    offered: ["/api/earthquake", "/api/climate/earthquakes", "/api/launches", "/api/climate/weather-alerts"],
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "1", RESTRICTED_SOURCES: "all" },
  })
  await service.filled()
})
afterAll(async () => {
  await service?.end("SIGTERM")
  await world?.close()
  removeDirectory(directory)
})

const feeds = async (body?: unknown) => {
  const sent = body === undefined ? {} : { method: "PUT", body: typeof body === "string" ? body : JSON.stringify(body) }
  const response = await fetch(`${world.url}/_world/feeds`, sent)
  return { status: response.status, body: await response.json() }
}
const rowsOf = async (path: string, list: string) =>
  (await service.json(path)).data?.[list as never] as unknown as ReadonlyArray<object> | undefined

it.each([
  ["/api/climate/earthquakes", "earthquakes", quake],
  ["/api/launches", "launches", launch],
  ["/api/climate/weather-alerts", "alerts", alert],
])(
  "shows an item that %s was given as it was given, and the world's own once it is taken back",
  async (path, list, item) => {
    expect(await feeds({ [path]: [item] })).toEqual({ status: 200, body: { [path]: [item] } })
    expect((await feeds()).body).toEqual({ [path]: [item] })
    await expect.poll(() => rowsOf(path, list), SOON).toEqual([item])
    expect(await feeds({})).toEqual({ status: 200, body: {} })
    await expect.poll(async () => (await rowsOf(path, list))?.length, SOON).toBeGreaterThan(1)
    expect(await rowsOf(path, list)).not.toContainEqual(item)
  },
)

it("takes the rows of both endpoints of earthquakes, lists them by their own windows, and none where none is given", async () => {
  const { magnitude, time, depth_km } = quake
  const row = { magnitude, location: "under the test", time, depth_km }
  const old = { ...row, time: at(-30) }
  const small = { ...row, magnitude: 1.2 }
  await feeds({ "/api/earthquake": [small, old, row] })
  await expect.poll(() => rowsOf("/api/earthquake", "earthquakes"), SOON).toEqual([{ ...row, type: "earthquake" }])
  await feeds({ "/api/earthquake": [] })
  await expect.poll(() => rowsOf("/api/earthquake", "earthquakes"), SOON).toEqual([])
  await feeds({})
})

it.each([
  ["no JSON", /JSON/],
  [{ "/api/earthquake": {} }, /array/],
  [{ "/api/earthquake": [{ magnitude: "7" }] }, /^\/api\/earthquake: .*number[\s\S]*\[0\]\["magnitude"\]/],
  [{ "/api/earthquake": [{ magnitude: 7, time: quake.time, colour: "red" }] }, /colour/],
  [
    { "/api/btc-price": [{ price: 1 }] },
    /^\/api\/btc-price: its items cannot be given, those of \/api\/climate\/earthquakes, .* can: /,
  ],
])("refuses %j, and keeps what it had", async (body, error) => {
  expect(await feeds(body)).toEqual({ status: 400, body: { error: expect.stringMatching(error) } })
  expect((await feeds()).body).toEqual({})
})
