import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { sources } from "../../ingestors/registry.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import latest from "../../processors/folds/latest.ts"
import reliability from "../../processors/folds/reliability.ts"
import { declared, type FoldingBench, foldingBench, tick } from "../../processors/testing/folding.ts"
import { detailed } from "../../processors/testing/monitor.ts"
import type { Envelope } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey, type ViewFreshness } from "../../schemas/view-record.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, temporaryDirectory } from "../support/service.ts"
import { makeVirtualPolls, type StoppedClock } from "../support/virtual-polls.ts"
import { makeWorldHttp } from "../support/world-http.ts"
import type { ActiveFault } from "../world/faults.ts"
import { worldKeys } from "../world/keys.ts"
import { startWorld } from "../world/server.ts"

// An upstream whose lists come and go fills the log at the pace of its polls: each feed has a budget of bytes a day.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const BEGIN_MS = Date.parse("2026-11-20T00:00:00.000Z")
const FAST_MS = 20_000

type PollEvent = Envelope<string, { readonly throttledUntil?: string; readonly reason?: string }>
interface Logged {
  readonly key: string
  readonly atMs: number
  readonly bytes: number
  readonly event: PollEvent
}

const readEvent = (value: Uint8Array | null): PollEvent => {
  const read = eventReader.decodeEvent(value ?? new Uint8Array())
  if (read._tag === "Failure") throw read.failure
  return read.success as PollEvent
}

/** Polls instances of a world for a time, each whenever it is due, and gives what was logged. */
const pollFor = async (options: {
  readonly everyMsMax: number | null
  readonly spanMs: number
  readonly polled: typeof sources
  readonly faults: (nowMs: number) => ReadonlyArray<ActiveFault>
}): Promise<ReadonlyArray<Logged>> => {
  const clock: StoppedClock = { nowMs: BEGIN_MS }
  const nowMs = () => clock.nowMs
  const http = makeWorldHttp({ seed: "log-budget", nowMs, faults: () => options.faults(clock.nowMs) })
  const polls = makeVirtualPolls(http, clock)
  const keys = worldKeys(false)
  const { scheduled } = makePlan(options.polled, (setting) => keys[setting] ?? null, options.everyMsMax)
  const logged: Array<Logged> = []
  for (;;) {
    const [next] = scheduled.toSorted((one, other) => polls.dueMs(one) - polls.dueMs(other))
    if (next === undefined || polls.dueMs(next) >= BEGIN_MS + options.spanMs) return logged
    clock.nowMs = polls.dueMs(next)
    const { recorded } = await polls.poll(next)
    for (const { topic, key, value } of recorded.records)
      if (topic === "observations")
        logged.push({
          key,
          atMs: clock.nowMs,
          bytes: Buffer.byteLength(key) + (value?.length ?? 0),
          event: readEvent(value),
        })
  }
}

const sum = (logged: ReadonlyArray<Logged>): number => logged.reduce((all, { bytes }) => all + bytes, 0)
const usualOf = (key: string): number =>
  sources.find(({ fills }) => key === fills.name || key.startsWith(`${fills.name}?`))?.fills.logBytesPerDay ?? 0

const lists = { magnitude: "all", period: "day" }
const USUAL_BYTES = 1_000_000
const BUDGET_BYTES = 10 * USUAL_BYTES

describe("half of a list coming and going, polled every 20 s", () => {
  /** It flaps for a day and a half, and is well again. */
  const healsMs = BEGIN_MS + 1.5 * DAY_MS
  const flapping: ReadonlyArray<ActiveFault> = [{ host: "earthquake.usgs.gov", kind: "flapping", sinceMs: BEGIN_MS }]
  let logged: ReadonlyArray<Logged>
  let throttledFrom: number

  beforeAll(async () => {
    logged = await pollFor({
      everyMsMax: FAST_MS,
      spanMs: 2 * DAY_MS,
      polled: [{ ...usgs, instances: [lists], fills: { ...usgs.fills, logBytesPerDay: USUAL_BYTES } }],
      faults: (nowMs) => (nowMs < healsMs ? flapping : []),
    })
    throttledFrom = logged.findIndex(({ event }) => event.data.throttledUntil !== undefined)
  })

  const dayOf = ({ atMs }: Logged): number => Math.floor((atMs - BEGIN_MS) / DAY_MS)

  it("stays within ten times its usual bytes each day, and is logged on to the end of the day", () => {
    for (const day of [0, 1]) {
      const ofDay = logged.filter((one) => dayOf(one) === day)
      expect(sum(ofDay)).toBeLessThanOrEqual(BUDGET_BYTES)
      expect(sum(ofDay)).toBeGreaterThan(BUDGET_BYTES / 2)
      const lastMs = Math.max(...ofDay.map(({ atMs }) => atMs))
      expect(lastMs).toBeGreaterThan(BEGIN_MS + (day + 1) * DAY_MS - HOUR_MS)
    }
    // Without a budget one hour of it is a large part of that.
    const hour = logged.filter(({ atMs }) => atMs < BEGIN_MS + HOUR_MS)
    expect(sum(hour) * 24).toBeGreaterThan(10 * BUDGET_BYTES)
  })

  it("keeps its interval until half of its budget is used, and then says when it is polled next", () => {
    expect(throttledFrom).toBeGreaterThan(0)
    const before = logged.slice(0, throttledFrom)
    expect(sum(before)).toBeGreaterThan(0.4 * BUDGET_BYTES)
    for (const [index, { atMs }] of before.slice(1).entries())
      expect(atMs - (before[index]?.atMs ?? 0)).toBeLessThan(2 * FAST_MS)
    const throttled = logged[throttledFrom]
    const next = logged[throttledFrom + 1]
    expect(next?.atMs).toBe(Date.parse(throttled?.event.data.throttledUntil ?? ""))
  })

  it("is polled at its interval again at the next day, and once it is well", () => {
    const nextDay = logged.filter(({ atMs }) => atMs >= BEGIN_MS + DAY_MS && atMs < BEGIN_MS + DAY_MS + 10 * MINUTE_MS)
    expect(nextDay.length).toBeGreaterThan(20)
    const well = logged.filter(({ atMs }) => atMs >= healsMs + HOUR_MS)
    expect(well.length).toBeGreaterThan((10 * HOUR_MS) / FAST_MS)
    // A list that is logged whole now and then still costs its time, as the day's budget is nearly spent.
    expect(well.filter(({ event }) => event.data.throttledUntil !== undefined).length).toBeLessThan(10)
  })

  it("says so in the sources of its replies and in the reliability, and only while it lasts", () => {
    const read = (one: FoldingBench, upTo: number) => {
      one.fold(declared(BEGIN_MS, [{ feed: "earthquakes", parameters: lists, provider: "USGS.earthquakes" }]))
      one.fold(
        ...logged.slice(0, upTo).map(({ event }) => (id: string) => ({ ...event, id })),
      )
      return one
    }
    const path = instanceKey("/api/climate/earthquakes", lists)
    const sourceAfter = (upTo: number) =>
      (read(foldingBench(latest, eventReader), upTo).view(freshnessKey(path)) as ViewFreshness).sources[0]
    const rowAfter = (upTo: number) => {
      const folded = read(foldingBench(reliability, eventReader), upTo)
      folded.fold(tick((logged[upTo - 1]?.atMs ?? 0) + 5 * MINUTE_MS))
      return [...detailed(folded).feeds, ...detailed(folded).low_coverage][0]
    }
    const throttledUntil = logged[throttledFrom]?.event.data.throttledUntil
    expect(sourceAfter(throttledFrom + 1)).toMatchObject({ status: "live", throttled_until: throttledUntil })
    expect(sourceAfter(throttledFrom)).not.toHaveProperty("throttled_until")
    expect(rowAfter(throttledFrom + 1)).toMatchObject({ throttled_until: throttledUntil })
    expect(rowAfter(throttledFrom)).toMatchObject({ throttled_until: null })
  })
})

it("no feed of the world comes near its usual bytes of a day at its own interval, and no event of it is another", async () => {
  const SPAN_MS = 30 * MINUTE_MS
  const logged = await pollFor({ everyMsMax: null, spanMs: SPAN_MS, polled: sources, faults: () => [] })
  const byKey = Map.groupBy(logged, ({ key }) => key)
  expect(byKey.size).toBeGreaterThan(100)
  const over = [...byKey].flatMap(([key, all]) => {
    const [first, ...rest] = all
    const aDay = (first?.bytes ?? 0) + sum(rest) * (DAY_MS / SPAN_MS)
    return aDay <= usualOf(key) ? [] : [`${key}: ${Math.round(aDay)} of ${usualOf(key)}`]
  })
  expect(over).toEqual([])
  expect(logged.filter(({ event }) => event.data.throttledUntil !== undefined)).toEqual([])
})

describe("a process that is killed while a feed is throttled", () => {
  const KILLED_BUDGET_BYTES = 400_000
  let directory: string

  beforeAll(() => {
    directory = temporaryDirectory()
  })
  afterAll(() => removeDirectory(directory))

  it("has not forgotten what the feed has logged: it is not polled before its time, and stays within its budget", async () => {
    const world = await startWorld({ seed: "log-budget-crash" })
    onTestFinished(world.close)
    world.setFaults([{ host: "earthquake.usgs.gov", kind: "flapping" }])
    const script = fileURLToPath(new URL("ingest-process.ts", import.meta.url))
    // A budget is one of a day (UTC): in its last minutes no throttle lasts long, so the processes begin at noon.
    const aheadMs = HOUR_MS * 12 + DAY_MS - (Date.now() % DAY_MS)
    const start = () => {
      const words = [script, join(directory, "log"), world.url, "200", `${KILLED_BUDGET_BYTES / 10}`, `${aheadMs}`]
      const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] })
      onTestFinished(() => void child.kill("SIGKILL"))
      return { child, ended: once(child, "exit") }
    }
    const look = () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const log = yield* openLmdbLog({ path: join(directory, "log") })
            const batches = yield* Stream.runCollect(log.read("observations", 0))
            const records = batches.flatMap(({ records: some }) => some)
            return records.map(({ key, value }) => ({
              key,
              bytes: Buffer.byteLength(key) + (value?.length ?? 0),
              event: readEvent(value),
            }))
          }),
        ),
      )
    const throttles = async () => (await look()).filter(({ event }) => event.data.throttledUntil !== undefined)
    const first = start()
    const last = await eventually("a feed that is throttled for minutes", async () =>
      (await throttles()).find(
        ({ event }) => Date.parse(event.data.throttledUntil ?? "") > Date.parse(event.time) + 5 * MINUTE_MS,
      ),
    )
    first.child.kill("SIGKILL")
    await first.ended
    const { key } = last
    const before = (await look()).filter((one) => one.key === key)
    const second = start()
    const starts = async () => (await look()).filter(({ event }) => event.type === "feeds.declared").length
    await eventually("it has started again", async () => (await starts()) === 2 || undefined)
    // Others are polled meanwhile, and more often than the throttled one would be.
    const others = async () => (await look()).filter((one) => one.key !== key).length
    const then = await others()
    await eventually("others are polled", async () => (await others()) > then + 20 || undefined)
    second.child.kill("SIGKILL")
    await second.ended
    const after = (await look()).filter((one) => one.key === key)
    expect(after).toEqual(before)
    const byKey = Map.groupBy(await look(), (one) => one.key)
    for (const [one, all] of byKey)
      if (one.startsWith("earthquakes"))
        expect(all.reduce((bytes, { bytes: more }) => bytes + more, 0)).toBeLessThanOrEqual(KILLED_BUDGET_BYTES)
  })
})
