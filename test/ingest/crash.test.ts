import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { type InstanceCheckpoint, restore } from "../../ingestors/poll/ingest-log.ts"
import type { Envelope } from "../../schemas/event.ts"
import { eventReader } from "../../schemas/registry.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 4)
const INSTANCES = 6
const DAY_MS = 86_400_000
/** A fast world, so that payloads change between polls; it begins in the past: events to come would be refused. */
const FASTER = 600

let directory: string
let world: WorldServer

beforeEach(async () => {
  directory = temporaryDirectory()
  const beginMs = Date.now()
  world = await startWorld({
    seed: "ingest-crash",
    now: () => beginMs - 30 * DAY_MS + (Date.now() - beginMs) * FASTER,
  })
})
afterEach(async () => {
  await world.close()
  removeDirectory(directory)
})

const start = (everyMs: number) => {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("ingest-process.ts", import.meta.url)), join(directory, "log"), world.url, String(everyMs)],
    { stdio: ["ignore", "ignore", "inherit"] },
  )
  return { child, ended: once(child, "exit") }
}

type PollEvent = Envelope<string, { readonly hash: string; readonly reason?: string }>

/** What the log holds: the events about polls by instance, all times, and the checkpoints. */
const look = (): Promise<{
  readonly polls: ReadonlyMap<string, ReadonlyArray<PollEvent>>
  readonly times: ReadonlyArray<string>
  readonly checkpoints: ReadonlyMap<string, InstanceCheckpoint>
}> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(directory, "log") })
        const batches = yield* Stream.runCollect(log.read("observations", 0))
        const events = batches.flatMap(({ records }) =>
          records.map(({ value }) => {
            const read = eventReader.decodeEvent(value ?? new Uint8Array())
            if (read._tag === "Failure") throw read.failure
            return read.success as PollEvent
          }),
        )
        const { instances } = yield* restore(log)
        return {
          polls: Map.groupBy(
            events.filter(({ type }) => type.startsWith("feed.")),
            ({ subject }) => subject,
          ),
          times: events.map(({ time }) => time),
          checkpoints: instances,
        }
      }),
    ),
  )

it("a process that is killed at any moment loses nothing but the poll it was in", async () => {
  let before = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { child, ended } = start(200)
    const requests = () => world.requests.get("earthquake.usgs.gov") ?? 0
    const requestsBefore = requests()
    // An instance that is polled again has committed its poll before.
    await eventually("every instance was polled", () => requests() > requestsBefore + INSTANCES)
    // The moment of the kill differs from round to round.
    await sleep((round * 137) % 400)
    child.kill("SIGKILL")
    await ended
    const { polls, times, checkpoints } = await look()
    expect(times).toEqual(times.toSorted())
    expect(times.length).toBeGreaterThan(before)
    before = times.length
    for (const [subject, events] of polls) {
      let hash = ""
      for (const { type, data } of events) {
        expect(type).not.toBe("feed.failed")
        if (type === "feed.unchanged") expect(data.hash).toBe(hash)
        else expect(data.hash).not.toBe(hash)
        hash = data.hash
      }
      // Event and checkpoint are one commit: neither is ever there without the other.
      expect(checkpoints.get(subject)?.last?.hash).toBe(hash)
      expect(checkpoints.get(subject)?.polledAt).toBe(events.at(-1)?.time)
    }
    expect([...checkpoints.keys()].filter((key) => !polls.has(key))).toEqual([])
  }
})

it("a process that is started again requests nothing that is not due", async () => {
  const first = start(3_600_000)
  await eventually("everything is polled", async () => (await look()).checkpoints.size === INSTANCES)
  first.child.kill("SIGKILL")
  await first.ended
  const before = (await look()).times.length
  const requestsBefore = world.requests.get("earthquake.usgs.gov")
  const second = start(3_600_000)
  await eventually("it has begun", async () => (await look()).times.length > before)
  // Everything due is polled within two seconds of a start: after these, nothing was due.
  await sleep(2_500)
  second.child.kill("SIGTERM")
  await second.ended
  expect(world.requests.get("earthquake.usgs.gov")).toBe(requestsBefore)
})
