import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLog } from "../../infra/log/open.ts"
import { topicNames } from "../../schemas/topics.ts"
import { eventually } from "../support/eventually.ts"
import { settingsOf } from "../support/everything-kept.ts"
import { filesBelow } from "../support/files-with.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { tracesOf } from "../support/traces.ts"
import type { Fault } from "../world/faults.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const HOST = "internetdb.shodan.io"
/** Faults under which an address is scanned, each with an address of its own; the first has none. */
const kinds: ReadonlyArray<Fault["kind"] | null> = [
  null,
  "wrong-type",
  "not-json",
  "cut-body",
  "hostile-text",
  "rate-limited",
  "server-error",
  "redirect",
  "reset",
]
const scans = kinds.map((kind, at) => ({ kind, ip: `93.184.217.${101 + at}` }))
/** Addresses in requests that are refused. */
const refused = ["10.123.45.67", "192.168.213.45", "93.184.218.77", "93.184.218.78"] as const
/** A host that is polled on schedule: proof that the search works. */
const TARGET = "208.67.222.222"

describe("addresses that callers scan", () => {
  const directory = temporaryDirectory()
  let world: WorldServer
  let service: Service
  beforeAll(async () => {
    world = await startWorld({ seed: "scans" })
    service = await startService({
      dataDirectory: directory,
      offered: ["/api/exposure-scan", "/api/weather"],
      environment: { UPSTREAMS: world.url, LOG_LEVEL: "trace", POLL_SECONDS_MAX: "2" },
    })
    await service.filled()
  })
  afterAll(async () => {
    await service?.end("SIGKILL")
    await world?.close()
    removeDirectory(directory)
  })

  const scan = (ip: string) => service.json(`/api/exposure-scan?ip=${ip}`)
  const everyAddress = [...scans.map(({ ip }) => ip), ...refused]
  const query = async (text: string): Promise<string> => {
    const response = await fetch(service.analystUrl, { method: "POST", body: text })
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
    return answer.trim()
  }
  /** How many rows of a table hold one of some words. */
  const rowsWith = async (table: string, words: ReadonlyArray<string>): Promise<number> =>
    Number(
      await query(
        `SELECT count() FROM ${table} WHERE multiSearchAny(formatRowNoNewline('JSONEachRow', *), ['${words.join("', '")}'])`,
      ),
    )

  it("are answered, with and without faults of the upstream, or refused", async () => {
    for (const { kind, ip } of scans) {
      world.setFaults(kind === null ? [] : [{ host: HOST, kind }])
      await scan(ip)
      // Again, while the first failure pauses its key.
      await scan(ip)
    }
    world.setFaults([])
    const [first] = scans
    expect(await scan(first?.ip ?? "")).toMatchObject({ data: { mode: "single", result: { ip: first?.ip } } })
    const [privateOne, other, misspelt, foreign] = refused
    for (const [path, status] of [
      [`/api/exposure-scan?ip=${privateOne}`, 400],
      [`/api/exposure-scan?ip=${first?.ip}&ip=${other}`, 400],
      [`/api/exposure-scans?ip=${misspelt}`, 404],
      [`/api/${foreign}`, 404],
      [`/api/exposure-scan?ip=%zz${foreign}`, 400],
    ] as const)
      expect([path, (await service.get(path)).status]).toEqual([path, status])
    expect(await service.json("/api/exposure-scan")).toMatchObject({ data: { mode: "demo" } })
  })

  it("stand in no log line, metric, table, event or file, and those of other feeds do", async () => {
    // What is asked for elsewhere after the scans, and reaches all of these places.
    const place = { lat: "12.34", lon: "56.78" }
    await service.json(`/api/weather?lat=${place.lat}&lon=${place.lon}`)
    await eventually("the place is in its table", async () =>
      (await rowsWith("weather_observations", [place.lat])) > 0 ? true : undefined,
    )
    await eventually("a target is in the archive", async () =>
      (await rowsWith("events", [TARGET])) > 0 ? true : undefined,
    )
    const tables = (await query("SHOW TABLES")).split("\n")
    expect(tables).toContain("events")
    for (const table of tables) expect([table, await rowsWith(table, everyAddress)]).toEqual([table, 0])

    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    expect(metrics).toContain('endpoint="exposure_scan"')
    expect(service.output()).toContain('"endpoint":"exposure_scan"')
    for (const ip of everyAddress)
      for (const text of [metrics, service.output()]) expect([ip, tracesOf(ip, Buffer.from(text))]).toEqual([ip, []])

    expect(await service.end("SIGTERM")).toBe(0)
    const traces = new Map<string, ReadonlyArray<string>>([TARGET, ...everyAddress].map((ip) => [ip, []]))
    for (const path of filesBelow(directory)) {
      const bytes = readFileSync(path)
      for (const [ip, before] of traces) traces.set(ip, [...before, ...tracesOf(ip, bytes)])
    }
    expect(traces.get(TARGET)).toContain(TARGET)
    for (const ip of everyAddress) expect([ip, traces.get(ip)]).toEqual([ip, []])

    // Large records and the archive are compressed in the files: the records of the log are read too.
    const records = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLog(settingsOf({ DATA_DIR: directory }))
          const read: Array<Buffer> = []
          for (const topic of topicNames)
            yield* log.read(topic, yield* log.start(topic)).pipe(
              Stream.runForEach(({ records: batch }) =>
                Effect.sync(() => {
                  for (const { key, value } of batch) read.push(Buffer.from(`\n${key}\n`), Buffer.from(value ?? []))
                }),
              ),
            )
          return Buffer.concat(read)
        }),
      ),
    )
    expect(tracesOf(TARGET, records)).toContain(TARGET)
    expect(records.toString()).toContain(place.lat)
    for (const ip of everyAddress) expect([ip, tracesOf(ip, records)]).toEqual([ip, []])
  })
})
