import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { register } from "prom-client"
import { afterEach, beforeEach, expect, it } from "vitest"
import { makeHttpClient } from "../../infra/http/undici-client.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import reliability from "../../processors/folds/reliability.ts"
import { foldingBench, tick } from "../../processors/testing/folding.ts"
import { detailed } from "../../processors/testing/monitor.ts"
import { eventReader } from "../../schemas/registry.ts"
import { eventually } from "../support/eventually.ts"
import { type MemoryLog, makeMemoryLog } from "../support/memory-log.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

// What an upstream announces of its own end, from the headers of a real server to log line, metric, event and reliability.

const HOST = "earthquake.usgs.gov"
const daily = { magnitude: "2.5", period: "day" }
const MONTH_MS = 30 * 86_400_000

let server: WorldServer
let memory: MemoryLog
let scope: Scope.Closeable
let lines: Array<string>

beforeEach(async () => {
  const begunMs = Date.now()
  // A world in which each answer is new: a 304 withdraws nothing.
  server = await startWorld({ seed: "announcements", now: () => begunMs - MONTH_MS + (Date.now() - begunMs) * 600 })
  memory = makeMemoryLog()
  scope = Scope.makeUnsafe()
  lines = []
})
afterEach(async () => {
  await stop()
  await server.close()
})

const start = () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const http = yield* makeHttpClient({ upstreams: server.url, userAgent: "Tidewire/test" })
      const sources = [{ ...usgs, instances: [daily] }]
      yield* startIngest({ log: memory.log, http, sources, keys: () => null, everyMsMax: 200 })
    }).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])),
      Effect.provideService(Scope.Scope, scope),
    ),
  )
const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))

interface PollData {
  readonly announced?: ReadonlyArray<{ readonly at: string | null; readonly text: string | null }>
}
const polls = () =>
  memory
    .events("observations")
    .filter(({ type }) => type.startsWith("feed."))
    .map(({ data }) => data as PollData)
const announcements = () => polls().flatMap(({ announced }) => (announced === undefined ? [] : [announced]))
const polledAgain = async (times: number) => {
  const before = polls().length
  await eventually(`${times} polls`, () => polls().length >= before + times || undefined)
}

/** The row of the feed in the premium table, from a fold of the log. */
const row = () => {
  const folded = foldingBench(reliability, eventReader)
  const events = memory.events("observations")
  folded.fold(...events.map((event) => (id: string) => ({ ...event, id })))
  folded.fold(tick(Date.parse(events.at(-1)?.time ?? "") + 300_000))
  const [first] = detailed(folded).low_coverage
  return first
}

const metric = async (name: string): Promise<ReadonlyArray<string>> =>
  ((await register.getSingleMetricAsString(name)) ?? "").split("\n").filter((line) => line.startsWith(name))

it("announcements of an upstream are logged once, over a restart too, and stand in metric, log line and reliability", async () => {
  server.setFaults([{ host: HOST, kind: "announces" }])
  await start()
  await polledAgain(3)
  const of = { provider: "USGS.earthquakes", document: "summary" }
  const announced = [
    { ...of, header: "Sunset", at: "2026-05-01T00:00:00.000Z", text: null },
    { ...of, header: "Deprecation", at: "2026-01-01T00:00:00.000Z", text: null },
    { ...of, header: "Warning", at: null, text: "299 The old list ends: use /keyset" },
  ]
  expect(announcements()).toEqual([announced])
  expect(await metric("tidewire_ingest_announcements")).toEqual([
    'tidewire_ingest_announcements{provider="USGS.earthquakes",header="Sunset"} 1',
    'tidewire_ingest_announcements{provider="USGS.earthquakes",header="Deprecation"} 1',
    'tidewire_ingest_announcements{provider="USGS.earthquakes",header="Warning"} 1',
  ])
  expect(await metric("tidewire_ingest_sunset_timestamp_seconds")).toEqual([
    `tidewire_ingest_sunset_timestamp_seconds{provider="USGS.earthquakes"} ${Date.parse("2026-05-01T00:00:00Z") / 1000}`,
  ])
  expect(lines.filter((line) => line.includes("announces"))).toEqual([
    'USGS.earthquakes announces for its document "summary": Sunset 2026-05-01T00:00:00.000Z',
    'USGS.earthquakes announces for its document "summary": Deprecation 2026-01-01T00:00:00.000Z',
    'USGS.earthquakes announces for its document "summary": Warning "299 The old list ends: use /keyset"',
  ])
  await stop()
  scope = Scope.makeUnsafe()
  await start()
  await polledAgain(2)
  expect(announcements()).toEqual([announced])
  const since = memory.events("observations").find(({ data }) => (data as PollData).announced !== undefined)?.time
  expect(row()).toMatchObject({
    feed: "earthquakes",
    announced: announced.map(({ provider, ...rest }) => ({ name: provider, ...rest, since })),
  })
  // Whole answers without the headers withdraw them.
  server.setFaults([])
  await eventually("the withdrawal", () => announcements().length > 1 || undefined)
  expect(announcements()).toEqual([announced, []])
  expect(row()).toMatchObject({ announced: [] })
})

it("announcements without sense are bounded: no date that does not exist, no control character, no great length", async () => {
  server.setFaults([{ host: HOST, kind: "hostile-headers" }])
  await start()
  await polledAgain(2)
  const [announced = []] = announcements()
  expect(announced).toMatchObject([
    { header: "Sunset", at: null },
    { header: "Deprecation", at: null },
    { header: "Warning", at: null },
  ])
  for (const { text } of announced) {
    expect(text).toMatch(/^[^\p{Cc}]{20,200}$/u)
  }
  for (const line of lines) expect(line).toMatch(/^[^\p{Cc}]{0,400}$/u)
  expect(JSON.stringify(row()).length).toBeLessThan(3_000)
})
